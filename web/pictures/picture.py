"""A picture with the table behind it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from markupsafe import Markup

from web.pictures.svg import escaped, together


@dataclass(frozen=True)
class Picture:
    """A drawing as a page shows it: `name` in addresses, a heading, a sentence that says how to read it, and the
    figures that it draws, for a table and a CSV file. See `templates/_parts/picture.html`."""

    name: str
    title: str
    reading: str
    drawing: Markup
    headers: Sequence[str]
    rows: Sequence[Sequence[Any]]

    @cached_property
    def table(self) -> Markup:
        """The rows of the table. As a property, since there may be hundreds, and a picture may be kept."""
        return together([_row([escaped(str(cell)) for cell in row]) for row in self.rows])


def _row(cells: Sequence[Markup]) -> str:
    figures = "".join([f'<td class="number">{cell}</td>' for cell in cells[1:]])
    return f'<tr><th scope="row">{cells[0]}</th>{figures}</tr>\n'
