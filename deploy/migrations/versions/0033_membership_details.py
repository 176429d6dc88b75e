"""The student number, e-mail, section and group of a membership."""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

COLUMNS = ("student_number", "email", "section", "group")


def upgrade() -> None:
    for table in ("membership", "former_member"):
        for column in COLUMNS:
            op.add_column(table, sa.Column(column, sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    for table in ("membership", "former_member"):
        for column in COLUMNS:
            op.drop_column(table, column)
