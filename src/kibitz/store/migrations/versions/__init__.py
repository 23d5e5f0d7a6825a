"""One file per migration, in order of their numbers."""
