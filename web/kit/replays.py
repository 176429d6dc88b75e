"""Replays of games that were played at home: the pages that the site makes, from the same templates."""

from collections.abc import Sequence
from importlib.resources import files as resources
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FunctionLoader

from grader.grading.messages import meaning, typed_call
from sandbox.api import SentBytes, Verdict
from tournament.games.api import Game
from tournament.play.home_tests import PlayerFile
from tournament.play.record import FaultNote, Record
from tournament.play.replay import frames
from web.replay import film
from web.replay.film import Showing
from web.replay.offline import ReplayFile, own_tests, replay_page
from web.site import escaping

STATIC: Final = Path(__file__).parent.parent / "static"


def home_page(game: Game[Any], record: Record, own: Sequence[int], file: PlayerFile) -> str:
    """The replay of a record as a page. The seats of `own` are the user's, whose player is in `file`."""

    def call(fault: FaultNote) -> str:
        return typed_call(fault.call, game.guest.typed, SentBytes(file.source if fault.seat in own else b""))

    shown, title = frames(game, record), f"{game.title}, seed {record.seed}"
    tests = {seat: own_tests(game, record, seat, shown, file, "") for seat in own}
    showing = Showing(record, own, own, call)
    return replay_page(environment_of(game), str(STATIC), game, showing, shown, ReplayFile(title, "", tests))


def environment_of(game: Game[Any]) -> Environment:
    """What draws that game as the site does."""

    def source(name: str) -> str:
        if name.startswith("games/"):
            return (game.folder / "replay.html").read_text("utf-8")
        return resources("web").joinpath(*name.split("/")).read_text("utf-8")

    made = Environment(loader=FunctionLoader(source), autoescape=True)
    escaping.install(made)
    film.install(made)
    made.filters["verdict"] = lambda word: meaning(Verdict(word)).title
    return made
