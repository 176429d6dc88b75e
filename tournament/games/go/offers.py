"""The plays offered to a person who plays Comp10001-Go by hand."""

from collections.abc import Sequence

from tournament.games.api import Composition, Offer, Offered
from tournament.games.cards import symbol
from tournament.games.go.partitions import best_score
from tournament.games.go.state import GoState
from tournament.games.text import count


def choices(state: GoState, seat: int) -> Sequence[Offered]:
    """A card of the hand to discard; or, at the end, all discards to be put into groups."""
    discards = state.discards[seat]
    if state.turn < state.hand_size:
        worth = {card: count(best_score([*discards, card]), "point").replace("-", "−") for card in state.hands[seat]}
        return [
            Offer(f"Discard {symbol(card)}", card, f"Grouped best, your discards are then worth {points}.")
            for card, points in worth.items()
        ]
    why = (
        "Cards with the same number make a group: cards of one value, or a run of three or more whose colours "
        "alternate. A card alone costs its value, an Ace 20."
    )
    names = [f"Group {each}" for each in range(1, len(discards) + 1)]
    return [Composition("Play these groups", discards, names, _groups, why, range(len(discards)))]


def _groups(parts: Sequence[Sequence[str]]) -> list[list[str]]:
    return [list(group) for group in parts if group]
