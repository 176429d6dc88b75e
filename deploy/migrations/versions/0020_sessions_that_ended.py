"""Sessions that ended, and generations of sessions."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("user", sa.Column("generation", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "ended_session",
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("sha256"),
    )
    op.create_index("ix_ended_session_ended_at", "ended_session", ["ended_at"])


def downgrade() -> None:
    op.drop_table("ended_session")
    op.drop_column("user", "generation")
