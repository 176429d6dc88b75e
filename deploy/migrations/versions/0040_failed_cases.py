"""Which cases each latest upload fails, and indexes from which the pictures of a class are counted."""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

AUTHOR = ["assignment_id", "author_id", "id"]


def upgrade() -> None:
    op.create_table(
        "case_names",
        sa.Column("key", sa.String, primary_key=True),
        sa.Column("names", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "case_failures",
        sa.Column("submission_id", sa.Integer, sa.ForeignKey("submission.id"), primary_key=True),
        sa.Column("assignment_id", sa.Integer, sa.ForeignKey("assignment.id"), nullable=False, index=True),
        sa.Column("cases", sa.String, sa.ForeignKey("case_names.key"), nullable=False),
        sa.Column("failed", sa.LargeBinary, nullable=False),
    )
    op.drop_index("ix_submission_author", "submission")
    op.create_index("ix_submission_author", "submission", [*AUTHOR, "qualifies"])
    op.create_index("ix_submission_times", "submission", ["assignment_id", "queued_at", "author_id", "finished_at"])


def downgrade() -> None:
    op.drop_index("ix_submission_times", "submission")
    op.drop_index("ix_submission_author", "submission")
    op.create_index("ix_submission_author", "submission", AUTHOR)
    op.drop_table("case_failures")
    op.drop_table("case_names")
