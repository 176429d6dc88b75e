"""Which student a member of the staff has open for marking"""

import sqlalchemy as sa
from alembic import op

revision = "0064"
down_revision = "0063"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "marking_hold",
        sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), primary_key=True),
        sa.Column("held_by", sa.Integer, sa.ForeignKey("user.id"), primary_key=True),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_marking_hold_user_id", "marking_hold", ["user_id"])
