"""Positions for the hidden cases, from games between house bots and random players.

In some games everybody draws while there are cards, so that these games continue with an empty draw pile.
"""

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from tournament.games.uno import rules
from tournament.games.uno.bots import first_match, watcher, wild_last
from tournament.games.uno.pack import COLOURS, playable
from tournament.games.uno.state import SEATS, deal


class UnoPosition(NamedTuple):
    """The arguments of `uno_pick_card` and of `uno_choose_colour`."""

    player_no: int
    hand: list[str]
    top: str
    colour: str
    draw_pile_size: int
    hand_sizes: list[int]
    play_history: list[tuple[int, str, Any]]

    def picks(self) -> tuple[int, ...]:
        """Return every legal answer to `uno_pick_card`; empty if the player would not be asked."""
        indices = playable(self.hand, self.top, self.colour)
        return (*indices, rules.DRAWN) if self.draw_pile_size else tuple(indices)


def positions(rng: Random) -> Iterator[tuple[str, UnoPosition]]:
    """Yield without end: (function asked, position) from one game after another, with a player drawn by `rng` in each
    seat."""
    while True:
        seats, hoards = rng.choice(SEATS), rng.random() < 0.4
        bots = [None if hoards else rng.choice([None, first_match, wild_last, watcher]) for _ in range(seats)]
        state = deal(rng, seats)
        while requests := rules.requests(state):
            (request,) = requests
            player_no, hand, top, colour, draw_pile_size, hand_sizes, history = request.args
            position = UnoPosition(player_no, list(hand), top, colour, draw_pile_size, hand_sizes, list(history.items))
            yield request.function, position
            if bot := bots[player_no]:
                play = getattr(bot, request.function)(*position)
            else:
                play = _any_answer(request.function, position, hoards, rng)
            rules.apply(state, [(player_no, rules.parse(state, player_no, play))])


def _any_answer(function: str, position: UnoPosition, hoards: bool, rng: Random) -> Any:
    if function == rules.CHOOSE:
        return rng.choice(COLOURS)
    picks = position.picks()
    return rules.DRAWN if hoards and rules.DRAWN in picks else rng.choice(picks)
