"""Rows with a bar or a dot each (counts, shares with their intervals, and values beside what was expected); and grids
of cells, with one column for each thing that the rows have in common, such as a game."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from web.pictures.picture import Axis, Scale, canvas, escaped, figure, group, linked, tag, together
from web.site.languages import said

WIDTH, ROW = 360, 26
RIGHT, TOP, BOTTOM = 52, 4, 24
LETTER, BESIDE, LONGEST = 6.8, 21, 50
"""The approximate width of a letter. If a label has more than BESIDE letters, all labels are placed above their bars. A
label of more than LONGEST letters loses its middle, since calls differ at their beginnings and ends; the title has
the whole text."""


@dataclass(frozen=True, slots=True)
class PictureRow:
    """A row: `written` is the text at its end, and `title` describes it in full. `interval`: the ends of its interval.
    `expected`: a value that is drawn as a tick. `chosen`: the page is filtered by this row, and `href` removes the
    filter. `kind`: a class, such as `bad`. `named`: the label is a name."""

    label: str
    value: float
    written: str
    title: str
    href: str = ""
    interval: tuple[float, float] | None = None
    expected: float | None = None
    chosen: bool = False
    kind: str = ""
    named: bool = False

    @property
    def shown(self) -> str:
        """The label in the reader's language."""
        return self.label if self.named else said(self.label)


def row_picture(
    title: str, rows: Sequence[PictureRow], x: Axis, dots: bool = False, lines: Sequence[tuple[float, str]] = ()
) -> Markup:
    """Return a picture of rows, with dots instead of bars if `dots` is set. `lines`: values that are marked across all
    rows, each with its meaning."""
    longest = max((len(each.shown) for each in rows), default=0)
    above = LABEL - 5 if longest > BESIDE else 0
    across = Scale(x.low, x.high, 16 if above else 16 + LETTER * longest, WIDTH - RIGHT)
    foot = TOP + (ROW + above) * len(rows)
    parts = [
        group([together(_axis_below(x, across, foot))], "axes"),
        *(_row(each, TOP + (ROW + above) * number, across, dots, above) for number, each in enumerate(rows)),
        *(linked(tag("path", d=f"M{across(at):.1f} {TOP}V{foot}"), words, "", "mark") for at, words in lines),
    ]
    return canvas(title, WIDTH, foot + BOTTOM, parts)


def _axis_below(x: Axis, across: Scale, foot: int) -> Iterator[str]:
    for value, label in x.ticks:
        at = f"{across(value):.1f}"
        yield f'<path d="M{at} {TOP}V{foot}"></path>'
        yield f'<text x="{at}" y="{foot + 16}" text-anchor="middle">{escaped(figure(label))}</text>'


def _row(row: PictureRow, top: int, across: Scale, dots: bool, above: int) -> Markup:
    at, zero, label, end = across(row.value), across(0), row.shown, LONGEST // 2
    label = label if len(label) <= LONGEST else f"{label[: end - 1]}…{label[-end:]}"
    parts = [f'<rect x="0" y="{top}" width="{WIDTH}" height="{ROW + above}" class="hit"></rect>']
    top += above
    middle = top + ROW / 2
    place = f'x="4" y="{top + 2}"' if above else f'x="{across.start - 8:.1f}" y="{middle + 4:.1f}" text-anchor="end"'
    parts.append(f"<text {place}>{escaped(label)}</text>")
    if not dots:
        width = max(1.0, at - zero) if row.value else 0.0
        size = f'width="{width:.1f}" height="{ROW - 10}"'
        parts.append(f'<rect x="{zero:.1f}" y="{top + 5}" {size} class="bar"></rect>')
    elif row.expected is not None:
        parts.append(f'<path d="M{across(row.expected):.1f} {middle:.1f}H{at:.1f}" class="gap"></path>')
    if row.interval:
        low, high = (across(each) for each in row.interval)
        parts.append(f'<path d="M{low:.1f} {middle:.1f}H{high:.1f}" class="interval"></path>')
    if row.expected is not None:
        parts.append(f'<path d="M{across(row.expected):.1f} {top + 5:.1f}v{ROW - 10}" class="expected"></path>')
    if dots:
        parts.append(f'<circle cx="{at:.1f}" cy="{middle:.1f}" r="4.5" class="dot"></circle>')
    parts.append(f'<text x="{WIDTH - RIGHT + 6}" y="{middle + 4:.1f}">{escaped(figure(row.written))}</text>')
    kinds = " ".join(filter(None, ("row-mark", "above" if above else "", row.kind, "chosen" if row.chosen else "")))
    return linked(together(parts), row.title, row.href, kinds)


ACROSS, WIDEST, LABEL, HEAD, GAP = 360, 32, 19, 18, 6


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell: the text written in it, and its title. `kind`: a class, such as `won` or `bad`."""

    written: str
    title: str
    href: str = ""
    kind: str = ""


def grid_picture(title: str, heads: Sequence[str], rows: Sequence[tuple[str, Sequence[GridCell]]]) -> Markup:
    """Return a grid: a label above each row of cells, and the heads of the columns above all rows."""
    side = min(WIDEST, ACROSS / max(1, len(heads)))
    row = LABEL + side + GAP
    middles = [(number + 0.5) * side for number in range(len(heads))]
    named = zip(heads, middles, strict=True)
    columns = group((tag("text", head, x=x, y=HEAD - 5, text_anchor="middle") for head, x in named), "axes")
    drawn = (group(_row_of_cells(label, cells, HEAD + n * row, side)) for n, (label, cells) in enumerate(rows))
    return canvas(title, ACROSS, HEAD + row * len(rows), [columns, *drawn])


def _row_of_cells(label: str, cells: Sequence[GridCell], top: float, side: float) -> Iterator[Markup]:
    yield tag("text", label, x=0, y=top + LABEL - 5, class_="label")
    for number, cell in enumerate(cells):
        left = number * side
        box = tag("rect", x=left + 1, y=top + LABEL, width=side - 2, height=side, rx=2, class_="hit")
        written = tag("text", cell.written, x=left + side / 2, y=top + LABEL + side / 2 + 4, text_anchor="middle")
        yield linked(box + written, cell.title, cell.href, f"cell {cell.kind}".strip())
