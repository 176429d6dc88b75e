"""A tiny game for the tests, with what Comp10001-Bo lacks: simultaneous plays, and questions asked during a call.

Three rounds. In each, all seats name a number from 0 to 9 at once, knowing what was named before; while it thinks, a
seat may ask how many rounds are left, or take a coin from the middle. Numbers and coins together are the points.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from sandbox.api import Log
from tournament.games.api import Game, Guest, HouseBot, IllegalPlay, MalformedPlay, Option, Request, Result

TABLE = """
import _quadrille

def left():
    return _quadrille.ask("left")

def take():
    return _quadrille.ask("take")

def steal(coins):
    return _quadrille.ask("steal", coins)
"""


@dataclass
class State:
    coins: int
    sums: list[int]
    log: Log = field(default_factory=Log)
    rounds: int = 3
    out: set[int] = field(default_factory=set)


class Bids:
    slug = name = "bids"
    title = "Bids"
    summary = "Name the greatest numbers."
    version = "1"
    seats = (3, 2, 4)
    options: tuple[Option, ...] = ()
    bots: tuple[HouseBot, ...] = ()
    guest = Guest({"bid": (2,)}, {"table": TABLE})
    folder = Path(__file__).parent

    def deal(self, rng: Random, seats: int) -> State:
        return State(coins=rng.randint(5, 9), sums=[0] * seats)

    def requests(self, state: State) -> Sequence[Request]:
        if state.out or not state.rounds:
            return ()
        return [Request(seat, "bid", (seat, state.log)) for seat in range(len(state.sums))]

    def parse(self, state: State, seat: int, raw: Any) -> int:
        if type(raw) is not int:
            raise MalformedPlay(f"A bid is a whole number; you returned {raw!r}.")
        if not 0 <= raw <= 9:
            raise IllegalPlay("range", f"A bid is 0 to 9, not {raw}.")
        return raw

    def decode(self, data: Any) -> Any:
        return data

    def apply(self, state: State, plays: Sequence[tuple[int, int]]) -> None:
        for seat, number in plays:
            state.sums[seat] += number
        state.log.append(tuple(number for _, number in plays))
        state.rounds -= 1

    def disqualify(self, state: State, seat: int) -> None:
        state.out.add(seat)

    def result(self, state: State) -> Result:
        if state.rounds and not state.out:
            raise ValueError("the game is still running")
        ended = "disqualified" if state.out else "all named"
        points = [-1 if seat in state.out else number for seat, number in enumerate(state.sums)]
        places = tuple(1 + sum(other > own for other in points) for own in points)
        return Result(ended, places, tuple(map(float, points)))

    def frame(self, state: State, seat: int | None) -> Mapping[str, Any]:
        return {"sums": list(state.sums), "coins": state.coins, "left": state.rounds, "out": sorted(state.out)}

    def describe(self, seat: int, play: int) -> str:
        return f"bids {play}"

    def answer(self, state: State, seat: int, name: str, args: Sequence[Any]) -> Any:
        if name == "left" and not args:
            return state.rounds
        if name == "take" and not args and state.coins:
            state.coins -= 1
            state.sums[seat] += 1
            return state.coins
        raise IllegalPlay("question", f"You cannot ask for {name} now.")


BIDS: Game[State] = Bids()

NINE = "def bid(seat, log):\n    return 9\n"
"""A player that always names nine."""
