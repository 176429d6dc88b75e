"""Games that entries sat in, whether they count or not."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("entry", sa.Column("seated", sa.Integer(), nullable=False, server_default="0"))
    op.execute("UPDATE entry SET seated = (SELECT count(*) FROM seat WHERE seat.entry_id = entry.id)")


def downgrade() -> None:
    op.drop_column("entry", "seated")
