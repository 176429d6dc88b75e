"""A replay as one file that a browser opens without the site: the page, its styles, its scripts and all drawings."""

import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

from flask import Response, current_app, render_template
from markupsafe import Markup

from tournament.play.record import Record
from tournament.play.replay import frames
from web.replay.frames import film, player, rules_of
from web.site.filenames import Seated
from web.site.rendering.assets import game_text

STYLES = ("site.css", "game-table.css")
HERE = "#/"  # where the addresses of plays begin in the file
_IMPORT = re.compile(r'^import (\{[\w, ]+\}) from "\./([\w.-]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def replay_file(record: Record, own: Mapping[int, Seated], title: str, site_url: str, name: str) -> Response:
    """The replay of a record that the viewer may see. `own` are the seats whose insides they may see, `site_url` is
    where the plays' own pages begin, and `name` the file's name."""
    game = rules_of(record)
    shown = frames(game, record)
    folder = str(current_app.static_folder)
    css = "\n".join([*(_static(folder, each) for each in STYLES), game_text(record.game, "replay.css") or ""])
    script = bundled(folder, "replay.js")
    page = render_template(
        "replay_file.html",
        title=title,
        site_url=site_url,
        table=game,
        film=film(record, shown, own),
        style=Markup(css),  # noqa: S704 - our own, and the game's
        style_hash=_hash(css),
        script=Markup(script),  # noqa: S704 - our own
        script_hash=_hash(script),
        **player(record, shown, 0, own, None, HERE),
    )
    response = Response(page)
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return response


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
