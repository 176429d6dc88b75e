"""E-mail to people: one table of all e-mails, including unsent alerts, and what each person has chosen to be sent."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    mail = op.create_table(
        "mail",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("user.id")),
        sa.Column("address", sa.String, nullable=False),
        sa.Column("subject", sa.String, nullable=False),
        sa.Column("parts", sa.JSON, nullable=False),
        sa.Column("made_at", TIME, nullable=False, index=True),
        sa.Column("next_at", TIME, index=True),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("sent_at", TIME),
        sa.Column("trouble", sa.String, nullable=False),
    )
    op.create_index("ix_mail_of_person", "mail", ["user_id", "made_at"])
    op.create_table(
        "mail_choice",
        sa.Column("user_id", sa.Integer, sa.ForeignKey("user.id"), primary_key=True),
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("choice", sa.String(16), nullable=False),
    )
    op.create_table(
        "failing_address",
        sa.Column("address", sa.String, primary_key=True),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("since", TIME, nullable=False),
    )
    op.create_table(
        "password_request",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("typed", sa.String, nullable=False),
        sa.Column("asked_at", TIME, nullable=False),
    )
    op.add_column("notice", sa.Column("kind", sa.String(16), nullable=False, server_default="other"))
    op.add_column("notice", sa.Column("mail_at", TIME))  # None: what was told before is not sent
    op.create_index("ix_notice_mail_at", "notice", ["mail_at"])
    _convert(mail)
    op.drop_table("unsent_mail")


def _convert(mail: Any) -> None:
    """Convert the alerts that are still to be sent: each becomes one e-mail to the operator and one to each further
    address."""
    columns = [sa.column("subject", sa.String), sa.column("text", sa.String), sa.column("also", sa.JSON)]
    unsent = sa.table("unsent_mail", *columns, sa.column("made_at", TIME))
    for row in op.get_bind().execute(sa.select(unsent)).all():
        part = {"kind": "alert", "subject": row.subject, "text": row.text, "at": "", "links": []}
        same = {"subject": row.subject, "parts": [part], "made_at": row.made_at, "next_at": row.made_at}
        for address in ("", *row.also):
            op.execute(mail.insert().values(address=address, attempts=0, trouble="", **same))
