"""Codes with which people make an account"""

import sqlalchemy as sa
from alembic import op

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("join_code", sa.Column("registers", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("join_code", sa.Column("domains", sa.String, nullable=False, server_default=""))
    op.add_column("password_request", sa.Column("code", sa.String, nullable=False, server_default=""))
