"""Writes a definition as the files of an assignment's folder, and a course's settings. Default values are left out."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import tomlkit
from pydantic import BaseModel
from tomlkit.items import InlineTable

from grader.authoring.course_folder.course import CourseSettings
from grader.authoring.course_folder.layout import (
    ASSIGNMENT_KEYS,
    ASSIGNMENT_TEXTS,
    CHECKER,
    DATES,
    DOCTEST_CASES,
    NO_DEFAULTS,
    NO_GAMES,
    PROGRAM_KEYS,
    QUESTION_KEYS,
    QUESTION_TEXTS,
    SECTION_DATES,
    SETTINGS,
    TABLES,
    TEXT,
    VALIDATOR,
    Defaults,
    PackagedGames,
)
from grader.authoring.course_folder.programs import case_files
from grader.comparing.comparators import Checker, Comparator, Exact
from grader.comparing.outputs import SameLines
from grader.definition.local_times import BadTime, at_clock
from grader.definition.model import Definition, Ladder
from grader.definition.question import (
    FOLDERS,
    FunctionQuestion,
    OutputChecker,
    OutputComparator,
    ProgramQuestion,
    Validator,
)


def write_settings(settings: CourseSettings) -> bytes:
    """Return the content of the file course.toml."""
    return tomlkit.dumps(settings.model_dump(exclude_defaults=True)).encode()


def write_assignment(
    definition: Definition, zone: ZoneInfo, defaults: Defaults = NO_DEFAULTS, games: PackagedGames = NO_GAMES
) -> dict[str, bytes]:
    """Return the files of an assignment's folder by path. Dates are written in the local time of `zone`."""
    texts = {file: getattr(definition, name) for name, file in ASSIGNMENT_TEXTS.items()}
    programs: dict[str, str] = {}
    for question in definition.questions:
        folder = f"questions/{question.slug}"
        if isinstance(question, ProgramQuestion):
            programs |= {f"{folder}/{path}": text for path, text in _program_files(question)}
            continue
        texts |= {f"{folder}/{file}": getattr(question, name) for name, file in QUESTION_TEXTS.items()}
        if question.has_doctest_cases:
            texts[f"{folder}/{DOCTEST_CASES}"] = texts.pop(f"{folder}/{QUESTION_TEXTS['cases']}")
        if isinstance(question.comparator, Checker):
            texts[f"{folder}/{CHECKER}"] = question.comparator.source
    texts |= {f"submissions/{path}": text for path, text in definition.submissions.items()}
    settings = tomlkit.dumps(_document(definition, zone, defaults, games)).encode()
    found = {file: text for file, text in texts.items() if text} | programs
    return {SETTINGS: settings} | {file: text.encode() for file, text in sorted(found.items())}


def _document(definition: Definition, zone: ZoneInfo, defaults: Defaults, games: PackagedGames) -> tomlkit.TOMLDocument:
    document = tomlkit.document()
    values = _unusual(definition, defaults.assignment, [name for name in ASSIGNMENT_KEYS if name not in TABLES])
    if definition.game:
        values["game"] = games.short(definition.game)
    for key in ASSIGNMENT_KEYS:
        date = getattr(definition, DATES[key]) if key in DATES else None
        if date is not None:
            document.add(key, tomlkit.item(_clock(date, zone)))
        elif key in values:
            document.add(key, values[key])
    dates: dict[str, Mapping[Any, datetime]] = {**(definition.section_dates or {})}
    tables: dict[str, Any] = {
        "options": dict(sorted(definition.options.items())),
        "sections": {
            name: {key: _clock(each[field], zone) for key, field in SECTION_DATES.items() if field in each}
            for name, each in dates.items()
        },
        "questions": [_question_values(each, defaults) for each in definition.questions],
        "tournaments": [_ladder_values(each, defaults) for each in definition.tournaments],
    }
    for name, table in tables.items():
        if table:
            document.add(name, tomlkit.item(table))
    return document


def _question_values(question: FunctionQuestion | ProgramQuestion, defaults: Defaults) -> dict[str, Any]:
    is_program = isinstance(question, ProgramQuestion)
    keys = PROGRAM_KEYS if is_program else QUESTION_KEYS
    usual = defaults.programs if is_program else defaults.questions
    values = _unusual(question, usual, [name for name in keys if name != "comparator"])
    if isinstance(question, FunctionQuestion) and question.arities == (len(question.parameters),):
        values.pop("arities", None)
    if question.comparator != (SameLines() if is_program else Exact()):
        values["comparator"] = _written_comparator(question.comparator)
    return values


def _ladder_values(ladder: Ladder, defaults: Defaults) -> dict[str, Any]:
    kept = {name: getattr(ladder, name) for name in ("slug", "title")}
    return kept | _unusual(ladder, defaults.tournaments, list(Ladder.model_fields))


def _written_comparator(comparator: Comparator | OutputComparator) -> str | InlineTable:
    chosen = comparator.model_dump(mode="json", exclude={"kind", "source", "files"}, exclude_defaults=True)
    if not chosen:
        return comparator.kind
    table = tomlkit.inline_table()
    table.update({"kind": comparator.kind, **chosen})
    return table


def _unusual(model: BaseModel, defaults: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the named fields whose values differ from the course folder's defaults or, where it has none, from the
    model's defaults."""
    data = model.model_dump(mode="json", include=set(names))
    values = {name: data[name] for name in names if name in data}  # dates are named differently in the file
    usual = {name: field.default for name, field in type(model).model_fields.items() if not field.is_required()}
    expected = {name: list(each) if isinstance(each, tuple) else each for name, each in {**usual, **defaults}.items()}
    found = {name: each for name, each in values.items() if name not in expected or each != expected[name]}
    # Whole numbers without decimals: 2, not 2.0
    return {name: int(each) if isinstance(each, float) and each.is_integer() else each for name, each in found.items()}


def _clock(at: datetime, zone: ZoneInfo) -> datetime:
    """Return the local time in the zone. The offset is included only if this local time occurs twice and would
    otherwise be read as the wrong instant."""
    local = at.astimezone(zone)
    clock = local.replace(tzinfo=None)
    try:
        return clock if at_clock(clock, zone).at == at else local
    except BadTime:  # cannot happen: the clocks have shown this time
        return local


def _program_files(question: ProgramQuestion) -> Iterator[tuple[str, str]]:
    """Yield the texts of a question with their paths in its folder. Empty texts are included where the existence of a
    file matters."""
    if question.text:
        yield TEXT, question.text
    for name, folder in FOLDERS.items():
        for path, text in getattr(question, name).items():
            yield f"{folder}/{path}", text
    for case in question.cases:
        yield from case_files(case)
    if isinstance(question.comparator, OutputChecker):
        yield CHECKER, question.comparator.source
    elif isinstance(question.comparator, Validator):
        for path, text in question.comparator.files.items():
            yield f"{VALIDATOR}/{path}", text
