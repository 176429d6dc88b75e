"""Comments of staff at lines of an upload."""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "code_comment",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("submission_id", sa.Integer, sa.ForeignKey("submission.id"), nullable=False, index=True),
        sa.Column("path", sa.String, nullable=False),
        sa.Column("line", sa.Integer, nullable=False),
        sa.Column("text", sa.String, nullable=False),
        sa.Column("written_by", sa.Integer, sa.ForeignKey("user.id"), nullable=False, index=True),
        sa.Column("written_at", TIME, nullable=False),
        sa.Column("changed_by", sa.Integer, sa.ForeignKey("user.id")),
        sa.Column("changed_at", TIME),
        sa.Column("deleted_at", TIME),
        sa.Column("revision", sa.Integer, nullable=False, server_default="1"),
    )


def downgrade() -> None:
    op.drop_table("code_comment")
