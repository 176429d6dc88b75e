"""`quadrille uno`."""

import click

from deploy.cli.common import read_file
from deploy.cli.errors import BadInput
from tournament.games.uno.console import BadDeal, read_pack, run


@click.command()
@click.option("--deal", metavar="FILE", help="Deal the 72 cards listed in FILE instead of a shuffled pack.")
def command(deal: str | None) -> None:
    """Play Uno in this terminal against house bots.

    This is the assignment's console game. FILE lists the cards in dealing order, separated by spaces (R6 GD WC …):
    seven for each player, the first discard, then the draw pile.
    """
    try:
        run(pack=read_pack(read_file(deal).decode("utf-8", "replace")) if deal else None)
    except BadDeal as error:
        raise BadInput(f"{deal}: {error}") from error
    except EOFError:
        click.echo()
        raise BadInput("the input ended before the game did") from None
