"""Many intervals side by side, with lines across them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from web.pictures.lines import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Stretch, axes, stretch_area
from web.pictures.scales import Axis, Scale
from web.pictures.svg import canvas, group, linked, tag


@dataclass(frozen=True, slots=True)
class Interval:
    """`value` with its ends. `crosses`: it reaches over one of the lines."""

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
    """The picture, from left to right; one path for all intervals of a kind, since there may be a thousand. `levels`:
    the lines, with what each of them is. A stretch goes from one number of an interval to another one."""
    across = Scale(-0.5, len(intervals) - 0.5, LEFT, WIDTH - RIGHT)
    up = Scale(y.low, y.high, HEIGHT - BOTTOM, TOP)
    numbered = list(enumerate(intervals))
    parts = [axes(Axis(0, 1, ()), y, across, up)]
    for kind, crosses in (("", False), ("bad", True)):
        drawn = [(across(at), each) for at, each in numbered if each.crosses is crosses]
        bars = tag("path", d="".join(f"M{x:.1f} {up(each.low):.1f}V{up(each.high):.1f}" for x, each in drawn))
        dots = tag("path", d="".join(f"M{x - 1:.1f} {up(each.value):.1f}h2" for x, each in drawn), class_="values")
        parts.append(group((bars, dots), f"intervals {kind}".strip()))
    parts += _levels(levels, up)
    parts += [stretch_area(each, across) for each in stretches]
    return canvas(title, WIDTH, HEIGHT, parts)


def _levels(levels: Sequence[tuple[float, str]], up: Scale) -> Iterable[Markup]:
    for value, said in levels:
        yield linked(tag("path", d=f"M{LEFT} {up(value):.1f}H{WIDTH - RIGHT}"), said, "", "mark")
