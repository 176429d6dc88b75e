"""`quadrille uno`."""

import click

from deploy.cli.common import BadInput, read_file
from tournament.games.uno.console import BadDeal, read_pack, run


@click.command()
@click.option("--deal", metavar="FILE", help="Deal the 72 cards that FILE names, instead of a shuffled pack.")
def command(deal: str | None) -> None:
    """Play Uno at this terminal, men against bots.

    It is the assignment's console game. FILE names the cards in the order in which they are dealt: seven for each
    player, the first discard, then the draw pile (R6 GD WC …, apart by spaces).
    """
    pack = own_deal(deal) if deal else None
    try:
        run(pack=pack)
    except EOFError:
        click.echo()
        raise BadInput("the input ended before the game did") from None


def own_deal(name: str) -> list[str]:
    """The cards that a file names. Raises BadInput."""
    try:
        return read_pack(read_file(name).decode("utf-8", "replace"))
    except BadDeal as error:
        raise BadInput(f"{name}: {error}") from error
