"""Fingerprints of players' files. Those of files that are there already are taken when a collusion watch needs them."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "fingerprint",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("runs", sa.LargeBinary(), nullable=False),
        sa.Column("trouble", sa.String(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_fingerprint_player_id_player")),
        sa.PrimaryKeyConstraint("player_id", name=op.f("pk_fingerprint")),
    )


def downgrade() -> None:
    op.drop_table("fingerprint")
