"""Elements of SVG, escaped. What a picture has dozens of is written as text, which takes far less time than `tag`."""

from collections.abc import Iterable
from functools import cache

from markupsafe import Markup, escape

from sandbox.visible import visible


def tag(name: str, *children: Markup | str, **attributes: object) -> Markup:
    """An element. `class_` is its class, other underscores are hyphens; attributes that are None are left out."""
    written = "".join([f' {_name(key)}="{_value(value)}"' for key, value in attributes.items() if value is not None])
    inner = "".join([child if isinstance(child, Markup) else escaped(child) for child in children])
    return Markup(f"<{name}{written}>{inner}</{name}>")  # noqa: S704  # all parts are escaped


@cache
def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}"
    return str(value) if isinstance(value, int) else escaped(str(value))


def escaped(text: str) -> Markup:
    """A text to write into an element or an attribute."""
    return escape(visible(text))


def together(parts: Iterable[str]) -> Markup:
    """Elements written as text, one after the other; all that they contain must be escaped."""
    return Markup("".join(parts))  # noqa: S704  # they are escaped


def group(parts: Iterable[Markup], class_: str = "") -> Markup:
    """Elements together."""
    return tag("g", Markup("").join(parts), class_=class_ or None)


def path(points: Iterable[tuple[float, float]], closed: bool = False) -> str:
    """The `d` of a path through these points."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + ("z" if closed else "")


def linked(mark: Markup, title: str, href: str, class_: str = "") -> Markup:
    """A mark that says what it counts, and leads there if there is an address."""
    said, kind = escaped(title), f' class="{escaped(class_)}"' if class_ else ""
    if not href:
        return Markup(f"<g{kind}><title>{said}</title>{mark}</g>")  # noqa: S704  # all parts are escaped
    return Markup(  # noqa: S704  # all parts are escaped
        f'<a href="{escaped(href)}" aria-label="{said}"{kind}><title>{said}</title>{mark}</a>'
    )


def canvas(title: str, width: float, height: float, parts: Iterable[Markup]) -> Markup:
    """A whole drawing. To screen readers it is one image, unless it has links."""
    inner = Markup("").join(parts)
    role = "group" if "<a " in inner else "img"
    return tag("svg", inner, viewBox=f"0 0 {width:g} {height:g}", role=role, aria_label=title)
