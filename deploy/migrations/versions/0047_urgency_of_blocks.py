"""New entries' first games come before others of their ladder."""

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("block", sa.Column("urgency", sa.Integer, nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("block", "urgency")
