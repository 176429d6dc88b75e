"""Ladders that were never given a title are called by their game, as those made from now on are."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

UNNAMED = "Standard tournament"
TITLES = {
    "bo": "Comp10001-Bo",
    "go": "Comp10001-Go",
    "kotc": "King of the Cards",
    "phazed": "Phazed",
    "uno": "Uno",
}
tournament = sa.table("tournament", sa.column("id"), sa.column("title"), sa.column("game"))
package = sa.table("game_package", sa.column("slug"), sa.column("title"))


def upgrade() -> None:
    connection = op.get_bind()
    titles = dict(connection.execute(sa.select(package.c.slug, package.c.title)).all()) | TITLES
    unnamed = sa.select(tournament).where(tournament.c.title.startswith(UNNAMED))
    for id_, title, game in connection.execute(unnamed).all():
        name = titles.get(game.partition("?")[0].partition("@")[0])
        if name:
            renamed = title.replace(UNNAMED, f"{name} tournament", 1)  # ", season 1" stays behind it
            connection.execute(sa.update(tournament).where(tournament.c.id == id_).values(title=renamed))


def downgrade() -> None:
    """The former titles are not needed: every version takes any title."""
