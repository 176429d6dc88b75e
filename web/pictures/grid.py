"""Rows of cells, one for each of the things that all rows have in common, such as games."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from web.pictures.svg import canvas, group, linked, tag

WIDTH, WIDEST, LABEL, HEAD, GAP = 360, 32, 19, 18, 6


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell: what is written in it, and what it says. `kind`: a class, such as `won` or `bad`."""

    written: str
    title: str
    href: str = ""
    kind: str = ""


def grid_picture(title: str, heads: Sequence[str], rows: Sequence[tuple[str, Sequence[GridCell]]]) -> Markup:
    """The picture: above each row of cells its label, and above all of them the heads of the columns."""
    side = min(WIDEST, WIDTH / max(1, len(heads)))
    row = LABEL + side + GAP
    middles = [(number + 0.5) * side for number in range(len(heads))]
    named = zip(heads, middles, strict=True)
    columns = group((tag("text", head, x=x, y=HEAD - 5, text_anchor="middle") for head, x in named), "axes")
    drawn = (group(_row(label, cells, HEAD + n * row, side)) for n, (label, cells) in enumerate(rows))
    return canvas(title, WIDTH, HEAD + row * len(rows), [columns, *drawn])


def _row(label: str, cells: Sequence[GridCell], top: float, side: float) -> Iterator[Markup]:
    yield tag("text", label, x=0, y=top + LABEL - 5, class_="label")
    for number, cell in enumerate(cells):
        left = number * side
        box = tag("rect", x=left + 1, y=top + LABEL, width=side - 2, height=side, rx=2, class_="hit")
        written = tag("text", cell.written, x=left + side / 2, y=top + LABEL + side / 2 + 4, text_anchor="middle")
        yield linked(box + written, cell.title, cell.href, f"cell {cell.kind}".strip())
