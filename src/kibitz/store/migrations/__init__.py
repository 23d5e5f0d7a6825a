"""Alembic's migrations of the store, applied when a store is opened."""
