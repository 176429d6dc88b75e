"""What pictures of an entry need: its latest results, the time of its calls, and its ranks over time."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

FORM_GAMES = 64
ENTRIES = sa.text("SELECT id FROM entry WHERE games > 0")
LATEST = sa.text(
    "SELECT place, verdict FROM seat WHERE entry_id = :entry AND counts ORDER BY game_id DESC LIMIT :games"
)
BLOCKS = sa.text("UPDATE seat SET block_id = (SELECT block_id FROM game WHERE game.id = seat.game_id)")
STORE = sa.text("UPDATE entry SET form = :form WHERE id = :entry")


def upgrade() -> None:
    op.add_column("seat", sa.Column("block_id", sa.Integer, nullable=False, server_default="0"))
    op.add_column("seat", sa.Column("call_ms", sa.Double))
    op.add_column("seat", sa.Column("slowest_ms", sa.Double))
    op.add_column("entry", sa.Column("form", sa.String(), nullable=False, server_default=""))
    op.create_table(
        "rank_sample",
        sa.Column("entry_id", sa.Integer, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("ranked", sa.Integer, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.ForeignKeyConstraint(["entry_id"], ["entry.id"], name=op.f("fk_rank_sample_entry_id")),
        sa.PrimaryKeyConstraint("entry_id", "at", name=op.f("pk_rank_sample")),
    )
    connection = op.get_bind()
    connection.execute(BLOCKS)
    for entry in connection.scalars(ENTRIES).all():
        games = connection.execute(LATEST, {"entry": entry, "games": FORM_GAMES}).all()
        form = ["f" if verdict else "w" if place == 1 else "l" for place, verdict in reversed(games)]
        connection.execute(STORE, {"entry": entry, "form": "".join(form)})


def downgrade() -> None:
    op.drop_table("rank_sample")
    op.drop_column("entry", "form")
    op.drop_column("seat", "slowest_ms")
    op.drop_column("seat", "call_ms")
    op.drop_column("seat", "block_id")
