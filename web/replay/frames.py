"""Replays: a page for each play of a record, whatever kind of game it is of."""

from collections.abc import Callable, Collection, Sequence
from itertools import islice
from typing import Any

from flask import Response, current_app, jsonify, render_template, request
from werkzeug.exceptions import NotFound

from tournament.games import find_game
from tournament.play.record import Record, SeatOutput
from tournament.play.replay import Frame, frames, unroll
from web.site import assets

TOGETHER = 12
"""Drawings that `replay.js` gets at once: most of what one costs is the request."""


def show_play(
    record: Record,
    number: int,
    plays_url: str,
    own: Collection[int],
    template: str,
    around: Callable[[], dict[str, Any]],
) -> Any:
    """The table after so many plays of a record that the viewer may see; with `?part=frames` the drawings alone from
    there on, TOGETHER at a time, for `replay.js`.

    `plays_url` is the address of the plays without their number, `own` has the seats into which the viewer may look,
    and `around` is what the template shows besides the replay.
    """
    drawings = request.args.get("part") == "frames"
    wanted = range(number, number + (TOGETHER if drawings else 1))
    shown = list(islice(unroll(find_game(record.game), record, wanted=wanted), wanted.stop if drawings else None))
    if number >= len(shown):
        raise NotFound(f"This game has {len(shown) - 1} plays.")
    if drawings:
        return _drawings(record, shown, wanted[: len(shown) - number], own)
    replay = {
        "record": record,
        "frames": shown,
        "plays_url": plays_url,
        "table": assets.game_of(record.game),
        "offence": offence_in(shown),
        "printed": [(seat, record.outputs[seat]) for seat in sorted(own) if _has_printed(record, seat)],
        "together": TOGETHER,
    }
    return render_template(template, **_context(record, shown, number, own), **replay, **around())


def _context(record: Record, shown: Sequence[Frame], number: int, own: Collection[int]) -> dict[str, Any]:
    return {
        "number": number,
        "frame": shown[number],
        "names": record.seats,
        "drawing": f"games/{record.game}/replay.html",
        "inside": _inside(record, shown[number], own),
    }


def _drawings(record: Record, shown: Sequence[Frame], numbers: range, own: Collection[int]) -> Response:
    draw = current_app.jinja_env.get_template("_parts/frame.html").render
    response = jsonify([draw(_context(record, shown, number, own)) for number in numbers])
    response.cache_control.private, response.cache_control.max_age = True, 3600
    return response


def frames_of(record: Record) -> list[Frame]:
    """The frames of a record, without their tables."""
    return frames(find_game(record.game), record, wanted=())


def offence_in(shown: list[Frame]) -> int | None:
    """The number of the first frame that shows a fault."""
    return next((number for number, frame in enumerate(shown) if frame.fault), None)


def _inside(record: Record, frame: Frame, own: Collection[int]) -> SeatOutput | None:
    """What the player at fault printed, for those who may see it."""
    if frame.fault is None or frame.fault.seat not in own or frame.fault.seat >= len(record.outputs):
        return None
    return record.outputs[frame.fault.seat]


def _has_printed(record: Record, seat: int) -> bool:
    """Whether there is something to show beside the replay; what a player at fault printed is shown with the fault."""
    at_fault = any(note.seat == seat for note in record.faults)
    return seat < len(record.outputs) and bool(record.outputs[seat].text) and not at_fault


def record_file(record: Record, name: str) -> Response:
    """A record that the viewer may see, to be replayed elsewhere."""
    response = jsonify(record.to_json(times=True))
    response.headers.set("Content-Disposition", "attachment", filename=f"{name}.json")
    return response
