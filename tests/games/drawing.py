"""A game's table as the site draws it; a name that the frame lacks is an error here."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined, Template

from tournament.games.api import Game
from web.replay.drawings import kept


def draw(game: Game[Any], frame: Any, names: Sequence[str] | None = None) -> str:
    """The HTML of one frame."""
    text = (game.folder / "replay.html").read_text("utf-8")
    return _template(game.slug, text).render(frame=frame, names=names)


@cache
def _template(slug: str, text: str) -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, loader=DictLoader({slug: text}))
    environment.filters["kept"] = kept
    return environment.get_template(slug)
