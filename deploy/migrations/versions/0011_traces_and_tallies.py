"""Traces and tallies"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tally",
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("sample", sa.String(), nullable=False),
        sa.Column("labels", sa.String(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("metric", "sample", "labels", name=op.f("pk_tally")),
    )
    for table in ("entry", "submission"):
        op.add_column(table, sa.Column("trace", sa.String(), nullable=True))


def downgrade() -> None:
    for table in ("submission", "entry"):
        op.drop_column(table, "trace")
    op.drop_table("tally")
