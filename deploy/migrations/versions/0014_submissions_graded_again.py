"""Submissions graded again."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "regrade_batch",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("asked_by", sa.Integer(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["asked_by"], ["user.id"], name=op.f("fk_regrade_batch_asked_by")),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name=op.f("fk_regrade_batch_assignment_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_regrade_batch")),
    )
    op.create_index("ix_regrade_batch_assignment_id", "regrade_batch", ["assignment_id"], unique=False)

    op.create_table(
        "regrade",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("batch_id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("former", sa.LargeBinary(), nullable=True),
        sa.Column("difference", sa.JSON(), nullable=True),
        sa.Column("changed", sa.Boolean(), nullable=True),
        sa.Column("told", sa.Boolean(), nullable=False),
        sa.Column(
            "state",
            sa.Enum("queued", "running", "done", "parked", "cancelled", name="jobstate", native_enum=False, length=16),
            nullable=False,
        ),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("queued_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("trouble", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["batch_id"], ["regrade_batch.id"], name=op.f("fk_regrade_batch_id")),
        sa.ForeignKeyConstraint(["submission_id"], ["submission.id"], name=op.f("fk_regrade_submission_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_regrade")),
    )
    for column in ("batch_id", "state", "submission_id"):
        op.create_index(f"ix_regrade_{column}", "regrade", [column], unique=False)
    op.add_column("submission", sa.Column("regraded_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("submission", "regraded_at")
    for table in ("regrade", "regrade_batch"):
        op.drop_table(table)
