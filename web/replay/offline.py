"""A replay as one file that a browser opens without the site: the page, its styles, its scripts and all drawings. The
full kit includes this module."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeAlias

from jinja2 import Environment
from markupsafe import Markup

from tournament.games.api import Game
from tournament.play.home_tests import PlayerFile, Position, position_tests
from tournament.play.record import Record
from tournament.play.replay import Frame, frames
from web.replay.film import Addressed, Showing, film_of, scene_at, shown_player

WEB: Final = Path(__file__).parents[1]
STYLES: Final = (WEB / "site/site.css", WEB / "replay/game-table.css")
SCRIPTS: Final = (WEB / "replay/replay.js", WEB / "site/copy.js")
HERE: Final = "#/"  # the start of the addresses of plays in the file
CUT: Final = "("  # ends each part of a test's text; many tests share parts
Tests: TypeAlias = Mapping[int, Mapping[int, str]]
"""The calls to the user's own players, as tests to run at home, by seat and by frame."""

_IMPORT, _FROM, _EXPORT = "import {", ' from "./', "export "


@dataclass(frozen=True, slots=True)
class ReplayFile:
    """The contents of the file besides the replay; `url` is the start of the addresses of the plays' pages on the site,
    "" for a game that was played at home."""

    title: str
    url: str
    tests: Tests


def replay_page(
    environment: Environment, game: Game[Any], showing: Showing, shown: Sequence[Frame], file: ReplayFile
) -> str:
    """Return the page with the replay. `shown` are the frames as everybody sees them."""
    record, at = showing.record, Addressed(HERE)
    own_style = game.folder / "replay.css"
    css = [*map(_offline_text, STYLES), own_style.read_text("utf-8") if own_style.is_file() else ""]
    style = Markup("\n".join(css))  # noqa: S704 - ours, and the game's
    scripts = [Markup(bundled(each)) for each in SCRIPTS]  # noqa: S704 - ours
    by_seat = [frames(game, record, seat) for seat in range(len(record.seats))]
    return environment.get_template("replay/replay_file.html").render(
        title=file.title,
        site_url=file.url,
        offline=True,
        table=game,
        film=film_of(environment, showing, shown, by_seat) | _shared(file.tests),
        style=style,
        style_hash=_hash(style),
        scripts=scripts,
        script_hashes=" ".join(map(_hash, scripts)),
        **shown_player(scene_at(environment, showing, shown, 0, at), showing, at),
    )


def own_tests(
    game: Game[Any], record: Record, seat: int, shown: Sequence[Frame], file: PlayerFile, url: str
) -> Mapping[int, str]:
    """Return the tests of one seat, by frame; `url` is the same as in `ReplayFile`."""
    home = f"seed {record.seed}, played at home"
    numbers = [number for number, frame in enumerate(shown) if seat in frame.seats]
    places = [Position(record, seat, number, f"{url}{number}" if url else home) for number in numbers]
    # the same file names as in `replay.js`
    return position_tests(game, places, file, lambda at: f"test_play_{at.frame}.py") if places else {}


def _shared(tests: Tests) -> dict[str, Any]:
    """Return the tests by seat and frame, each as numbers of `texts` to be joined by `cut`, since the tests share most
    of their text."""
    texts: dict[str, int] = {}
    files = {
        seat: {
            number: [texts.setdefault(part, len(texts)) for part in text.split(CUT)] for number, text in each.items()
        }
        for seat, each in tests.items()
    }
    return {"cut": CUT, "files": files, "texts": list(texts)}


@cache
def bundled(script: Path) -> str:
    """Return one of the site's scripts with all imported modules included, since imports do not work in a local file:
    each import becomes a call to a function that contains the module."""

    def imported(line: str) -> str:
        if not (line.startswith(_IMPORT) and _FROM in line):
            return line.removeprefix(_EXPORT)
        names, _, module = line.removeprefix("import ").partition(_FROM)
        beside = script.parent / module.removesuffix('";')
        inside = bundled(beside if beside.exists() else WEB / "site" / beside.name)
        return f"const {names} = (() => {{\n{inside}return {names};\n}})();"

    return "\n".join(map(imported, _offline_text(script).split("\n")))


@cache
def _offline_text(file: Path) -> str:
    return file.read_text("utf-8")


def _hash(text: str) -> str:
    """Return the hash with which the file's own security policy allows its style and its scripts; nothing else can run
    in the file."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
