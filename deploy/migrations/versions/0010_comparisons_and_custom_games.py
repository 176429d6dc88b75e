"""Comparisons of two versions of a player, and custom games."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "custom_game",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("asker_id", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=True),
        sa.Column("ended", sa.String(), nullable=False),
        sa.Column("share", sa.String(), nullable=True),
        sa.Column(
            "state",
            sa.Enum("queued", "running", "done", "parked", "cancelled", name="jobstate", native_enum=False, length=16),
            nullable=False,
        ),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("queued_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("trouble", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["asker_id"], ["user.id"], name=op.f("fk_custom_game_asker_id")),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_custom_game_tournament_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_custom_game")),
        sa.UniqueConstraint("share", name=op.f("uq_custom_game_share")),
    )
    op.create_index("ix_custom_game_asker", "custom_game", ["asker_id", "tournament_id", "queued_at"], unique=False)
    op.create_index("ix_custom_game_state", "custom_game", ["state"], unique=False)
    op.create_index("ix_custom_game_tournament_id", "custom_game", ["tournament_id"], unique=False)

    op.create_table(
        "comparison",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("entry_id", sa.Integer(), nullable=False),
        sa.Column(
            "ranking",
            sa.Enum("win rate", "place", "points", name="ranking", native_enum=False, length=16),
            nullable=False,
        ),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("opponents", sa.JSON(), nullable=False),
        sa.Column("most_pairs", sa.Integer(), nullable=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column(
            "state",
            sa.Enum("queued", "running", "done", "parked", "cancelled", name="jobstate", native_enum=False, length=16),
            nullable=False,
        ),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("queued_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("trouble", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["author_id"], ["user.id"], name=op.f("fk_comparison_author_id")),
        sa.ForeignKeyConstraint(["entry_id"], ["entry.id"], name=op.f("fk_comparison_entry_id")),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_comparison_player_id")),
        sa.ForeignKeyConstraint(["submission_id"], ["submission.id"], name=op.f("fk_comparison_submission_id")),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_comparison_tournament_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comparison")),
        sa.UniqueConstraint("entry_id", "player_id", name=op.f("uq_comparison_entry_id_player_id")),
    )
    op.create_index("ix_comparison_author", "comparison", ["author_id", "state"], unique=False)
    op.create_index("ix_comparison_state", "comparison", ["state"], unique=False)
    op.create_index("ix_comparison_submission_id", "comparison", ["submission_id"], unique=False)
    op.create_index("ix_comparison_tournament_id", "comparison", ["tournament_id"], unique=False)

    op.create_table(
        "custom_seat",
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=True),
        sa.Column("entry_id", sa.Integer(), nullable=True),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("bot", sa.String(), nullable=True),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("points", sa.Double(), nullable=True),
        sa.Column("verdict", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["author_id"], ["user.id"], name=op.f("fk_custom_seat_author_id")),
        sa.ForeignKeyConstraint(["entry_id"], ["entry.id"], name=op.f("fk_custom_seat_entry_id")),
        sa.ForeignKeyConstraint(["game_id"], ["custom_game.id"], name=op.f("fk_custom_seat_game_id")),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_custom_seat_player_id")),
        sa.PrimaryKeyConstraint("game_id", "seat", name=op.f("pk_custom_seat")),
    )
    op.create_table(
        "compared_pair",
        sa.Column("comparison_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("opponents", sa.JSON(), nullable=False),
        sa.Column("no_contest", sa.Boolean(), nullable=False),
        sa.Column("parting", sa.Integer(), nullable=True),
        sa.Column("new_place", sa.Integer(), nullable=False),
        sa.Column("new_points", sa.Double(), nullable=False),
        sa.Column("new_verdict", sa.String(), nullable=True),
        sa.Column("old_place", sa.Integer(), nullable=False),
        sa.Column("old_points", sa.Double(), nullable=False),
        sa.Column("old_verdict", sa.String(), nullable=True),
        sa.Column("new_record", sa.LargeBinary(), nullable=True),
        sa.Column("old_record", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["comparison_id"], ["comparison.id"], name=op.f("fk_compared_pair_comparison_id")),
        sa.PrimaryKeyConstraint("comparison_id", "number", name=op.f("pk_compared_pair")),
    )
    op.add_column("assignment", sa.Column("custom_games_hour", sa.Integer(), server_default="20", nullable=False))


def downgrade() -> None:
    op.drop_column("assignment", "custom_games_hour")
    for table in ("compared_pair", "custom_seat", "comparison", "custom_game"):
        op.drop_table(table)
