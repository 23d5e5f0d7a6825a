"""What happened at a table, told to a seat; what agents think of it, and how they play."""
