"""Converts statements from LaTeX to Markdown: headings, paragraphs, lists, tables, code, emphasis, links and simple
formulas. Everything else is left out, and listed. The parser is pylatexenc's."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import (
    LatexCharsNode,
    LatexEnvironmentNode,
    LatexGroupNode,
    LatexMacroNode,
    LatexMathNode,
    LatexSpecialsNode,
    LatexWalker,
    LatexWalkerParseError,
    get_default_latex_context_db,
)
from pylatexenc.macrospec import LatexContextDb, std_environment, std_macro

from grader.authoring.problem_packages.maths import escaped, formula
from grader.authoring.problem_packages.package import PackageError
from sandbox import patterns

_HEADINGS: Final = {"section": "####", "subsection": "#####", "subsubsection": "######", "paragraph": "######"}
"""Headings in Markdown. Higher levels are used by the page and its questions."""
_SECTIONS: Final = ("Input", "Output", "Interaction", "Constraints", "Scoring", "Task", "Note", "Notes", "Explanation")
"""Environments whose names are shown as headings."""
_STYLES: Final = {"textbf": "**", "emph": "*", "textit": "*", "textsl": "*"}
_CODE: Final = ("texttt", "lstinline")
_PLAIN: Final = ("text", "textrm", "textsc", "textsf", "underline", "mbox", "textnormal", "item")
_SYMBOLS: Final = {
    "textless": "<",
    "textgreater": ">",
    "textasciitilde": "~",
    "textbar": "|",
    "LaTeX": "LaTeX",
    "TeX": "TeX",
    "ldots": "…",
    "dots": "…",
    "textbackslash": "\\",
    " ": " ",
    ",": " ",
    "-": "",
    "@": "",
    "/": "",
    "quad": " ",
}
_SPECIALS: Final = {"``": "“", "''": "”", "--": "–", "---": "—", "~": " ", "&": " "}
_BREAKS: Final = ("\\", "newline", "linebreak")
_NOTHING: Final = (
    *("problemname", "noindent", "indent", "medskip", "bigskip", "smallskip", "vspace", "hspace", "vfill", "hfill"),
    *("newpage", "clearpage", "centering", "raggedright", "small", "normalsize", "large", "footnotesize", "sloppy"),
    *("label", "hline", "cline", "toprule", "midrule", "bottomrule", "nextsample", "remainingsamples", "par"),
    "protect",
)
_CONTENTS: Final = (
    *("center", "flushleft", "flushright", "figure", "wrapfigure", "minipage", "table", "document", "samepage"),
)
_SPACES: Final = patterns.compile(r"\s+")
_EMPTY_LINES: Final = patterns.compile(r"\n[ \t]*\n\s*")
_QUOTED: Final = patterns.compile("`([^`']*)'")
_MARK: Final = patterns.compile(r"^(\d*)(#|[-+] )|^(\d+)([.)])")
_EDGES: Final = patterns.compile(r"\A\\begin\{[^}]*\}(\[[^\]]*\])?|\\end\{[^}]{0,40}\}\z")
_DRAWINGS: Final = ("tikzpicture", "picture", "asy", "pspicture")
_MATHS: Final = (
    *("equation", "equation*", "align", "align*", "displaymath", "eqnarray", "eqnarray*", "gather", "gather*"),
)


def _latex_context() -> LatexContextDb:
    """Return the parser's database of macros and their arguments, including the macros of problem packages."""
    context = get_default_latex_context_db()
    macros = [std_macro("problemname", None, 1), std_macro("illustration", None, 3), std_macro("href", None, 2)]
    macros += [std_macro(name, None, 1) for name in ("textsl", "textsc", "textnormal", "underline", "caption")]
    arguments = {"tabular": "[{", "wrapfigure": "[{{", "minipage": "[{"}
    environments = [std_environment(name, given) for name, given in arguments.items()]
    context.add_context_category("problem-packages", macros=macros, environments=environments, prepend=True)
    return context


def to_markdown(latex: str, picture: Callable[[str], str] = lambda file: "") -> tuple[str, list[str]]:
    """Return the Markdown of a statement, and a list of what was left out. `picture` returns the Markdown of an
    illustration, or "" to leave it out. Raises PackageError if the statement is not valid LaTeX."""
    try:
        walker = LatexWalker(written_out(latex), latex_context=_latex_context(), tolerant_parsing=True)
        nodes, _, _ = walker.get_latex_nodes()
        converter = _Converter(picture)
        text = converter.convert(nodes)
    except (LatexWalkerParseError, RecursionError):
        raise PackageError("The statement cannot be read: it is not LaTeX, or is nested too deeply.") from None
    return _tidy(text), list(dict.fromkeys(converter.left_out))


def _tidy(text: str) -> str:
    """Return Markdown with exactly one empty line between blocks, and none at the beginning or end."""
    lines = "\n".join(line.rstrip() for line in text.split("\n"))
    return patterns.compile(r"\n{3,}").sub("\n\n", lines).strip() + "\n"


class _Converter:
    """Converts nodes to Markdown, and collects what is left out."""

    def __init__(self, picture: Callable[[str], str]) -> None:
        self.left_out: list[str] = []
        self.picture = picture

    def convert(self, nodes: Iterable[Any]) -> str:
        text = ""
        for node in nodes:
            more = self._one(node)
            text += more.lstrip(" ") if text.endswith("\n\n") else more
        return text

    def _one(self, node: Any) -> str:
        match node:
            case LatexCharsNode():
                return _paragraphs(node.chars)
            case LatexGroupNode():
                return self._group(node.nodelist)
            case LatexMathNode():
                text = formula(node.latex_verbatim()[len(node.delimiters[0]) : -len(node.delimiters[1])])
                return f"\n\n{text}\n\n" if node.displaytype == "display" else text
            case LatexSpecialsNode():
                return _SPECIALS.get(str(node.specials_chars), str(node.specials_chars))
            case LatexMacroNode():
                return self._macro(node)
            case LatexEnvironmentNode():
                return self._environment(node)
        return ""  # a comment

    def _group(self, nodes: Sequence[Any]) -> str:
        """Convert a group in braces, which may begin with a font switch, e.g. {\\bf this}."""
        switch = next((node.macroname for node in nodes[:1] if isinstance(node, LatexMacroNode)), "")
        if switch == "tt":
            return _code_span(nodes[1:])
        style = {"bf": "**", "it": "*", "em": "*", "sl": "*"}.get(switch)
        return _styled(self.convert(nodes[1:]), style) if style else self.convert(nodes)

    def _macro(self, node: Any) -> str:
        name, arguments = node.macroname, _in_braces(node)
        if name in _HEADINGS:
            return f"\n\n{_HEADINGS[name]} {self._line(arguments)}\n\n"
        if name in _STYLES:
            return _styled(self._line(arguments), _STYLES[name])
        if name in _CODE:
            return _code_span(arguments)
        if name == "verb":
            return f"`{node.nodeargd.verbatim_text}`"
        if name in _BREAKS:
            return "\\\n"
        if name in ("includegraphics", "illustration"):
            return self._illustration(name, arguments)
        if name in ("url", "href"):
            address = arguments[0].latex_verbatim().strip("{}").replace("\\", "")
            return f"<{address}>" if name == "url" else f"[{self._line(arguments[1:])}](<{address}>)"
        if name in ("footnote", "caption"):
            return f" ({self._line(arguments)})"
        return self._other(node, arguments)

    def _other(self, node: Any, arguments: Sequence[Any]) -> str:
        """Return the text for a macro that is a symbol, an accent, or unknown."""
        name = node.macroname
        if name in _NOTHING:
            return ""
        if name in _PLAIN:
            return self._line(arguments)
        if name in _SYMBOLS:
            return escaped(_SYMBOLS[name])
        text = LatexNodes2Text().node_to_text(node)
        if (text.strip() and not arguments) or len(name) == 1:
            return escaped(text)
        self.left_out.append(f"\\{name} in the statement")
        return self._line(arguments)

    def _environment(self, node: Any) -> str:
        name = node.environmentname
        if name in ("itemize", "enumerate", "description"):
            return self._list(node.nodelist, "1." if name == "enumerate" else "-")
        if name in ("verbatim", "lstlisting", "alltt"):
            return f"\n\n```\n{_inside_environment(node)}\n```\n\n"
        if name in _MATHS:
            return f"\n\n{formula(_inside_environment(node))}\n\n"
        if name.startswith(("tabular", "longtable")):
            return self._table(node.nodelist)
        if name in ("quote", "quotation"):
            return "\n\n> " + _tidy(self.convert(node.nodelist)).strip().replace("\n", "\n> ") + "\n\n"
        if name in _DRAWINGS:
            self.left_out.append("a drawing in the statement")
            return "\n\n(A drawing is left out here.)\n\n"
        if name in _SECTIONS:
            return f"\n\n#### {name}\n\n{self.convert(node.nodelist)}\n\n"
        if name not in _CONTENTS:
            self.left_out.append(f"the environment {name} in the statement, whose text was kept")
        return f"\n\n{self.convert(node.nodelist)}\n\n"

    def _list(self, nodes: Sequence[Any], mark: str) -> str:
        items: list[list[Any]] = []
        for node in nodes:
            if isinstance(node, LatexMacroNode) and node.macroname == "item":
                items.append([node])
            elif items:
                items[-1].append(node)
        indent = "\n" + " " * (len(mark) + 1)
        texts = (_tidy(self.convert(each)).strip().replace("\n", indent) for each in items)
        return "\n\n" + "\n".join(f"{mark} {text}" for text in texts) + "\n\n"

    def _table(self, nodes: Sequence[Any]) -> str:
        rows: list[list[list[Any]]] = [[[]]]
        for node in nodes:
            if isinstance(node, LatexMacroNode) and node.macroname in _BREAKS:
                rows.append([[]])
            elif isinstance(node, LatexSpecialsNode) and node.specials_chars == "&":
                rows[-1].append([])
            else:
                rows[-1][-1].append(node)
        texts = [[self._line(cell).replace("|", "\\|") for cell in row] for row in rows]
        head, *rest = [row for row in texts if any(row)] or [[""]]
        lines = [head, ["---"] * len(head), *rest]
        return "\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n\n"

    def _illustration(self, name: str, arguments: Sequence[Any]) -> str:
        texts = [self._line([each]) for each in arguments]
        file, caption = (texts[1], texts[2]) if name == "illustration" and len(texts) > 2 else (texts[-1], "")
        if shown := self.picture(file.replace("\\", "")):
            return f"\n\n{shown}\n\n{caption}\n\n"
        self.left_out.append(f"the illustration {file}")
        return f"\n\n(An illustration is left out here{f': {caption}' if caption else ''}.)\n\n"

    def _line(self, nodes: Sequence[Any]) -> str:
        """Return the text of nodes on one line."""
        return " ".join(self.convert(nodes).split())


def _in_braces(node: Any) -> list[Any]:
    given = getattr(node.nodeargd, "argnlist", None) or []
    return [each for each in given if isinstance(each, LatexGroupNode) and each.delimiters[0] == "{"]


def _paragraphs(chars: str) -> str:
    """Convert running text: single line ends become spaces, and a paragraph that looks like a heading or a list is
    escaped."""
    parts = [_SPACES.sub(" ", part) for part in _EMPTY_LINES.split(chars)]
    safe = [escaped(_QUOTED.sub(lambda found: f"‘{found[1]}’", part)) for part in parts]
    return "\n\n".join([safe[0], *(_MARK.sub(r"\1\3\\\2\4", part.lstrip()) for part in safe[1:])])


def _styled(text: str, mark: str) -> str:
    """Put text between Markdown marks, without spaces next to the marks."""
    return f"{mark}{text.strip()}{mark}" if text.strip() else text


def _code_span(nodes: Sequence[Any]) -> str:
    text = LatexNodes2Text().nodelist_to_text(list(nodes)).strip()
    return f"``{text}``" if "`" in text else f"`{text}`" if text else ""


def _inside_environment(node: Any) -> str:
    """Return the LaTeX source inside an environment."""
    return _EDGES.sub("", str(node.latex_verbatim())).strip("\n")


_GROUP: Final = r"\s*\{((?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*)\}"
"""Matches a group in braces, with up to three levels of nested groups; real statements do not nest deeper."""

_DEFINED: Final = patterns.compile(
    r"\\(?:newcommand|renewcommand|providecommand)\*?\s*\{?\s*\\([A-Za-z]+)\s*\}?\s*(?:\[([0-9])\])?\s*(?:\[([^\]]*)\])?"
    rf"{_GROUP}|\\def\s*\\([A-Za-z]+)((?:#[0-9])*){_GROUP}"
)
_PLACE: Final = patterns.compile(r"#([1-9])")
_DEEPEST: Final = 10  # how many levels of nested macros are expanded
_MOST, _LONGEST, _LARGEST = 100, 1000, 1 << 19
"""The maximum number of macros that a statement may define, and the maximum lengths of one definition and of the
expanded statement, in characters."""


def written_out(latex: str) -> str:
    """Expand the macros that a statement defines, and remove their definitions. Raises PackageError."""
    found = list(_DEFINED.finditer(latex))
    if len(found) > _MOST or any(len(each[0]) > _LONGEST for each in found):
        raise PackageError("The statement defines too many macros, or too long ones.")
    macros, latex = [_macro(each) for each in found], _DEFINED.sub("", latex)
    for _ in range(_DEEPEST):
        former = latex
        for used, text in macros:
            latex = used.sub(text, latex)
            if len(latex) > _LARGEST:
                raise PackageError("The macros that the statement defines make it too long.")
        if latex == former:
            break
    return latex


def _macro(found: patterns.Match[str]) -> tuple[patterns.Pattern[str], Callable[[patterns.Match[str]], str]]:
    """Return a pattern that matches uses of a macro, and a function that expands a match."""
    name, usual, body = found[1] or found[5], found[3], found[4] or found[7] or ""
    count = int(found[2] or len(found[6] or "") // 2)
    arguments = r"(?:\[([^\]]*)\])?" + _GROUP * (count - 1) if usual is not None else _GROUP * count

    def text(use: patterns.Match[str]) -> str:
        given = [usual if each is None else each for each in use.groups()] if count else []
        filled: str = _PLACE.sub(lambda place: given[int(place[1]) - 1] if int(place[1]) <= count else "", body)
        return filled if count else filled + use[1].removeprefix(" ")

    return patterns.compile(rf"\\{name}" + (arguments if count else r"( ?[^A-Za-z ]| |\z)")), text
