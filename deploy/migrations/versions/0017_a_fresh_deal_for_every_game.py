"""A fresh deal for every game: how often each block was dealt, and the attempts that were cut off."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("block", sa.Column("deals", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "void_attempt",
        sa.Column("block_id", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["block_id"], ["block.id"], name=op.f("fk_void_attempt_block_id")),
        sa.PrimaryKeyConstraint("block_id", "attempt", name=op.f("pk_void_attempt")),
    )


def downgrade() -> None:
    op.drop_table("void_attempt")
    op.drop_column("block", "deals")
