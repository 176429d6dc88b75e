"""What became of a submission, in each of its assignment's tournaments."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

BEFORE = """
SELECT submission.id AS submission_id, entry.id AS entry_id, submission.entry_refusal AS refusal,
    coalesce(entry.tournament_id, (
        SELECT min(tournament.id) FROM tournament
        WHERE tournament.assignment_id = submission.assignment_id AND tournament.kind = 'ladder'
    )) AS tournament_id
FROM submission LEFT JOIN entry ON entry.id = submission.entry_id
WHERE submission.entry_id IS NOT NULL OR submission.entry_refusal != ''
"""

STANDARD = """
SELECT submission_id, entry_id, refusal FROM outcome
WHERE tournament_id = (
    SELECT min(tournament.id) FROM tournament JOIN submission ON submission.assignment_id = tournament.assignment_id
    WHERE submission.id = outcome.submission_id AND tournament.kind = 'ladder'
)
"""


def upgrade() -> None:
    former = op.get_bind().execute(sa.text(BEFORE)).mappings().all()
    # Before the new table refers to this one, which SQLite cannot alter but by making it anew
    with op.batch_alter_table("submission", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("fk_submission_entry_id"), type_="foreignkey")
        batch_op.drop_column("entry_id")
        batch_op.drop_column("entry_refusal")
    outcome = op.create_table(
        "outcome",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("entry_id", sa.Integer(), nullable=True),
        sa.Column("refusal", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["entry_id"], ["entry.id"], name=op.f("fk_outcome_entry_id")),
        sa.ForeignKeyConstraint(["submission_id"], ["submission.id"], name=op.f("fk_outcome_submission_id")),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_outcome_tournament_id")),
        sa.PrimaryKeyConstraint("submission_id", "tournament_id", name=op.f("pk_outcome")),
    )
    op.bulk_insert(outcome, [dict(row) for row in former if row["tournament_id"] is not None])


def downgrade() -> None:
    kept = op.get_bind().execute(sa.text(STANDARD)).all()
    op.drop_table("outcome")
    with op.batch_alter_table("submission", schema=None) as batch_op:
        batch_op.add_column(sa.Column("entry_id", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("entry_refusal", sa.String(), nullable=False, server_default=""))
        batch_op.create_foreign_key(op.f("fk_submission_entry_id"), "entry", ["entry_id"], ["id"])
    put_back = sa.text("UPDATE submission SET entry_id = :entry, entry_refusal = :refusal WHERE id = :id")
    for row in kept:
        op.get_bind().execute(put_back, {"id": row.submission_id, "entry": row.entry_id, "refusal": row.refusal})
