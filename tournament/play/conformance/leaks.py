"""Checks that no seat learns what is hidden from it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from random import Random
from sys import intern
from typing import Any

from sandbox.api import Log
from tournament.games.api import Game
from tournament.play.conformance.sample import Flaw, Moment, Sample, flaw_in

LOOKS = 30
"""Moments that are dealt again."""

FIX = "Show a seat only what it may see; or, if it may see this, let `redeal` leave it as it is."


def nothing_leaks(sample: Sample) -> Iterator[Flaw]:
    """No hidden card reaches a seat: a state with all that is hidden shuffled looks the same to it."""
    rng = sample.random("leaks")
    for moment in rng.sample(sample.moments, min(LOOKS, len(sample.moments))):
        flaws = list(_leaks(sample.game, moment, rng))
        yield from flaws
        if flaws:
            return


def _leaks(game: Game[Any], moment: Moment, rng: Random) -> Iterator[Flaw]:
    state, whole = moment.state, game.frame(moment.state, None)
    for seat in range(moment.seats):
        other = game.redeal(state, seat, rng)
        if Counter(game.cards(other)) != Counter(game.cards(state)):
            yield flaw_in(game, "redeal", "After `redeal`, the cards are others than before.")
        if place := first_difference(game.frame(state, seat), game.frame(other, seat)):
            what = f"A hidden card leaks: `frame(state, {seat})` shows seat {seat} at {place} what it must not know."
            yield flaw_in(game, "frame", what, FIX)
        if place := first_difference(_calls_of(game, state, seat), _calls_of(game, other, seat)):
            what = f"A hidden card leaks: `requests` tells seat {seat} at {place} what it must not know."
            yield flaw_in(game, "requests", what, FIX)
    if game.frame(state, None) != whole:
        yield flaw_in(game, "redeal", "`redeal` changes the state that it is given.", "Change a `deepcopy` of it.")


def _calls_of(game: Game[Any], state: Any, seat: int) -> Any:
    return [(each.function, plain_args(each.args)) for each in game.requests(state) if each.seat == seat]


def plain_args(args: Any) -> Any:
    """The arguments of a request as plain data."""
    return [list(arg.items) if isinstance(arg, Log) else arg for arg in args]


def first_difference(left: Any, right: Any) -> str:
    """Where two values of plain data first differ, as in `['hands'][1]`; "" if they do not."""
    if isinstance(left, Mapping) and isinstance(right, Mapping) and left.keys() == right.keys():
        parts = ((f"[{key!r}]", left[key], right[key]) for key in left)
    elif isinstance(left, list | tuple) and isinstance(right, list | tuple) and len(left) == len(right):
        parts = ((f"[{index}]", *pair) for index, pair in enumerate(zip(left, right, strict=True)))
    else:
        return "" if left == right else " "
    return next((f"{name}{found}".strip() for name, *pair in parts if (found := first_difference(*pair))), "")


def redeal_shuffles(sample: Sample) -> Iterator[Flaw]:
    """Dealing again what is hidden changes it."""
    game = sample.game
    state = game.deal(Random(1), game.seats[0])
    dealt = {repr(list(game.cards(game.redeal(state, 0, Random(seed))))) for seed in range(5)}
    if len(dealt) < 5:
        fix = "Shuffle all that the seat cannot see, with the generator given; otherwise no leak can be found."
        yield flaw_in(game, "redeal", "`redeal` leaves hidden cards where they were.", fix)


def cards_are_interned(sample: Sample) -> Iterator[Flaw]:
    """Cards are dealt interned, so that asking a player is quick."""
    game = sample.game
    for request in game.requests(game.deal(Random(1), game.seats[0])):
        copied = [word for word in _strings(plain_args(request.args)) if intern(word) is not word]
        if copied:
            fix = "Make each card once, as in tournament.games.cards.PACK, or with `sys.intern`."
            yield flaw_in(game, "deal", f"Some texts that players get are copies, such as {copied[0]!r}.", fix)
            return


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)
