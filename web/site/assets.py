"""Serve the files that pages refer to: the site's own files and those of games. The address of a file changes with its
content, so that browsers can cache the file for a long time."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from flask import Blueprint, Response, make_response, request, send_file, url_for
from markdown_it import MarkdownIt
from markupsafe import Markup, escape
from werkzeug.exceptions import NotFound

from sandbox import patterns, readers
from sandbox.api import SentText
from tournament.games.api import Game
from tournament.games.options import parse_name
from tournament.play.games import UnknownGame, find_game

SERVED = {"replay.css": "text/css"}
TABLE = '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>'  # may be too wide for a phone
KINDS = (".css", ".js", ".svg")
_OTHER = patterns.compile("[^a-z0-9]+")
_HUE = patterns.compile(r'\bfill="#[0-9a-fA-F]{3,6}"')
page = Blueprint("assets", __name__)


def _own_files() -> Mapping[str, Path]:
    files = [each for each in Path(__file__).parents[1].glob("*/*") if each.suffix in KINDS]
    found = {each.name: each for each in files}
    if len(found) < len(files):
        raise ValueError("Two styles, scripts or pictures of the site have the same name.")
    return found


OWN: Final = _own_files()
"""The site's styles, scripts and pictures by name. Each file is in its feature's folder, which does not appear in the
file's address."""


def static_file(filename: str) -> Response:
    """Serve one file of `OWN`. This function is the site's endpoint `static`."""
    if filename not in OWN:
        raise NotFound("The site has no such file.")
    return send_file(OWN[filename])


def game_if_any(name: str) -> Game[Any] | None:
    """The game of an assignment, or None if the assignment has no game."""
    return find_game(name) if name else None


def game_text(game: str, name: str) -> str | None:
    """The content of a file in a game's folder, regardless of the game's options. None if the game or the file does not
    exist."""
    if not game:
        return None
    try:
        return _asset_text(find_game(parse_name(game).package).name, name)
    except UnknownGame:
        return None


@cache
def _asset_text(package: str, name: str) -> str | None:
    file = find_game(package).folder / name
    return file.read_text("utf-8") if file.is_file() else None


@dataclass(frozen=True, slots=True)
class Rules:
    """A game's README as HTML: the part before its first section, the sections, and the id and title of each
    section."""

    beginning: Markup
    sections: Markup
    contents: Sequence[tuple[str, str]]

    def __html__(self) -> str:
        return self.beginning + self.sections


def rules(game: str) -> Rules | None:
    """The game's README, or None if it has none."""
    text = game_text(game, "README.md")
    return None if text is None else _rules(text)


@lru_cache(maxsize=64)
def _rules(text: str) -> Rules:
    beginning, *parts = markdown(text).split("<h2>")
    titles = [part.partition("</h2>")[0] for part in parts]
    ids = [f"{_OTHER.sub('-', title.striptags().lower())}-{at}" for at, title in enumerate(titles, 1)]
    sections = Markup("").join(Markup('<h2 id="{}">').format(id_) + part for id_, part in zip(ids, parts, strict=True))
    return Rules(beginning, sections, [*zip(ids, titles, strict=True)])


@lru_cache(maxsize=256)
def markdown(text: SentText) -> Markup:
    """Render Markdown as HTML. Raw HTML is shown as text, and so is Markdown that takes too long to render."""
    try:
        html = readers.read(_rendered, text)
    except readers.TooCostly:
        html = f"<pre>{escape(text)}</pre>"
    html = html.replace("<table>", TABLE).replace("</table>", "</table></div>").replace("<pre>", '<pre tabindex="0">')
    return Markup(html)  # noqa: S704


def _rendered(text: SentText) -> str:
    return str(MarkdownIt("commonmark", {"html": False}).enable("table").render(text))


def emblem(game: str) -> Markup:
    """A game's emblem, by which students recognize the game: an SVG from the game's folder, or else a general picture.
    It includes a line in the picture's first colour, for the edge of a card or below a heading."""
    if not game:
        return Markup()
    drawing = game_text(game, "emblem.svg") or _text_of_asset("game.svg")
    hue = _HUE.search(drawing)
    line = f'<svg class="hue"><rect width="100%" height="100%" {hue[0]}/></svg>' if hue else ""
    return Markup(f'<span class="emblem" aria-hidden="true">{drawing.strip()}{line}</span>')  # noqa: S704


@cache
def _text_of_asset(filename: str) -> str:
    return OWN[filename].read_text("utf-8")


def replay_template(name: str) -> str | None:
    """The source of the template `<game>/replay.html`, for the template loader."""
    game, _, file = name.partition("/")
    return game_text(game, file) if file == "replay.html" else None


def game_url(game: str, name: str) -> str | None:
    """The address of a file in the game's folder that may be served, or None if there is no such file."""
    text, package = game_text(game, name), parse_name(game).package
    return None if text is None else url_for("assets.game_file", game=package, name=name, v=_tag(text))


def asset(filename: str) -> str:
    """The address of a static file of the site."""
    return _asset_address(request.script_root, filename)


@cache
def _asset_address(_root: str, filename: str) -> str:
    """The address of a static file. `_root`, the path where the site is mounted, is the only part of the request on
    which `url_for` depends."""
    return url_for("static", filename=filename, v=_tag(_text_of_asset(filename)))


@page.after_app_request
def _keep_for_long(response: Response) -> Response:
    if request.endpoint == "static" and "v" in request.args and response.status_code == 200:
        response.cache_control.no_cache = None
        response.cache_control.public, response.cache_control.max_age = True, 31536000
    return response


@page.get("/game-files/<game>/<name>")
def game_file(game: str, name: str) -> Response:
    """Serve a stylesheet from a game's folder."""
    text = game_text(game, name) if name in SERVED else None
    if text is None:
        raise NotFound("The game has no such file.")
    response = make_response(text)
    response.mimetype = SERVED[name]
    if request.args.get("v") == _tag(text):
        response.cache_control.public, response.cache_control.max_age = True, 31536000
    return response


def _tag(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
