"""The language that a person, or a course, has chosen"""

import sqlalchemy as sa
from alembic import op

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("user", "course"):
        op.add_column(table, sa.Column("language", sa.String, nullable=False, server_default=""))
