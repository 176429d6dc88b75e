"""The progress of a grading is kept until its report is stored: it took more room than the reports."""

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None


def upgrade() -> None:
    submission = sa.table("submission", sa.column("state", sa.String), sa.column("progress", sa.JSON))
    op.execute(submission.update().where(submission.c.state == "done").values(progress={}))


def downgrade() -> None:
    pass
