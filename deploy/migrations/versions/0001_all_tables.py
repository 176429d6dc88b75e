"""All tables of version 0.1.0.

It replaces the 20 revisions made before the first release, and keeps the id of the last one: databases and backups
of that one need no step.
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = None
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
WORD = sa.String(16)
TABLES = sa.MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def job() -> list[sa.Column[object]]:
    return [
        sa.Column("state", WORD, nullable=False, index=True),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("owner", sa.String),
        sa.Column("lease_until", TIME),
        sa.Column("queued_at", TIME, nullable=False),
        sa.Column("finished_at", TIME),
        sa.Column("trouble", sa.String, nullable=False),
    ]


sa.Table(
    "course",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("slug", sa.String, nullable=False, unique=True),
    sa.Column("title", sa.String, nullable=False),
    sa.Column("created_at", TIME, nullable=False),
)
sa.Table(
    "ended_session",
    TABLES,
    sa.Column("sha256", sa.String, primary_key=True),
    sa.Column("ended_at", TIME, nullable=False, index=True),
)
sa.Table(
    "maintenance",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("reason", sa.String, nullable=False),
    sa.Column("since", TIME, nullable=False),
)
sa.Table(
    "player",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("sha256", sa.String, nullable=False, unique=True),
    sa.Column("source", sa.LargeBinary, nullable=False),
    sa.Column("created_at", TIME, nullable=False),
)
sa.Table(
    "tally",
    TABLES,
    sa.Column("metric", sa.String, primary_key=True),
    sa.Column("sample", sa.String, primary_key=True),
    sa.Column("labels", sa.String, primary_key=True),
    sa.Column("value", sa.Double, nullable=False),
)
sa.Table(
    "user",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("login", sa.String, nullable=False, unique=True),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("password_hash", sa.String, nullable=False),
    sa.Column("created_at", TIME, nullable=False),
    sa.Column("one_time", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("once_taught", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("signed_in_at", TIME),
    sa.Column("generation", sa.Integer, nullable=False, server_default="0"),
)
sa.Table(
    "worker",
    TABLES,
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("queue", sa.String, nullable=False),
    sa.Column("started_at", TIME, nullable=False),
    sa.Column("seen_at", TIME, nullable=False),
    sa.Column("trouble", sa.String, nullable=False),
    sa.Column("process", sa.String, nullable=False, server_default=""),
)
sa.Table(
    "api_token",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("user_id", sa.Integer, sa.ForeignKey("user.id"), nullable=False, index=True),
    sa.Column("label", sa.String, nullable=False),
    sa.Column("sha256", sa.String, nullable=False, unique=True),
    sa.Column("created_at", TIME, nullable=False),
    sa.Column("used_at", TIME),
)
sa.Table(
    "assignment",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("course_id", sa.Integer, sa.ForeignKey("course.id"), nullable=False),
    sa.Column("slug", sa.String, nullable=False),
    sa.Column("title", sa.String, nullable=False),
    sa.Column("game", sa.String, nullable=False),
    sa.Column("due_at", TIME),
    sa.Column("created_at", TIME, nullable=False),
    sa.Column("custom_games_hour", sa.Integer, nullable=False, server_default="20"),
    sa.Column("gates", sa.JSON, nullable=False, server_default="{}"),
    sa.Column("trial_games", sa.Integer, nullable=False, server_default="8"),
    sa.UniqueConstraint("course_id", "slug"),
)
sa.Table(
    "fingerprint",
    TABLES,
    sa.Column(
        "player_id", sa.Integer, sa.ForeignKey("player.id", name="fk_fingerprint_player_id_player"), primary_key=True
    ),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("runs", sa.LargeBinary, nullable=False),
    sa.Column("trouble", sa.String, nullable=False),
    sa.Column("made_at", TIME, nullable=False),
)
sa.Table(
    "former_member",
    TABLES,
    sa.Column("user_id", sa.Integer, sa.ForeignKey("user.id"), primary_key=True),
    sa.Column("course_id", sa.Integer, sa.ForeignKey("course.id"), primary_key=True),
    sa.Column("pseudonym", sa.String, nullable=False),
    sa.Column("removed_by", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
    sa.Column("removed_at", TIME, nullable=False),
)
sa.Table(
    "membership",
    TABLES,
    sa.Column("user_id", sa.Integer, sa.ForeignKey("user.id"), primary_key=True),
    sa.Column("course_id", sa.Integer, sa.ForeignKey("course.id"), primary_key=True),
    sa.Column("role", WORD, nullable=False),
    sa.Column("pseudonym", sa.String, nullable=False),
)
sa.Table(
    "extension",
    TABLES,
    sa.Column(
        "assignment_id",
        sa.Integer,
        sa.ForeignKey("assignment.id", name="fk_extension_assignment_id_assignment"),
        primary_key=True,
    ),
    sa.Column("user_id", sa.Integer, sa.ForeignKey("user.id", name="fk_extension_user_id_user"), primary_key=True),
    sa.Column("until", TIME, nullable=False),
)
sa.Table(
    "notice",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("user_id", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
    sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id")),
    sa.Column("subject", sa.String, nullable=False),
    sa.Column("text", sa.String, nullable=False),
    sa.Column("links", sa.JSON, nullable=False),
    sa.Column("told_at", TIME, nullable=False),
    sa.Column("read_at", TIME),
    sa.Index("ix_notice_unread", "user_id", "read_at"),
)
sa.Table(
    "regrade_batch",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False, index=True),
    sa.Column("asked_by", sa.Integer, sa.ForeignKey("user.id")),
    sa.Column("reason", sa.String, nullable=False),
    sa.Column("asked_at", TIME, nullable=False),
    sa.Column("ended_at", TIME),
)
sa.Table(
    "setting_change",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False, index=True),
    sa.Column("changed_by", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
    sa.Column("changed_at", TIME, nullable=False),
    sa.Column("setting", sa.String, nullable=False),
    sa.Column("former", sa.String, nullable=False),
    sa.Column("value", sa.String, nullable=False),
)
sa.Table(
    "submission",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False),
    sa.Column("author_id", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
    sa.Column("player_id", sa.Integer, sa.ForeignKey("player.id"), nullable=False),
    sa.Column("filename", sa.String, nullable=False),
    sa.Column("wants_entry", sa.Boolean, nullable=False),
    sa.Column("entry_name", sa.String, nullable=False),
    sa.Column("request_key", sa.String),
    sa.Column("progress", sa.JSON, nullable=False),
    sa.Column("report", sa.LargeBinary),
    sa.Column("qualifies", sa.Boolean),
    sa.Column("points", sa.Double),
    *job(),
    sa.Column("trace", sa.String),
    sa.Column("regraded_at", TIME),
    sa.UniqueConstraint("author_id", "request_key"),
    sa.Index("ix_submission_author", "assignment_id", "author_id", "id"),
    sa.Index("ix_submission_finished", "finished_at"),
)
sa.Table(
    "tournament",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id")),
    sa.Column("slug", sa.String, nullable=False),
    sa.Column("title", sa.String, nullable=False),
    sa.Column("game", sa.String, nullable=False),
    sa.Column("state", WORD, nullable=False),
    sa.Column("ranking", WORD, nullable=False),
    sa.Column("target_games", sa.Integer, nullable=False),
    sa.Column("exclusion_s", sa.Integer, nullable=False),
    sa.Column("fault_limit", sa.Integer, nullable=False),
    sa.Column("created_at", TIME, nullable=False),
    sa.Column("rated_blocks", sa.Integer, nullable=False, server_default="0"),
    sa.Column("kind", WORD, nullable=False, server_default="ladder"),
    sa.Column("active_limit", sa.Integer, nullable=False, server_default="1"),
    sa.Column("out_exclusion_s", sa.Integer, nullable=False, server_default="120"),
    sa.UniqueConstraint("assignment_id", "slug"),
)
sa.Table(
    "trial",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False),
    sa.Column("player_id", sa.Integer, sa.ForeignKey("player.id"), nullable=False, index=True),
    sa.Column("game", sa.String, nullable=False),
    sa.Column("games", sa.Integer, nullable=False),
    sa.Column("played", sa.Integer, nullable=False),
    sa.Column("offence", sa.LargeBinary),
    sa.Column("trace", sa.String),
    *job(),
    sa.UniqueConstraint("assignment_id", "player_id"),
)
sa.Table(
    "block",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), nullable=False, index=True),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("entries", sa.JSON, nullable=False),
    *job(),
    sa.Column("finish", sa.String, nullable=False, server_default=""),
    sa.Column("deals", sa.Integer, nullable=False, server_default="0"),
    sa.Index("ix_block_pairing", "tournament_id", "state"),
)
sa.Table(
    "bracket",
    TABLES,
    sa.Column(
        "tournament_id",
        sa.Integer,
        sa.ForeignKey("tournament.id", name="fk_bracket_tournament_id_tournament"),
        primary_key=True,
    ),
    sa.Column(
        "ladder_id",
        sa.Integer,
        sa.ForeignKey("tournament.id", name="fk_bracket_ladder_id_tournament"),
        nullable=False,
        index=True,
    ),
    sa.Column("best_of", sa.Integer, nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("entries", sa.JSON, nullable=False),
)
sa.Table(
    "custom_game",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), nullable=False, index=True),
    sa.Column("asker_id", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("record", sa.LargeBinary),
    sa.Column("ended", sa.String, nullable=False),
    sa.Column("share", sa.String, unique=True),
    *job(),
    sa.Column("request_key", sa.String),
    sa.Index("ix_custom_game_asker", "asker_id", "tournament_id", "queued_at"),
    sa.Index("ix_custom_game_request", "asker_id", "request_key", unique=True),
)
sa.Table(
    "entry",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), nullable=False),
    sa.Column("author_id", sa.Integer, sa.ForeignKey("user.id"), index=True),
    sa.Column("player_id", sa.Integer, sa.ForeignKey("player.id")),
    sa.Column("bot", sa.String),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("state", WORD, nullable=False),
    sa.Column("entered_at", TIME, nullable=False),
    sa.Column("left_at", TIME),
    sa.Column("games", sa.Integer, nullable=False),
    sa.Column("wins", sa.Integer, nullable=False),
    sa.Column("faults", sa.Integer, nullable=False),
    sa.Column("places", sa.Integer, nullable=False),
    sa.Column("points", sa.Double, nullable=False),
    sa.Column("blocks", sa.Integer, nullable=False, server_default="0"),
    sa.Column("games_games", sa.Integer, nullable=False, server_default="0"),
    sa.Column("wins_wins", sa.Integer, nullable=False, server_default="0"),
    sa.Column("wins_games", sa.Integer, nullable=False, server_default="0"),
    sa.Column("places_places", sa.Integer, nullable=False, server_default="0"),
    sa.Column("places_games", sa.Integer, nullable=False, server_default="0"),
    sa.Column("points_points", sa.Double, nullable=False, server_default="0"),
    sa.Column("points_games", sa.Double, nullable=False, server_default="0"),
    sa.Column("rating", sa.Double),
    sa.Column("withdrawn_by", sa.Integer),
    sa.Column("exclusion_from", TIME),
    sa.Column("trace", sa.String),
    sa.Column("seated", sa.Integer, nullable=False, server_default="0"),
    sa.UniqueConstraint("tournament_id", "author_id", "version"),
    sa.Index("ix_entry_standings", "tournament_id", "state", "games"),
)
sa.Table(
    "exclusion_override",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), nullable=False),
    sa.Column("author_id", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
    sa.Column("seconds", sa.Integer),
    sa.Column("last_entry", sa.Integer),
    sa.Column("reason", sa.String, nullable=False),
    sa.Column("given_by", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
    sa.Column("given_at", TIME, nullable=False),
    sa.Column("revoked_at", TIME),
    sa.Index("ix_exclusion_override_author", "tournament_id", "author_id"),
)
sa.Table(
    "final",
    TABLES,
    sa.Column(
        "tournament_id",
        sa.Integer,
        sa.ForeignKey("tournament.id", name="fk_final_tournament_id_tournament"),
        primary_key=True,
    ),
    sa.Column("phase", WORD, nullable=False),
    sa.Column("header", sa.String, nullable=False),
    sa.Column("entries", sa.JSON, nullable=False),
    sa.Column("rounds", sa.JSON, nullable=False),
    sa.Column("notes", sa.JSON, nullable=False),
    sa.Column("standings", sa.String, nullable=False),
    sa.Column("frozen_at", TIME, nullable=False),
    sa.Column("started_at", TIME),
    sa.Column("ended_at", TIME),
    sa.Column("published_at", TIME),
)
sa.Table(
    "regrade",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("batch_id", sa.Integer, sa.ForeignKey("regrade_batch.id"), nullable=False, index=True),
    sa.Column("submission_id", sa.Integer, sa.ForeignKey("submission.id"), nullable=False, index=True),
    sa.Column("former", sa.LargeBinary),
    sa.Column("difference", sa.JSON),
    sa.Column("changed", sa.Boolean),
    sa.Column("told", sa.Boolean, nullable=False),
    *job(),
)
sa.Table(
    "watch",
    TABLES,
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True),
    sa.Column("asked_at", TIME, nullable=False),
    sa.Column("done_at", TIME),
    sa.Column("took_s", sa.Double, nullable=False),
    sa.Column("trouble", sa.String, nullable=False),
    sa.Column("found", sa.JSON, nullable=False),
)
sa.Table(
    "comparison",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), nullable=False, index=True),
    sa.Column("author_id", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
    sa.Column("submission_id", sa.Integer, sa.ForeignKey("submission.id"), nullable=False, index=True),
    sa.Column("player_id", sa.Integer, sa.ForeignKey("player.id"), nullable=False),
    sa.Column("entry_id", sa.Integer, sa.ForeignKey("entry.id"), nullable=False),
    sa.Column("ranking", WORD, nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("opponents", sa.JSON, nullable=False),
    sa.Column("most_pairs", sa.Integer, nullable=False),
    sa.Column("begun_at", TIME, nullable=False),
    *job(),
    sa.Column("trace", sa.String),
    sa.UniqueConstraint("entry_id", "player_id"),
    sa.Index("ix_comparison_author", "author_id", "state"),
)
sa.Table(
    "custom_seat",
    TABLES,
    sa.Column("game_id", sa.Integer, sa.ForeignKey("custom_game.id"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("label", sa.String, nullable=False),
    sa.Column("author_id", sa.Integer, sa.ForeignKey("user.id")),
    sa.Column("entry_id", sa.Integer, sa.ForeignKey("entry.id")),
    sa.Column("player_id", sa.Integer, sa.ForeignKey("player.id")),
    sa.Column("bot", sa.String),
    sa.Column("place", sa.Integer),
    sa.Column("points", sa.Double),
    sa.Column("verdict", sa.String),
    sa.Column("trace", sa.String),
)
sa.Table(
    "game",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("block_id", sa.Integer, sa.ForeignKey("block.id"), nullable=False),
    sa.Column("seating", sa.Integer, nullable=False),
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), nullable=False, index=True),
    sa.Column("ended", sa.String, nullable=False),
    sa.Column("plays", sa.Integer, nullable=False),
    sa.Column("record", sa.LargeBinary, nullable=False),
    sa.Column("played_at", TIME, nullable=False),
    sa.UniqueConstraint("block_id", "seating"),
)
sa.Table(
    "outcome",
    TABLES,
    sa.Column("submission_id", sa.Integer, sa.ForeignKey("submission.id"), primary_key=True),
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True),
    sa.Column("entry_id", sa.Integer, sa.ForeignKey("entry.id")),
    sa.Column("refusal", sa.String, nullable=False),
    sa.Column("wanted_from", TIME, index=True),
)
sa.Table(
    "void_attempt",
    TABLES,
    sa.Column("block_id", sa.Integer, sa.ForeignKey("block.id"), primary_key=True),
    sa.Column("attempt", sa.Integer, primary_key=True),
    sa.Column("reason", sa.String, nullable=False),
    sa.Column("at", TIME, nullable=False),
)
sa.Table(
    "compared_pair",
    TABLES,
    sa.Column("comparison_id", sa.Integer, sa.ForeignKey("comparison.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Column("opponents", sa.JSON, nullable=False),
    sa.Column("no_contest", sa.Boolean, nullable=False),
    sa.Column("parting", sa.Integer),
    sa.Column("new_place", sa.Integer, nullable=False),
    sa.Column("new_points", sa.Double, nullable=False),
    sa.Column("new_verdict", sa.String),
    sa.Column("old_place", sa.Integer, nullable=False),
    sa.Column("old_points", sa.Double, nullable=False),
    sa.Column("old_verdict", sa.String),
    sa.Column("new_record", sa.LargeBinary),
    sa.Column("old_record", sa.LargeBinary),
)
sa.Table(
    "seat",
    TABLES,
    sa.Column("game_id", sa.Integer, sa.ForeignKey("game.id"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("entry_id", sa.Integer, sa.ForeignKey("entry.id"), nullable=False),
    sa.Column("place", sa.Integer, nullable=False),
    sa.Column("points", sa.Double, nullable=False),
    sa.Column("counts", sa.Boolean, nullable=False),
    sa.Column("verdict", sa.String),
    sa.Column("rule", sa.String, nullable=False),
    sa.Column("message", sa.String, nullable=False),
    sa.Index("ix_seat_entry_game", "entry_id", "game_id"),
)


def upgrade() -> None:
    TABLES.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    TABLES.drop_all(op.get_bind(), checkfirst=False)
