"""Which questions decide on entry, and trial games before it."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "trial",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("played", sa.Integer(), nullable=False),
        sa.Column("offence", sa.LargeBinary(), nullable=True),
        sa.Column("trace", sa.String(), nullable=True),
        sa.Column(
            "state",
            sa.Enum("queued", "running", "done", "parked", "cancelled", name="jobstate", native_enum=False, length=16),
            nullable=False,
        ),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(), nullable=True),
        sa.Column("lease_until", TIME, nullable=True),
        sa.Column("queued_at", TIME, nullable=False),
        sa.Column("finished_at", TIME, nullable=True),
        sa.Column("trouble", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name=op.f("fk_trial_assignment_id")),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_trial_player_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trial")),
        sa.UniqueConstraint("assignment_id", "player_id", name=op.f("uq_trial_assignment_id_player_id")),
    )
    op.create_index("ix_trial_player_id", "trial", ["player_id"], unique=False)
    op.create_index("ix_trial_state", "trial", ["state"], unique=False)
    op.add_column("assignment", sa.Column("gates", sa.JSON(), server_default="{}", nullable=False))
    op.add_column("assignment", sa.Column("trial_games", sa.Integer(), server_default="8", nullable=False))
    op.add_column("tournament", sa.Column("out_exclusion_s", sa.Integer(), server_default="120", nullable=False))
    op.add_column("outcome", sa.Column("wanted_from", TIME, nullable=True))
    op.create_index("ix_outcome_wanted_from", "outcome", ["wanted_from"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_outcome_wanted_from", "outcome")
    op.drop_column("outcome", "wanted_from")
    op.drop_column("tournament", "out_exclusion_s")
    op.drop_column("assignment", "trial_games")
    op.drop_column("assignment", "gates")
    op.drop_table("trial")
