"""A picture with the table behind it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing as a page shows it: `name` in addresses, a heading, a sentence that says how to read it, and the
    figures that it draws, for a table and a CSV file. See `templates/_parts/picture.html`."""

    name: str
    title: str
    reading: str
    drawing: Markup
    headers: Sequence[str]
    rows: Sequence[Sequence[Any]]
