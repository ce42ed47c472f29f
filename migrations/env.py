"""How alembic runs the migrations: on the connection given to it, in one transaction, without a word."""

from __future__ import annotations

from alembic import context

from sottovoce.eventlog.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
