"""The term of a course."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("course", sa.Column("term", sa.String(), server_default="", nullable=False))


def downgrade() -> None:
    op.drop_column("course", "term")
