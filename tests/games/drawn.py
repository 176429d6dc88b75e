"""Drawings of games as a browser shows them."""

from typing import Any

from tests.web.reading import as_shown
from tournament.play.conformance.contract import draw_frame


def drawn(game: Any, frame: Any, *names: Any) -> str:
    """The drawing of a frame, without the white space that nobody sees."""
    return as_shown(draw_frame(game, frame, *names))
