"""Run the migrations silently, on the given connection and in one transaction."""

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
