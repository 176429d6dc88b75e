"""Custom games in batches, and when each pair of a comparison was played."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "custom_batch",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("tournament_id", sa.Integer, nullable=False),
        sa.Column("asker_id", sa.Integer, nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("rotates", sa.Boolean, nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("request_key", sa.String()),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_custom_batch_tournament_id")),
        sa.ForeignKeyConstraint(["asker_id"], ["user.id"], name=op.f("fk_custom_batch_asker_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_custom_batch")),
    )
    op.create_index("ix_custom_batch_asker", "custom_batch", ["asker_id", "tournament_id"])
    op.create_index("ix_custom_batch_request", "custom_batch", ["asker_id", "request_key"], unique=True)
    op.create_index(op.f("ix_custom_batch_tournament_id"), "custom_batch", ["tournament_id"])
    with op.batch_alter_table("custom_game") as table:
        table.add_column(sa.Column("batch_id", sa.Integer))
        table.add_column(sa.Column("number", sa.Integer, nullable=False, server_default="0"))
        table.create_foreign_key(op.f("fk_custom_game_batch_id"), "custom_batch", ["batch_id"], ["id"])
    op.create_index(op.f("ix_custom_game_batch_id"), "custom_game", ["batch_id"])
    op.add_column("compared_pair", sa.Column("played_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    op.drop_column("compared_pair", "played_at")
    op.drop_index(op.f("ix_custom_game_batch_id"), "custom_game")
    with op.batch_alter_table("custom_game") as table:
        table.drop_constraint(op.f("fk_custom_game_batch_id"), type_="foreignkey")
        table.drop_column("number")
        table.drop_column("batch_id")
    op.drop_table("custom_batch")
