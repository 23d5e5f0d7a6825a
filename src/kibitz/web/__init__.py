"""The web table: a server that owns tables, processes in which agents think, reviews."""
