"""Replays: a page for each play of a record, of whatever kind of game."""

from collections.abc import Callable, Collection, Sequence
from itertools import islice
from typing import Any

from flask import Response, current_app, jsonify, render_template, request
from werkzeug.exceptions import NotFound

from tournament.games import find_game
from tournament.games.names import parse_name
from tournament.play.record import Record
from tournament.play.replay import Frame, frames, unroll

TOGETHER = 12
"""The number of drawings in one answer to `replay.js`: most of the cost of one is the request."""


def show_play(
    record: Record,
    number: int,
    own: Collection[int],
    template: str,
    around: Callable[[], dict[str, Any]],
) -> Any:
    """The table after `number` plays of a record that the viewer may see; with `?part=frames` only the next TOGETHER
    drawings, for `replay.js`.

    `own` are the seats whose insides the viewer may see; `around` is what the template shows besides the replay.
    """
    drawings = request.args.get("part") == "frames"
    wanted = range(number, number + (TOGETHER if drawings else 1))
    shown = list(islice(unroll(find_game(record.game), record, wanted=wanted), wanted.stop if drawings else None))
    if number >= len(shown):
        raise NotFound(f"This game has {len(shown) - 1} plays.")
    if drawings:
        draw = current_app.jinja_env.get_template("_parts/frame.html").render
        response = jsonify([draw(_context(record, shown, each, own)) for each in wanted[: len(shown) - number]])
        response.cache_control.private, response.cache_control.max_age = True, 3600
        return response
    replay = {
        "record": record,
        "frames": shown,
        "plays_url": (request.script_root + request.path).rpartition("/")[0] + "/",
        "table": find_game(record.game),
        "offence": offence_in(shown),
        "printed": [(seat, record.outputs[seat]) for seat in sorted(own) if _has_printed(record, seat)],
        "together": TOGETHER,
    }
    return render_template(template, **_context(record, shown, number, own), **replay, **around())


def _context(record: Record, shown: Sequence[Frame], number: int, own: Collection[int]) -> dict[str, Any]:
    fault = shown[number].fault
    printed = fault and fault.seat in own and fault.seat < len(record.outputs)  # by the player at fault
    return {
        "number": number,
        "frame": shown[number],
        "names": record.seats,
        "drawing": f"games/{parse_name(record.game).package}/replay.html",
        "inside": record.outputs[fault.seat] if fault and printed else None,
    }


def frames_of(record: Record) -> list[Frame]:
    """The frames of a record, without their tables."""
    return frames(find_game(record.game), record, wanted=())


def offence_in(shown: list[Frame]) -> int | None:
    """The number of the first frame that shows a fault."""
    return next((number for number, frame in enumerate(shown) if frame.fault), None)


def _has_printed(record: Record, seat: int) -> bool:
    """Whether there is something to show beside the replay; what a player at fault printed is shown with the fault."""
    at_fault = any(note.seat == seat for note in record.faults)
    return seat < len(record.outputs) and bool(record.outputs[seat].text) and not at_fault


def record_file(record: Record, name: str) -> Response:
    """A record that the viewer may see, to be replayed elsewhere."""
    response = jsonify(record.to_json(times=True))
    response.headers.set("Content-Disposition", "attachment", filename=f"{name}.json")
    return response
