"""Elements of SVG, escaped."""

from collections.abc import Iterable
from functools import cache

from markupsafe import Markup, escape

from sandbox.visible import visible


def tag(name: str, *children: Markup | str, **attributes: object) -> Markup:
    """An element. `class_` is its class, other underscores are hyphens; attributes that are None are left out."""
    written = "".join([f' {_name(key)}="{_value(value)}"' for key, value in attributes.items() if value is not None])
    inner = "".join([child if isinstance(child, Markup) else escape(visible(child)) for child in children])
    return Markup(f"<{name}{written}>{inner}</{name}>")  # noqa: S704  # all parts are escaped


@cache
def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}"
    return str(value) if isinstance(value, int) else escape(visible(str(value)))


def group(parts: Iterable[Markup], class_: str = "") -> Markup:
    """Elements together."""
    return tag("g", Markup("").join(parts), class_=class_ or None)


def path(points: Iterable[tuple[float, float]], closed: bool = False) -> str:
    """The `d` of a path through these points."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + ("z" if closed else "")


def linked(mark: Markup, title: str, href: str, class_: str = "") -> Markup:
    """A mark that says what it counts, and leads there if there is an address."""
    said = tag("title", title)
    if not href:
        return tag("g", said, mark, class_=class_ or None)
    return tag("a", said, mark, href=href, aria_label=title, class_=class_ or None)


def canvas(title: str, width: float, height: float, parts: Iterable[Markup]) -> Markup:
    """A whole drawing. To screen readers it is one image, unless it has links."""
    inner = Markup("").join(parts)
    role = "group" if "<a " in inner else "img"
    return tag("svg", inner, viewBox=f"0 0 {width:g} {height:g}", role=role, aria_label=title)
