"""What the trial games of a file have cost so far."""

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("trial", sa.Column("used_s", sa.Double, nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("trial", "used_s")
