"""Lines with bands and marks; and many intervals side by side, crossed by level lines."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from web.pictures.picture import Axis, Scale, canvas, escaped, figure, group, linked, path, tag, together
from web.site.languages import said

WIDTH, HEIGHT = 360, 200
LEFT, RIGHT, TOP, BOTTOM = 40, 8, 20, 24


@dataclass(frozen=True, slots=True)
class Curve:
    """A line through points (x, y). `band`: its interval, as (x, low, high). `step`: each value applies until the next
    one. `kind`: a class of the style sheet, such as `former`. `label` is written above the line's end. `title`
    describes the line, and `href` is a link for it."""

    points: Sequence[tuple[float, float]]
    band: Sequence[tuple[float, float, float]] = ()
    step: bool = False
    kind: str = ""
    label: str = ""
    title: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class Marker:
    """A vertical line with a short label; `title` is the label in full."""

    x: float
    label: str
    title: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the x axis, with a title and a link to what happened there."""

    start: float
    end: float
    title: str
    href: str


def line_picture(
    title: str,
    lines: Sequence[Curve],
    x: Axis,
    y: Axis,
    marks: Sequence[Marker] = (),
    stretches: Sequence[Stretch] = (),
) -> Markup:
    """Return a picture of lines. An axis whose `low` is greater than its `high` is reversed."""
    across = Scale(x.low, x.high, LEFT, WIDTH - RIGHT)
    up = Scale(y.low, y.high, HEIGHT - BOTTOM, TOP)
    ends = apart([up(each.points[-1][1]) - 4 if each.label else None for each in lines])
    parts = [
        axes(x, y, across, up),
        *(_line(each, across, up, end) for each, end in zip(lines, ends, strict=True)),
        *(_marker(each, across) for each in marks),
        *(stretch_area(each, across) for each in stretches),
    ]
    return canvas(title, WIDTH, HEIGHT, parts)


def axes(x: Axis, y: Axis, across: Scale, up: Scale) -> Markup:
    """Return the lines and labels of both axes."""
    return group([together(_axes(x, y, across, up))], "axes")


def _axes(x: Axis, y: Axis, across: Scale, up: Scale) -> Iterator[str]:
    for value, label in y.ticks:
        yield f'<path d="M{LEFT} {up(value):.1f}H{WIDTH - RIGHT}"></path>'
        yield f'<text x="{LEFT - 5}" y="{up(value) + 4:.1f}" text-anchor="end">{escaped(figure(label))}</text>'
    for value, label in x.ticks:
        at = across(value)
        anchor = "end" if at > WIDTH - RIGHT - 16 else "middle"
        yield f'<path d="M{at:.1f} {HEIGHT - BOTTOM}v4"></path>'
        yield f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 17}" text-anchor="{anchor}">{escaped(figure(label))}</text>'


def apart(heights: Sequence[float | None], gap: float = 12, lowest: float = HEIGHT - BOTTOM) -> list[float]:
    """Return readable positions for labels at these heights: moved down or, near `lowest`, up until they are a line
    apart."""
    found, order = [at or 0.0 for at in heights], [n for n, at in enumerate(heights) if at is not None]
    order.sort(key=lambda n: found[n])
    for former, n in pairwise(order):
        found[n] = max(found[n], found[former] + gap)
    bottom = lowest
    for n in reversed(order):
        found[n] = min(found[n], bottom)
        bottom = found[n] - gap
    return found


def _line(line: Curve, across: Scale, up: Scale, end: float) -> Markup:
    points = [(across(x), up(y)) for x, y in line.points]
    if line.step:
        corners = [(later[0], former[1]) for former, later in pairwise(points)]
        points = [each for pair in zip(points, corners, strict=False) for each in pair] + points[-1:]
    parts = [tag("path", d=path(points), class_="line")]
    if line.band:
        low = [(across(x), up(below)) for x, below, _ in line.band]
        high = [(across(x), up(above)) for x, _, above in reversed(line.band)]
        parts.insert(0, tag("path", d=path([*low, *high], closed=True), class_="band"))
    if len(points) == 1:
        parts.append(tag("circle", cx=points[0][0], cy=points[0][1], r=3, class_="dot"))
    if line.label:
        parts.append(tag("text", line.label, x=points[-1][0], y=end, text_anchor="end"))
    return linked(together(parts), line.title, line.href, line.kind) if line.title else group(parts, line.kind)


def _marker(mark: Marker, across: Scale) -> Markup:
    at = across(mark.x)
    anchor = "end" if at > WIDTH - 40 else "start"
    drawn = [
        tag("path", d=f"M{at:.1f} {TOP - 16}V{HEIGHT - BOTTOM}"),
        tag("text", said(mark.label), x=at + (-4 if anchor == "end" else 4), y=TOP - 6, text_anchor=anchor),
    ]
    return linked(together(drawn), mark.title, mark.href, "mark")


def stretch_area(each: Stretch, across: Scale) -> Markup:
    """Return an area for a stretch, from top to bottom of the picture."""
    start, end = across(each.start), across(each.end)
    size = f'width="{max(1.0, end - start):.1f}" height="{HEIGHT - TOP - BOTTOM}"'
    area = f'<rect x="{start:.1f}" y="{TOP}" {size} class="hit"></rect>'
    return linked(together([area]), each.title, each.href)


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with the ends of its interval. `crosses`: the interval crosses one of the level lines."""

    value: float
    low: float
    high: float
    crosses: bool


def interval_picture(
    title: str,
    intervals: Sequence[Interval],
    y: Axis,
    levels: Sequence[tuple[float, str]],
    stretches: Sequence[Stretch],
) -> Markup:
    """Return a picture of intervals, from left to right. All intervals of a kind share one path, since there may be a
    thousand. `levels`: the level lines, each with its meaning. A stretch is given by the numbers of its intervals."""
    across = Scale(-0.5, len(intervals) - 0.5, LEFT, WIDTH - RIGHT)
    up = Scale(y.low, y.high, HEIGHT - BOTTOM, TOP)
    numbered = list(enumerate(intervals))
    parts = [axes(Axis(0, 1, ()), y, across, up)]
    for kind, crosses in (("", False), ("bad", True)):
        drawn = [(across(at), each) for at, each in numbered if each.crosses is crosses]
        bars = tag("path", d="".join(f"M{x:.1f} {up(each.low):.1f}V{up(each.high):.1f}" for x, each in drawn))
        dots = tag("path", d="".join(f"M{x - 1:.1f} {up(each.value):.1f}h2" for x, each in drawn), class_="values")
        parts.append(group((bars, dots), f"intervals {kind}".strip()))
    for value, words in levels:
        parts.append(linked(tag("path", d=f"M{LEFT} {up(value):.1f}H{WIDTH - RIGHT}"), words, "", "mark"))
    parts += [stretch_area(each, across) for each in stretches]
    return canvas(title, WIDTH, HEIGHT, parts)
