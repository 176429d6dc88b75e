"""Links by which platforms register themselves"""

import sqlalchemy as sa
from alembic import op

revision = "0060"
down_revision = "0059"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "lti_registration",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("sha256", sa.String),
        sa.Column("found", sa.JSON, nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("sha256", name="uq_lti_registration_sha256"),
    )
