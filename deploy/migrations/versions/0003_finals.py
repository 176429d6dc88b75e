"""Finals, and extensions of the deadline."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

PHASES = ("frozen", "running", "finished", "published", "aborted")


def upgrade() -> None:
    kind = sa.Enum("ladder", "final", name="tournamentkind", native_enum=False, length=16)
    op.add_column("tournament", sa.Column("kind", kind, nullable=False, server_default="ladder"))
    op.create_table(
        "final",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("phase", sa.Enum(*PHASES, name="finalphase", native_enum=False, length=16), nullable=False),
        sa.Column("header", sa.String(), nullable=False),
        sa.Column("entries", sa.JSON(), nullable=False),
        sa.Column("rounds", sa.JSON(), nullable=False),
        sa.Column("notes", sa.JSON(), nullable=False),
        sa.Column("standings", sa.String(), nullable=False),
        sa.Column("frozen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_final_tournament_id_tournament")),
        sa.PrimaryKeyConstraint("tournament_id", name=op.f("pk_final")),
    )
    op.create_table(
        "extension",
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_extension_assignment_id_assignment")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name=op.f("fk_extension_user_id_user")),
        sa.PrimaryKeyConstraint("assignment_id", "user_id", name=op.f("pk_extension")),
    )


def downgrade() -> None:
    op.drop_table("extension")
    op.drop_table("final")
    op.drop_column("tournament", "kind")
