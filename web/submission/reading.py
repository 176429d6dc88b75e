"""Uploaded files as pages show them: lines in colours, with the report's findings and with comments. Nothing here
parses a file.

A scanner written for this module finds keywords, names being defined, numbers, strings and comments in a Python file,
in one pass over the text. It uses neither a grammar nor regular expressions, so that no file can make it slow:
`str.find` looks at each character once for each of the few signs that matter, and a file stays plain after `MOST`
coloured parts. The alternative would be tokens that the jail returns with a report. They would have to be stored with
every submission, old submissions would stay plain, and the tokens would be no more trustworthy than the scanner.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress, count
from keyword import kwlist
from urllib.parse import parse_qsl, urlsplit

from flask import url_for
from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.exceptions import NotFound

from grader.authoring.versions import definition_of
from grader.definition.model import Definition
from grader.grading.causes import diagnosis
from grader.grading.report import Report
from grader.marks.comments import LONGEST, CodeComment, comments_on
from grader.programs.upload import player_in
from grader.store.models import Submission
from grader.store.uploads import UploadError
from grader.submissions.submit import files_of, report_of
from web.site.access import Seen, Viewer
from web.site.models import Membership, Role, User

MOST = 20_000
"""The maximum number of coloured parts in a file: more than in any file of 256 KiB that a person wrote."""

KEYWORDS = frozenset(kwlist)
NAMING = ("def", "class")
PREFIXES = frozenset({"r", "u", "b", "f", "t", "br", "rb", "fr", "rf", "tr", "rt"})
_SIGNS = {code for code in range(128) if not f"_{chr(code)}".isidentifier()}
_SPACED = {code: " " for code in range(0x3001) if code in _SIGNS or chr(code).isspace()}
"""A translation table that turns every character outside words into a space."""

Part = tuple[str, str]
"""The kind of a part of a line ("" if it is plain), and its text."""


def coloured_lines(lines: Sequence[str], first: int = 0) -> list[list[Part]]:
    """Return the parts of the lines of a Python file, from the line `first` on, which counts from 0. Joined together,
    the parts of a line give the line."""
    text, begin = "\n".join(lines), sum(len(line) + 1 for line in lines[:first])
    spans = iter([*_spans(text, begin)[:MOST], ("", len(text) + 1, len(text) + 1)])
    kind, start, end = next(spans)
    found, at = list[list[Part]](), begin
    for line in lines[first:]:
        parts, last = list[Part](), at + len(line)
        while start < last:
            if start > at:
                parts.append(("", text[at:start]))
                at = start
            if end > last:  # the rest is on the next lines
                break
            if end > at:
                parts.append((kind, text[at:end]))
                at = end
            kind, start, end = next(spans)
        if at < last:
            parts.append((kind if start < last else "", text[at:last]))
        found.append(parts)
        at = last + 1
    return found


def plain_lines(lines: Sequence[str], first: int = 0) -> list[list[Part]]:
    """Return the parts of lines as from `coloured_lines`, without colours."""
    return [[("", line)] for line in lines[first:]]


class _Kinds(dict[str, str]):
    """The kind of each word of a file, regardless of its position. Many words can be looked up at once."""

    def __missing__(self, word: str) -> str:
        kind = self[word] = "keyword" if word in KEYWORDS else "number" if word[0].isdecimal() else ""
        return kind


def _spans(text: str, begin: int = 0) -> list[tuple[str, int, int]]:
    """Return the ranges to colour: the kind, the start and the end of each, up to about `MOST` ranges. Before `begin`,
    which is the beginning of a line, only strings and comments are found, since one of these may extend beyond it. This
    reduces the time for the last page of a long file to a third."""
    found, kinds = list[tuple[str, int, int]](), _Kinds()
    signs, at, spaced = _Signs(text), 0, f" {text.translate(_SPACED)} "
    while len(found) < MOST:
        sign = min(signs.after(at, "#"), signs.after(at, "'"), signs.after(at, '"'))
        comment = text.startswith("#", sign)
        start = sign if comment else _prefixed(text, spaced, at, sign)
        if start > begin:
            _add_words(spaced, max(at, begin), start, kinds, found)
        if sign == len(text):
            break
        at = signs.after(sign, "\n") if comment else _string_end(text, signs, sign)
        found.append(("remark" if comment else "string", start, at))
    return found


def _add_words(spaced: str, at: int, end: int, kinds: _Kinds, found: list[tuple[str, int, int]]) -> None:
    """Add the keywords, numbers and names being defined in a part of the text without strings and comments. `spaced` is
    the text with a space in place of every separator and one more space at each end, so that positions in it are
    greater by one."""
    words = spaced[at + 1 : end + 1].split()
    marked = [*map(kinds.__getitem__, words)]
    for number in compress(count(), marked):
        word = words[number]
        if word in NAMING and marked[number + 1 : number + 2] not in ([], ["keyword"]):
            marked[number + 1] = "name"  # set before the loop reaches it
        start = spaced.index(f" {word} ", at)
        at = start + len(word)
        found.append((marked[number], start, at))


def _prefixed(text: str, spaced: str, at: int, quote: int) -> int:
    """Return where the string with that quotation mark starts: letters such as `rb` may precede the mark."""
    for start in (quote - 2, quote - 1):
        if start >= at and text[start:quote].lower() in PREFIXES and spaced[start] == " ":
            return start
    return quote


def _string_end(text: str, signs: "_Signs", start: int) -> int:
    """Return the position where the string that starts at `start` ends. If it is not closed, it ends with its line, or
    with the file if it has three quotation marks."""
    quote = text[start]
    long = text.startswith(quote * 3, start)
    closing = quote * 3 if long else quote
    at = start + len(closing)
    while True:
        end, escape = signs.after(at, closing), signs.after(at, "\\")
        line = len(text) if long else signs.after(at, "\n")
        if escape < min(end, line):
            at = escape + 2
        else:
            return min(end + len(closing), line, len(text)) if end < line else line


class _Signs:
    """Finds the next occurrence of each sign, without searching any part of the text twice for the same sign."""

    def __init__(self, text: str) -> None:
        self._text, self._next = text, dict[str, int]()

    def after(self, at: int, sign: str) -> int:
        """Return the position of the first such sign at or after `at`, or the length of the text if there is none. `at`
        must never decrease."""
        known = self._next.get(sign, -1)
        if known < at:
            found = self._text.find(sign, at)
            known = self._next[sign] = len(self._text) if found < 0 else found
        return known


LINES = 3000
"""The number of lines on one page. With many more, a phone needs seconds to show them."""


@dataclass(frozen=True, slots=True)
class CodeFinding:
    """What a report found at a line. `target` is the part of the report's page with more details, or "". `kind` is
    `bad` or `warn`."""

    text: str
    target: str
    kind: str = "bad"


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A line of a file: its number from 1, its parts (see `web.submission.reading`), its findings and its comments."""

    number: int
    parts: Sequence[Part]
    findings: Sequence[CodeFinding] = ()
    comments: Sequence[CodeComment] = ()

    @property
    def found(self) -> bool:
        """Whether the line has a problem; advice does not count."""
        return any(each.kind == "bad" for each in self.findings)


Findings = Mapping[int, Sequence[CodeFinding]]
Comments = Mapping[int, Sequence[CodeComment]]


def files_to_read(submission: Submission) -> dict[str, bytes]:
    """Return all files of a submission, by path."""
    return files_of(submission) or {submission.filename: submission.player.source}


def is_marked_by(session: Session, viewer: Viewer, submission: Submission) -> bool:
    """Whether the viewer marks the submission's author: staff's own uploads get no mark."""
    member = session.get(Membership, (submission.author_id, viewer.course.id)) if viewer.answers else None
    return member is not None and member.role is Role.STUDENT


def files_to_unpack(submission: Submission) -> Iterator[tuple[str, bytes]]:
    """Yield all files of a submission, each with a different path that is valid on every system."""
    files = files_to_read(submission)
    yield from zip(apart(map(safe_path, files)), files.values(), strict=True)


def apart(names: Iterable[str]) -> Iterator[str]:
    """Yield the names, with underscores added to each name that some system would treat as equal to an earlier one."""
    taken = set[str]()
    for name in names:
        while name.casefold() in taken:
            name += "_"
        taken.add(name.casefold())
        yield name


def safe_path(path: str) -> str:
    """Return a similar path that is valid on every system, and stays inside the folder in which it is unpacked."""
    plain = "".join(each if each.isprintable() and each not in ':*?"<>|' else "_" for each in path.replace("\\", "/"))
    return "/".join(part.strip(" .")[:100] or "_" for part in plain.split("/") if part not in ("", "."))


def player_path(definition: Definition, submission: Submission, files: Mapping[str, bytes]) -> str:
    """Return the path of the file whose functions were called; "" if there is none."""
    try:
        return submission.filename if {*files} == {submission.filename} else player_in(definition, files)
    except UploadError:  # the assignment now asks for other files
        return ""


def lines_of(content: bytes) -> list[str]:
    """Return the lines of a file, counted as Python and compilers do, without their line ends."""
    text = content.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return text.removesuffix("\n").split("\n")


def find_line(submission: Submission, path: str, line: int) -> None:
    """Raise NotFound if a submission has no such line."""
    content = files_to_read(submission).get(path)
    if content is None or not 1 <= line <= len(lines_of(content)):
        raise NotFound("This submission has no such line. Choose a line of one of its files.")


def page_with(number: int) -> int:
    """Return the number of the page with a line. Both count from 1."""
    return max(number - 1, 0) // LINES + 1


def on_page(
    content: bytes, page: int, python: bool, findings: Findings, comments: Comments
) -> tuple[list[CodeLine], int]:
    """Return the lines on a page of a file, in colours if the file is in Python, and the number of pages."""
    lines, first = lines_of(content), (page - 1) * LINES
    parts = (coloured_lines if python else plain_lines)(lines[: first + LINES], first)
    shown = enumerate(parts, start=first + 1)
    return [CodeLine(at, line, findings.get(at, ()), comments.get(at, ())) for at, line in shown], page_with(len(lines))


def findings_in(report: Report, path: str, player: str) -> dict[int, list[CodeFinding]]:
    """Return what a report found in the file with that path, by line. From a report for a student, this contains only
    what the student may see. For `player`, see `player_path`."""
    found: dict[int, dict[CodeFinding, None]] = defaultdict(dict)  # without duplicates, in order
    advice = [(line, CodeFinding(text, "", "warn")) for line, text in report.line_notes if path == player]
    for number, finding in [*_of_builds(report, path), *_of_cases(report, path, player), *advice]:
        found[number][finding] = None
    return {number: list(each) for number, each in found.items()}


def _of_builds(report: Report, path: str) -> Iterator[tuple[int, CodeFinding]]:
    for question in report.questions:
        for each in question.build.diagnostics if question.build else ():
            if each.file == path and each.line:
                kind = "bad" if each.kind == "error" else "warn"
                yield each.line, CodeFinding(each.plain or each.message, f"in-{question.slug}", kind)


def _of_cases(report: Report, path: str, player: str) -> Iterator[tuple[int, CodeFinding]]:
    for cause in diagnosis(report).causes:
        for _, case in cause.cases:
            file, _, line = case.run.where.rpartition(":") if case.run else (player, "", str(case.line or ""))
            if file == path and line.isdecimal():
                yield int(line), CodeFinding(cause.title, f"cause-{cause.number}")


@dataclass(frozen=True, slots=True)
class ShownComments:
    """Comments in the order of their lines, and the names of the people who wrote or changed them."""

    rows: Sequence[CodeComment]
    names: Mapping[int, str]

    def at(self, path: str) -> dict[int, list[CodeComment]]:
        """Return the comments on a file, by line."""
        found: dict[int, list[CodeComment]] = {}
        for row in self.rows:
            if row.path == path:
                found.setdefault(row.line, []).append(row)
        return found


@dataclass(frozen=True, slots=True)
class CommentForm:
    """A comment that is being written: its line and its text so far. `changes` is the stored comment that is being
    changed, `was` its revision, `problem` the problem with the text, and `earlier` the writer's other comments in
    the course."""

    line: int
    text: str = ""
    changes: int = 0
    was: int = 0
    problem: str = ""
    earlier: Sequence[CodeComment] = field(default=())


def shown_comments(session: Session, submission_ids: Sequence[int]) -> ShownComments:
    """Return the comments on some submissions."""
    rows = comments_on(session, submission_ids)
    people = {id_ for row in rows for id_ in (row.written_by, row.changed_by) if id_}
    wanted = select(User.id, User.name).where(User.id.in_(people))
    return ShownComments(rows, dict(session.execute(wanted).all()) if people else {})


def line_address(submission_id: int, line: int, path: str = "", deleted: int | None = None) -> str:
    """Return the address of a line of a file or, without a `path`, of the player. `deleted` is a comment deleted
    there."""
    page, file = page_with(line) if page_with(line) > 1 else None, path or None
    return url_for("code.show", submission_id=submission_id, file=file, page=page, deleted=deleted, _anchor=f"L{line}")


@dataclass(frozen=True, slots=True)
class ReadVersion:
    """A submission to be read: its files by path, its player's path, its report as the viewer may see it, and the
    comments on it."""

    files: Mapping[str, bytes]
    player: str
    report: Report | None
    comments: ShownComments

    def findings(self, path: str) -> Findings:
        """Return what the report found in a file."""
        return findings_in(self.report, path, self.player) if self.report else {}

    def in_python(self, path: str) -> bool:
        """Whether a file is written in Python."""
        return path == self.player or path.endswith(".py")


@dataclass(frozen=True, slots=True)
class CodePage:
    """A part of a submission's file of `length` lines, perhaps with the form for a comment. `address` returns addresses
    on its page. `places` are the lines that the report names. `deleted` is a comment that can be restored."""

    submission: Submission
    report: Report | None
    files: Sequence[str]
    path: str
    lines: Sequence[CodeLine]
    length: int
    page: int
    pages: int
    notes: Sequence[str]
    places: Sequence[int]
    comments: ShownComments
    may_edit: Callable[[CodeComment], bool]
    address: Callable[..., str]
    form: CommentForm | None = None
    deleted: CodeComment | None = None
    longest: int = LONGEST

    def at(self, file: str = "", **query: object) -> str:
        """Return the address of this page for one of the submission's files."""
        return self.address(file=file if len(self.files) > 1 and file else None, **query)

    @property
    def here(self) -> str:
        """The address of this page for this part of this file."""
        return self.at(self.path, page=self.page if self.page > 1 else None)

    def asked(self, file: str) -> list[tuple[str, str]]:
        """Return the names and values in the query of the address `at(file)`."""
        return parse_qsl(urlsplit(self.at(file)).query)

    def to_line(self, line: int, path: str = "") -> str:
        """Return the address of a line of a file on this page."""
        page = page_with(line)
        return self.at(path or self.path, page=page if page > 1 else None, _anchor=f"L{line}")


def version_of(session: Session, seen: Seen, submission: Submission) -> ReadVersion:
    """Return the submission as the viewer may read it."""
    files = files_to_read(submission)
    player = player_path(definition_of(session, seen.assignment), submission, files)
    report = report_of(submission, whole=seen.viewer.staff)
    return ReadVersion(files, player, report, shown_comments(session, [submission.id]))
