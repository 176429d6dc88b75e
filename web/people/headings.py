"""What the columns of a class list are called, by people and by Canvas, Moodle, D2L Brightspace and Blackboard."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sandbox import patterns

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
"""What each of them can be called, in small letters; the best one first."""

CANVAS = "student"
CANVAS_LIST = patterns.compile(r",? and |, ")
CODE = patterns.compile(r"\S*\pL\S*\d\S*")
CANVAS_ROWS = ("points possible", "student, test")
"""What Canvas writes into its column of students beside the students: a row of maxima, and its “test student”."""


@dataclass(frozen=True, slots=True)
class Headings:
    """The places of the columns that mean something, and the names of those that do not. In columns that are `foreign`,
    a `#` may stand before what identifies somebody: D2L writes one, so that spreadsheets keep leading zeros."""

    places: Mapping[str, int]
    ignored: Sequence[str]
    canvas: bool
    foreign: Sequence[str]

    def values(self, row: Sequence[str]) -> dict[str, str]:
        """What a row says about a person, by meaning; the first and the last name are put together. Empty for a row
        that is about nobody."""
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
    """The sections of people as Canvas writes them, with semicolons between several: “A and B” or “A, B, and C” where
    each of them is a section of the course, somebody's only section, or a code such as COMP10001-T01."""
    known = {*sections, *of_course}
    found = []
    for written in sections:
        parts = CANVAS_LIST.split(written)
        found.append("; ".join(parts) if all(each in known or CODE.fullmatch(each) for each in parts) else written)
    return found


def read_headings(names: Sequence[str]) -> Headings:
    """What the columns of a file mean, by their names in any capitals."""
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
