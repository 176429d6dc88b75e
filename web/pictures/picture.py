"""A picture with the table behind it, and the tools for drawing all pictures: escaped SVG elements, and scales.
Elements that occur dozens of times in a picture are written as text, which is far faster than `tag`."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, cached_property
from math import ceil, floor, log10
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from markupsafe import Markup, escape

from sandbox import patterns
from sandbox.visible import visible
from web.site.languages import figures, said

_NUMBER = patterns.compile(r"[-+−]?\d[\d,]*(\.\d+)?")
_OF_NAMES = frozenset({"Player", "Opponent"})
"""Headers of columns that contain names."""


@dataclass(frozen=True)
class Picture:
    """A drawing as a page shows it: a `name` for addresses, a heading, a sentence that says how to read it, and the
    figures in it, for a table and a CSV file. See `pictures/_picture.html`."""

    name: str
    title: str
    reading: str
    drawing: Markup
    headers: Sequence[str]
    rows: Sequence[Sequence[Any]]

    @cached_property
    def table(self) -> Markup:
        """The rows of the table as HTML. This is cached, since there can be hundreds of rows, and a picture can be
        shown again."""
        written = []
        for row in self.rows:
            first, *others = [
                escaped(str(cell) if header in _OF_NAMES else figure(str(cell)))
                for header, cell in zip(self.headers, row, strict=True)
            ]
            numbers = "".join([f'<td class="number">{cell}</td>' for cell in others])
            written.append(f'<tr><th scope="row">{first}</th>{numbers}</tr>\n')
        return together(written)


def figure(text: str) -> str:
    """Write a number with the separators of the reader's language, and translate any other label."""
    return figures(text) if _NUMBER.fullmatch(text) else said(text)


def tag(name: str, *children: Markup | str, **attributes: object) -> Markup:
    """Return an SVG element. `class_` is its class; other underscores in names become hyphens, and attributes that are
    None are left out."""
    written = "".join([f' {_name(key)}="{_text_of(value)}"' for key, value in attributes.items() if value is not None])
    inner = "".join([child if isinstance(child, Markup) else escaped(child) for child in children])
    return Markup(f"<{name}{written}>{inner}</{name}>")  # noqa: S704  # all parts are escaped


@cache
def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _text_of(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}"
    return str(value) if isinstance(value, int) else escaped(str(value))


def escaped(text: str) -> Markup:
    """Return a text, escaped for use in an element or an attribute."""
    return escape(visible(text))


def together(parts: Iterable[str]) -> Markup:
    """Return elements that were written as text, joined; everything in them must be escaped already."""
    return Markup("".join(parts))  # noqa: S704  # they are escaped


def group(parts: Iterable[Markup], class_: str = "") -> Markup:
    """Return elements as one group."""
    return tag("g", Markup("").join(parts), class_=class_ or None)


def path(points: Iterable[tuple[float, float]], closed: bool = False) -> str:
    """Return the `d` attribute of a path through these points."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + ("z" if closed else "")


def linked(mark: Markup, title: str, href: str, class_: str = "") -> Markup:
    """Return a mark with a title that says what it counts, and with a link if there is an address."""
    words, kind = escaped(said(title)), f' class="{escaped(class_)}"' if class_ else ""
    if not href:
        return Markup(f"<g{kind}><title>{words}</title>{mark}</g>")  # noqa: S704  # all parts are escaped
    return Markup(  # noqa: S704  # all parts are escaped
        f'<a href="{escaped(href)}" aria-label="{words}"{kind}><title>{words}</title>{mark}</a>'
    )


def canvas(title: str, width: float, height: float, parts: Iterable[Markup]) -> Markup:
    """Return a whole drawing. For screen readers it is one image, unless it contains links."""
    inner = Markup("").join(parts)
    role = "group" if "<a " in inner else "img"
    return tag("svg", inner, viewBox=f"0 0 {width:g} {height:g}", role=role, aria_label=said(title))


Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps `low` to `start` and `high` to `end`, linearly."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / ((self.high - self.low) or 1) * (self.end - self.start)


@dataclass(frozen=True, slots=True)
class Axis:
    """The axis along one side: from `low` to `high`, with the values that are labelled."""

    low: float
    high: float
    ticks: Sequence[tuple[float, str]]


def thinned(items: Sequence[Item], most: int) -> Sequence[Item]:
    """Return at most `most` of the items, evenly spaced, including the last one."""
    every = -(-len(items) // most) or 1
    return items[(len(items) - 1) % every :: every]


def ticks(low: float, high: float, most: int = 6, whole: bool = False) -> Sequence[float]:
    """Return at most `most` round values (1, 2 or 5 times a power of ten apart) from `low` to `high`."""
    least = (high - low) / max(1, most - 1) or 1.0
    power = 10.0 ** floor(log10(least))
    step = next(each for each in (power, 2 * power, 5 * power, 10 * power) if each >= least * (1 - 1e-9))
    step = max(1.0, step) if whole else step
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def number_axis(low: float, high: float, most: int = 6, write: Callable[[float], str] = "{:,.0f}".format) -> Axis:
    """Return an axis of whole numbers."""
    return Axis(low, high, [(each, write(each)) for each in ticks(low, high, most, whole=True)])


def share_axis(high: float = 1.0, most: int = 6) -> Axis:
    """Return an axis of shares from 0, written in percent."""
    return Axis(0.0, high, [(each / 100, f"{each:g}%") for each in ticks(0.0, high * 100, most)])


HOURS = (1, 3, 6, 12, 24, 48, 7 * 24, 14 * 24, 28 * 24, 84 * 24)


def time_axis(first: datetime, last: datetime, zone: ZoneInfo, most: int = 5) -> Axis:
    """Return an axis of time, in seconds since 1970, labelled with the hours or days of that zone."""
    hours = (last - first).total_seconds() / 3600
    step = next((each for each in HOURS if hours / each <= most), HOURS[-1])
    local = first.astimezone(zone)
    at = local.replace(minute=0, second=0, microsecond=0, tzinfo=None)
    at = at.replace(hour=0 if step >= 24 else at.hour // step * step)
    written = []
    while (moment := at.replace(tzinfo=zone)) <= last:
        if moment >= first:
            written.append((moment.timestamp(), f"{at:%H:%M}" if step < 24 else f"{at.day} {at:%b}"))
        at += timedelta(hours=step)  # clock time: days begin at midnight even when daylight saving changes
    return Axis(first.timestamp(), last.timestamp(), written)
