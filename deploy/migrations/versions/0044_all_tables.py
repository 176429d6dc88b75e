"""All tables as they were at revision 0044.

It replaces the revisions before, and keeps the id of the last one: databases and backups of that one need no step.
"""

import sqlalchemy as sa
from alembic import op

revision = "0044"
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


def job(state: sa.String = WORD) -> list[sa.Column[object]]:
    return [
        sa.Column("state", state, nullable=False, index=True),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("owner", sa.String),
        sa.Column("lease_until", TIME),
        sa.Column("queued_at", TIME, nullable=False),
        sa.Column("finished_at", TIME),
        sa.Column("trouble", sa.String, nullable=False),
    ]


sa.Table(
    "case_names",
    TABLES,
    sa.Column("key", sa.String, primary_key=True),
    sa.Column("names", sa.LargeBinary, nullable=False),
)
sa.Table(
    "case_set",
    TABLES,
    sa.Column("key", sa.String, primary_key=True),
    sa.Column("cases", sa.LargeBinary, nullable=False),
    sa.Column("count", sa.Integer, nullable=False),
    sa.Column("made_at", TIME, nullable=False),
)
sa.Table(
    "course",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("slug", sa.String, nullable=False, unique=True),
    sa.Column("title", sa.String, nullable=False),
    sa.Column("created_at", TIME, nullable=False),
    sa.Column("time_zone", sa.String, nullable=False, server_default="UTC"),
    sa.Column("term", sa.String, nullable=False, server_default=""),
)
sa.Table(
    "ended_session",
    TABLES,
    sa.Column("sha256", sa.String, primary_key=True),
    sa.Column("ended_at", TIME, nullable=False, index=True),
)
sa.Table(
    "game_package",
    TABLES,
    sa.Column("sha256", sa.String(64), primary_key=True),
    sa.Column("slug", sa.String, nullable=False, index=True),
    sa.Column("title", sa.String, nullable=False),
    sa.Column("version", sa.String, nullable=False),
    sa.Column("archive", sa.LargeBinary, nullable=False),
    sa.Column("signature", sa.String, nullable=False),
    sa.Column("added_at", TIME, nullable=False),
    sa.Column("retired_at", TIME),
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
    "unsent_mail",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("subject", sa.String, nullable=False),
    sa.Column("text", sa.String, nullable=False),
    sa.Column("also", sa.JSON, nullable=False),
    sa.Column("made_at", TIME, nullable=False),
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
    sa.Column("offers", sa.String, nullable=False, server_default=""),
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
    sa.Column("version", sa.Integer, nullable=False, server_default="0"),
    sa.Column("visible_from", TIME),
    sa.Column("archived", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("due_entered", sa.String, nullable=False, server_default=""),
    sa.Column("full_kit", WORD, nullable=False, server_default="never"),
    sa.Column("section_dates", sa.JSON, nullable=False, server_default="{}"),
    sa.UniqueConstraint("course_id", "slug", name="uq_assignment_course_id_slug"),
)
sa.Table(
    "course_marking",
    TABLES,
    sa.Column("course_id", sa.Integer, sa.ForeignKey("course.id"), primary_key=True),
    sa.Column("scheme", sa.JSON, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
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
    sa.Column("student_number", sa.String, nullable=False, server_default=""),
    sa.Column("email", sa.String, nullable=False, server_default=""),
    sa.Column("section", sa.String, nullable=False, server_default=""),
    sa.Column("group", sa.String, nullable=False, server_default=""),
)
sa.Table(
    "join_code",
    TABLES,
    sa.Column("course_id", sa.Integer, sa.ForeignKey("course.id"), primary_key=True),
    sa.Column("code", sa.String, nullable=False, unique=True),
    sa.Column("section", sa.String, nullable=False),
    sa.Column("expires_at", TIME, nullable=False),
    sa.Column("made_by", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
)
sa.Table(
    "membership",
    TABLES,
    sa.Column("user_id", sa.Integer, sa.ForeignKey("user.id"), primary_key=True),
    sa.Column("course_id", sa.Integer, sa.ForeignKey("course.id"), primary_key=True),
    sa.Column("role", WORD, nullable=False),
    sa.Column("pseudonym", sa.String, nullable=False),
    sa.Column("student_number", sa.String, nullable=False, server_default=""),
    sa.Column("email", sa.String, nullable=False, server_default=""),
    sa.Column("section", sa.String, nullable=False, server_default=""),
    sa.Column("group", sa.String, nullable=False, server_default=""),
)
sa.Table(
    "assignment_draft",
    TABLES,
    sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), primary_key=True),
    sa.Column("base", sa.Integer, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("content", sa.JSON, nullable=False),
    sa.Column("publish_at", TIME),
    sa.Column("saved_by", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
    sa.Column("saved_at", TIME, nullable=False),
)
sa.Table(
    "assignment_version",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("definition", sa.String, nullable=False),
    sa.Column("digest", sa.String, nullable=False),
    sa.Column("summary", sa.String, nullable=False),
    sa.Column("published_by", sa.Integer, sa.ForeignKey("user.id")),
    sa.Column("published_at", TIME, nullable=False),
    sa.UniqueConstraint("assignment_id", "number", name="uq_assignment_version_assignment_id_number"),
)
sa.Table(
    "authoring_job",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False, index=True),
    sa.Column("purpose", sa.String, nullable=False),
    sa.Column("definition", sa.String, nullable=False),
    sa.Column("base", sa.Integer, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("filename", sa.String, nullable=False),
    sa.Column("source", sa.LargeBinary, nullable=False),
    sa.Column("asked_by", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
    sa.Column("scheduled", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("progress", sa.String, nullable=False),
    sa.Column("result", sa.JSON, nullable=False),
    sa.Column("report", sa.LargeBinary),
    *job(sa.String()),
    sa.Column("needs", sa.String, nullable=False, server_default=""),
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
    sa.Column("entered", sa.String, nullable=False, server_default=""),
    sa.Column("reason", sa.String, nullable=False, server_default=""),
)
sa.Table(
    "given_file",
    TABLES,
    sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), primary_key=True),
    sa.Column("player_id", sa.Integer, sa.ForeignKey("player.id"), primary_key=True),
)
sa.Table(
    "hand_game",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False, index=True),
    sa.Column("person_id", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Column("bots", sa.JSON, nullable=False),
    sa.Column("practice", sa.Boolean, nullable=False),
    sa.Column("record", sa.LargeBinary, nullable=False),
    sa.Column("move", sa.JSON, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("begun_at", TIME, nullable=False),
    sa.Column("ended", sa.String, nullable=False),
    sa.Column("place", sa.Integer),
    sa.Column("adviser_id", sa.Integer, sa.ForeignKey("player.id")),
    sa.Column("advice", sa.JSON, nullable=False),
    sa.Column("request_key", sa.String),
    *job(sa.String()),
    sa.Index("ix_hand_game_person", "person_id", "assignment_id", "begun_at"),
    sa.Index("ix_hand_game_waiting", "ended", "finished_at"),
)
sa.Table(
    "marking",
    TABLES,
    sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), primary_key=True),
    sa.Column("scheme", sa.JSON, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
)
sa.Table(
    "marks_publication",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False, index=True),
    sa.Column("header", sa.JSON, nullable=False),
    sa.Column("published_by", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
    sa.Column("published_at", TIME, nullable=False),
    sa.Column("withdrawn_at", TIME),
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
    sa.Column("candidate", sa.String),
    sa.Column("needs", sa.String, nullable=False, server_default=""),
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
    "staff_decision",
    TABLES,
    sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), primary_key=True),
    sa.Column("user_id", sa.Integer, sa.ForeignKey("user.id"), primary_key=True),
    sa.Column("rubric", sa.JSON, nullable=False),
    sa.Column("remark", sa.String, nullable=False),
    sa.Column("excused", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("override", sa.Double),
    sa.Column("reason", sa.String, nullable=False),
    sa.Column("decided_by", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
    sa.Column("decided_at", TIME, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
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
    sa.Column("version", sa.Integer),
    sa.Column("archive", sa.LargeBinary),
    sa.Column("needs", sa.String, nullable=False, server_default=""),
    sa.Column("question_points", sa.JSON),
    sa.UniqueConstraint("author_id", "request_key", name="uq_submission_author_id_request_key"),
    sa.Index("ix_submission_author", "assignment_id", "author_id", "id", "qualifies", "points"),
    sa.Index("ix_submission_finished", "finished_at", "state"),
    sa.Index("ix_submission_times", "assignment_id", "queued_at", "author_id", "finished_at"),
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
    sa.Column("season_ended", TIME),
    sa.Column("since_version", sa.Integer, nullable=False, server_default="0"),
    sa.UniqueConstraint("assignment_id", "slug", name="uq_tournament_assignment_id_slug"),
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
    sa.UniqueConstraint("assignment_id", "player_id", name="uq_trial_assignment_id_player_id"),
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
    "case_failures",
    TABLES,
    sa.Column("submission_id", sa.Integer, sa.ForeignKey("submission.id"), primary_key=True),
    sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False, index=True),
    sa.Column("cases", sa.String, sa.ForeignKey("case_names.key"), nullable=False),
    sa.Column("failed", sa.LargeBinary, nullable=False),
)
sa.Table(
    "chosen_upload",
    TABLES,
    sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), primary_key=True),
    sa.Column("user_id", sa.Integer, sa.ForeignKey("user.id"), primary_key=True),
    sa.Column("submission_id", sa.Integer, sa.ForeignKey("submission.id"), nullable=False),
)
sa.Table(
    "code_comment",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("submission_id", sa.Integer, sa.ForeignKey("submission.id"), nullable=False, index=True),
    sa.Column("path", sa.String, nullable=False),
    sa.Column("line", sa.Integer, nullable=False),
    sa.Column("text", sa.String, nullable=False),
    sa.Column("written_by", sa.Integer, sa.ForeignKey("user.id"), nullable=False, index=True),
    sa.Column("written_at", TIME, nullable=False),
    sa.Column("changed_by", sa.Integer, sa.ForeignKey("user.id")),
    sa.Column("changed_at", TIME),
    sa.Column("deleted_at", TIME),
    sa.Column("revision", sa.Integer, nullable=False, server_default="1"),
)
sa.Table(
    "custom_batch",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), nullable=False, index=True),
    sa.Column("asker_id", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("rotates", sa.Boolean, nullable=False),
    sa.Column("asked_at", TIME, nullable=False),
    sa.Column("request_key", sa.String),
    sa.Index("ix_custom_batch_asker", "asker_id", "tournament_id"),
    sa.Index("ix_custom_batch_request", "asker_id", "request_key", unique=True),
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
    sa.Column("form", sa.String, nullable=False, server_default=""),
    sa.UniqueConstraint("tournament_id", "author_id", "version", name="uq_entry_tournament_id_author_id_version"),
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
    sa.Column("amendments", sa.JSON, nullable=False, server_default="[]"),
)
sa.Table(
    "matchups",
    TABLES,
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True),
    sa.Column("at", TIME, nullable=False),
    sa.Column("entries", sa.JSON, nullable=False),
    sa.Column("games", sa.JSON, nullable=False),
    sa.Column("ahead", sa.JSON, nullable=False),
)
sa.Table(
    "published_mark",
    TABLES,
    sa.Column("publication_id", sa.Integer, sa.ForeignKey("marks_publication.id"), primary_key=True),
    sa.Column("user_id", sa.Integer, sa.ForeignKey("user.id"), primary_key=True),
    sa.Column("total", sa.Double),
    sa.Column("excused", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("account", sa.JSON, nullable=False),
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
    "review_request",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("submission_id", sa.Integer, sa.ForeignKey("submission.id"), nullable=False, index=True),
    sa.Column("question", sa.String, nullable=False),
    sa.Column("kind", WORD, nullable=False),
    sa.Column("text", sa.String, nullable=False),
    sa.Column("state", WORD, nullable=False),
    sa.Column("asked_at", TIME, nullable=False),
    sa.Column("answer", sa.String, nullable=False, server_default=""),
    sa.Column("answered_by", sa.Integer, sa.ForeignKey("user.id")),
    sa.Column("answered_at", TIME),
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
    sa.UniqueConstraint("entry_id", "player_id", name="uq_comparison_entry_id_player_id"),
    sa.Index("ix_comparison_author", "author_id", "state"),
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
    sa.Column("batch_id", sa.Integer, sa.ForeignKey("custom_batch.id"), index=True),
    sa.Column("number", sa.Integer, nullable=False, server_default="0"),
    sa.Index("ix_custom_game_asker", "asker_id", "tournament_id", "queued_at"),
    sa.Index("ix_custom_game_request", "asker_id", "request_key", unique=True),
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
    sa.UniqueConstraint("block_id", "seating", name="uq_game_block_id_seating"),
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
    "rank_sample",
    TABLES,
    sa.Column("entry_id", sa.Integer, sa.ForeignKey("entry.id"), primary_key=True),
    sa.Column("at", TIME, primary_key=True),
    sa.Column("rank", sa.Integer, nullable=False),
    sa.Column("ranked", sa.Integer, nullable=False),
    sa.Column("games", sa.Integer, nullable=False),
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
    sa.Column("played_at", TIME),
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
    sa.Column("block_id", sa.Integer, nullable=False, server_default="0"),
    sa.Column("call_ms", sa.Double),
    sa.Column("slowest_ms", sa.Double),
    sa.Index("ix_seat_entry_game", "entry_id", "game_id"),
)
sa.Table(
    "shared_game",
    TABLES,
    sa.Column("game_id", sa.Integer, sa.ForeignKey("game.id"), primary_key=True),
    sa.Column("token", sa.String, nullable=False, unique=True),
    sa.Column("shared_by", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
    sa.Column("shared_at", TIME, nullable=False),
)


def upgrade() -> None:
    TABLES.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    TABLES.drop_all(op.get_bind(), checkfirst=False)
