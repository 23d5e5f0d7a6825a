"""The games, one folder each; pyproject.toml registers them."""
