"""Submissions of several files, and the languages that a worker must have to grade one."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("submission", sa.Column("archive", sa.LargeBinary))
    op.add_column("submission", sa.Column("needs", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("submission", "needs")
    op.drop_column("submission", "archive")
