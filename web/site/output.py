"""Template filters for program reports: show program output and lines of source with marked ranges."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from flask import Flask
from markupsafe import Markup, escape

from sandbox import patterns
from web.site.escaping import coded, shown

_SEEN: Final = {" ": "·", "\t": "→", "\n": "¶"}
_TAB: Final = 8  # the tab width with which compilers count columns
_FIRST_WORD: Final = patterns.compile(r"(?s)[\pL\pN_]+|.")
_PLACES: Final = str.maketrans(_SEEN)


def install(app: Flask) -> None:
    """Add the filters to the templates."""
    for helper in (marked, underlined, coded, in_colours, pointed, for_powershell, input_name):
        app.add_template_filter(helper)


def marked(line: str, marks: Sequence[Sequence[int]]) -> Markup:
    """Mark the differing ranges in a line. White space is visible where it differs or ends the line; tabs are always
    visible."""
    parts, at = [], 0
    for low, high in marks:
        parts.append(_plain_part(line[at:low], last=False))
        parts.append(Markup("<mark>{}</mark>").format(shown(line[low:high].translate(_PLACES))))
        at = high
    return Markup("").join([*parts, _plain_part(line[at:], last=True)])


def underlined(text: str, marks: Sequence[tuple[int, int]]) -> Markup:
    """Mark these ranges in a text."""
    parts, at = list[Markup](), 0
    for low, high in marks:
        parts += [escape(shown(text[at:low])), Markup("<mark>{}</mark>").format(shown(text[low:high]))]
        at = high
    return Markup("").join([*parts, escape(shown(text[at:]))])


def in_colours(parts: Sequence[tuple[str, str]], marks: Sequence[tuple[int, int]] = ()) -> Markup:
    """Mark these ranges in a line of source, which is given in parts, each with its kind and its text. Doing this in a
    template would add 6 ms for a file of 60 KiB, a fifth of the time for its page."""
    drawn = _with_marks(parts, marks) if marks else _coloured(parts)
    return Markup(f"<code>{drawn}</code>")  # noqa: S704  # all parts are escaped


def _coloured(parts: Iterable[tuple[str, str]]) -> str:
    drawn = [
        f'<span class="{kind}">{escape(shown(text))}</span>' if kind else escape(shown(text)) for kind, text in parts
    ]
    return "".join(drawn)


def _with_marks(parts: Sequence[tuple[str, str]], marks: Sequence[tuple[int, int]]) -> str:
    drawn, at = "", 0
    for low, high in marks:
        drawn += (
            f"{_coloured(_parts_between(parts, at, low))}<mark>{_coloured(_parts_between(parts, low, high))}</mark>"
        )
        at = high
    return drawn + _coloured(_parts_between(parts, at, sys.maxsize))


def _parts_between(parts: Sequence[tuple[str, str]], low: int, high: int) -> Iterator[tuple[str, str]]:
    """Yield the parts between two positions in a line, and split parts at these positions."""
    at = 0
    for kind, text in parts:
        piece = text[max(low - at, 0) : max(high - at, 0)]
        if piece:
            yield kind, piece
        at += len(text)


def _plain_part(text: str, last: bool) -> Markup:
    """Convert unmarked text to HTML. `last` says whether the text ends its line."""
    kept = text.rstrip(" \t") if last else text
    pieces = [escape(shown(each)) for each in kept.split("\t")]
    return Markup('<span class="white">→</span>').join(pieces) + _white_space(text[len(kept) :])


def _white_space(text: str) -> Markup:
    return Markup('<span class="white">{}</span>').format(text.translate(_PLACES)) if text else Markup("")


def pointed(source: str, column: int) -> Markup:
    """Remove the indentation of a line of source, and mark the word at `column`. Columns count from 1; 0 marks no
    word."""
    line = source.expandtabs(_TAB)
    at = column - 1
    if not 0 <= at < len(line) or line[at] == " ":
        return escape(shown(line.strip()))
    word = _FIRST_WORD.match(line, at)
    end = word.end() if word else at + 1
    before = shown(line[:at].lstrip())
    return Markup("{}<mark>{}</mark>{}").format(before, shown(line[at:end]), shown(line[end:].rstrip()))


def for_powershell(command: str, arguments: Sequence[str] = ()) -> str:
    """Rewrite a command that runs a program for PowerShell, which has no `<` for input."""
    run, _, given = command.partition(" < ")
    if run.startswith("./"):
        name, _, more = run.removeprefix("./").partition(" ")
        run = f".\\{name}.exe {more}".rstrip()
    if given and any(each.isspace() or each in "\"'`$&|<>^%;(){}" for each in "".join(arguments)):
        return f"Get-Content {given} | {run}"
    return f'cmd /c "{run} < {given}"' if given else run


def input_name(command: str) -> str:
    """The name of the file from which the command reads its input; "" if it reads no file."""
    return command.partition(" < ")[2]
