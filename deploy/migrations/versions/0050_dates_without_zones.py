"""Dates are moments: the time on the clock and the zone in which they were entered are no longer kept beside them."""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None

COLUMNS = (("assignment", "due_entered"), ("extension", "entered"))


def upgrade() -> None:
    for table, column in COLUMNS:
        op.drop_column(table, column)
    assignment = sa.table("assignment", sa.column("id", sa.Integer), sa.column("section_dates", sa.JSON))
    for id_, sections in op.get_bind().execute(sa.select(assignment)).all():
        moments = {name: {field: _moment(date) for field, date in dates.items()} for name, dates in sections.items()}
        if moments != sections:
            op.execute(assignment.update().where(assignment.c.id == id_).values(section_dates=moments))


def _moment(date: str) -> str:
    """A stored date, such as `2026-10-04T23:59:00+11:00[Australia/Melbourne]`, as a moment in UTC."""
    return datetime.fromisoformat(date.partition("[")[0]).astimezone(UTC).isoformat()


def downgrade() -> None:
    for table, column in COLUMNS:
        op.add_column(table, sa.Column(column, sa.String(), server_default="", nullable=False))
