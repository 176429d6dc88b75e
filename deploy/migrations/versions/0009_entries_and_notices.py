"""Limits of active entries, exclusions of single students, notices, the log of settings, the watch, former members."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("tournament", sa.Column("active_limit", sa.Integer(), server_default="1", nullable=False))
    op.add_column("entry", sa.Column("withdrawn_by", sa.Integer(), nullable=True))
    op.add_column("entry", sa.Column("exclusion_from", TIME, nullable=True))
    op.create_table(
        "exclusion_override",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Integer(), nullable=True),
        sa.Column("last_entry", sa.Integer(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("given_by", sa.Integer(), nullable=False),
        sa.Column("given_at", TIME, nullable=False),
        sa.Column("revoked_at", TIME, nullable=True),
        foreign_key("exclusion_override", "tournament_id", "tournament.id"),
        foreign_key("exclusion_override", "author_id", "user.id"),
        foreign_key("exclusion_override", "given_by", "user.id"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_exclusion_override")),
    )
    op.create_index("ix_exclusion_override_author", "exclusion_override", ["tournament_id", "author_id"])
    op.create_table(
        "notice",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=True),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("links", sa.JSON(), nullable=False),
        sa.Column("told_at", TIME, nullable=False),
        sa.Column("read_at", TIME, nullable=True),
        foreign_key("notice", "user_id", "user.id"),
        foreign_key("notice", "assignment_id", "assignment.id"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notice")),
    )
    op.create_index("ix_notice_unread", "notice", ["user_id", "read_at"])
    op.create_table(
        "setting_change",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("changed_by", sa.Integer(), nullable=False),
        sa.Column("changed_at", TIME, nullable=False),
        sa.Column("setting", sa.String(), nullable=False),
        sa.Column("former", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        foreign_key("setting_change", "assignment_id", "assignment.id"),
        foreign_key("setting_change", "changed_by", "user.id"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_setting_change")),
    )
    op.create_index(op.f("ix_setting_change_assignment_id"), "setting_change", ["assignment_id"])
    op.create_table(
        "watch",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("asked_at", TIME, nullable=False),
        sa.Column("done_at", TIME, nullable=True),
        sa.Column("took_s", sa.Double(), nullable=False),
        sa.Column("trouble", sa.String(), nullable=False),
        sa.Column("found", sa.JSON(), nullable=False),
        foreign_key("watch", "tournament_id", "tournament.id"),
        sa.PrimaryKeyConstraint("tournament_id", name=op.f("pk_watch")),
    )
    op.create_table(
        "former_member",
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("course_id", sa.Integer(), nullable=False),
        sa.Column("pseudonym", sa.String(), nullable=False),
        sa.Column("removed_by", sa.Integer(), nullable=False),
        sa.Column("removed_at", TIME, nullable=False),
        foreign_key("former_member", "user_id", "user.id"),
        foreign_key("former_member", "course_id", "course.id"),
        foreign_key("former_member", "removed_by", "user.id"),
        sa.PrimaryKeyConstraint("user_id", "course_id", name=op.f("pk_former_member")),
    )


def foreign_key(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [target], name=op.f(f"fk_{table}_{column}"))


def downgrade() -> None:
    for table in ("former_member", "watch", "setting_change", "notice", "exclusion_override"):
        op.drop_table(table)
    op.drop_column("entry", "exclusion_from")
    op.drop_column("entry", "withdrawn_by")
    op.drop_column("tournament", "active_limit")
