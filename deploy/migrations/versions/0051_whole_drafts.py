"""A stored draft has every field that definitions have; fields that are newer than the draft get their default."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0051"
down_revision = "0050"
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


def upgrade() -> None:
    draft = sa.table("assignment_draft", sa.column("assignment_id", sa.Integer), sa.column("content", sa.JSON))
    for id_, content in op.get_bind().execute(sa.select(draft)).all():
        op.execute(draft.update().where(draft.c.assignment_id == id_).values(content=completed(content)))


def completed(content: dict[str, Any]) -> dict[str, Any]:
    """The content with the fields that it lacks."""
    lists = {
        "questions": [{**(PROGRAM if "language" in each else FUNCTION), **each} for each in content["questions"]],
        "tournaments": [{**LADDER, **each} for each in content["tournaments"]],
    }
    return {**ASSIGNMENT, **content, **lists}


def downgrade() -> None:
    pass
