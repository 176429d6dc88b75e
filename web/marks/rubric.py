"""Importing marks given by hand from a CSV file, after a preview. The file has a line for each student, a column for
each item of the rubric, and a column for comments."""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import Blueprint, Response, flash, request

from grader.marks.book import decisions
from grader.marks.mark import NOTHING_DECIDED, Decision
from grader.marks.scheme import MarkScheme, RubricItem
from grader.marks.tables import Decided, decide, refused, scheme_of
from sandbox.api import SentBytes
from tournament.store.database import now
from tournament.store.validation import BadLines
from web.marks.books import with_marks
from web.marks.forms import NUMBER
from web.marks.lms import BadMarkFile, KnownStudents, content_of, open_sheet
from web.marks.sheet import Sheet
from web.marks.table import Enrolled, enrolled
from web.site import access, inputs
from web.site.access import Seen
from web.site.auth import user
from web.site.forms import check_unchanged, tag
from web.site.pages import original, page_about, see_other, shown_again, spreadsheet
from web.site.people_file import Headings, read_headings
from web.site.store import read, write
from web.site.text import count

PERSON = ("login", "name", "student_number")
COMMENT = ("comment", "comments", "remark")
WHO = {"login", "name", "first_name", "last_name", "student_number", "email"}


class BadRubricFile(BadLines):
    """A file of marks given by hand cannot be used."""


@dataclass(frozen=True, slots=True)
class HandMarks:
    """What a file says about a student: the `former` decision, and the `decision` with the file's marks and comment."""

    student: Enrolled
    former: Decision
    decision: Decision


@dataclass(frozen=True, slots=True)
class RubricFile:
    """What a file changes. `absent`: items of the rubric that have no column; `ignored`: columns that are not used."""

    changes: Sequence[HandMarks]
    same: int
    absent: Sequence[str]
    ignored: Sequence[str]


def rubric_rows(
    scheme: MarkScheme, students: Sequence[Enrolled], decided: Mapping[int, Decision]
) -> Iterator[list[Any]]:
    """Yield the rows of a file with these marks, in the layout that `read_rubric_file` reads."""
    yield [*PERSON, *(each.title for each in scheme.rubric), COMMENT[0]]
    for student in students:
        decision = decided.get(student.id, NOTHING_DECIDED)
        given = (decision.rubric.get(each.key) for each in scheme.rubric)
        marks = ("" if value is None else f"{value:g}" for value in given)
        yield [*(getattr(student, name) for name in PERSON), *marks, decision.remark]


def read_rubric_file(
    content: SentBytes, scheme: MarkScheme, students: Sequence[Enrolled], decided: Mapping[int, Decision]
) -> RubricFile:
    """Read what a file changes; an empty cell changes nothing. Raises BadRubricFile."""
    try:
        sheet = open_sheet(content)
    except BadMarkFile as error:
        raise BadRubricFile([str(error)]) from None
    names = [original(cell.value).strip() for cell in sheet.rows[0]]
    headings = read_headings(names)
    items, comment = _columns(names, headings, scheme.rubric)
    used = {*items.values(), comment, *headings.places.values()}
    found = _decisions_after(_FileReader(sheet, headings, scheme, items, comment), students, decided)
    changes = [each for each in found if each.decision != each.former]
    return RubricFile(
        changes=changes,
        same=len(found) - len(changes),
        absent=[each.title for each in scheme.rubric if each.key not in items],
        ignored=[name for at, name in enumerate(names) if at not in used and name],
    )


def _columns(names: Sequence[str], headings: Headings, rubric: Sequence[RubricItem]) -> tuple[dict[str, int], int]:
    """Return the position of each item's column, by the item's key; and the position of the comment's column, or -1.
    Raises BadRubricFile."""
    taken = {at for meaning, at in headings.places.items() if meaning in WHO}
    if not taken & {headings.places.get(each) for each in ("login", "email", "student_number")}:
        raise BadRubricFile(["No column identifies the people. Name one login, student_number or email."])
    free = [(at, name.casefold()) for at, name in enumerate(names) if at not in taken]
    items, problems = dict[str, int](), []
    for each in rubric:
        places = [at for at, name in free if name == each.title.casefold()]
        if len(places) > 1:
            problems.append(f"Line 1: two columns are called “{each.title}”.")
        elif places:
            items[each.key] = places[0]
    comment = next((at for at, name in free if name in COMMENT and at not in items.values()), -1)
    if not items and comment < 0:
        titles = "; ".join(each.title for each in rubric)
        problems.append(f"Line 1: no column has the name of a rubric item. The items are: {titles}.")
    if problems:
        raise BadRubricFile(problems)
    return items, comment


@dataclass(frozen=True, slots=True)
class _FileReader:
    """Reads the lines of a file whose columns are known."""

    sheet: Sheet
    headings: Headings
    scheme: MarkScheme
    items: Mapping[str, int]
    comment: int

    def decision(self, cells: Sequence[str], former: Decision) -> tuple[Decision, list[str]]:
        """Return the former decision with the marks and comment of these cells, and what is wrong with the cells."""
        titles = {each.key: each.title for each in self.scheme.rubric}
        rubric, problems = dict(former.rubric), []
        for key, at in self.items.items():
            text = cells[at].strip().replace(",", ".") if at < len(cells) else ""
            if text and NUMBER.fullmatch(text):
                rubric[key] = float(text)
            elif text:
                problems.append(f"{titles[key]}: “{cells[at].strip()}” is not a number such as 4.5.")
        said = cells[self.comment].strip() if 0 <= self.comment < len(cells) else ""
        decision = replace(former, rubric=rubric, remark=said or former.remark)
        wrong = refused(decision, self.scheme)
        named = {f"rubric-{key}": title for key, title in titles.items()} | {"remark": "comment", "reason": "reason"}
        return decision, problems + [f"{named[name]}: {why}" for name, why in wrong.items()]


def _decisions_after(
    reader: _FileReader, students: Sequence[Enrolled], decided: Mapping[int, Decision]
) -> list[HandMarks]:
    """Return the decision that results from each line, whether it changes or not. Raises BadRubricFile."""
    known, problems, lines = KnownStudents(students), list[str](), dict[int, int]()
    has_login, keys = "login" in reader.headings.places, [each.key for each in reader.scheme.rubric]
    found = []
    for row in reader.sheet.rows[1:]:
        cells = [original(cell.value) for cell in row]
        if not any(cell.strip() for cell in cells):
            continue
        line = reader.sheet.text.count("\n", 0, row[0].start) + 1
        values = reader.headings.values(cells)
        student = known.match(values, has_login)
        if isinstance(student, str):
            called = values.get("login") or values.get("student_number") or values.get("email") or "this line"
            problems.append(f"Line {line}: {called}: {student}.")
        elif student.id in lines:
            problems.append(f"Line {line}: {student.name} is on line {lines[student.id]} too.")
        else:
            lines[student.id] = line
            former = decided.get(student.id, NOTHING_DECIDED)
            former = replace(former, rubric={key: former.rubric[key] for key in keys if key in former.rubric})
            decision, wrong = reader.decision(cells, former)
            problems += [f"Line {line}, {student.name}, {why}" for why in wrong]
            found.append(HandMarks(student, former, decision))
    if problems:
        raise BadRubricFile(problems)
    if not found:
        raise BadRubricFile(["The file lists nobody."])
    return found


# The pages

page = Blueprint("rubric", __name__, url_prefix="/assignments/<int:assignment_id>/marks/rubric")


def _seen_rubric(assignment_id: int) -> tuple[Seen, MarkScheme, list[Enrolled]]:
    """Return the assignment as the viewer sees it, its rubric, and the students whom the viewer oversees."""
    seen = with_marks(access.overseeing(read(), user().id, assignment_id))
    students = enrolled(read(), seen.assignment.course_id, seen.viewer.pupils)
    return seen, scheme_of(read(), assignment_id), students


@page.get("/")
def show(assignment_id: int) -> str:
    """Show the page for files of marks."""
    seen, scheme, _ = _seen_rubric(assignment_id)
    return _rubric_page(seen, scheme)


def _rubric_page(seen: Seen, scheme: MarkScheme, problems: Any = (), **more: Any) -> str:
    shown = {"found": None, "content": "", **more}
    return page_about("marks/rubric_file.html", seen, scheme=scheme, problems=problems, **shown)


@page.get("/rubric.csv")
def file(assignment_id: int) -> Response:
    """Download the marks given by hand so far, to be completed and uploaded again."""
    seen, scheme, students = _seen_rubric(assignment_id)
    return spreadsheet(rubric_rows(scheme, students, decisions(read(), assignment_id)), seen, "rubric.csv")


@page.post("/")
@inputs.longer(inputs.WHOLE, "content")
def complete(assignment_id: int) -> Any:
    """Show what a file changes. Once that is confirmed, store the changes."""
    seen, scheme, students = _seen_rubric(assignment_id)
    sent, given = request.files.get("file"), request.form
    with shown_again(lambda why: _rubric_page(seen, scheme, getattr(why, "lines", [str(why)]))):
        content = content_of(sent.read() if sent else None, given, "Choose the file with the marks.")
        found = read_rubric_file(content, scheme, students, decisions(read(), assignment_id))
    changes = repr([(each.student.id, each.former, each.decision) for each in found.changes])
    shown = {"found": found, "content": b64encode(content).decode(), "was": tag(changes)}
    if sent:
        return _rubric_page(seen, scheme, **shown)
    with shown_again(lambda why: _rubric_page(seen, scheme, [str(why)], **shown)):
        check_unchanged(given, changes)
        decided = [Decided(each.student.id, each.student.login, each.decision) for each in found.changes]
        with write() as session:
            decide(session, assignment_id, seen.viewer.user_id, decided, now())
    flash(f"The marks of {count(len(found.changes), 'student')} are saved.")
    return see_other("marks.show", assignment_id=assignment_id)
