"""How the leaders of a ladder did against each other, and more games for a final that has ended."""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "matchups",
        sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("entries", sa.JSON, nullable=False),
        sa.Column("games", sa.JSON, nullable=False),
        sa.Column("ahead", sa.JSON, nullable=False),
    )
    op.add_column("final", sa.Column("amendments", sa.JSON, nullable=False, server_default="[]"))
    op.execute("UPDATE tournament SET rated_blocks = 0")  # so that they are rated once more, which counts the matchups


def downgrade() -> None:
    op.drop_column("final", "amendments")
    op.drop_table("matchups")
