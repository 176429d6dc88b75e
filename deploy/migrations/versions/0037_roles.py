"""Codes with which people join a course, and requests to mark a question again."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "join_code",
        sa.Column("course_id", sa.Integer, sa.ForeignKey("course.id"), primary_key=True),
        sa.Column("code", sa.String, nullable=False, unique=True),
        sa.Column("section", sa.String, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("made_by", sa.Integer, sa.ForeignKey("user.id"), nullable=False),
    )
    op.create_table(
        "review_request",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("submission_id", sa.Integer, sa.ForeignKey("submission.id"), nullable=False, index=True),
        sa.Column("question", sa.String, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("text", sa.String, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("asked_at", TIME, nullable=False),
        sa.Column("answer", sa.String, nullable=False, server_default=""),
        sa.Column("answered_by", sa.Integer, sa.ForeignKey("user.id")),
        sa.Column("answered_at", TIME),
    )


def downgrade() -> None:
    op.drop_table("review_request")
    op.drop_table("join_code")
