"""Read people from a CSV file as universities export it. The reader is tolerant, and lists the problems by line. It
accepts the column names that people, Canvas, Moodle, D2L Brightspace and Blackboard use."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sandbox import patterns
from sandbox.api import SentBytes, SentText
from sandbox.readers import in_reader
from tournament.store.validation import Refusal
from web.site.models import PARTICULARS, Role

MEANINGS: Mapping[str, Sequence[str]] = {
    "login": ("login", "sis login id", "login id", "username", "user name"),
    "name": ("name", "student", "full name", "student name"),
    "first_name": ("first name", "firstname", "first names", "given name", "given names"),
    "last_name": ("last name", "lastname", "surname", "family name"),
    "role": ("role",),
    "pseudonym": ("pseudonym",),
    "student_number": ("student_number", "student number", "sis user id", "orgdefinedid", "id number", "student id"),
    "email": ("email", "e-mail", "email address", "e-mail address"),
    "section": ("section", "sections"),
    "group": ("group", "groups", "team"),
}
"""The accepted names of the columns, in lower case, by meaning. The preferred name is first."""

CANVAS = "student"
CANVAS_LIST = patterns.compile(r",? and |, ")
CODE = patterns.compile(r"\S*\pL\S*\d\S*")
CANVAS_ROWS = ("points possible", "student, test")
"""Rows in Canvas's student column that are not students: a row of maximum points, and its “test student”."""


@dataclass(frozen=True, slots=True)
class Headings:
    """The positions of the columns with a known meaning, and the names of the other columns. In the `foreign` columns,
    an identifier may begin with a `#`, which D2L adds so that spreadsheets keep leading zeros."""

    places: Mapping[str, int]
    ignored: Sequence[str]
    canvas: bool
    foreign: Sequence[str]

    def values(self, row: Sequence[str]) -> dict[str, str]:
        """The values in a row, by meaning, with the first and the last name joined. Empty for a row that does not
        describe a person."""
        found = {key: row[at].strip() for key, at in self.places.items() if at < len(row)}
        if self.canvas and found.get("name", "").lower() in ("", *CANVAS_ROWS):
            return {}
        first, last = found.pop("first_name", ""), found.pop("last_name", "")
        if self.canvas:
            last, _, first = (part.strip() for part in found.pop("name").partition(","))
        found["name"] = found.get("name") or f"{first} {last}".strip()
        found |= {key: found[key].removeprefix("#") for key in self.foreign if key in found}
        if "login" not in self.places:
            found["login"] = found.get("email", "").partition("@")[0]
        return found


def separated(sections: Sequence[str], of_course: Iterable[str]) -> list[str]:
    """Convert people's sections from Canvas: write semicolons between several sections of a person. “A and B” or “A, B,
    and C” is split if each part is a section of the course, somebody's only section, or a code such as COMP10001-T01.
    """
    known = {*sections, *of_course}
    found = []
    for written in sections:
        parts = CANVAS_LIST.split(written)
        found.append("; ".join(parts) if all(each in known or CODE.fullmatch(each) for each in parts) else written)
    return found


def read_headings(names: Sequence[str]) -> Headings:
    """Find the meanings of a file's columns by their names, ignoring case."""
    lowered = [name.strip().lower() for name in names]
    places = {
        meaning: next(lowered.index(alias) for alias in aliases if alias in lowered)
        for meaning, aliases in MEANINGS.items()
        if {*aliases} & {*lowered}
    }
    used = {*places.values()}
    ignored = [name for at, name in enumerate(names) if name.strip() and at not in used]
    foreign = [key for key in ("login", "student_number") if key in places and lowered[places[key]] != key]
    return Headings(places, ignored, "name" in places and lowered[places["name"]] == CANVAS, foreign)


COLUMNS = ("login", "name", "role", "pseudonym", *PARTICULARS)
SEPARATORS = (",", ";", "\t")
LONGEST = 100  # characters of a login, a name or a pseudonym
MOST = 5000  # people in one file
BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


WORDS = {"student_number": "student number", "email": "e-mail", "section": "section", "group": "group"}


class BadPeople(Refusal):
    """A file of people cannot be read, or its people cannot be added; the message says why."""

    status = 422


@dataclass(frozen=True, slots=True)
class Person:
    """A person to be added to a course. `pseudonym` is the name that fellow students see; if it is empty, one is
    generated. `line` is the line of the file, counted from 1; 0 without a file."""

    login: str
    name: str
    role: Role = Role.STUDENT
    pseudonym: str = ""
    line: int = 0
    student_number: str = ""
    email: str = ""
    section: str = ""
    group: str = ""

    @property
    def particulars(self) -> dict[str, str]:
        """The details that the course stores about this member."""
        return {name: getattr(self, name) for name in PARTICULARS}


@dataclass(frozen=True, slots=True)
class WrongLine:
    """A line that cannot be used, and the reason."""

    line: int
    why: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.why}" if self.line else self.why


@dataclass(frozen=True, slots=True)
class PeopleFile:
    """The content of a file. `ignored` names the columns without a known meaning. `canvas` says that the file is from
    Canvas, which joins several sections with commas and “and”."""

    people: Sequence[Person]
    wrong: Sequence[WrongLine] = ()
    ignored: Sequence[str] = ()
    canvas: bool = False


def decode(content: SentBytes) -> SentText:
    """Decode an uploaded file as UTF-8, as UTF-16 if it begins with the byte order mark of UTF-16, or else as
    Windows-1252, which older spreadsheets write. Raises BadPeople."""
    coding = next((coding for mark, coding in BOMS.items() if content.startswith(mark)), "utf-8")
    for attempt in (coding, "cp1252"):
        try:
            text = content.decode(attempt)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return SentText(text)
    raise BadPeople("This file is not text. Save it as CSV, preferably as “CSV UTF-8”, and try again.")


@in_reader(BadPeople)
def read_people(text: SentText) -> PeopleFile:
    """Read the people in a CSV file: one with the column names of `COLUMNS`, or a gradebook or class list that Canvas,
    Moodle, D2L Brightspace or Blackboard exported (see `MEANINGS`). Commas, semicolons or tabs separate the columns.
    Raises BadPeople if no column identifies the people."""
    rows = csv_rows(text)
    try:
        names = [name.strip() for name in next(rows, [])]
        headings = _headings(names)
        values = ((headings.values(row), line) for row, line in numbered(rows))
        found = [*islice((person(line=line, **each) for each, line in values if each), MOST + 1)]
    except csv.Error as error:
        raise BadPeople(f"line {rows.line_num}: this is not CSV ({error}); is a quotation mark not closed?") from None
    if len(found) > MOST:
        raise BadPeople(f"The file has more than {MOST:,} people, the most that can be added at once. Split it.")
    people = [each for each in found if isinstance(each, Person)]
    wrong = [each for each in found if isinstance(each, WrongLine)]
    return PeopleFile(people, wrong, headings.ignored, headings.canvas)


def write_people(people: Sequence[Person]) -> str:
    """Write a file from which `read_people` reads these people."""
    out = io.StringIO()
    rows = [(each.login, each.name, each.role.value, each.pseudonym, *each.particulars.values()) for each in people]
    csv.writer(out, lineterminator="\n").writerows([COLUMNS, *rows])
    return out.getvalue()


def csv_rows(text: str) -> Any:
    """A `csv.reader` for a file from any system. The separator is guessed, and a byte order mark is skipped."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return csv.reader(io.StringIO(text), delimiter=separator(text), skipinitialspace=True, strict=True)


def separator(text: str) -> str:
    """The most frequent separator in the first line."""
    first = text.partition("\n")[0]
    return max(SEPARATORS, key=first.count)


def _headings(names: Sequence[str]) -> Headings:
    """Find the meanings of the columns. Raises BadPeople."""
    lowered, found = [name.lower() for name in names], read_headings(names)
    twice = next((name for name in COLUMNS if lowered.count(name) > 1), None)
    if twice:
        raise BadPeople(f"the first line names the column {twice} twice")
    known = found.places
    missing = [] if "login" in known or "email" in known else ["login"]
    missing += [] if {"name", "first_name", "last_name"} & {*known} else ["name"]
    if missing:
        said = f"; found: {', '.join(filter(None, names))}" if any(names) else ""
        raise BadPeople(f"the first line must name the columns; missing: {', '.join(missing)}{said}")
    return found


def numbered(rows: "Iterator[list[str]]") -> Iterator[tuple[list[str], int]]:
    """Yield the rows below the headings that are not empty, each with the number of its first line."""
    line = 2
    for row in rows:
        if any(cell.strip() for cell in row):
            yield row, line
        line = getattr(rows, "line_num", 0) + 1


def person(
    login: str = "", name: str = "", role: str = "", pseudonym: str = "", line: int = 0, **particulars: str
) -> Person | WrongLine:
    """The person whom a file or a form describes, or what is wrong with the description. The keys of `particulars` are
    some of PARTICULARS."""
    why = (
        _bad_login(login)
        or bad_name(name, f"the name of {login}")
        or (pseudonym and bad_name(pseudonym, f"the pseudonym of {login}"))
        or bad_particulars(particulars, login)
    )
    if why:
        return WrongLine(line, why)
    try:
        return Person(login, name, Role(role.lower() or Role.STUDENT), pseudonym, line, **particulars)
    except ValueError:
        return WrongLine(line, f"the role of {login} is “{role}”; write student, tutor, instructor or observer")


def bad_particulars(given: Mapping[str, str], whose: str) -> str:
    """Why these values are not a valid student number, e-mail, section or group; "" if they are."""
    said = (bad_name(value, f"the {WORDS[name]} of {whose}") for name, value in given.items() if value)
    why = next(filter(None, said), "")
    email = given.get("email", "")
    return why or (f"“{email}”, the e-mail address of {whose}, has no @" if email and "@" not in email else "")


def _bad_login(login: str) -> str:
    if not login:
        return "the login is missing"
    if login.split() != [login] or {*login} & {*",:/"} or not login.isprintable():
        return f"“{login}” is not a valid login; it must be one word without , : and /"
    return f"the login is longer than {LONGEST} characters" if len(login) > LONGEST else ""


def sentence(why: str) -> str:
    """Turn the reason into a sentence, with a capital letter and a full stop."""
    return f"{why[0].upper()}{why[1:]}{'' if why.endswith(('.', '?')) else '.'}"


def bad_name(name: str, what: str) -> str:
    """Why this is not a valid name of a person; "" if it is."""
    if not name:
        return f"{what} is missing"
    if not name.isprintable():
        return f"{what} contains a line break or another invisible character"
    return f"{what} is longer than {LONGEST} characters" if len(name) > LONGEST else ""
