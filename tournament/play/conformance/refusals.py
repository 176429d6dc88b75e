"""Checks of what the rules refuse, and of the end of a game in which somebody was at fault."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from itertools import islice
from random import Random
from typing import Any

from tournament.games.api import Game, IllegalPlay, MalformedPlay
from tournament.games.text import show
from tournament.play.conformance.sample import Flaw, Sample, flaw_in

TRIES = 200


def rubbish_is_refused(sample: Sample) -> Iterator[Flaw]:
    """Whatever a player returns is accepted or refused with a reason, and judging it changes nothing."""
    rng, game = sample.random("rubbish"), sample.game
    for _ in range(TRIES):
        moment = rng.choice(sample.moments)
        state, seat = moment.state, game.requests(moment.state)[0].seat
        raw = rubbish(rng) if rng.random() < 0.5 else spoiled(rng, rng.choice(moment.plays))
        before = (game.frame(state, None), list(game.cards(state)))
        flaws = list(_refusal_flaws(game, state, seat, raw))
        if (game.frame(state, None), list(game.cards(state))) != before:
            flaws.append(flaw_in(game, "parse", f"`parse` changes the state when it is given {show(raw)}."))
        yield from flaws
        if flaws:
            return


def _refusal_flaws(game: Game[Any], state: Any, seat: int, raw: Any) -> Iterator[Flaw]:
    given = f"{show(raw)} was returned"
    try:
        json.dumps(game.parse(state, seat, raw))
    except IllegalPlay as refusal:
        rule, message = refusal.rule, refusal.message
        if (rule == "shape") is not isinstance(refusal, MalformedPlay) or rule != rule.lower().replace(" ", "-"):
            yield flaw_in(
                game, "parse", f"The name of the rule {rule!r} is wrong, when {given}.", "Write it as `not-held`."
            )
        if not (10 < len(message) < 1000 and message.isprintable()):
            fix = "Write a short sentence, and show what was returned with tournament.games.text.show."
            yield flaw_in(game, "parse", f"The message is empty, too long or not printable, when {given}.", fix)
    except Exception as error:  # noqa: BLE001 - any other error of the rules is what is looked for
        fix = "`parse` must raise IllegalPlay or MalformedPlay, whatever it is given."
        yield flaw_in(game, "parse", f"`parse` raised {type(error).__name__} ({error}), when {given}.", fix)


def accepted_plays_apply(sample: Sample) -> Iterator[Flaw]:
    """`apply` carries out whatever `parse` accepts, and no card is lost or comes from nowhere."""
    rng, game = sample.random("accepted"), sample.game
    for _ in range(TRIES):
        moment = rng.choice(sample.moments)
        state, (first, *others) = deepcopy(moment.state), game.requests(moment.state)
        raw = rng.choice((rubbish(rng), spoiled(rng, rng.choice(moment.plays)), rng.choice(moment.plays)))
        offered = [(first.seat, [raw]), *((each.seat, moment.plays) for each in others)]
        plays = [(seat, play) for seat, raws in offered for play in islice(_accepted(game, state, seat, raws), 1)]
        if len(plays) <= len(others):
            continue
        fix = f"`parse` accepted {show(raw)}: it must refuse what is not allowed, such as a card that is not held."
        cards = Counter(game.cards(state))
        try:
            game.apply(state, plays)
            if not game.requests(state):
                game.result(state)
        except Exception as error:  # noqa: BLE001 - any error of the rules is what is looked for
            yield flaw_in(game, "apply", f"`apply` raised {type(error).__name__} ({error}).", fix)
            return
        if Counter(game.cards(state)) != cards:
            yield flaw_in(game, "apply", "After `apply`, cards have gone or come.", fix)
            return


def _accepted(game: Game[Any], state: Any, seat: int, raws: Sequence[Any]) -> Iterator[Any]:
    """Yield the results of `parse` for the plays that it accepts."""
    for raw in raws:
        with suppress(IllegalPlay):
            yield game.parse(state, seat, raw)


def questions_are_refused(sample: Sample) -> Iterator[Flaw]:
    """A question that the game does not offer is refused."""
    rng, game = sample.random("questions"), sample.game
    for name in ("", "no such question", "\ud800", "__class__"):
        state = deepcopy(rng.choice(sample.moments).state)
        try:
            game.answer(state, game.requests(state)[0].seat, name, [rubbish(rng) for _ in range(rng.randrange(3))])
        except IllegalPlay:
            continue
        fix = "Raise IllegalPlay for a question that the game does not offer, or use tournament.games.text.no_answers."
        yield flaw_in(game, "answer", f"The game answers the question {name!r}.", fix)


def disqualifies_one(sample: Sample) -> Iterator[Flaw]:
    """A disqualification ends the game against one seat alone."""
    rng, game = sample.random("disqualify"), sample.game
    for moment in rng.sample(sample.moments, min(12, len(sample.moments))):
        state, seat = deepcopy(moment.state), rng.randrange(moment.seats)
        try:
            game.result(state)
        except ValueError:
            pass
        else:
            yield flaw_in(game, "result", "A game that is running has a result.", "Raise ValueError until it is over.")
            return
        game.disqualify(state, seat)
        result = game.result(state)
        others = [place for other, place in enumerate(result.places) if other != seat]
        if (
            game.requests(state)
            or result.ended != "disqualified"
            or result.places[seat] <= max(others)
            or 1 in result.places
            or result.points[seat] != min(result.points)
        ):
            fix = "The word is `disqualified`; the offender alone is last, with the fewest points; nobody is first."
            yield flaw_in(game, "disqualify", f"The result after a disqualification of seat {seat} is {result}.", fix)
            return


def _nested(container: Callable[[Any], Any]) -> Any:
    value: Any = ()
    for _ in range(10_000):
        value = container([value])
    return value


MONSTERS: Mapping[str, Any] = {
    "deep tuple": _nested(tuple),
    "deep list": _nested(list),
    "huge number": 10**5000,
    "huge negative number": -(10**5000),
    "huge text": "2C" * 100_000,
    "huge list": [0] * 100_000,
    "half a character": "\ud800",
    "control characters": "\x00\x1b[31m\n",
    "not a number": float("nan"),
    "infinity": float("inf"),
    "bytes": b"2C",
    "set": {"2C"},
    "dictionary": {"2C": (0, 0)},
}
SMALL = (None, True, False, -(2**70), -1, 0, 1, 2, 3, 8, 2**40, 0.0, 1.0, -0.5, "", "2", "zz", "♥")


def rubbish(rng: Random, depth: int = 3) -> Any:
    """Return random plain data of any kind."""
    kind = rng.random()
    if kind < 0.1:
        return MONSTERS[rng.choice(sorted(MONSTERS))]
    if kind < 0.4 and depth:
        return rng.choice((list, tuple))([rubbish(rng, depth - 1) for _ in range(rng.randrange(5))])
    return card(rng) if kind < 0.7 else rng.choice(SMALL)


def card(rng: Random) -> str:
    """Return a text that looks like a card, but may not be one."""
    return rng.choice("A234567890JQKZ") + rng.choice("SHDCZ")


def spoiled(rng: Random, play: Any) -> Any:
    """Return the play with one of its parts, or the whole, replaced by rubbish."""
    return _replaced(play, rng.choice(list(_paths_into(play))), rubbish(rng))


def _paths_into(value: Any) -> Iterator[Sequence[int]]:
    yield ()
    if isinstance(value, list | tuple):
        for index, part in enumerate(value):
            yield from ((index, *path) for path in _paths_into(part))


def _replaced(value: Any, path: Sequence[int], part: Any) -> Any:
    if not path:
        return part
    items = list(value)
    items[path[0]] = _replaced(items[path[0]], path[1:], part)
    return type(value)(items)
