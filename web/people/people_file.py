"""The people of a CSV file, as universities export it: read tolerantly, and told line by line what is wrong with it."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from web.models import Role

COLUMNS = ("login", "name", "role", "pseudonym")
NEEDED = COLUMNS[:2]
SEPARATORS = (",", ";", "\t")
LOGIN = re.compile(r"[^\s,:/]+")
LONGEST = 100  # letters of a login, a name or a pseudonym
MOST = 5000  # people of one file
BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


class BadPeople(Exception):
    """A file of people cannot be read, or people cannot be added as asked; the message says why."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody to be put into a course. `pseudonym`: what fellow students see; "": one is made up. `line`: of the file,
    counted from 1; 0 if there is none."""

    login: str
    name: str
    role: Role = Role.STUDENT
    pseudonym: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Wrong:
    """A line of which nothing can be made, and why."""

    line: int
    why: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.why}" if self.line else self.why


@dataclass(frozen=True, slots=True)
class PeopleFile:
    """What a file says. `ignored`: the columns that mean nothing here."""

    people: Sequence[Person]
    wrong: Sequence[Wrong] = ()
    ignored: Sequence[str] = ()


def decode(content: bytes) -> str:
    """The text of an uploaded file: UTF-8 or, with its mark, UTF-16; else Windows-1252, as older spreadsheets write.
    Raises BadPeople."""
    coding = next((coding for mark, coding in BOMS.items() if content.startswith(mark)), "utf-8")
    for attempt in (coding, "cp1252"):
        try:
            text = content.decode(attempt)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise BadPeople("This file is no text. Save it as CSV, best as “CSV UTF-8”, and try again.")


def read_people(text: str) -> PeopleFile:
    """The people of a CSV file with the columns `login` and `name` and, if wanted, `role` and `pseudonym`: in any
    order, in capitals or not, separated by commas, semicolons or tabs. Raises BadPeople if it has no such columns."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    rows = csv.reader(io.StringIO(text), delimiter=_separator(text), skipinitialspace=True, strict=True)
    try:
        names = [name.strip() for name in next(rows, [])]
        columns = _columns(names)
        found = [_person(columns, row, line) for row, line in _numbered(rows)]
    except csv.Error as error:
        raise BadPeople(f"line {rows.line_num}: this is no CSV ({error}); is a quotation mark not closed?") from None
    if len(found) > MOST:
        raise BadPeople(f"These are {len(found):,} people; at most {MOST:,} can be added at a time. Split the file.")
    people = [each for each in found if isinstance(each, Person)]
    ignored = [name for name in names if name and name.lower() not in COLUMNS]
    return PeopleFile(people, [each for each in found if isinstance(each, Wrong)], ignored)


def write_people(people: Sequence[Person]) -> str:
    """The file that is read as these people."""
    out = io.StringIO()
    rows = [(each.login, each.name, each.role.value, each.pseudonym) for each in people]
    csv.writer(out, lineterminator="\n").writerows([COLUMNS, *rows])
    return out.getvalue()


def _separator(text: str) -> str:
    """Whichever the first line has most of."""
    first = text.partition("\n")[0]
    return max(SEPARATORS, key=first.count)


def _columns(names: Sequence[str]) -> dict[str, int]:
    """Where each column is that means something."""
    lowered = [name.lower() for name in names]
    missing = [name for name in NEEDED if name not in lowered]
    if missing:
        said = f"; it names {', '.join(filter(None, names))}" if any(names) else ""
        raise BadPeople(f"the first line must name the columns; missing: {', '.join(missing)}{said}")
    twice = next((name for name in COLUMNS if lowered.count(name) > 1), None)
    if twice:
        raise BadPeople(f"the first line names the column {twice} twice")
    return {name: lowered.index(name) for name in COLUMNS if name in lowered}


def _numbered(rows: "Iterator[list[str]]") -> Iterator[tuple[list[str], int]]:
    """Each row that says something, with the number of its first line."""
    line = 2
    for row in rows:
        if any(cell.strip() for cell in row):
            yield row, line
        line = getattr(rows, "line_num", 0) + 1


def _person(columns: dict[str, int], row: Sequence[str], line: int) -> Person | Wrong:
    given = {name: row[place].strip() for name, place in columns.items() if place < len(row)}
    return person(line=line, **given)


def person(login: str = "", name: str = "", role: str = "", pseudonym: str = "", line: int = 0) -> Person | Wrong:
    """One person as they were written down."""
    why = (
        _bad_login(login)
        or bad_name(name, f"the name of {login}")
        or (pseudonym and bad_name(pseudonym, f"the pseudonym of {login}"))
    )
    if why:
        return Wrong(line, why)
    try:
        return Person(login, name, Role(role.lower() or Role.STUDENT), pseudonym, line)
    except ValueError:
        return Wrong(line, f"the role of {login} is “{role}”; write student or instructor")


def _bad_login(login: str) -> str:
    if not login:
        return "there is no login"
    if not LOGIN.fullmatch(login) or not login.isprintable():
        return f"“{login}” is no login; it must be one word, without , : and /"
    return f"the login is longer than {LONGEST} letters" if len(login) > LONGEST else ""


def sentence(why: str) -> str:
    """What is wrong, for a page: with a capital and a full stop."""
    return f"{why[0].upper()}{why[1:]}{'' if why.endswith(('.', '?')) else '.'}"


def bad_name(name: str, what: str) -> str:
    """Why this cannot be what somebody is called; "" if it can."""
    if not name:
        return f"{what} is missing"
    if not name.isprintable():
        return f"{what} holds a line break or another character that cannot be seen"
    return f"{what} is longer than {LONGEST} letters" if len(name) > LONGEST else ""
