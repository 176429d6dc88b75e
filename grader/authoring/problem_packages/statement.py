"""Converts the statement of a problem package to Markdown, and adds the origin of the problem."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from grader.authoring.problem_packages.latex import to_markdown
from grader.authoring.problem_packages.maths import escaped, with_formulas
from grader.authoring.problem_packages.package import Metadata, PackageError, ProblemPackage
from sandbox import patterns
from sandbox.readers import in_reader

MOST_STATEMENT: Final = 200 << 10
"""The size limit of a statement with its illustrations, in bytes. A question's text can be a little larger, since some
text is added."""

PICTURES: Final = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif"}
"""The MIME types of illustrations by the endings of their files."""

_FILE: Final = patterns.compile(
    r"(?:problem_statement|statement)/problem(?:\.(?P<language>[a-z]{2,3}(?:-[A-Z]{2})?))?\.(?P<kind>md|tex|pdf)"
)
_NAME: Final = patterns.compile(r"(?m)^%%\s*plainproblemname:(.*)$|\\problemname\{(.{0,200})\}")
_IMAGE: Final = patterns.compile(
    r"!\[(?P<words>[^\]]{0,200})\]\((?P<file>[^)\s]{1,200})(?:\s[^)]{0,200})?\)(?:\{[^}]{0,200}\})?"
)
_HEADING: Final = patterns.compile(r"(?m)^(#{1,6}) ")
_TOP: Final = 4
_SAMPLES: Final = patterns.compile(r"\{\{\s*(?:nextsample|remainingsamples)\s*\}\}")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement as Markdown. `title` is the problem's name, and `left_out` lists what the text lacks."""

    title: str
    text: str
    left_out: Sequence[str]


@dataclass(slots=True)
class _Pictures:
    """The illustrations of a statement, which become part of its text. `room` is the number of bytes still available
    for them."""

    package: ProblemPackage
    folder: PurePosixPath
    room: int
    found: dict[str, str] = field(default_factory=dict)

    def shown(self, file: str) -> str:
        """Return the Markdown of an illustration; "" if browsers cannot show its type or the illustration is too
        large."""
        paths = [str(self.folder / f"{file}{ending}") for ending in ("", *PICTURES)]
        path = next((path for path in paths if path in self.package.sizes), "")
        kind = PICTURES.get(PurePosixPath(path).suffix.lower())
        if path not in self.found:
            size = self.package.sizes.get(path, 0) * 4 // 3 + 100
            if kind is None or size > self.room:
                return ""
            self.room -= size
            content = b64encode(self.package.read(path, size)).decode()
            self.found[path] = f"[illustration-{len(self.found) + 1}]: data:{kind};base64,{content}"
        return f"![Illustration]{self.found[path].partition(':')[0]}"

    def contents(self) -> str:
        """Return the data of the illustrations, to be appended to the text."""
        return "".join(f"\n{each}\n" for each in self.found.values())


@in_reader(PackageError)
def read_statement(package: ProblemPackage, metadata: Metadata) -> Statement:
    """Return the English statement or, if there is none, the statement in the package's first language. Raises
    PackageError."""
    found = {path: match for path in sorted(package.sizes) if (match := _FILE.fullmatch(path))}
    ordered = sorted(found, key=lambda path: (found[path]["language"] or "en") != "en")
    chosen = next((path for path in ordered if found[path]["kind"] != "pdf"), "")
    why = f"the statement was taken from {chosen}"
    others = [path for path in found if path != chosen]
    left_out = [f"{path}: {'a PDF cannot become text' if path.endswith('.pdf') else why}" for path in others]
    title = metadata.title(found[chosen]["language"] or "en" if chosen else "en")
    if not chosen:
        return Statement(title, "", [*left_out, "the statement: there is none in Markdown or LaTeX, so write text.md"])
    source = package.text(chosen, MOST_STATEMENT).removeprefix("\ufeff").replace("\r\n", "\n")
    pictures = _Pictures(package, PurePosixPath(chosen).parent, MOST_STATEMENT - len(source.encode()))
    if found[chosen]["kind"] == "tex":
        text, more = to_markdown(source, pictures.shown)
        title = _name_in(source) or title
    else:
        text, more = _markdown(source, pictures)
    return Statement(title, text + pictures.contents(), [*left_out, *more])


def _name_in(source: str) -> str:
    """Find the problem's name in a statement in LaTeX."""
    found = {bool(each[1]): each[1] or each[2] for each in _NAME.finditer(source)}
    name = found.get(True) or found.get(False) or ""
    return patterns.compile(r"\\(.)").sub(r"\1", to_markdown(name)[0]).strip()


def _markdown(source: str, pictures: _Pictures) -> tuple[str, list[str]]:
    """Return a Markdown statement with readable formulas, and the illustrations that were left out."""
    left_out = []

    def shown(image: patterns.Match[str]) -> str:
        if picture := pictures.shown(image["file"]):
            return picture.replace("Illustration", image["words"] or "Illustration", 1)
        left_out.append(f"the illustration {image['file']}")
        return f"(An illustration is left out here{image['words'] and ': '}{image['words']}.)"

    text = _IMAGE.sub(shown, source)
    return _lowered(with_formulas(_SAMPLES.sub("", text))).strip() + "\n", left_out


def _lowered(text: str) -> str:
    """Lower the headings in Markdown below the levels that the page and its questions use. Code is left unchanged."""
    parts = patterns.compile("(?ms)(^```.*?^```)").split(text)
    levels = [len(found[1]) for part in parts[::2] for found in _HEADING.finditer(part)]
    by = _TOP - min(levels, default=_TOP)
    parts[::2] = (_HEADING.sub(lambda found: "#" * min(6, len(found[1]) + by) + " ", part) for part in parts[::2])
    return "".join(parts)


def origin(metadata: Metadata) -> str:
    """Return a Markdown paragraph with the problem's authors, source and licence; "" if nothing is known."""
    return " · ".join(f"{label}: {escaped(text)}" for label, text in metadata.origin())
