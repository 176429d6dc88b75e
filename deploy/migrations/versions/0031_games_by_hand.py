"""Games that people play by hand."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "hand_game",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("assignment_id", sa.Integer, nullable=False),
        sa.Column("person_id", sa.Integer, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("bots", sa.JSON, nullable=False),
        sa.Column("practice", sa.Boolean, nullable=False),
        sa.Column("record", sa.LargeBinary, nullable=False),
        sa.Column("move", sa.JSON, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended", sa.String, nullable=False),
        sa.Column("place", sa.Integer),
        sa.Column("adviser_id", sa.Integer),
        sa.Column("advice", sa.JSON, nullable=False),
        sa.Column("request_key", sa.String),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("owner", sa.String),
        sa.Column("lease_until", sa.DateTime(timezone=True)),
        sa.Column("queued_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True)),
        sa.Column("trouble", sa.String, nullable=False),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name=op.f("fk_hand_game_assignment_id")),
        sa.ForeignKeyConstraint(["person_id"], ["user.id"], name=op.f("fk_hand_game_person_id")),
        sa.ForeignKeyConstraint(["adviser_id"], ["player.id"], name=op.f("fk_hand_game_adviser_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hand_game")),
    )
    op.create_index("ix_hand_game_assignment_id", "hand_game", ["assignment_id"])
    op.create_index("ix_hand_game_person", "hand_game", ["person_id", "assignment_id", "begun_at"])
    op.create_index("ix_hand_game_waiting", "hand_game", ["ended", "finished_at"])
    op.create_index("ix_hand_game_state", "hand_game", ["state"])


def downgrade() -> None:
    op.drop_table("hand_game")
