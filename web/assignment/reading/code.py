"""Uploaded files as they are read: their lines in colours, and what the report found at which line. Nothing here parses
a file."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from werkzeug.exceptions import NotFound

from grader.definition.model import Definition
from grader.grading.causes import diagnosis
from grader.grading.report import Report
from grader.marks.comments import CodeComment
from grader.programs.upload import player_in
from grader.store.models import Submission
from grader.store.uploads import UploadError
from grader.submissions.submit import files_of
from web.assignment.reading.colours import Part, coloured, plain

LINES = 3000
"""Lines on one page: with many more, a telephone needs seconds to show them."""


@dataclass(frozen=True, slots=True)
class CodeFinding:
    """What a report found at a line. `target` is the part of the report's page that says more, "" without one; `kind`
    is `bad` or `warn`."""

    text: str
    target: str
    kind: str = "bad"


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A line of a file: its number from 1, its parts (see `web.assignment.reading.colours`), and what the report and
    staff say of it."""

    number: int
    parts: Sequence[Part]
    findings: Sequence[CodeFinding] = ()
    comments: Sequence[CodeComment] = ()

    @property
    def found(self) -> bool:
        """Whether something is wrong there; advice is not."""
        return any(each.kind == "bad" for each in self.findings)


Findings = Mapping[int, Sequence[CodeFinding]]
Comments = Mapping[int, Sequence[CodeComment]]


def files_to_read(submission: Submission) -> dict[str, bytes]:
    """All files of a submission, by path."""
    return files_of(submission) or {submission.filename: submission.player.source}


def player_path(definition: Definition, submission: Submission, files: Mapping[str, bytes]) -> str:
    """The path of the file whose functions were called; "" if there is none."""
    try:
        return submission.filename if {*files} == {submission.filename} else player_in(definition, files)
    except UploadError:  # the assignment asks for other files by now
        return ""


def lines_of(content: bytes) -> list[str]:
    """The lines as Python and compilers count them, without their ends."""
    text = content.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return text.removesuffix("\n").split("\n")


def find_line(submission: Submission, path: str, line: int) -> None:
    """Raises NotFound if a submission has no such line."""
    content = files_to_read(submission).get(path)
    if content is None or not 1 <= line <= len(lines_of(content)):
        raise NotFound("This submission has no such line. Choose a line of one of its files.")


def page_with(number: int) -> int:
    """The page that shows a line; both count from 1."""
    return max(number - 1, 0) // LINES + 1


def on_page(
    content: bytes, page: int, python: bool, findings: Findings, comments: Comments
) -> tuple[list[CodeLine], int]:
    """The lines on a page of a file, which are coloured if it is Python's, and the number of its pages."""
    lines, first = lines_of(content), (page - 1) * LINES
    parts = (coloured if python else plain)(lines[: first + LINES], first)
    shown = enumerate(parts, start=first + 1)
    return [CodeLine(at, line, findings.get(at, ()), comments.get(at, ())) for at, line in shown], page_with(len(lines))


def findings_in(report: Report, path: str, player: str) -> dict[int, list[CodeFinding]]:
    """What a report found in the file with that path, by line. A report that was made for a student knows only what
    they may see, and so does this. `player`: see `player_path`."""
    found: dict[int, dict[CodeFinding, None]] = defaultdict(dict)  # each once, in order
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
