"""What changed between revision 0044 and release 0.1.0: the only conversion of data from before the first release.

It replaces the revisions 0045 to 0051, and keeps the id of the last of them: databases and backups at 0051 need no
step.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0051"
down_revision = "0044"
branch_labels = None
depends_on = None

ASSIGNMENT: dict[str, Any] = (
    {"title": "", "text": "", "starter": "", "game": "", "options": {}, "submissions": {}}
    | {"section_dates": None, "visible_from": None, "due_at": None, "counts": "last", "trial_games": 8}
    | {"custom_games_hour": 20, "questions": [], "tournaments": []}
)
QUESTION: dict[str, Any] = {"slug": "q", "title": "q", "text": "", "points": 1.0, "gate": "examples"} | {
    "visible": True,
    "solution": "",
}
FUNCTION = (
    QUESTION
    | {"function": "q", "method": "", "parameters": [], "arities": [0], "call_s": 1.0, "shows": "twin"}
    | {"comparator": {"kind": "exact"}, "examples": "", "cases": ""}
)
PROGRAM = (
    QUESTION
    | {"language": "cpp17", "main": "", "options": [], "editable": ["*"], "required": [], "shows": "verdicts"}
    | {"warnings": "allow", "warning_points": 0.0, "cpu_s": 2.0, "memory_mib": 256, "output_kib": 1024}
    | {"comparator": {"kind": "lines"}, "given": {}, "solution": {}, "submissions": {}, "cases": []}
)
LADDER = {
    "slug": "standard",
    "title": "Standard tournament",
    "question": "",
    "ranking": "win rate",
    "active_limit": 1,
} | {"fault_limit": 10, "exclusion_minutes": 10.0, "out_exclusion_minutes": 2.0, "target_games": 400}
ENTERED = (("assignment", "due_entered"), ("extension", "entered"))
"""Columns with the clock time and the zone in which a date was entered. They are dropped, since dates are stored as
moments now."""


def upgrade() -> None:
    op.create_table(
        "installation_secret",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("value", sa.String, nullable=False),
    )
    op.create_table(
        "death",
        sa.Column("job", sa.String, primary_key=True),
        sa.Column("attempt", sa.Integer, primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    )
    op.add_column("trial", sa.Column("used_s", sa.Double, nullable=False, server_default="0"))
    op.add_column("block", sa.Column("urgency", sa.Integer, nullable=False, server_default="0"))
    for table, column in ENTERED:
        op.drop_column(table, column)
    submission = sa.table("submission", sa.column("state", sa.String), sa.column("progress", sa.JSON))
    op.execute(submission.update().where(submission.c.state == "done").values(progress={}))
    convert("assignment", "id", "section_dates", moments)
    convert("assignment_draft", "assignment_id", "content", completed)


def convert(table: str, key: str, column: str, converted: Callable[[Any], Any]) -> None:
    """Convert all values of a column, and store those that have changed."""
    rows = sa.table(table, sa.column(key, sa.Integer), sa.column(column, sa.JSON))
    for id_, value in op.get_bind().execute(sa.select(rows)).all():
        if (fresh := converted(value)) != value:
            op.execute(rows.update().where(rows.c[key] == id_).values({column: fresh}))


def moments(sections: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """The stored dates, such as `2026-10-04T23:59:00+11:00[Australia/Melbourne]`, converted to moments in UTC."""

    def moment(date: str) -> str:
        return datetime.fromisoformat(date.partition("[")[0]).astimezone(UTC).isoformat()

    return {name: {field: moment(date) for field, date in dates.items()} for name, dates in sections.items()}


def completed(content: dict[str, Any]) -> dict[str, Any]:
    """A draft's content, completed with fields that did not exist yet when the draft was stored."""
    lists = {
        "questions": [{**(PROGRAM if "language" in each else FUNCTION), **each} for each in content["questions"]],
        "tournaments": [{**LADDER, **each} for each in content["tournaments"]],
    }
    return {**ASSIGNMENT, **content, **lists}
