"""How a playing card looks in a replay: all games with such cards draw it with the same piece of HTML. A replay finds
out from `data-card` which card has moved where."""

from collections.abc import Callable, Container, Sequence

from jinja2 import Environment
from markupsafe import Markup

from tournament.games.cards import COLOUR, SYMBOLS, name


def english(environment: Environment) -> None:
    """Make templates with text marked for translation render in English where there is no site."""
    environment.add_extension("jinja2.ext.i18n")
    environment.policies["ext.i18n.trimmed"] = True
    environment.install_null_translations(newstyle=True)  # type: ignore[attr-defined]
    environment.filters["said"] = str


def face(card: str, more: str = "", label: str = "", named: str = "") -> Markup:
    """Return a card face up. `more` are further CSS classes, such as `moved`. `label` is read aloud after the card's
    name; `named` is that name in a language other than English."""
    classes = " ".join(("card", COLOUR[card], *more.split()))
    value, suit = SYMBOLS.get(card[0], card[0]), SYMBOLS[card[1]]
    return Markup('<span class="{}" role="img" aria-label="{}{}" data-card="{}"><b>{}</b><i>{}</i></span>').format(
        classes, named or name(card), label, card, value, suit
    )


def faces(
    cards: Sequence[str],
    marked: Container[int] = (),
    more: str = "",
    label: str = "",
    wild: str = "",
    one: Callable[[str, str, str], Markup] = face,
) -> Markup:
    """Return cards face up, one per line, drawn by `one`. `more` and `label` apply to the cards whose indices are in
    `marked`; cards of the value `wild` have the class `wild`. With loops in templates instead, rendering all frames of
    a Phazed game takes 13% longer."""
    drawn = [
        one(
            card,
            f"{'wild ' if card[0] == wild else ''}{more if index in marked else ''}",
            label if index in marked else "",
        )
        for index, card in enumerate(cards)
    ]
    return Markup("\n".join([*drawn, ""]))  # noqa: S704 - made of faces
