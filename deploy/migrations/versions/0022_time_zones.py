"""The time zone of a course, and deadlines as they were entered.

Courses that exist keep UTC, in which their dates were entered and shown.
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

COLUMNS = (("course", "time_zone", "UTC"), ("assignment", "due_entered", ""), ("extension", "entered", ""))


def upgrade() -> None:
    for table, column, default in COLUMNS:
        op.add_column(table, sa.Column(column, sa.String(), server_default=default, nullable=False))


def downgrade() -> None:
    for table, column, _ in COLUMNS:
        op.drop_column(table, column)
