"""Replays: a page for each play of a record, and one file with all drawings of a record, for games of every kind. Calls
to a player in a game become tests that the player's author can run at home. Examples show golden games of house bots: a
whole game, or a turn with a sentence for each play (`worked_turn.json` in the game's folder, or else the game's first
turns)."""

import gzip
import json
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from io import BytesIO
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from flask import Response, current_app, jsonify, render_template, request, send_file, url_for
from markupsafe import Markup
from pydantic_core import to_json
from werkzeug.exceptions import Gone, NotFound

from grader.grading.messages import typed_call
from sandbox import patterns, readers
from sandbox.api import SentBytes
from tournament.games.api import Game, dealer
from tournament.games.options import parse_name
from tournament.play.games import find_game
from tournament.play.home_tests import PlayerFile, Position, position_test
from tournament.play.memory import Habits, habits_of
from tournament.play.record import FaultNote, Record
from tournament.play.replay import Frame, finish, frames
from tournament.store.tables import Player
from web.replay.film import Addressed, Scene, Showing, asked_seats, drawn_by, film_of, scene_at, shown_player
from web.site.access import Seen
from web.site.assets import game_text
from web.site.insides import Seated, name_of
from web.site.languages import language, said
from web.site.pages import Shelf
from web.site.store import read
from web.site.text import count

Steps: TypeAlias = Sequence[tuple[int, str]]
"""The numbers of some of a replay's frames, each with a sentence that replaces its caption; () stands for the whole
game."""

FILMS: Final = Shelf("films", 512)  # about 13 kB each
SCENES: Final = Shelf("scenes", 256)  # about 30 kB each
RECORDS: Final = Shelf("records", 64)  # about 100 kB each: a page and its film are requested one after the other
"""Caches: a viewer's view of a finished game never changes, and drawing it is the site's most expensive work."""

LEVEL: Final = 6  # half the size of level 1; each film is compressed only once


def show_play(
    record: Record,
    number: int,
    own: Mapping[int, Seated],
    template: str,
    around: Callable[[], dict[str, Any]],
    steps: Steps = (),
) -> Any:
    """Return the table after `number` plays of a record that the viewer may see. With `?seat=2`, it is shown as that
    seat saw it. `?part=film` returns all drawings in one file for `replay.js`, and `?part=test&of=2` the call to seat 2
    as a test.

    `own` are the seats whose private details the viewer may see, each with the player that sits there; `around` returns
    the values that the template shows besides the replay.
    """
    seat = request.args.get("seat", type=int)
    if seat is not None and not 0 <= seat < len(record.seats):
        raise NotFound(f"This game has seats 0 to {len(record.seats) - 1}.")
    game = rules_of(record)
    if request.args.get("part") == "test":
        of = request.args.get("of", -1, type=int)
        if of not in own:
            raise NotFound("Tests can be created only from calls to your own player.")
        return play_test(Position(record, of, number, request.base_url), own[of])
    at = Addressed((request.script_root + request.path).rpartition("/")[0] + "/", seat)
    # Only the drawing of a fault shows private details of a player. Without a fault, all viewers share one drawing.
    inside = (record.outputs, [(each, own[each].player_id) for each in sorted(own)]) if record.faults else ()
    seen = replace(record, outputs=[])
    made_of = (seen, inside, seat, steps, game.version, game_text(record.game, "replay.html"), language())
    showing = showing_of(record, own)
    if request.args.get("part") == "film":
        return _answer_film(_digest(made_of), lambda: _film(showing, _frames(game, record, seat, steps)))

    def make() -> Scene:
        found = _frames(game, record, seat, steps, {number})
        last = len(found) - 1
        if number > last:
            why = said(f"This game has {count(last, 'play')}, so there is no play {number}.")
            link = Markup('{} <a href="{}{}{}">{}</a>')
            raise NotFound(link.format(why, at.plays_url, last, at.view, said("See how it ended")))
        return scene_at(current_app.jinja_env, showing, found, number, at)

    drawn = SCENES.kept(make, _digest((made_of, number, at)))
    replay = _replay(shown_player(drawn, showing, at))
    known = {"table": game, "record": record, "names": record.seats, "own": sorted(own), "plays_url": at.plays_url}
    return render_template(template, **known, replay=replay, **around())


def unpacked_record(packed: bytes) -> Record:
    """Return the unpacked record, with the private details of all players. Caching it saves a tenth of the time for a
    film."""
    return RECORDS.kept(lambda: Record.unpack(packed), packed)


def _digest(made_of: object) -> str:
    """Return a digest of everything that a drawing depends on, including rules and templates."""
    return sha256(repr(made_of).encode()).hexdigest()[:20]


def _answer_film(tag: str, draw: Callable[[], str]) -> Response:
    """Answer with a film. It can safely be compressed, since it contains nothing that a visitor sent."""
    response = Response(mimetype="application/json")
    response.vary.add("Accept-Encoding")
    response.set_etag(tag)
    if request.if_none_match.contains(tag):
        response.status_code = 304
        return response
    packed = FILMS.kept(lambda: gzip.compress(draw().encode(), LEVEL), tag)
    if request.accept_encodings.quality("gzip"):
        response.set_data(packed)
        response.content_encoding = "gzip"
    else:
        response.set_data(gzip.decompress(packed))
    return response


def _replay(shown: Mapping[str, Any]) -> Markup:
    """Return the part of a page with the replay."""
    drawn = current_app.jinja_env.get_template("replay/_replay.html").render(shown)
    return Markup(drawn)  # noqa: S704 - a template's


def _frames(
    game: Game[Any], record: Record, seat: int | None, steps: Steps, wanted: Container[int] | None = None
) -> list[Frame]:
    if not steps:
        return frames(game, record, seat, wanted)
    every = frames(game, record, seat, {number for number, _ in steps})
    return [replace(every[number], caption=sentence) for number, sentence in steps]


def brief_replay(record: Record, steps: Steps, plays_url: str, what: str) -> Markup:
    """Return a replay for use within another page: only the table and the controls. A whole game opens at a later play,
    when there is something on the table."""
    shown = _frames(find_game(record.game), record, None, steps)
    number = 0 if steps else len(shown) // 4
    showing, at = showing_of(record, {}), Addressed(plays_url)
    replay = shown_player(scene_at(current_app.jinja_env, showing, shown, number, at), showing, at)
    return _replay({**replay, "brief": what})


def _film(showing: Showing, shown: Sequence[Frame]) -> str:
    drawn = film_of(current_app.jinja_env, showing, shown)
    return to_json(drawn | {"asked": [asked_seats(frame) for frame in shown]}).decode()


def showing_of(record: Record, own: Mapping[int, Seated]) -> Showing:
    """Return the replay as the owner of the seats `own` may see it."""
    tested = [seat for seat in sorted(own) if own[seat].player_id is not None]
    return Showing(record, sorted(own), tested, lambda fault: typed_in(record, fault, own.get(fault.seat)))


def frames_of(record: Record) -> list[Frame]:
    """Return the frames of a record, without their tables."""
    return frames(rules_of(record), record, wanted=())


def rules_of(record: Record) -> Game[Any]:
    """Return the game whose rules a record needs to be replayed. Raises UnknownGame, and Gone if the rules have changed
    since."""
    game = find_game(record.game)
    if record.version and dealer(game, record.version) is None:
        raise Gone(
            f"This game was played by version {record.version} of the rules of {game.title}. This site now has version"
            f" {game.version} and cannot replay it. Its result and its record are kept as they are."
        )
    return game


def end_of(record: Record) -> dict[str, Any]:
    """Return the values that a template needs to draw the table at the end of a record, with all cards open."""
    game = find_game(record.game)
    state, _ = finish(game, record)
    return {
        "frame": game.frame(state, None),
        "names": record.seats,
        "drawing": drawn_by(record),
    }


def record_file(record: Record, name: str) -> Response:
    """Return a record that the viewer may see, as a file for replaying it elsewhere."""
    response = jsonify(record.to_json(times=True))
    response.headers.set("Content-Disposition", "attachment", filename=f"{name}.json")
    return response


def play_test(at: Position, seated: Seated) -> Response:
    """Return the test of a position, to read, copy or download; `seated` is the player in the seat."""
    file = file_of(seated)
    if file is None:
        raise NotFound("This seat has no uploaded file that could be tested.")
    path = urlsplit(at.address).path
    name = f"test{patterns.compile('[^a-z0-9]+').sub('_', path.rstrip('/'))}.py"
    text = position_test(find_game(at.record.game), at, file, name)
    if text is None:
        raise NotFound("At this moment the player was not asked for anything that can be repeated at home.")
    return send_file(BytesIO(text.encode()), "text/plain; charset=utf-8", download_name=name)


def file_of(seated: Seated) -> PlayerFile | None:
    """Return the file of the player in a seat; None for a house bot."""
    player = read().get(Player, seated.player_id) if seated.player_id else None
    if player is None:
        return None
    return PlayerFile(name_of(seated) or "player.py", player.source, _habits(SentBytes(player.source)))


@lru_cache(maxsize=64)
def _habits(source: SentBytes) -> Habits:
    """Return the habits of a player's code. Code that cannot be read in time counts as having every habit."""
    try:
        return readers.read(habits_of, source)
    except readers.TooCostly:
        return Habits(remembers=True, draws=True)


def typed_in(record: Record, fault: FaultNote, seated: Seated | None) -> str:
    """Return the call that caused a fault, written as students would type it. It names the player's class only if
    `seated`, the viewer's own player, is given."""
    typed = find_game(record.game).guest.typed
    if not typed or not fault.call:
        return fault.call
    player = read().get(Player, seated.player_id) if seated and seated.player_id else None
    return typed_call(fault.call, typed, SentBytes(player.source if player else b""))


HOUSE_GAME, WORKED_TURN = "house-game", "worked-turn"
GOLDEN_GAME = "mixed"  # the golden game with bots of all strengths
MOST_DRAWINGS = 9  # drawings of a worked turn without written sentences


@dataclass(frozen=True, slots=True)
class Example:
    """A record and, for a worked turn, the drawings to show in order, each with a sentence."""

    record: Record
    steps: Sequence[tuple[int, str]] = ()


def example_of(game: str, which: str) -> Example | None:
    """Return the house game or the worked turn of a game, played with the usual options; None if the game comes without
    golden games."""
    told = game_text(game, "worked_turn.json") if which == WORKED_TURN else None
    wanted: dict[str, Any] = json.loads(told) if told else {"record": GOLDEN_GAME}
    text = game_text(game, f"golden/{wanted['record']}.json")
    if text is None:
        return None
    record = _record(parse_name(game).package, text)
    if which == HOUSE_GAME:
        return Example(record)
    return Example(record, wanted.get("steps") or _first_turns(record))


@lru_cache(maxsize=64)
def _record(package: str, text: str) -> Record:
    """Return the record, with the titles of the bots as names and, if the game was added, with its hash."""
    record, bots = Record.from_json(json.loads(text)), {f"bot:{bot.name}": bot.title for bot in find_game(package).bots}
    return replace(record, game=package, seats=[bots.get(seat, seat) for seat in record.seats])


def _first_turns(record: Record) -> list[tuple[int, str]]:
    """Return the first turns of a game: as many complete turns as fit."""
    shown = frames(find_game(record.game), record, wanted=())
    ends = [number for number in range(1, len(shown)) if number + 1 == len(shown) or shown[number + 1].opens]
    last = max((end for end in ends if end < MOST_DRAWINGS), default=min(MOST_DRAWINGS, len(shown)) - 1)
    return [(number, frame.caption) for number, frame in enumerate(shown[: last + 1])]


def shown_example(seen: Seen, which: str) -> Markup | None:
    """Return a small replay of the house game or the worked turn, for use within another page about the assignment."""
    game = seen.assignment.game
    if example_of(game, which) is None:
        return None
    course, slug = seen.viewer.course.slug, seen.assignment.slug
    first = url_for("assignment.play_example", course=course, slug=slug, which=which, number=0)
    return _replay_shown(parse_name(game).package, which, first.removesuffix("0"), language())


@lru_cache(maxsize=128)
def _replay_shown(package: str, which: str, plays_url: str, _language: str) -> Markup:
    found = example_of(package, which)
    assert found  # noqa: S101  # the caller has looked
    return brief_replay(found.record, found.steps, plays_url, which)
