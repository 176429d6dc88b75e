"""The processes of workers, so that dead ones are found out."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("worker") as batch_op:
        batch_op.add_column(sa.Column("process", sa.String(), server_default="", nullable=False))


def downgrade() -> None:
    with op.batch_alter_table("worker") as batch_op:
        batch_op.drop_column("process")
