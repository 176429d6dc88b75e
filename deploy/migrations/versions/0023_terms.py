"""The term of a course."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("course", sa.Column("term", sa.String(), server_default="", nullable=False))


def downgrade() -> None:
    op.drop_column("course", "term")
