"""The script that Alembic runs for each of its commands."""

from alembic import context

from deploy.migrations import options

context.configure(**options(context.config.attributes["connection"]))
with context.begin_transaction():
    context.run_migrations()
