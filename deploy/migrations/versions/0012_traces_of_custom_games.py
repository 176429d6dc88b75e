"""Traces of comparisons and custom games"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

TABLES = ("comparison", "custom_seat")


def upgrade() -> None:
    for table in TABLES:
        op.add_column(table, sa.Column("trace", sa.String(), nullable=True))


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_column(table, "trace")
