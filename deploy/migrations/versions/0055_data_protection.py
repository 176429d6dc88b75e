"""Who agreed to the privacy text, which staff opened whose work, and who was forgotten"""

import sqlalchemy as sa
from alembic import op

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "consent",
        sa.Column("user_id", sa.Integer, sa.ForeignKey("user.id"), primary_key=True),
        sa.Column("sha256", sa.String, primary_key=True),
        sa.Column("agreed_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "opened_work",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("course_id", sa.Integer, sa.ForeignKey("course.id"), nullable=False),
        sa.Column("staff_id", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
        sa.Column("person_id", sa.Integer, sa.ForeignKey("user.id"), nullable=True),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("day", sa.String, nullable=False),
    )
    op.create_index("ix_opened_work_person", "opened_work", ["person_id", "day"])
    op.create_index("ix_opened_work_course", "opened_work", ["course_id"])
    op.create_index("ix_opened_work_day", "opened_work", ["day"])
    op.create_table(
        "erasure",
        sa.Column("user_id", sa.Integer, sa.ForeignKey("user.id"), primary_key=True),
        sa.Column("account", sa.String, nullable=False),
        sa.Column("erases", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("erased_at", sa.DateTime(timezone=True), nullable=True),
    )
