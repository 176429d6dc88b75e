"""Elimination brackets."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "bracket",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("ladder_id", sa.Integer(), nullable=False),
        sa.Column("best_of", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("entries", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["ladder_id"], ["tournament.id"], name=op.f("fk_bracket_ladder_id_tournament")),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_bracket_tournament_id_tournament")),
        sa.PrimaryKeyConstraint("tournament_id", name=op.f("pk_bracket")),
    )
    op.create_index(op.f("ix_bracket_ladder_id"), "bracket", ["ladder_id"])


def downgrade() -> None:
    op.drop_table("bracket")
