"""Sums over blocks and finishing orders, filled from the games played so far, and ratings."""

from itertools import groupby
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

WHOLE = ("blocks", "games_games", "wins_wins", "wins_games", "places_places", "places_games")
FRACTIONAL = ("points_points", "points_games")

FILL_SUMS = """
UPDATE entry SET
    blocks = found.blocks, games_games = found.games_games, wins_wins = found.wins_wins,
    wins_games = found.wins_games, places_places = found.places_places, places_games = found.places_games,
    points_points = found.points_points, points_games = found.points_games
FROM (
    SELECT entry_id, count(*) AS blocks, sum(games * games) AS games_games, sum(wins * wins) AS wins_wins,
        sum(wins * games) AS wins_games, sum(places * places) AS places_places, sum(places * games) AS places_games,
        sum(points * points) AS points_points, sum(points * games) AS points_games
    FROM (
        SELECT seat.entry_id AS entry_id, count(*) AS games, sum(seat.place) AS places, sum(seat.points) AS points,
            sum(CASE WHEN seat.place = 1 AND seat.verdict IS NULL THEN 1 ELSE 0 END) AS wins
        FROM seat JOIN game ON game.id = seat.game_id WHERE seat.counts
        GROUP BY seat.entry_id, game.block_id
    ) AS played
    GROUP BY entry_id
) AS found
WHERE found.entry_id = entry.id
"""

SEATS = """
SELECT game.block_id, game.seating, seat.entry_id, seat.place, seat.verdict IS NOT NULL AS fault, seat.counts
FROM seat JOIN game ON game.id = seat.game_id ORDER BY game.block_id, game.seating, seat.seat
"""


def upgrade() -> None:
    op.add_column("tournament", sa.Column("rated_blocks", sa.Integer(), nullable=False, server_default="0"))
    for name in WHOLE:
        op.add_column("entry", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
    for name in FRACTIONAL:
        op.add_column("entry", sa.Column(name, sa.Double(), nullable=False, server_default="0"))
    op.add_column("entry", sa.Column("rating", sa.Double(), nullable=True))
    op.add_column("block", sa.Column("finish", sa.String(), nullable=False, server_default=""))
    op.create_index("ix_block_pairing", "block", ["tournament_id", "state"])
    op.execute(FILL_SUMS)
    fill_finish(op.get_bind())


def fill_finish(connection: sa.Connection) -> None:
    """Each game's finishing order, in the order of the block's entries."""
    block = sa.table(
        "block", sa.column("id", sa.Integer), sa.column("entries", sa.JSON), sa.column("finish", sa.String)
    )
    entries = {row.id: row.entries for row in connection.execute(sa.select(block.c.id, block.c.entries))}
    found = []
    for id_, seats in groupby(connection.execute(sa.text(SEATS)), lambda seat: seat.block_id):
        finish = ""
        for _, game in groupby(seats, lambda seat: seat.seating):
            places = order({seat.entry_id: seat for seat in game})
            finish += "".join(places[entry] for entry in entries[id_])
        found.append({"number": id_, "order": finish})
    if found:
        change = block.update().where(block.c.id == sa.bindparam("number"))
        connection.execute(change.values(finish=sa.bindparam("order")), found)


def order(seats: dict[int, sa.Row[Any]]) -> dict[int, str]:
    """A digit for each entry: its place; after a fault 1 and 2; 0 where the game counts for nobody."""
    if not any(seat.counts for seat in seats.values()):
        return dict.fromkeys(seats, "0")
    if any(seat.fault for seat in seats.values()):
        return {entry: "2" if seat.fault else "1" for entry, seat in seats.items()}
    return {entry: str(seat.place) for entry, seat in seats.items()}


def downgrade() -> None:
    op.drop_index("ix_block_pairing", "block")
    op.drop_column("block", "finish")
    for name in (*WHOLE, *FRACTIONAL, "rating"):
        op.drop_column("entry", name)
    op.drop_column("tournament", "rated_blocks")
