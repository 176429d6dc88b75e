"""How often the address of a person's calendar was renewed"""

import sqlalchemy as sa
from alembic import op

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("user", sa.Column("calendar", sa.Integer, nullable=False, server_default="0"))
