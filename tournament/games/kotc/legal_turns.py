"""Every legal turn of King of the Cards in one position."""

from typing import NamedTuple

from tournament.games.kotc.state import FOLLOWS


class KotcPosition(NamedTuple):
    """The arguments of `kotc_turn`."""

    hand: list[str]
    discard: str
    draw_pile: list[str]
    hand_sizes: list[int]

    def turns(self, may_skip: bool) -> tuple[tuple[str | None, int], ...]:
        """Every legal (play, cards drawn before it)."""
        return tuple(
            (play, drawn)
            for drawn in range(len(self.draw_pile) + 1)
            for play in (*playable(self.hand + self.draw_pile[:drawn], self.discard), *((None,) if may_skip else ()))
        )


def playable(hand: list[str], discard: str) -> list[str]:
    """Every legal play but skipping, in the order of the hand; an Eight counts as four, one for each suit."""
    fitting = [card for card in hand if card in FOLLOWS[discard] and card[0] != "8"]
    return fitting + ["8" + suit for suit in "SHDC" if any(card[0] == "8" for card in hand)]
