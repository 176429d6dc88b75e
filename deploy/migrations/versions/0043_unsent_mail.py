"""E-mails that the mail server has not taken yet."""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "unsent_mail",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("subject", sa.String, nullable=False),
        sa.Column("text", sa.String, nullable=False),
        sa.Column("also", sa.JSON, nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("unsent_mail")
