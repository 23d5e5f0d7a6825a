"""What agents do at a table, explained: so far, how one plays beside another."""
