"""When the students of an assignment may download the full kit."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("assignment", sa.Column("full_kit", sa.String(16), nullable=False, server_default="never"))


def downgrade() -> None:
    op.drop_column("assignment", "full_kit")
