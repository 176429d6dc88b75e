"""Other hands that a player could hold, judging by the table and the plays of a hand."""

from collections import Counter
from collections.abc import Iterable, Sequence

from tournament.games.cards import PACK
from tournament.games.phazed.positions import PhazedPosition
from tournament.games.phazed.shape import DISCARD, FROM_DECK, FROM_PILE, HIDDEN, Play, put_down
from tournament.games.phazed.state import DEALT, SEATS, in_order


def unseen(position: PhazedPosition) -> list[str]:
    """The cards that may lie in the deck or in others' hands: all but those in the hand, on the table, in the discard
    pile, and in the hand of a player who was seen to take them."""
    pile: list[str] = []
    for _, plays in position.turn_history:
        for kind, content in plays:
            if kind == DISCARD:
                pile.append(content)
            elif kind == FROM_PILE and pile:
                pile.pop()
    if not pile and position.discard:
        pile = [position.discard]
    taken = [card for seat in SEATS if seat != position.player_id for card in _Story(position, seat).known]
    table = [card for _, groups in position.table for group in groups for card in group]
    left = Counter([*PACK, *PACK])
    left.subtract([*position.hand, *table, *pile, *taken])
    return [card for card, count in left.items() for _ in range(count)]


def with_cards(position: PhazedPosition, wanted: Iterable[str], free: Iterable[str]) -> PhazedPosition | None:
    """The position with these cards in the hand instead of others that nobody has seen; None if that is impossible.
    `free`: the cards that are `unseen`.

    If the last play was a draw from the deck, one of `wanted` is the card drawn.
    """
    story = _Story(position, position.player_id)
    hidden = list((Counter(position.hand) - Counter(story.known)).elements())
    needed = list((Counter(wanted) - Counter(story.known)).elements())
    kept = list((Counter(hidden) - Counter(needed)).elements())
    cards = [*needed, *kept][: len(hidden)]
    drawn = cards[:1] if story.just_drew else []
    dealt = cards[len(drawn) :]
    impossible = Counter(cards) - Counter([*hidden, *free])
    if len(needed) > len(hidden) or impossible or len(dealt) > DEALT - story.played_dealt:
        return None
    return position._replace(hand=[*in_order(dealt), *story.known, *drawn])


class _Story:
    """What the plays of a hand show about a seat's cards.

    `known` are those that it was seen to take and still holds, in order. `played_dealt` is how many of those that it
    played must have been dealt to it, because it had not drawn that many by then. `just_drew`: its last play was a
    draw from the deck, which counts for neither.
    """

    def __init__(self, position: PhazedPosition, seat: int) -> None:
        turns = [plays for player, plays in position.turn_history if player == seat]
        self.just_drew = bool(turns) and position.begun and list(turns[-1]) == [(FROM_DECK, HIDDEN)]
        self.known: list[str] = []
        self.played_dealt = self._owed = 0
        for plays in turns[: len(turns) - self.just_drew]:
            self._follow(plays)

    def _follow(self, plays: Sequence[Play]) -> None:
        for play in plays:
            if play[0] == FROM_DECK:
                self._owed -= 1
            elif play[0] == FROM_PILE:
                self.known.append(play[1])
            for card in put_down(play):
                if card in self.known:
                    self.known.remove(card)
                else:
                    self._owed += 1
        self.played_dealt = max(self.played_dealt, self._owed)
