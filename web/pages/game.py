"""The replay of a game, a page for each play, and its record."""

from functools import lru_cache
from typing import Any

from flask import Blueprint, Response, jsonify, redirect, render_template, request, url_for
from werkzeug.exceptions import NotFound

from tournament.games import find_game
from tournament.models import PlayedGame
from tournament.record import Output, Record
from tournament.replay import Frame, frames
from web import access, assets
from web.auth import user
from web.store import read

page = Blueprint("game", __name__, url_prefix="/games/<int:game_id>")


@page.get("/")
def show(game_id: int) -> Any:
    """The deal."""
    return redirect(url_for("game.play", game_id=game_id, number=0))


@page.get("/offence")
def offence(game_id: int) -> Any:
    """Where somebody was disqualified, or the end of the game."""
    game, _ = access.game(read(), user().id, game_id)
    record = Record.unpack(game.record)
    shown = _frames(record.game, record.pack())
    first = next((number for number, frame in enumerate(shown) if frame.fault), len(shown) - 1)
    return redirect(url_for("game.play", game_id=game_id, number=first))


@page.get("/plays/<int:number>")
def play(game_id: int, number: int) -> Any:
    """The table after so many plays; with `?part=frame` the drawing alone, for `replay.js`."""
    game, seen = access.game(read(), user().id, game_id)
    record = access.seen_record(seen.viewer, game.seats, Record.unpack(game.record))
    shown = _frames(record.game, record.pack())
    if number >= len(shown):
        raise NotFound(f"This game has {len(shown) - 1} plays.")
    frame = shown[number]
    context = {
        "game": game,
        "number": number,
        "frame": frame,
        "names": record.seats,
        "drawing": f"games/{record.game}/replay.html",
        "inside": _inside(seen.viewer, game, record, frame),
    }
    if request.args.get("part") == "frame":
        return _cached(render_template("_parts/frame.html", **context))
    return render_template("game.html", **context, **_around(seen, record, shown, game))


def _around(seen: access.Seen, record: Record, shown: list[Frame], game: PlayedGame) -> dict[str, Any]:
    return {
        "assignment": seen.assignment,
        "viewer": seen.viewer,
        "record": record,
        "frames": shown,
        "table": assets.game_of(record.game),
        "offence": next((number for number, frame in enumerate(shown) if frame.fault), None),
        "times": _times(record),
        "own": [seat for seat in game.seats if access.sees_inside(seen.viewer, seat.entry)],
    }


def _cached(page: str) -> Response:
    response = Response(page)
    response.cache_control.private, response.cache_control.max_age = True, 3600
    return response


def _times(record: Record) -> list[float | None]:
    """The CPU time of what led to each frame, in milliseconds, by the number of plays done."""
    return [None, *record.times_ms]


def _inside(viewer: access.Viewer, game: PlayedGame, record: Record, frame: Frame) -> Output | None:
    """What the player at fault printed, for those who may see it."""
    if frame.fault is None:
        return None
    seat = next(seat for seat in game.seats if seat.seat == frame.fault.seat)
    seen = access.sees_inside(viewer, seat.entry) and seat.seat < len(record.outputs)
    return record.outputs[seat.seat] if seen else None


@lru_cache(maxsize=16)
def _frames(slug: str, packed: bytes) -> list[Frame]:
    return frames(find_game(slug), Record.unpack(packed))


@page.get("/record.json")
def record_file(game_id: int) -> Response:
    """The record, to be replayed elsewhere; without the insides of other students' players."""
    game, seen = access.game(read(), user().id, game_id)
    record = access.seen_record(seen.viewer, game.seats, Record.unpack(game.record))
    response = jsonify(record.to_json(times=True))
    response.headers.set("Content-Disposition", "attachment", filename=f"game-{game_id}.json")
    return response
