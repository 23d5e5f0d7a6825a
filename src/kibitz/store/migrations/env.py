"""Alembic runs this file: migrate over the connection that the opener of the store has begun."""

from alembic import context

from kibitz.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite can change a column only by making the table anew
)
context.run_migrations()
