"""Indexes by which the pages of staff count uploads without reading their rows, which hold the reports."""

from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

AUTHOR = ["assignment_id", "author_id", "id", "qualifies"]


def upgrade() -> None:
    _replace("ix_submission_author", [*AUTHOR, "points"])
    _replace("ix_submission_finished", ["finished_at", "state"])


def downgrade() -> None:
    _replace("ix_submission_author", AUTHOR)
    _replace("ix_submission_finished", ["finished_at"])


def _replace(name: str, columns: list[str]) -> None:
    op.drop_index(name, "submission")
    op.create_index(name, "submission", columns)
