"""Games of tournaments whose replays are public."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "shared_game",
        sa.Column("game_id", sa.Integer, nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("shared_by", sa.Integer, nullable=False),
        sa.Column("shared_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_shared_game_game_id")),
        sa.ForeignKeyConstraint(["shared_by"], ["user.id"], name=op.f("fk_shared_game_shared_by")),
        sa.PrimaryKeyConstraint("game_id", name=op.f("pk_shared_game")),
        sa.UniqueConstraint("token", name=op.f("uq_shared_game_token")),
    )


def downgrade() -> None:
    op.drop_table("shared_game")
