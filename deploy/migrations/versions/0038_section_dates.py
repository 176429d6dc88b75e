"""Release, deadline and end of uploads of sections."""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("assignment", sa.Column("section_dates", sa.JSON, nullable=False, server_default="{}"))


def downgrade() -> None:
    op.drop_column("assignment", "section_dates")
