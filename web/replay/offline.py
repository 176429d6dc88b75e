"""A replay as one file that a browser opens without the site: the page, its styles, its scripts and all drawings. The
full kit takes this home."""

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment
from markupsafe import Markup

from tournament.games.api import Game
from web.replay.film import Showing, film, player

STYLES: Final = ("site.css", "game-table.css")
SCRIPT: Final = "replay.js"
HERE: Final = "#/"  # where the addresses of plays begin in the file
_IMPORT = re.compile(r'^import (\{[\w, ]+\}) from "\./([\w.-]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def replay_page(environment: Environment, folder: str, game: Game[Any], showing: Showing, title: str, url: str) -> str:
    """The page. `folder` has the site's styles and scripts; `url` is where the plays' own pages begin on the site, ""
    for a game that was played at home."""
    own_style = game.folder / "replay.css"
    css = [*(_static(folder, each) for each in STYLES), own_style.read_text("utf-8") if own_style.is_file() else ""]
    style, script = Markup("\n".join(css)), Markup(bundled(folder, SCRIPT))  # noqa: S704 - ours, and the game's
    return environment.get_template("replay_file.html").render(
        title=title,
        site_url=url,
        at_home=not url,
        table=game,
        film=film(environment, showing),
        style=style,
        style_hash=_hash(style),
        script=script,
        script_hash=_hash(script),
        **player(showing, 0, HERE),
    )


@cache
def bundled(folder: str, name: str) -> str:
    """A module of ours without imports, which do not work in a file: what it imports is the result of a function."""

    def imported(match: re.Match[str]) -> str:
        return f"const {match[1]} = (() => {{\n{bundled(folder, match[2])}return {match[1]};\n}})();"

    return _EXPORT.sub("", _IMPORT.sub(imported, _static(folder, name)))


@cache
def _static(folder: str, name: str) -> str:
    return (Path(folder) / name).read_text("utf-8")


def _hash(text: str) -> str:
    """By which the file's own policy knows its style and its script; nothing else may run in it."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
