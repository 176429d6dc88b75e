"""Marks: how they come about, what staff decided, what was published; and the points of each question."""

import json
import zlib

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
SUBMISSION = sa.table(
    "submission", sa.column("id"), sa.column("report", sa.LargeBinary), sa.column("question_points", sa.JSON)
)
BATCH = 200


def upgrade() -> None:
    for table, parent in {"marking": "assignment", "course_marking": "course"}.items():
        op.create_table(
            table,
            sa.Column(f"{parent}_id", sa.Integer, sa.ForeignKey(f"{parent}.id"), primary_key=True),
            sa.Column("scheme", sa.JSON, nullable=False),
            sa.Column("revision", sa.Integer, nullable=False),
        )
    op.create_table("chosen_upload", *_of_student(), _reference("submission_id", "submission.id"))
    op.create_table(
        "staff_decision",
        *_of_student(),
        sa.Column("rubric", sa.JSON, nullable=False),
        sa.Column("remark", sa.String, nullable=False),
        sa.Column("excused", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("override", sa.Double),
        sa.Column("reason", sa.String, nullable=False),
        _reference("decided_by", "user.id"),
        sa.Column("decided_at", TIME, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
    )
    op.create_table(
        "marks_publication",
        sa.Column("id", sa.Integer, primary_key=True),
        _reference("assignment_id", "assignment.id", index=True),
        sa.Column("header", sa.JSON, nullable=False),
        _reference("published_by", "user.id"),
        sa.Column("published_at", TIME, nullable=False),
        sa.Column("withdrawn_at", TIME),
    )
    op.create_table(
        "published_mark",
        sa.Column("publication_id", sa.Integer, sa.ForeignKey("marks_publication.id"), primary_key=True),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("user.id"), primary_key=True),
        sa.Column("total", sa.Double),
        sa.Column("excused", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("account", sa.JSON, nullable=False),
    )
    op.add_column("extension", sa.Column("reason", sa.String, nullable=False, server_default=""))
    op.add_column("submission", sa.Column("question_points", sa.JSON))
    _fill_question_points()


def _of_student() -> list[sa.Column[int]]:
    return [
        sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), primary_key=True),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("user.id"), primary_key=True),
    ]


def _reference(name: str, target: str, index: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, sa.ForeignKey(target), nullable=False, index=index)


def _fill_question_points() -> None:
    """From the reports, a few at a time, because they are large."""
    bind, last = op.get_bind(), 0
    wanted = sa.select(SUBMISSION.c.id, SUBMISSION.c.report).where(SUBMISSION.c.report.is_not(None))
    while rows := bind.execute(wanted.where(SUBMISSION.c.id > last).order_by(SUBMISSION.c.id).limit(BATCH)).all():
        for id_, report in rows:
            questions = json.loads(zlib.decompress(report))["questions"]
            points = {each["slug"]: each["points"] for each in questions}
            bind.execute(sa.update(SUBMISSION).where(SUBMISSION.c.id == id_).values(question_points=points))
        last = rows[-1][0]


def downgrade() -> None:
    op.drop_column("submission", "question_points")
    op.drop_column("extension", "reason")
    for table in (
        "published_mark",
        "marks_publication",
        "staff_decision",
        "chosen_upload",
        "course_marking",
        "marking",
    ):
        op.drop_table(table)
