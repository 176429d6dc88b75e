"""Whatever value a player returns, from any of a game's functions, at any time: the referee ends the game in its own
terms, and the record of it stays small and can be checked anew."""

import json
import marshal
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.api import Limits, Program, Sandbox
from sandbox.choose import open_sandbox
from sandbox.visible import LONGEST_WHOLE
from tournament.games.api import Game
from tournament.play.games import GAMES
from tournament.play.record import Record
from tournament.play.replay import verify
from tournament.play.table import Contestant, house_bot, play_table, player_program

LIMITS = Limits(load_s=2.0, call_s=2.0, game_s=20.0)
SMALL = 100_000  # characters of a game's record

# Around a bot's function: at the given call it returns, or asks, something else. What it puts in is the whole of the
# reply, or a part of it.
SPOIL = """
def _spoil(name, function, calls=[0]):
    import marshal
    chosen, turn, path, value, asks = marshal.loads({given!r})
    def replaced(reply, path):
        if not path or not isinstance(reply, (list, tuple)) or not reply:
            return value
        items = [*reply]
        place = path[0] % len(items)
        items[place] = replaced(items[place], path[1:])
        return type(reply)(items)
    def spoilt(*args):
        reply = function(*args)
        calls[0] += 1
        if name != chosen or calls[0] != turn:
            return reply
        if asks:
            import _quadrille
            _quadrille.ask(*(value if type(value) is list and value else [value]))
            return reply
        return replaced(reply, path)
    return spoilt
for _name in {names!r}:
    globals()[_name] = _spoil(_name, globals()[_name], [0])
"""

CARDS = st.builds(str.__add__, st.sampled_from("A234567890JQKRGBY"), st.sampled_from("SHDCZ0123456789"))
LEAVES = (
    st.none() | st.booleans() | st.integers(-3, 20) | st.integers() | st.floats() | st.text(max_size=5) | CARDS
    | st.sampled_from([10**3999, -(10**3990), 1e308, "2C" * 20_000, "\ud800", "\x00\x1b[31m\n", "draw", ""])
)  # fmt: skip
HASHABLE = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=4)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.sets(HASHABLE, max_size=3)
        | st.dictionaries(HASHABLE, inner, max_size=3)
    ),
    max_leaves=10,
) | st.sampled_from(["list", "tuple", "dict", "row"]).map(lambda kind: monster(kind))


def monster(kind: str) -> Any:
    """As deep, or as long, as a reply can be."""
    value: Any = ()
    if kind == "row":
        return ["AS"] * 5_000
    for _ in range(38):
        value = {"list": [value], "tuple": (value,), "dict": {0: value}}[kind]
    return value


@cache
def bot(game: Game[Any]) -> Program:
    """A bot that is quick."""
    found = house_bot(game, game.bots[-2].name)
    return player_program(game, found.source, found.filename)


@st.composite
def spoilt(draw: st.DrawFn, game: Game[Any]) -> Program:
    """The bot, who returns any value at one of its first calls, or asks anything."""
    name = draw(st.sampled_from([*game.guest.functions]))
    path = draw(st.lists(st.integers(0, 7), max_size=3))
    return spoil(game, name, draw(st.integers(1, 6)), path, draw(VALUES), asks=draw(st.integers(0, 5)) == 0)


def spoil(game: Game[Any], name: str, turn: int, path: list[int], value: Any, asks: bool) -> Program:
    whole = bot(game)
    given = marshal.dumps((name, turn, path, value, asks))
    return replace(whole, adapter=whole.adapter + SPOIL.format(given=given, names=[*game.guest.functions]))


@pytest.fixture(scope="module")
def trusted() -> Iterator[Sandbox]:
    with open_sandbox("trusted") as opened:
        yield opened


@pytest.fixture(scope="module")
def jail() -> Iterator[Sandbox]:
    with open_sandbox() as opened:
        yield opened


def check(game: Game[Any], player: Program, sandbox: Sandbox, trusted: Sandbox) -> Record:
    bots = [Contestant(f"bot {seat}", bot(game), trusted) for seat in range(1, game.seats[0])]
    record = play_table(game, 1, [Contestant("any", player, sandbox), *bots], LIMITS)
    assert {(note.seat, str(note.verdict)) for note in record.faults} <= {(0, "ILLEGAL"), (0, "MALFORMED")}
    for note in record.faults:
        assert len(note.got) <= LONGEST_WHOLE
        assert 0 < len(note.message) <= 1000
    text = json.dumps(record.to_json())
    assert len(text) < SMALL
    verify(game, Record.from_json(json.loads(text)))
    return record


EVERY = [(game, name) for game in GAMES.values() for name in game.guest.functions]


@pytest.mark.parametrize(("game", "name"), EVERY, ids=[name for _, name in EVERY])
def test_what_is_no_play_reaches_the_referee(game: Game[Any], name: str, jail: Sandbox, trusted: Sandbox) -> None:
    record = check(game, spoil(game, name, 1, [], {"no": "play"}, asks=False), jail, trusted)
    assert [note.rule for note in record.faults] == ["shape"]
    assert record.faults[0].call.startswith(f"{name}(")


QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@pytest.mark.full
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@settings(max_examples=40, deadline=None, suppress_health_check=QUIET)
@given(data=st.data())
def test_any_value_is_judged(game: Game[Any], trusted: Sandbox, data: st.DataObject) -> None:
    check(game, data.draw(spoilt(game)), trusted, trusted)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@settings(max_examples=8, deadline=None, suppress_health_check=QUIET)
@given(data=st.data())
def test_any_value_that_comes_out_of_the_jail_is_judged(
    game: Game[Any], jail: Sandbox, trusted: Sandbox, data: st.DataObject
) -> None:
    check(game, data.draw(spoilt(game)), jail, trusted)
