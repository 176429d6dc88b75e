"""What the forms of the editor send, as it is kept in a draft: numbers and dates where they can be read, and otherwise
the text that was typed."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from grader.authoring.drafts import Content
from grader.definition.local_times import BadTime, LocalTime, parse
from grader.definition.model import Ladder
from sandbox import patterns
from tournament.games.api import Option
from tournament.games.options import options_of, with_options, written
from tournament.play.games import UnknownGame, find_game

Form = Mapping[str, str]

SETTINGS = ("title", "visible_from", "due_at", "counts", "trial_games", "custom_games_hour", "game", "options")
"""What the page of general settings edits; `tournaments` are added with a game."""

QUESTION_LINES = ("title", "function", "method", "gate", "shows")
QUESTION_TEXTS = ("text", "examples", "cases", "solution")
LADDER_NUMBERS = ("exclusion_minutes", "out_exclusion_minutes", "fault_limit", "target_games", "active_limit")
COMPARATOR_NUMBERS = ("relative", "absolute", "levels")

LONGEST_TEXT = 512 << 10
"""Characters of a text of several lines. A definition holds half as many; browsers send two for the end of a line."""

_WHOLE = patterns.compile(r"\d{1,9}")
_NUMBER = patterns.compile(r"\d{1,9}(\.\d{1,9})?|\d(\.\d+)?[eE]-\d{1,3}")


def put_general(content: Content, form: Form, zone: ZoneInfo) -> None:
    """The title, the dates, which upload counts, the game and its options."""
    content["title"] = line(form, "title")
    for name in ("visible_from", "due_at"):
        content[name] = _instant(form.get(name, ""), content[name], zone)
    for name in ("trial_games", "custom_games_hour"):
        if name in form:  # only with a game
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
    content["options"] = _chosen(game, form)


def put_question(question: Content, form: Form) -> None:
    """All that a question's own page edits."""
    question |= {name: line(form, name) for name in QUESTION_LINES}
    question |= {name: text(form, name) for name in QUESTION_TEXTS}
    question["parameters"] = form.get("parameters", "").replace(",", " ").split()
    question["arities"] = [as_number(each) for each in form.get("arities", "").replace(",", " ").split()]
    question["arities"] = question["arities"] or [len(question["parameters"])]
    question["points"], question["call_s"] = as_float(form.get("points", "")), as_float(form.get("call_s", ""))
    question["visible"] = "visible" in form
    comparator = dict(question["comparator"]) | {"kind": form.get("kind", "exact")}
    if text(form, "source") or "source" in comparator:
        comparator["source"] = text(form, "source")
    for name in COMPARATOR_NUMBERS:
        if form.get(name, "").strip():
            comparator[name] = as_number(form[name]) if name == "levels" else as_float(form[name])
        else:
            comparator.pop(name, None)
    question["comparator"] = comparator


def put_table(content: Content, form: Form) -> None:
    """The points, gates and visibility of all questions."""
    for question in content["questions"]:
        slug = question["slug"]
        if f"points-{slug}" in form:
            question["points"] = as_float(form[f"points-{slug}"])
            question["gate"] = form.get(f"gate-{slug}", question["gate"])
            question["visible"] = f"visible-{slug}" in form


def put_ladders(content: Content, form: Form) -> None:
    """The tournaments' settings."""
    for ladder in content["tournaments"]:
        slug = ladder["slug"]
        if f"title-{slug}" not in form:
            continue
        ladder["title"] = line(form, f"title-{slug}")
        ladder["question"] = form.get(f"question-{slug}", "")
        ladder["ranking"] = form.get(f"ranking-{slug}", ladder["ranking"])
        for name in LADDER_NUMBERS:
            given = form.get(f"{name}-{slug}", "")
            ladder[name] = as_float(given) if name.endswith("minutes") else as_number(given)


def move(items: list[Content], slug: str, step: int) -> None:
    """Move the item with that slug up (-1) or down (1), if it is not at the end already."""
    at = next((at for at, each in enumerate(items) if each["slug"] == slug), None)
    if at is not None and 0 <= at + step < len(items):
        items[at], items[at + step] = items[at + step], items[at]


def line(form: Form, name: str) -> str:
    """A field of one line."""
    return " ".join(form.get(name, "").split())


def text(form: Form, name: str) -> str:
    """A field of several lines; browsers send \\r\\n."""
    return form.get(name, "").replace("\r\n", "\n").replace("\r", "\n")


def options_of_game(name: str) -> tuple[Option, ...]:
    """What can be chosen about a game; nothing without one, or if it cannot be loaded."""
    try:
        return options_of(find_game(name)) if name else ()
    except UnknownGame:
        return ()


def shown_option(option: Option, chosen: Mapping[str, Any]) -> str:
    """The value of an option as its field has it."""
    value = chosen.get(option.name, option.default)
    return value if isinstance(value, str) else written(value)


def shown_time(value: str | None, zone: ZoneInfo) -> str:
    """A date of a draft as its field has it; what cannot be read stays as it was typed."""
    at = instant(value)
    return LocalTime(at, zone).field if at else value or ""


def instant(value: str | None) -> datetime | None:
    """A date of a draft, if it can be read."""
    with suppress(ValueError):
        at = datetime.fromisoformat(value or "")
        return at.astimezone(UTC) if at.tzinfo else None
    return None


def _instant(given: str, former: str | None, zone: ZoneInfo) -> str | None:
    if not given.strip():
        return None
    if given.strip() == shown_time(former, zone):  # the first of two, perhaps, which the clock alone does not say
        return former
    try:
        return parse(given, zone).at.isoformat().replace("+00:00", "Z")
    except BadTime:
        return given.strip()


def _chosen(game: str, form: Form) -> Content:
    """The options that differ from the usual ones, as values where they are right."""
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


def as_number(given: str) -> int | str:
    """A whole number, or what was typed instead."""
    given = given.strip()
    return int(given) if _WHOLE.fullmatch(given) else given


def as_float(given: str) -> float | str:
    """A number, or what was typed instead."""
    given = given.strip().replace(",", ".")
    return float(given) if _NUMBER.fullmatch(given) else given
