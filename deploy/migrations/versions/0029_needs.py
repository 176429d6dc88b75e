"""The languages that a worker offers, and those that a draft or a regrade needs."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

TABLES = {"worker": "offers", "authoring_job": "needs", "regrade_batch": "needs"}


def upgrade() -> None:
    for table, column in TABLES.items():
        op.add_column(table, sa.Column(column, sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    for table, column in TABLES.items():
        op.drop_column(table, column)
