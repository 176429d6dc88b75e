"""Games of house bots to look at: one of the golden games of each game, whole or a turn of it with a sentence for each
play (`worked_turn.json` in the game's folder, or else its first turns)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from flask import url_for
from markupsafe import Markup

from tournament.games.options import parse_name
from tournament.play.games import find_game
from tournament.play.record import Record
from tournament.play.replay import frames
from web.replay.frames import brief_replay
from web.site.access import Seen
from web.site.assets import game_text

HOUSE_GAME, WORKED_TURN = "house-game", "worked-turn"
GAME = "mixed"  # the golden game in which bots of all strengths play
MOST = 9  # drawings of a worked turn that nobody has written


@dataclass(frozen=True, slots=True)
class Example:
    """A record and, of a worked turn, what to say about which of its drawings, in order."""

    record: Record
    steps: Sequence[tuple[int, str]] = ()


def example_of(game: str, which: str) -> Example | None:
    """The house game or the worked turn of the game of that name, played with the usual options; None if the game
    brings no golden games along."""
    told = game_text(game, "worked_turn.json") if which == WORKED_TURN else None
    wanted: dict[str, Any] = json.loads(told) if told else {"record": GAME}
    text = game_text(game, f"golden/{wanted['record']}.json")
    if text is None:
        return None
    record = _record(parse_name(game).package, text)
    if which == HOUSE_GAME:
        return Example(record)
    return Example(record, wanted.get("steps") or _first_turns(record))


@lru_cache(maxsize=64)
def _record(package: str, text: str) -> Record:
    """With the titles of the bots, and with the hash of a game that was added."""
    record, bots = Record.from_json(json.loads(text)), {f"bot:{bot.name}": bot.title for bot in find_game(package).bots}
    return replace(record, game=package, seats=[bots.get(seat, seat) for seat in record.seats])


def _first_turns(record: Record) -> list[tuple[int, str]]:
    """As many whole turns as fit."""
    shown = frames(find_game(record.game), record, wanted=())
    ends = [number for number in range(1, len(shown)) if number + 1 == len(shown) or shown[number + 1].opens]
    last = max((end for end in ends if end < MOST), default=min(MOST, len(shown)) - 1)
    return [(number, frame.caption) for number, frame in enumerate(shown[: last + 1])]


def shown_example(seen: Seen, which: str) -> Markup | None:
    """A small replay of it, to be put into another page about the assignment."""
    game = seen.assignment.game
    if example_of(game, which) is None:
        return None
    course, slug = seen.viewer.course.slug, seen.assignment.slug
    first = url_for("assignment.play_example", course=course, slug=slug, which=which, number=0)
    return _shown(parse_name(game).package, which, first.removesuffix("0"))


@lru_cache(maxsize=128)
def _shown(package: str, which: str, plays_url: str) -> Markup:
    found = example_of(package, which)
    assert found  # noqa: S101  # the caller has looked
    return brief_replay(found.record, found.steps, plays_url, which)
