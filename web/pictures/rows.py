"""Rows with a bar or a dot each: counts, shares with their intervals, and values beside what was expected."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from web.pictures.scales import Axis, Scale
from web.pictures.svg import canvas, group, linked, tag

WIDTH, ROW = 360, 26
RIGHT, TOP, BOTTOM = 52, 4, 24
LETTER, LONGEST = 6.8, 21
"""About how wide a letter is; a label is cut to so many of them, and the title has the whole."""


@dataclass(frozen=True, slots=True)
class PictureRow:
    """A row: `written` stands at its end, `title` says all of it. `interval`: its ends. `expected`: drawn as a tick.
    `chosen`: the page shows what this row counts, and `href` leads back. `kind`: a class, such as `bad`."""

    label: str
    value: float
    written: str
    title: str
    href: str = ""
    interval: tuple[float, float] | None = None
    expected: float | None = None
    chosen: bool = False
    kind: str = ""


def row_picture(
    title: str, rows: Sequence[PictureRow], x: Axis, dots: bool = False, lines: Sequence[tuple[float, str]] = ()
) -> Markup:
    """The picture, with dots instead of bars if wanted. `lines`: values that are marked across all rows, with what each
    of them is."""
    left = 16 + LETTER * min(LONGEST, max((len(each.label) for each in rows), default=0))
    across = Scale(x.low, x.high, left, WIDTH - RIGHT)
    foot = TOP + ROW * len(rows)
    parts = [
        group(_axis(x, across, foot), "axes"),
        *(_row(each, TOP + ROW * number, across, dots) for number, each in enumerate(rows)),
        *(linked(tag("path", d=f"M{across(at):.1f} {TOP}V{foot}"), said, "", "mark") for at, said in lines),
    ]
    return canvas(title, WIDTH, foot + BOTTOM, parts)


def _axis(x: Axis, across: Scale, foot: float) -> Iterator[Markup]:
    for value, label in x.ticks:
        yield tag("path", d=f"M{across(value):.1f} {TOP}V{foot}")
        yield tag("text", label, x=across(value), y=foot + 16, text_anchor="middle")


def _row(row: PictureRow, top: float, across: Scale, dots: bool) -> Markup:
    middle, at, zero = top + ROW / 2, across(row.value), across(0)
    label = row.label if len(row.label) <= LONGEST else f"{row.label[: LONGEST - 1]}…"
    parts = [tag("rect", x=0, y=top, width=WIDTH, height=ROW, class_="hit")]
    parts.append(tag("text", label, x=across.start - 8, y=middle + 4, text_anchor="end"))
    if not dots:
        width = max(1.0, at - zero) if row.value else 0.0
        parts.append(tag("rect", x=zero, y=top + 5, width=width, height=ROW - 10, class_="bar"))
    elif row.expected is not None:
        parts.append(tag("path", d=f"M{across(row.expected):.1f} {middle:.1f}H{at:.1f}", class_="gap"))
    if row.interval:
        low, high = (across(each) for each in row.interval)
        parts.append(tag("path", d=f"M{low:.1f} {middle:.1f}H{high:.1f}", class_="interval"))
    if row.expected is not None:
        parts.append(tag("path", d=f"M{across(row.expected):.1f} {top + 5:.1f}v{ROW - 10}", class_="expected"))
    if dots:
        parts.append(tag("circle", cx=at, cy=middle, r=4.5, class_="dot"))
    parts.append(tag("text", row.written, x=WIDTH - RIGHT + 6, y=middle + 4))
    kinds = " ".join(filter(None, ("row-mark", row.kind, "chosen" if row.chosen else "")))
    return linked(Markup("").join(parts), row.title, row.href, kinds)
