"""How Alembic runs our migrations: in the transaction that it was given."""

from alembic import context

from broadsheet.library.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
