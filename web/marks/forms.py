"""Reading the forms of the gradebook into plain data."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from grader.marks.mark import Decision, Possible
from grader.marks.scheme import CourseScheme, MarkScheme, RubricItem, divisions_by_nothing
from grader.marks.tables import refused
from sandbox import patterns
from tournament.store.validation import BadForm, by_field, sentence

Form = Mapping[str, str]
LATE = ("grace_minutes", "percent", "per", "cut_off_hours", "late_days")
ITEM = patterns.compile(r"(?i)(bonus\s+)?(.+?)\s*=\s*(\d{1,5}(?:\.\d{1,4})?)")
NUMBER = patterns.compile(r"\d{1,5}(?:\.\d{1,4})?")


def show_rubric(items: Sequence[RubricItem]) -> str:
    """Return the rubric as an instructor writes it, one item per line."""
    return "\n".join(f"{'bonus ' if each.bonus else ''}{each.title} = {each.most:g}" for each in items)


def read_rubric(text: str, former: Sequence[RubricItem]) -> tuple[RubricItem, ...]:
    """Read the rubric that an instructor typed. An item keeps its marks if its title is unchanged, or if a new title
    replaces it on the same line. Raises BadForm."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = [(line, ITEM.fullmatch(line)) for line in lines]
    if wrong := [line for line, match in found if match is None]:
        form = "does not have the form “Style = 5” or “bonus Style = 2”."
        raise BadForm({"rubric": " ".join(f"“{line}” {form}" for line in wrong)})
    titles = {match[2].casefold() for _, match in found if match}
    keys = {each.title.casefold(): each.key for each in former}
    renamed = {at: each.key for at, each in enumerate(former) if each.title.casefold() not in titles}
    taken = {each.key for each in former}
    items = []
    for at, (_, match) in enumerate(found):
        assert match  # noqa: S101  # or it was refused above
        free = next(key for key in (f"r{number}" for number in range(1, 1000)) if key not in taken)
        key = keys.get(match[2].casefold()) or renamed.get(at) or free
        taken.add(key)
        try:
            items.append(RubricItem(key=key, title=match[2], most=float(match[3]), bonus=bool(match[1])))
        except ValidationError as error:
            raise BadForm({"rubric": f"“{match[2]}”: {sentence(error.errors()[0])}"}) from None
    return tuple(items)


def read_scheme(form: Form, former: MarkScheme, possible: Possible) -> MarkScheme:
    """Read from a form how the marks of an assignment are calculated. Raises BadForm."""
    late = {name: _typed(form.get(name, "")) for name in LATE}
    late = {name: value for name, value in late.items() if value is not None}
    values = {name: _typed(form.get(name, "")) for name in ("points_worth", "tournament_worth")}
    values |= {"late": late, "decimals": _typed(form.get("decimals", "2")) or 0}
    problems = dict[str, str]()
    try:
        values["rubric"] = read_rubric(form.get("rubric", ""), former.rubric)
    except BadForm as why:
        problems |= why.problems
    try:
        scheme = MarkScheme.model_validate(values)
    except ValidationError as error:
        found = {str(item["loc"][-1]) if item["loc"] else "rubric": sentence(item) for item in error.errors()}
        raise BadForm({**found, **problems}) from None
    if problems := problems or divisions_by_nothing(scheme, possible.points, possible.tournament):
        raise BadForm(problems)
    return scheme


def read_course_scheme(form: Form, assignments: Mapping[int, str]) -> CourseScheme:
    """Read from a form how the total of a course is calculated; `assignments` maps ids to titles. Raises BadForm."""
    weights = {id_: _typed(form.get(f"weight-{id_}", "")) for id_ in assignments}
    given = {id_: value for id_, value in weights.items() if value is not None}
    try:
        return CourseScheme.model_validate({"weights": given, "late_days": _typed(form.get("late_days", "")) or 0})
    except ValidationError as error:
        found = {f"weight-{each['loc'][1]}": sentence(each) for each in error.errors() if each["loc"][0] == "weights"}
        raise BadForm(found | {name: why for name, why in by_field(error).items() if name != "weights"}) from None


def read_decision(form: Form, scheme: MarkScheme) -> Decision:
    """Read from a form what staff decided about a student. Raises BadForm."""
    problems, numbers = dict[str, str](), dict[str, float]()
    for name in ("override", *(f"rubric-{each.key}" for each in scheme.rubric)):
        text = _typed(form.get(name, ""))
        if text and NUMBER.fullmatch(text):
            numbers[name] = float(text)
        elif text:
            problems[name] = f"“{text}” is not a number such as 12.5."
    decision = Decision(
        rubric={each.key: numbers[f"rubric-{each.key}"] for each in scheme.rubric if f"rubric-{each.key}" in numbers},
        remark=form.get("remark", "").strip(),
        excused="excused" in form,
        override=numbers.get("override"),
        reason=form.get("reason", "").strip(),
    )
    if problems := {**refused(decision, scheme), **problems}:
        raise BadForm(problems)
    return decision


def _typed(text: str) -> Any:
    """Return the text of a field, with a decimal point instead of a comma; None if the field is empty."""
    text = text.strip().replace(",", ".")
    return text or None
