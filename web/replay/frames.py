"""Replays: a page for each play of a record, of whatever kind of game, and all its drawings in one file."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from flask import Response, current_app, jsonify, render_template, request
from markupsafe import Markup, escape
from werkzeug.exceptions import Gone, NotFound

from tournament.games import find_game
from tournament.games.api import Game, dealer
from tournament.games.names import parse_name
from tournament.play.home_tests import Position, can_repeat
from tournament.play.record import Record
from tournament.play.replay import Frame, finish, frames
from web.replay.home_tests import play_test, typed_in
from web.replay.kept import KeptReplay, answer_film, page_part
from web.site.filenames import Seated
from web.site.rendering import text
from web.site.rendering.assets import game_text

SECTION, CARD = "<section", '<span class="card'
Steps: TypeAlias = Sequence[tuple[int, str]]
"""Some of a replay's frames by number, each with a sentence that replaces its caption; () stands for the whole game."""


def show_play(
    record: Record,
    number: int,
    own: Mapping[int, Seated],
    template: str,
    around: Callable[[], dict[str, Any]],
    steps: Steps = (),
) -> Any:
    """The table after `number` plays of a record that the viewer may see; with `?seat=2` as that seat saw it, and with
    `?part=film` all drawings in one file for `replay.js`, with `?part=test&of=2` what seat 2 got as a test.

    `own` are the seats whose insides the viewer may see, each with who sits there; `around` is what the template
    shows besides the replay.
    """
    seat = request.args.get("seat", type=int)
    if seat is not None and not 0 <= seat < len(record.seats):
        raise NotFound(f"This game has the seats 0 to {len(record.seats) - 1}.")
    game = rules_of(record)
    if request.args.get("part") == "test":
        return _test(record, number, own)
    made_of = (record, seat, steps, _players_of(own), game.version, game_text(record.game, "replay.html"))
    if request.args.get("part") == "film":
        return answer_film(KeptReplay(made_of, lambda: _film(record, _frames(game, record, seat, steps), own)))
    plays_url = (request.script_root + request.path).rpartition("/")[0] + "/"

    def make() -> str:
        shown = _frames(game, record, seat, steps, range(number, number + 1))
        if number >= len(shown):
            raise NotFound(
                f"This game has {len(shown) - 1} plays, so there is no play {number}. The last one is the end."
            )
        return _replay(player(record, shown, number, own, seat, plays_url))

    replay = page_part(KeptReplay((made_of, number, plays_url), make))
    known = {"table": game, "record": record, "names": record.seats, "own": sorted(own), "plays_url": plays_url}
    return render_template(template, **known, replay=replay, **around())


def _players_of(own: Mapping[int, Seated]) -> Sequence[tuple[int, int | None]]:
    """What of the viewer's own seats a replay depends on."""
    return [(seat, own[seat].player_id) for seat in sorted(own)]


def _replay(shown: Mapping[str, Any]) -> str:
    """The part of a page with the replay. It knows nothing of who looks at it."""
    return current_app.jinja_env.get_template("_parts/replay.html").render(shown)


def player(
    record: Record, shown: Sequence[Frame], number: int, own: Mapping[int, Seated], seat: int | None, plays_url: str
) -> dict[str, Any]:
    """What `_parts/replay.html` shows, beginning after `number` plays."""
    mine = seat if seat is not None else next(iter(own)) if len(own) == 1 else None
    view = "" if seat is None else f"?seat={seat}"
    return _context(record, shown, number, own) | {
        "record": record,
        "frames": shown,
        "plays": play_list(shown, number, plays_url, view),
        "plays_url": plays_url,
        "seen_by": seat,
        "view": view,
        "bottom": mine,
        "own": sorted(own),
        "testable": _testable(shown[number], own),
        "offence": offence_in(shown),
        "printed": [(each, record.outputs[each]) for each in sorted(own) if _has_printed(record, each)],
    }


def play_list(shown: Sequence[Frame], number: int, plays_url: str, view: str) -> Markup:
    """The list of the plays, of which `number` is shown. Made here, in a third of the time that a template takes: that
    saves 8% of the page."""
    address = str(escape(plays_url))
    lines = []
    for index, frame in enumerate(shown):
        opens, at_fault = ' class="opens"' if frame.opens else "", ' class="fault"' if frame.fault else ""
        current = ' aria-current="step"' if index == number else ""
        ms = "" if frame.ms is None else f'<span class="time">{frame.ms:.1f} ms</span>'
        lines.append(
            f'<li{opens}><a data-play="{index}" href="{address}{index}{view}"{current}>'
            f'<span class="number">{index}</span>'
            f"<span{at_fault}>{escape(text.shown(frame.caption))}</span>{ms}</a></li>\n"
        )
    return Markup("".join(lines))  # noqa: S704 - what may be anything is escaped


def _frames(
    game: Game[Any], record: Record, seat: int | None, steps: Steps, wanted: range | None = None
) -> list[Frame]:
    if not steps:
        return frames(game, record, seat, wanted)
    every = frames(game, record, seat, {number for number, _ in steps})
    return [replace(every[number], caption=sentence) for number, sentence in steps]


def brief_replay(record: Record, steps: Steps, plays_url: str, what: str) -> Markup:
    """A replay to be put into another page: the table, the controls, and no more. A whole game is shown when there is
    something on the table."""
    shown = _frames(find_game(record.game), record, None, steps)
    number = 0 if steps else len(shown) // 4
    replay = player(record, shown, number, {}, None, plays_url)
    return Markup(_replay({**replay, "brief": what}))  # noqa: S704


def _film(record: Record, shown: Sequence[Frame], own: Mapping[int, Seated]) -> str:
    return json.dumps(film(record, shown, own), separators=(",", ":"), ensure_ascii=False)


def film(record: Record, shown: Sequence[Frame], own: Mapping[int, Seated]) -> dict[str, Any]:
    """All drawings, as plain data. From one to the next much of the table stays, so each of its sections is there once:
    a drawing is the numbers of its `pieces`, to be joined by the beginning of a section; and a piece is the numbers of
    its `parts`, to be joined by the beginning of a card."""
    pieces: dict[str, int] = {}
    parts: dict[str, int] = {}
    drawings = [
        [pieces.setdefault(piece, len(pieces)) for piece in each.split(SECTION)]
        for each in _drawings(record, shown, own)
    ]
    measure = shown[0].table.get("measure")
    return {
        "section": SECTION,
        "card": CARD,
        "pieces": [[parts.setdefault(part, len(parts)) for part in piece.split(CARD)] for piece in pieces],
        "parts": list(parts),
        "drawings": drawings,
        "seats": [frame.seats for frame in shown],
        "opens": [frame.opens for frame in shown],
        "tests": [_testable(frame, own) for frame in shown],
        "faults": [number for number, frame in enumerate(shown) if frame.fault],
        "measure": measure
        and {
            "of": measure["of"],
            "best": measure["best"],
            "values": [frame.table["measure"]["values"] for frame in shown],
        },
    }


def _drawings(record: Record, shown: Sequence[Frame], own: Mapping[int, Seated]) -> Iterator[str]:
    """All of them as `_parts/frame.html` makes them, without the detour by that template where it adds nothing: that
    saves a sixth of a film."""
    whole, table = (current_app.jinja_env.get_template(each) for each in ("_parts/frame.html", _drawn_by(record)))
    for number, frame in enumerate(shown):
        if frame.fault:
            yield whole.render(_context(record, shown, number, own))
        else:
            yield f"{_heading(record, frame, number)}\n{table.render(frame=frame.table, names=record.seats)}"


def _heading(record: Record, frame: Frame, number: int) -> Markup:
    """What stands above a drawing."""
    fault = frame.fault
    said = f"{record.seats[fault.seat]} is disqualified. {fault.message}" if fault else frame.caption
    what = number or ("Before" if frame.index else "Deal")
    caption = f'<p class="caption"><strong>{what}</strong> {escape(text.shown(said))}</p>'
    return Markup(f'{caption}\n<h2 class="hidden">Table</h2>')  # noqa: S704 - what may be anything is escaped


def _drawn_by(record: Record) -> str:
    """The template of the game."""
    return f"games/{parse_name(record.game).package}/replay.html"


def _context(record: Record, shown: Sequence[Frame], number: int, own: Mapping[int, Seated]) -> dict[str, Any]:
    fault = shown[number].fault
    printed = fault and fault.seat in own and fault.seat < len(record.outputs)  # by the player at fault
    return {
        "number": number,
        "frame": shown[number],
        "heading": _heading(record, shown[number], number),
        "names": record.seats,
        "drawing": _drawn_by(record),
        "inside": record.outputs[fault.seat] if fault and printed else None,
        "call": typed_in(record, fault, own.get(fault.seat)) if fault else "",
    }


def frames_of(record: Record) -> list[Frame]:
    """The frames of a record, without their tables."""
    return frames(rules_of(record), record, wanted=())


def rules_of(record: Record) -> Game[Any]:
    """The game by whose rules a record can be replayed. Raises UnknownGame, and Gone if they have changed since."""
    game = find_game(record.game)
    if record.version and dealer(game, record.version) is None:
        raise Gone(
            f"This game was played by version {record.version} of the rules of {game.title}. This site now has version"
            f" {game.version} and cannot replay it. Its result and its record are kept as they are."
        )
    return game


def _testable(frame: Frame, own: Mapping[int, Seated]) -> list[int]:
    """The seats whose last call the viewer can have as a test."""
    if frame.fault and not can_repeat(frame.fault):
        return []
    return [seat for seat in frame.seats if seat in own and own[seat].player_id is not None]


def _test(record: Record, number: int, own: Mapping[int, Seated]) -> Response:
    seat = request.args.get("of", -1, type=int)
    if seat not in own:
        raise NotFound("There are tests only of the calls that your own player got.")
    return play_test(Position(record, seat, number, request.base_url), own[seat])


def end_of(record: Record) -> dict[str, Any]:
    """What draws the table at the end of a record, with all cards open."""
    game = find_game(record.game)
    state, _ = finish(game, record)
    return {
        "frame": game.frame(state, None),
        "names": record.seats,
        "drawing": _drawn_by(record),
    }


def offence_in(shown: Sequence[Frame]) -> int | None:
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
