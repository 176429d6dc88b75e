"""Checks of the drawing of the table."""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined, Template, TemplateError, TemplateSyntaxError

from sandbox import patterns
from tournament.games.api import Game
from tournament.games.faces import face, faces
from tournament.play.conformance.sample import Flaw, Sample, flaw_in
from tournament.play.golden import golden_records
from tournament.play.replay import frames

DRAWING, EMBLEM, TURN = "replay.html", "emblem.svg", "worked_turn.json"
TURN_IS = 'Write {"record": "mixed", "steps": [[3, "What happened before drawing 3."], …]}.'
FORBIDDEN = ("<script", "http", "style=", "onclick", " id=")
"""In a drawing: the site's pages forbid most of it, and several drawings stand on one page."""


def draw_frame(game: Game[Any], frame: Any, names: Sequence[str] | None = None) -> str:
    """The HTML of one frame. Raises TemplateError, also for a name that the frame lacks."""
    return _template(game.slug, (game.folder / DRAWING).read_text("utf-8")).render(frame=frame, names=names)


@cache
def _template(slug: str, text: str) -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, loader=DictLoader({slug: text}))
    environment.filters |= {"kept": lambda macro, *given: macro(*given), "face": face, "faces": faces}
    return environment.get_template(slug)


def frames_are_drawn(sample: Sample) -> Iterator[Flaw]:
    """Frames are plain data, and each can be drawn."""
    rng = sample.random("frames")
    for game, record in sample.records[-3:]:
        seat = rng.choice([None, *range(len(record.seats))])
        for frame in frames(game, record, seat)[:: rng.randint(5, 20)]:
            if json.loads(json.dumps(frame.table)) != frame.table:
                yield flaw_in(game, "frame", "A frame is another one after JSON.", "Use only plain data.")
                return
            measure = frame.table.get("measure") if isinstance(frame.table, dict) else None
            if measure and len(measure["values"]) != len(record.seats):
                yield flaw_in(game, "frame", "`measure` has not one value for each seat.", "See Game.frame.")
                return
            try:
                html = draw_frame(game, frame.table, record.seats)
            except TemplateError as error:
                yield Flaw(f"A frame cannot be drawn: {error}.", "", DRAWING, getattr(error, "lineno", 0) or 0)
                return
            if not html.strip():
                yield Flaw("A frame is drawn as nothing.", "", DRAWING)
                return


def drawing_is_clean(sample: Sample) -> Iterator[Flaw]:
    """A drawing escapes names, and brings no script, style or address."""
    game = sample.game
    text = (game.folder / DRAWING).read_text("utf-8")
    for number, line in enumerate(text.splitlines(), start=1):
        yield from (
            Flaw(f"A drawing may not contain `{word.strip()}`.", "Styles belong in replay.css.", DRAWING, number)
            for word in FORBIDDEN
            if word in line
        )
    seats = game.seats[0]
    try:
        html = draw_frame(game, game.frame(game.deal(Random(1), seats), None), ["<q>"] * seats)
    except TemplateError as error:
        at = error.lineno if isinstance(error, TemplateSyntaxError) else 0
        yield Flaw(f"The deal cannot be drawn: {error}.", "", DRAWING, at)
        return
    if "<q>" in html:
        yield Flaw("A player's name becomes HTML.", "Leave out the filter `safe`.", DRAWING)
    if ("&lt;q&gt;" in html) is not ("names" in text):
        yield Flaw("The names of the players are not shown.", "Show them, as in `{{ names[0] }}`.", DRAWING)


def counts_keep_limits(sample: Sample) -> Iterator[Flaw]:
    """The last frame of a golden game counts nothing beyond its limit, as in `4 of 3`."""
    for name, record in golden_records(sample.game).items():
        last = frames(sample.game, record)[-1]
        for number, limit in patterns.compile(r"(\d+) of (\d+)").findall(draw_frame(sample.game, last.table)):
            if int(number) > int(limit):
                yield Flaw(f"The last frame of the golden game {name} says “{number} of {limit}”.", "", DRAWING)


def emblem_is_small(sample: Sample) -> Iterator[Flaw]:
    """The emblem, if there is one, is a small SVG without scripts, styles and addresses."""
    file = sample.game.folder / EMBLEM
    text = file.read_text("utf-8") if file.is_file() else "<svg"
    if not text.startswith("<svg") or len(text) > 4096:
        yield Flaw("The emblem is not an SVG of at most 4 KiB.", "Begin with `<svg viewBox=…>`.", EMBLEM)
    for word in FORBIDDEN:
        if word in text:
            yield Flaw(
                f"The emblem may not contain `{word.strip()}`.",
                "Use attributes such as `fill`; leave out `xmlns`.",
                EMBLEM,
            )


def worked_turn_fits(sample: Sample) -> Iterator[Flaw]:
    """The worked turn, if there is one, has sentences about drawings of a golden game."""
    file = sample.game.folder / TURN
    if not file.is_file():
        return
    try:
        told = json.loads(file.read_text("utf-8"))
        shown = frames(sample.game, golden_records(sample.game)[told["record"]], wanted=())
        numbers = [number for number, sentence in told["steps"] if isinstance(sentence, str)]
    except (ValueError, KeyError, TypeError) as error:
        yield Flaw(f"The worked turn cannot be read ({type(error).__name__}: {error}).", TURN_IS, TURN)
        return
    if not numbers or numbers != sorted(numbers) or not 0 <= numbers[0] <= numbers[-1] < len(shown):
        yield Flaw(f"The golden game has the drawings 0 to {len(shown) - 1}; these are {numbers}.", TURN_IS, TURN)
