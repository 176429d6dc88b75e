"""Webhooks of a course, whose calls are sent from the table of e-mails"""

import sqlalchemy as sa
from alembic import op

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "webhook",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("course_id", sa.Integer, sa.ForeignKey("course.id"), nullable=False),
        sa.Column("address", sa.String, nullable=False),
        sa.Column("service", sa.String(16), nullable=False),
        sa.Column("events", sa.JSON, nullable=False),
        sa.Column("secret", sa.String, nullable=False),
        sa.Column("made_by", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("course_id", "address", name="uq_webhook_course_id_address"),
    )
    with op.batch_alter_table("mail") as mail:
        mail.add_column(
            sa.Column("webhook_id", sa.Integer, sa.ForeignKey("webhook.id", name="fk_mail_webhook_id_webhook"))
        )
        mail.create_index("ix_mail_webhook_id", ["webhook_id"])
