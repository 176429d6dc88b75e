"""Published versions of assignments, drafts, case sets, and seasons of ladders.

Each assignment from before gets a version 1: that of the game it was made from.
"""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from grader.authoring.course_folder.course import builtin
from grader.definition.model import to_json

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "assignment_version",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("assignment_id", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("definition", sa.String, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("summary", sa.String, nullable=False),
        sa.Column("published_by", sa.Integer),
        sa.Column("published_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name=op.f("fk_assignment_version_assignment_id")),
        sa.ForeignKeyConstraint(["published_by"], ["user.id"], name=op.f("fk_assignment_version_published_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment_version")),
        sa.UniqueConstraint("assignment_id", "number", name=op.f("uq_assignment_version_assignment_id_number")),
    )
    op.create_table(
        "assignment_draft",
        sa.Column("assignment_id", sa.Integer, nullable=False),
        sa.Column("base", sa.Integer, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.Column("publish_at", TIME),
        sa.Column("saved_by", sa.Integer, nullable=False),
        sa.Column("saved_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name=op.f("fk_assignment_draft_assignment_id")),
        sa.ForeignKeyConstraint(["saved_by"], ["user.id"], name=op.f("fk_assignment_draft_saved_by")),
        sa.PrimaryKeyConstraint("assignment_id", name=op.f("pk_assignment_draft")),
    )
    op.create_table(
        "case_set",
        sa.Column("key", sa.String, nullable=False),
        sa.Column("cases", sa.LargeBinary, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("made_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_case_set")),
    )
    op.add_column("assignment", sa.Column("version", sa.Integer, nullable=False, server_default="0"))
    op.add_column("assignment", sa.Column("visible_from", TIME))
    op.add_column("assignment", sa.Column("archived", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("submission", sa.Column("version", sa.Integer))
    op.add_column("tournament", sa.Column("season_ended", TIME))
    _publish_what_there_is()


def _publish_what_there_is() -> None:
    assignments = sa.table("assignment", sa.column("id"), sa.column("game"), sa.column("version"))
    versions = sa.table(
        "assignment_version",
        *map(sa.column, ("assignment_id", "number", "definition", "digest", "summary")),
        sa.column("published_at", TIME),
    )
    connection = op.get_bind()
    for id_, game in connection.execute(sa.select(assignments.c.id, assignments.c.game)).all():
        definition = builtin(game)
        row = {
            "assignment_id": id_,
            "number": 1,
            "definition": to_json(definition),
            "digest": definition.digest,
            "summary": "",
            "published_at": datetime.now(UTC),
        }
        connection.execute(versions.insert().values(row))
    connection.execute(assignments.update().values(version=1))
