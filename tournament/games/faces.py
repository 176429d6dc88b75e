"""How a playing card looks in a replay: the same piece of HTML in the drawings of all games that are played with such
cards. `data-card` is what tells a replay which card has moved where."""

from functools import lru_cache

from markupsafe import Markup

from tournament.games.cards import COLOUR, SYMBOLS, name


@lru_cache(maxsize=4096)
def face(card: str, more: str = "", label: str = "") -> Markup:
    """A card face up. `more` are further classes, such as `moved`; `label` is read aloud after its name."""
    classes = " ".join(("card", COLOUR[card], *more.split()))
    value, suit = SYMBOLS.get(card[0], card[0]), SYMBOLS[card[1]]
    return Markup('<span class="{}" role="img" aria-label="{}{}" data-card="{}"><b>{}</b><i>{}</i></span>').format(
        classes, name(card), label, card, value, suit
    )
