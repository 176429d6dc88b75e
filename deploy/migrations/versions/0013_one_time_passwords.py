"""One-time passwords, who taught once, and when somebody signed in last"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("one_time", "once_taught"):
        op.add_column("user", sa.Column(name, sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("user", sa.Column("signed_in_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    for name in ("signed_in_at", "once_taught", "one_time"):
        op.drop_column("user", name)
