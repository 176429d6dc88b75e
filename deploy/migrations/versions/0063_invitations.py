"""Links with which people choose their first password"""

import sqlalchemy as sa
from alembic import op

revision = "0063"
down_revision = "0062"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("password_request") as table:
        table.add_column(sa.Column("user_id", sa.Integer, sa.ForeignKey("user.id", name="fk_password_request_user_id")))
