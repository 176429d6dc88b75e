"""Lists the differences between two definitions of an assignment, in words, and what each difference affects."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from enum import StrEnum
from typing import Any, Final

from pydantic import BaseModel

from grader.definition.model import Definition
from grader.definition.question import FOLDERS, FunctionQuestion, Gate, ProgramQuestion
from tournament.games.text import count


class Touches(StrEnum):
    """What a change can affect in addition to the assignment itself."""

    NOTHING = ""
    MARKS = "marks"  # the marks of regraded submissions
    SEASON = "season"  # a new season of the ladders begins


@dataclass(frozen=True, slots=True)
class Difference:
    """One change. `where` is its place, such as `questions.q1.points`. `before` is None for an added item, and `after`
    is None for a removed item."""

    where: str
    before: Any
    after: Any
    touches: Touches = Touches.NOTHING

    @property
    def sentence(self) -> str:
        """A one-line description of the change: `questions.q1.points: 1 → 2`."""
        if self.before is None or self.after is None:
            return f"{self.where}: {'new' if self.before is None else 'removed'}"
        if _is_long(self.before) or _is_long(self.after):
            starts = [line[:1] for line in self.lines()]
            added, removed = count(starts.count("+"), "line"), count(starts.count("-"), "line")
            return f"{self.where}: {added} added, {removed} removed"
        return f"{self.where}: {_brief(self.before)} → {_brief(self.after)}"

    def lines(self) -> list[str]:
        """Return the changed lines of a text with context, as in `diff -u`."""
        before, after = (str(each or "").splitlines() for each in (self.before, self.after))
        return list(unified_diff(before, after, lineterm="", n=2))[2:]


_UNGRADED: Final = {"slug", "title", "text", "gate", "shows"}

GRADED: Final = tuple(name for name in FunctionQuestion.model_fields if name not in _UNGRADED)
"""The fields of a function question that affect points."""

GRADED_OF_PROGRAM: Final = tuple(
    name for name in ProgramQuestion.model_fields if name not in {*_UNGRADED, "solution", "submissions"}
)
"""The fields of a program question that affect points."""


def differences(before: Definition | None, after: Definition) -> list[Difference]:
    """Return all changes from one definition to another. If `before` is None, the whole assignment is one change."""
    if before is None:
        return [Difference("assignment", None, after.title)]
    return [
        *_fields("", before, after, {"game": Touches.SEASON, "options": Touches.SEASON}),
        *_section_dates(before, after),
        *_items("questions", before, after),
        *_gates(before, after),
        *_order_of_questions(before, after),
        *_items("tournaments", before, after),
        *_of_files("submissions", before.submissions, after.submissions),
    ]


def _fields(
    where: str,
    before: BaseModel,
    after: BaseModel,
    touches: Mapping[str, Touches],
    apart: Collection[str] = ("questions", "tournaments", "submissions", "section_dates"),
) -> Iterator[Difference]:
    """Yield the changed fields, except those in `apart`, which are reported separately."""
    for name in type(after).model_fields:
        former, new = getattr(before, name), getattr(after, name)
        if name not in apart and former != new:
            yield Difference(f"{where}{name}", _json(former), _json(new), touches.get(name, Touches.NOTHING))


def _section_dates(before: Definition, after: Definition) -> Iterator[Difference]:
    """Yield the changed dates of sections if the new definition sets dates of sections."""
    former, new = before.section_dates or {}, after.section_dates
    for name in sorted({*former, *new}) if new is not None else ():
        for field in sorted({*former.get(name, {}), *(new or {}).get(name, {})}):
            was, is_ = former.get(name, {}).get(field), (new or {}).get(name, {}).get(field)
            if was != is_:
                yield Difference(f"sections.{name or 'everybody else'}.{field}", _json(was), _json(is_))


def _items(key: str, before: Definition, after: Definition) -> Iterator[Difference]:
    """Yield the changes in questions or tournaments, which are matched by slug."""
    former = {each.slug: each for each in getattr(before, key)}
    new = {each.slug: each for each in getattr(after, key)}
    touched = Touches.MARKS if key == "questions" else Touches.NOTHING
    within = dict.fromkeys(GRADED, Touches.MARKS) if key == "questions" else {}
    for slug in dict.fromkeys([*former, *new]):
        where = f"{key}.{slug}"
        if slug in former and slug in new and type(former[slug]) is not type(new[slug]):
            kinds = "a function", "a program"
            yield Difference(where, *(kinds if isinstance(new[slug], ProgramQuestion) else kinds[::-1]), Touches.MARKS)
        elif slug in former and slug in new and isinstance(new[slug], ProgramQuestion):
            yield from _in_program(where, former[slug], new[slug])
        elif slug in former and slug in new:
            yield from _fields(f"{where}.", former[slug], new[slug], within, ("gate",))
        else:
            before_title, after_title = (each[slug].title if slug in each else None for each in (former, new))
            yield Difference(where, before_title, after_title, touched)


def _in_program(where: str, before: ProgramQuestion, after: ProgramQuestion) -> Iterator[Difference]:
    """Yield the changes in a program question, with a separate change for each file and each case."""
    touches = dict.fromkeys(GRADED_OF_PROGRAM, Touches.MARKS)
    yield from _fields(f"{where}.", before, after, touches, {*FOLDERS, "cases", "gate"})
    for name, folder in FOLDERS.items():
        touched = touches.get(name, Touches.NOTHING)
        yield from _of_files(f"{where}.{folder}", getattr(before, name), getattr(after, name), touched)
    former, new = ({case.slug: case for case in each.cases} for each in (before, after))
    for slug in sorted({*former, *new}):
        place = f"{where}.cases/{slug}"
        if slug in former and slug in new:
            judged = dict.fromkeys(("hidden", "arguments", "input", "output", "exit_code"), Touches.MARKS)
            yield from _fields(f"{place}.", former[slug], new[slug], judged, ("files", "leaves"))
            for name in ("files", "leaves"):
                mine = (getattr(each[slug], name) for each in (former, new))
                yield from _of_files(f"{place}.{name}", next(mine), next(mine), Touches.MARKS)
        else:
            before_title, after_title = (each[slug].title if slug in each else None for each in (former, new))
            yield Difference(place, before_title, after_title, Touches.MARKS)


def _gates(before: Definition, after: Definition) -> Iterator[Difference]:
    """Yield the questions whose gate has changed. A question that does not exist or is hidden has no gate that a player
    could meet."""
    former, new = ({each.slug: each.gate for each in one.questions} for one in (before, after))
    for slug in dict.fromkeys([*former, *new]):
        gates = [one.gates.get(slug, Gate.NONE) for one in (before, after)]
        if gates[0] is not gates[1]:
            yield Difference(f"questions.{slug}.gate", str(gates[0]), str(gates[1]), Touches.SEASON)
        elif slug in former and slug in new and former[slug] is not new[slug]:
            yield Difference(f"questions.{slug}.gate", str(former[slug]), str(new[slug]))


def _order_of_questions(before: Definition, after: Definition) -> Iterator[Difference]:
    former, new = ([each.slug for each in one.questions] for one in (before, after))
    both = set(former) & set(new)
    if [slug for slug in former if slug in both] != [slug for slug in new if slug in both]:
        yield Difference("questions", ", ".join(former), ", ".join(new))


def _of_files(
    where: str, before: Mapping[str, str], after: Mapping[str, str], touches: Touches = Touches.NOTHING
) -> Iterator[Difference]:
    for path in sorted({*before, *after}):
        if before.get(path) != after.get(path):
            yield Difference(f"{where}/{path}", before.get(path), after.get(path), touches)


def _json(value: Any) -> Any:
    """Convert a value to the types of JSON. None becomes "", because None in `before` or `after` means that an item was
    added or removed."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, tuple):
        return list(value)
    return value.isoformat() if hasattr(value, "isoformat") else "" if value is None else value


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and ("\n" in value or len(value) > 80)


def _brief(value: Any) -> str:
    if isinstance(value, dict):
        rest = ", ".join(f"{name} = {_brief(each)}" for name, each in value.items() if name not in ("kind", "source"))
        kind = value.get("kind", "")
        return f"{kind} ({rest})" if kind and rest else kind or rest or "nothing"
    if isinstance(value, list):
        return ", ".join(map(_brief, value)) or "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value) or "nothing"
