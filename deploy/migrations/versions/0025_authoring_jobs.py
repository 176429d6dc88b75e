"""Have grading workers check, try and publish drafts."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "authoring_job",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("assignment_id", sa.Integer, nullable=False),
        sa.Column("purpose", sa.String, nullable=False),
        sa.Column("definition", sa.String, nullable=False),
        sa.Column("base", sa.Integer, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("filename", sa.String, nullable=False),
        sa.Column("source", sa.LargeBinary, nullable=False),
        sa.Column("asked_by", sa.Integer, nullable=False),
        sa.Column("scheduled", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("progress", sa.String, nullable=False),
        sa.Column("result", sa.JSON, nullable=False),
        sa.Column("report", sa.LargeBinary),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("owner", sa.String),
        sa.Column("lease_until", sa.DateTime(timezone=True)),
        sa.Column("queued_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True)),
        sa.Column("trouble", sa.String, nullable=False),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name=op.f("fk_authoring_job_assignment_id")),
        sa.ForeignKeyConstraint(["asked_by"], ["user.id"], name=op.f("fk_authoring_job_asked_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_authoring_job")),
    )
    op.create_index("ix_authoring_job_assignment_id", "authoring_job", ["assignment_id"])
    op.create_index("ix_authoring_job_state", "authoring_job", ["state"])


def downgrade() -> None:
    op.drop_table("authoring_job")
