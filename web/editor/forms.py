"""Put the values of the editor's forms into a draft. Each value is converted to its field's type in the definition's
models; a text that does not fit the type stays unchanged."""

import shlex
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from sqlalchemy.orm import Session

from grader.authoring.course_folder.programs import ANY_CODE, exit_code
from grader.authoring.drafts import Content
from grader.comparing.comparators import KINDS
from grader.definition.local_times import BadTime, LocalTime, parse
from grader.definition.model import Ladder
from grader.definition.question import COMPARATORS, FunctionQuestion, ProgramQuestion
from tournament.games.api import Option
from tournament.games.options import options_of, with_options, written
from tournament.ladder.settings import LadderSettings
from tournament.play.games import GAMES, UnknownGame, find_game
from tournament.play.packages import name_of, offered
from web.site.forms import KEYBOARDS, Form, as_float, as_number, line, scalars, text, typed

SETTINGS = ("title", "visible_from", "due_at", "counts", "trial_games", "custom_games_hour", "game", "options")
"""The fields on the page of general settings. Choosing a game also adds `tournaments`."""

LADDER_NUMBERS = tuple(name for name in LadderSettings.model_fields if name != "ranking")
PROGRAM_PAGE = (*scalars(ProgramQuestion), "options", "editable", "required")
"""The fields on the page of a program question, besides the comparator."""

LONGEST_TEXT = 512 << 10
"""The most characters that a form may send for a text with several lines. This is twice the limit in a definition,
since browsers send two characters for each line end."""

LARGEST_SHOWN: Final = 128 << 10
"""The most characters of a text that can be edited in a form. A longer text can only be replaced by an upload."""


def put_general(content: Content, form: Form, zone: ZoneInfo) -> None:
    """Put the title, the dates, which upload counts, the game and its options into a draft."""
    content["title"] = line(form, "title")
    for name in ("visible_from", "due_at"):
        if name in form:  # the form has the deadline only until publication
            content[name] = _sent_date(form[name], content[name], zone)
    for name in ("trial_games", "custom_games_hour"):
        if name in form:  # the form has this field only with a game, until publication
            content[name] = as_number(form[name])
    if "counts" in form:
        content["counts"] = line(form, "counts")
    game, former = form.get("game", ""), content["game"]
    content["game"] = game
    if game != former:
        content["options"] = {}
        if game and not content["tournaments"]:
            content["tournaments"] = [Ladder().model_dump(mode="json")]
        if not game:
            content["tournaments"] = []
        return
    content["options"] = _chosen_options(game, form)


def put_question(question: Content, form: Form) -> None:
    """Put all values from the page of a function question into the question."""
    question |= typed(FunctionQuestion, form)
    question["parameters"] = form.get("parameters", "").replace(",", " ").split()
    question["arities"] = [as_number(each) for each in form.get("arities", "").replace(",", " ").split()]
    question["arities"] = question["arities"] or [len(question["parameters"])]
    question["comparator"] = _comparator(question["comparator"], form, KINDS)


def put_program(question: Content, form: Form) -> None:
    """Put all values from the page of a program question into the question."""
    question |= typed(ProgramQuestion, form)
    question["options"] = form.get("options", "").split()
    for name in ("editable", "required"):
        question[name] = [each.strip() for each in form.get(name, "").splitlines() if each.strip()]
    comparator = question["comparator"] = _comparator(question["comparator"], form, COMPARATORS)
    if comparator["kind"] == "validator":
        comparator |= {"language": line(form, "validator_language"), "flags": form.get("flags", "").split()}
        comparator.setdefault("files", {})


def _comparator(former: Content, form: Form, kinds: Mapping[str, type[BaseModel]]) -> Content:
    """The comparator from a form. It keeps all parameters in the form, even those of another kind of comparator, but
    none with its default value."""
    comparator = dict(former) | {"kind": form.get("kind", "exact")}
    if text(form, "source") or "source" in comparator:
        comparator["source"] = text(form, "source")
    for name, field in parameters(kinds).items():
        if field.annotation is bool:
            comparator[name] = name in form
            usual = comparator[name] is field.default
        else:
            given = form.get(name, "")
            comparator[name] = as_number(given) if field.annotation is int else as_float(given)
            usual = not given.strip()
        if usual:
            del comparator[name]
    return comparator


def parameters(kinds: Mapping[str, type[BaseModel]]) -> dict[str, FieldInfo]:
    """The comparators' parameters that a form shows as one field each, by name: first tick boxes, then numbers. If
    several kinds share a parameter, the first kind describes it."""
    found: dict[str, FieldInfo] = {}
    for kind in kinds.values():
        for name, field in scalars(kind).items():
            found.setdefault(name, field)
    return {name: each for types in ((bool,), (int, float)) for name, each in found.items() if each.annotation in types}


def choice_of_comparator(kinds: Mapping[str, Any]) -> dict[str, Any]:
    """The values that a question's page needs to offer a choice of comparators."""
    fields = {
        name: {
            "label": each.title,
            "hint": each.description or "",
            "mode": KEYBOARDS.get(each.annotation, ""),
            "usual": each.default,
        }
        for name, each in parameters(kinds).items()
    }
    having = [kind for kind, model in kinds.items() if set(model.model_fields) & set(fields)]
    return {
        "comparators": {kind: model.chosen for kind, model in kinds.items()},
        "compared_by": fields,
        "having": having,
    }


def put_case(case: Content, form: Form) -> None:
    """Put all values from a case's page into the case. A text that was too long for the form stays unchanged."""
    case["title"], case["hidden"] = line(form, "title"), "shown" not in form
    try:
        case["arguments"] = shlex.split(form.get("arguments", ""))
    except ValueError:  # an unclosed quotation mark
        case["arguments"] = form.get("arguments", "").split()
    try:
        case["exit_code"] = exit_code(form.get("exit_code", "")) if form.get("exit_code", "").strip() else 0
    except ValueError:
        case["exit_code"] = line(form, "exit_code")
    for name in ("input", "output"):
        if name in form and text(form, name) != text({name: case[name] or ""}, name):  # else it keeps its line ends
            case[name] = text(form, name)


def shown_arguments(case: Content) -> str:
    """Write a case's arguments as they would be typed in a shell."""
    return shlex.join(map(str, case["arguments"]))


def shown_exit_code(case: Content) -> str:
    """Write a case's exit code as the form field shows it."""
    return ANY_CODE if case["exit_code"] is None else str(case["exit_code"])


def put_table(content: Content, form: Form) -> None:
    """Put the points, gates and visibility of all questions into a draft."""
    for question in content["questions"]:
        slug = question["slug"]
        if f"points-{slug}" in form:
            question["points"] = as_float(form[f"points-{slug}"])
            question["gate"] = form.get(f"gate-{slug}", question["gate"])
            question["visible"] = f"visible-{slug}" in form


def put_ladders(content: Content, form: Form) -> None:
    """Put the settings of the tournaments into a draft."""
    for ladder in content["tournaments"]:
        if f"title-{ladder['slug']}" in form:
            sent = typed(Ladder, form, f"-{ladder['slug']}").items()
            ladder |= {name: each for name, each in sent if f"{name}-{ladder['slug']}" in form}


def move(items: list[Content], slug: str, step: int) -> None:
    """Move the item with that slug up (-1) or down (1), unless it is already at that end."""
    at = next((at for at, each in enumerate(items) if each["slug"] == slug), None)
    if at is not None and 0 <= at + step < len(items):
        items[at], items[at + step] = items[at + step], items[at]


def games_to_choose(session: Session) -> dict[str, str]:
    """The titles of the games that an assignment can use, by name: first the built-in games, then those of
    departments."""
    added = {name_of(each): f"{each.title} (version {each.version})" for each in offered(session)}
    return {name: game.title for name, game in GAMES.items()} | added


def options_of_game(name: str) -> tuple[Option, ...]:
    """The options of a game; empty if there is no game, or if it cannot be loaded."""
    try:
        return options_of(find_game(name)) if name else ()
    except UnknownGame:
        return ()


def shown_option(option: Option, chosen: Mapping[str, Any]) -> str:
    """Write the value of an option as its form field shows it."""
    value = chosen.get(option.name, option.default)
    return value if isinstance(value, str) else written(value)


def shown_time(value: str | None, zone: ZoneInfo) -> str:
    """Write a date in a draft as its form field shows it. An unreadable date stays as it was typed."""
    at = draft_instant(value)
    return LocalTime(at, zone).field if at else value or ""


def draft_instant(value: str | None) -> datetime | None:
    """A date in a draft as a time, or None if the date is unreadable."""
    with suppress(ValueError):
        at = datetime.fromisoformat(value or "")
        return at.astimezone(UTC) if at.tzinfo else None
    return None


def _sent_date(given: str, former: str | None, zone: ZoneInfo) -> str | None:
    if not given.strip():
        return None
    if given.strip() == shown_time(former, zone):  # if the clock shows this time twice, `former` says which is meant
        return former
    try:
        return parse(given, zone).at.isoformat().replace("+00:00", "Z")
    except BadTime:
        return given.strip()


def _chosen_options(game: str, form: Form) -> Content:
    """The options in a form whose values differ from the default. A valid value is converted to its type; an invalid
    value stays text."""
    chosen: Content = {}
    for option in options_of_game(game):
        given = form.get(f"option-{option.name}", "").strip()
        if not given or given == written(option.default):
            continue
        chosen[option.name] = given
        with suppress(UnknownGame):
            bound = with_options(find_game(game), {option.name: given})
            chosen |= getattr(bound, "chosen", {})
    return chosen
