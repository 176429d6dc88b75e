"""Reads the folder of an assignment. The result is a definition, or a list of all problems. None of the author's code
is run."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from grader.authoring.course_folder.layout import (
    ASSIGNMENT_KEYS,
    ASSIGNMENT_TEXTS,
    CHECKER,
    DATES,
    DOCTEST_CASES,
    KEPT,
    NO_DEFAULTS,
    NO_GAMES,
    OF_COMPARATORS,
    PROGRAM_KEYS,
    QUESTION_KEYS,
    QUESTION_TEXTS,
    SECTION_DATES,
    SETTINGS,
    TEXT,
    VALIDATOR,
    Defaults,
    PackagedGames,
    file_of,
    submission_path,
)
from grader.authoring.course_folder.problems import CourseError, Place, Problem, TomlFile, decode, near, plain, said
from grader.authoring.course_folder.programs import program_problems, read_cases, text_of, texts_of
from grader.comparing.comparators import KINDS
from grader.definition.local_times import (
    YEARS,
    BadTime,
    OwnDates,
    as_stored,
    at_clock,
    contradiction,
    own_dates,
    plain_section,
)
from grader.definition.model import Definition, Ladder, game_of, place_of
from grader.definition.paper import ExampleError, parse_examples
from grader.definition.question import COMPARATORS, FOLDERS
from tournament.games.options import UnknownGame
from tournament.store.validation import sentence


def contents_problems(question: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the problems in the texts of a question, even if its other fields are invalid."""
    if "language" in question:
        yield from program_problems(plain(question))
        return
    folder, function = f"questions/{question.get('slug')}", question.get("function")
    written_out = question["cases"].lstrip().startswith(">>>")
    if question["cases"].strip() and not written_out and not question["solution"].strip():
        yield Problem(f"{folder}/cases.py", 0, f"There is no {folder}/solution.py, which defines the right answers.")
    if not isinstance(function, str):
        return
    texts = {QUESTION_TEXTS["examples"]: question["examples"], DOCTEST_CASES: question["cases"] if written_out else ""}
    given = question.get("parameters", ())
    parameters = [str(each) for each in given] if isinstance(given, list) else []
    prints = question.get("comparator", {}).get("kind") == "printed"
    for file, text in texts.items():
        try:
            parse_examples(text, function, parameters, prints)
        except ExampleError as error:
            for line, problem in error.mistakes:
                yield Problem(f"{folder}/{file}", line or 0, problem)


def read_assignment(
    files: Mapping[str, bytes], zone: ZoneInfo, defaults: Defaults = NO_DEFAULTS, games: PackagedGames = NO_GAMES
) -> Definition:
    """Return the definition in an assignment's files, which are given by path. Dates without an offset are in `zone`;
    `games` are the games that are not built in. Raises CourseError."""
    if SETTINGS not in files:
        raise CourseError([Problem(SETTINGS, 0, "This file is missing. It defines the assignment.")])
    return _AssignmentReader(files, zone, defaults, games).read()


class _AssignmentReader:
    """Reads one assignment, and collects its problems."""

    def __init__(self, files: Mapping[str, bytes], zone: ZoneInfo, defaults: Defaults, games: PackagedGames) -> None:
        self.files, self.zone, self.defaults, self.games = files, zone, defaults, games
        self.toml = TomlFile(SETTINGS, files[SETTINGS])
        self.problems: list[Problem] = []

    def read(self) -> Definition:
        data = self._data()
        definition = self._validated(data)
        for at, question in enumerate(data["questions"]):
            self.problems += [self._placed(at, problem) for problem in contents_problems(question)]
        self._check_game(data)
        if definition:
            for place, text in contradictions(definition):
                self._report(place, text)
            due, visible = definition.due_at, definition.visible_from
            if due and visible and due <= visible:
                self._report(
                    ("due",), "The deadline is not after visible_from: nobody would see the assignment in time."
                )
        if self.problems or definition is None:
            raise CourseError(self.problems)
        return definition

    def _data(self) -> dict[str, Any]:
        found = {**self.defaults.assignment, **self._known((), self.toml.data, ASSIGNMENT_KEYS, ASSIGNMENT_TEXTS)}
        if isinstance(found.get("game"), str):
            found["game"] = self.games.names.get(found["game"], found["game"])
        for key, name in DATES.items():
            if key in found and (instant := self._instant(key, found.pop(key))):
                found[name] = instant
        if "sections" in found:
            found["section_dates"] = self._section_dates(found.pop("sections"))
        for name, file in ASSIGNMENT_TEXTS.items():
            found[name] = self._text(file)
        found["questions"] = [self._question(at, each) for at, each in self._tables("questions")]
        found["tournaments"] = [
            {**self.defaults.tournaments, **self._known(("tournaments", at), each, tuple(Ladder.model_fields), {})}
            for at, each in self._tables("tournaments")
        ]
        found["submissions"] = {path: self._text(file) for file in self.files if (path := submission_path(file))}
        return found

    def _question(self, at: int, given: Mapping[str, Any]) -> dict[str, Any]:
        if "language" in given:
            return self._program(at, given)
        known = self._known(("questions", at), given, (*QUESTION_KEYS, "language"), QUESTION_TEXTS)
        found = {**self.defaults.questions, **known}
        folder = f"questions/{given.get('slug')}"
        found |= {name: self._text(f"{folder}/{file}") for name, file in QUESTION_TEXTS.items()}
        found["cases"] = self._doctest_cases(folder, found["cases"]) or found["cases"]
        if "comparator" in found:
            place = ("questions", at, "comparator")
            found["comparator"] = self._comparator(place, found["comparator"], KINDS, folder)
            source = found["comparator"].get("source")
            if source is not None and not source.strip():
                self._report(place, f"The checker is missing: write accepts(args, got) in {folder}/{CHECKER}.")
        elif f"{folder}/{CHECKER}" in self.files:
            problem = f'{folder}/{CHECKER} is not used. Add comparator = "checker" to the question, or remove the file.'
            self._report(("questions", at), problem)
        return found

    def _program(self, at: int, given: Mapping[str, Any]) -> dict[str, Any]:
        folder, place = f"questions/{given.get('slug')}", ("questions", at, "comparator")
        found = {**self.defaults.programs, **self._known(("questions", at), given, PROGRAM_KEYS, KEPT)}
        found |= {name: texts_of(self.files, f"{folder}/{each}", self.problems) for name, each in FOLDERS.items()}
        found |= {"text": self._text(f"{folder}/{TEXT}"), "cases": read_cases(self.files, folder, self.problems)}
        if "comparator" in found:
            found["comparator"] = self._comparator(place, found["comparator"], COMPARATORS, folder)
        return found

    def _placed(self, at: int, problem: Problem) -> Problem:
        """Return the problem, with its line in the settings file if it concerns a setting of the question."""
        if not problem.file.startswith("settings/"):
            return problem
        return self.toml.problem(("questions", at, problem.file.rpartition("/")[2]), problem.text)

    def _doctest_cases(self, folder: str, program: str) -> str:
        file = f"{folder}/{DOCTEST_CASES}"
        text = self._text(file)
        if text.strip() and program.strip():
            self.problems.append(Problem(file, 0, f"There is also {QUESTION_TEXTS['cases']}. Keep one of the two."))
        elif text.strip() and not text.lstrip().startswith(">>>"):
            self.problems.append(
                Problem(file, 1, f"Start with a case, e.g. >>> f(1), or name this file {QUESTION_TEXTS['cases']}.")
            )
        return text

    def _comparator(
        self, place: Place, given: Any, kinds: Mapping[str, type[BaseModel]], folder: str
    ) -> dict[str, Any]:
        """Return the data of a comparator, which is given as a name or a table, including its files in the question's
        folder."""
        table = {"kind": given} if isinstance(given, str) else given
        kind = table.get("kind") if isinstance(table, dict) else None
        if not isinstance(kind, str) or kind not in kinds:
            what, example = ("A comparator", "floats") if kinds is KINDS else ("A comparator of a program", "numbers")
            known = ", ".join(f'"{name}"' for name in kinds)
            problem = f'{what} is one of {known}, or a table such as {{ kind = "{example}", relative = 1e-6 }}.'
            told = f" {near(kind, kinds)}" if isinstance(kind, str) else ""
            self._report(place, f"{problem}{told}")
            return {"kind": "exact"}
        fields = kinds[kind].model_fields
        found = self._known(place, table, [name for name in fields if name not in OF_COMPARATORS], OF_COMPARATORS)
        if "source" in fields:
            path, text_in = f"{folder}/{CHECKER}", decode if kinds is KINDS else text_of
            try:
                found["source"] = text_in(path, self.files.get(path, b""))
            except CourseError as error:
                self.problems += error.found
                return {"kind": "exact"}
        if "files" in fields:
            found["files"] = texts_of(self.files, f"{folder}/{VALIDATOR}", self.problems)
        return found

    def _tables(self, key: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield the tables of a list of tables, each with its index."""
        given = self.toml.data.get(key, [])
        if not (isinstance(given, list) and all(isinstance(each, dict) for each in given)):
            problem = f"Write each of the {key} as a table of its own, which begins with [[{key}]]."
            self._report((key,), problem)
            return
        yield from enumerate(given)

    def _text(self, file: str) -> str:
        try:
            return decode(file, self.files.get(file, b""))
        except CourseError as error:
            self.problems += error.found
            return ""

    def _instant(self, key: str, given: Any, place: Place = ()) -> str:
        """Return a TOML date-time as an instant in ISO 8601. An invalid date-time is reported; the result is then
        ""."""
        try:
            return toml_instant(given, self.zone).isoformat()
        except BadTime as error:
            self._report((*place, key), f"{key}: {error}")
            return ""

    def _section_dates(self, given: Any) -> dict[str, dict[str, str]]:
        """Return the dates of sections by name. The name "" stands for everybody else; only their end of uploads can be
        set."""
        found = dict[str, dict[str, str]]()
        if not (isinstance(given, dict) and all(isinstance(each, dict) for each in given.values())):
            self._report(("sections",), 'Write each section as its own table, such as [sections."Mon 9"].')
            return found
        for name, dates in given.items():
            place, known = ("sections", name), SECTION_DATES if name else {"cut_off": "cut_off_at"}
            given_dates = self._known(place, dates, tuple(known), {})
            read = {known[key]: self._instant(key, at, place) for key, at in given_dates.items()}
            found[name] = {field: at for field, at in read.items() if at}
        return found

    def _known(
        self, place: Place, given: Mapping[str, Any], known: Sequence[str], kept: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return the values of the known keys, and report other keys. `kept` maps settings that belong in other files
        to these files."""
        for key in given:
            if key in kept:
                self._report((*place, key), f"{key} belongs in {kept[key]}, not here.")
            elif key not in known:
                self._report((*place, key), f"There is no setting {key} here. {near(key, known)}")
        return {key: each for key, each in given.items() if key in known}

    def _report(self, place: Place, text: str) -> None:
        self.problems.append(self.toml.problem(place, text))

    def _validated(self, data: Mapping[str, Any]) -> Definition | None:
        try:
            return Definition.model_validate_json(json.dumps(plain(data)), strict=True)
        except ValidationError as error:
            found = [self._problem(item, data) for item in error.errors()]
            self.problems += dict.fromkeys(found)  # pydantic can report the same problem of a union several times
            return None

    def _problem(self, item: ErrorDetails, data: Mapping[str, Any]) -> Problem:
        place = tuple({name: key for key, name in DATES.items()}.get(str(part), part) for part in place_of(item))
        if place[:1] == ("submissions",):
            problem = "Name it accepted/NAME.py or wrong/NAME.py." if "[key]" in place else sentence(item)
            return Problem(f"submissions/{place[1]}", 0, problem)
        if place[:1] == ("options",) and len(place) > 1:
            return self.toml.problem(
                place, "The value of an option is a whole number, true or false, or a text in quotes."
            )
        if file := file_of(place, data):
            return Problem(file, 0, sentence(item))
        return self.toml.problem(place or self._named(str(item["msg"])), said(place, item))

    def _named(self, message: str) -> Place:
        """Return the place of the last question or tournament that is named in a message about the whole assignment."""
        for key in ("tournaments", "questions"):
            if key.removesuffix("s") in message.lower():
                named = [at for at, each in self._tables(key) if repr(each.get("slug")) in message]
                return (key, named[-1], "slug") if named else (key,)
        return ()

    def _check_game(self, data: Mapping[str, Any]) -> None:
        game, options = data.get("game", ""), data.get("options", {})
        if not (isinstance(game, str) and isinstance(options, dict)):
            return  # already reported
        if options and not game:
            self._report(("options",), "Only a game has options, and this assignment has no game.")
            return
        try:
            full = self.games.full(game)
            game_of(Definition.model_construct(title="", game=full, options=options)) if game else None
        except UnknownGame as error:
            for key in options:
                if f"option {key} " in str(error) or f"option {key!r}" in str(error):
                    self._report(("options", key), str(error))
                    return
            hint = "To use your own game, first ask the operator to add it: see `quadrille game add`."
            self._report(("game",), f"{error} {hint}")


def contradictions(definition: Definition) -> Iterator[tuple[Place, str]]:
    """Yield the dates of sections that contradict each other, with an explanation."""
    stored, keys = as_stored(definition.section_dates or {}), {field: key for key, field in SECTION_DATES.items()}
    for name in stored:
        dates = own_dates(OwnDates(definition.visible_from, definition.due_at), stored, {plain_section(name)})
        if wrong := contradiction(dates):
            yield ("sections", name, keys[wrong[0]]), wrong[1]


def toml_instant(given: Any, zone: ZoneInfo) -> datetime:
    """Convert a date and time in TOML to an instant in UTC. Raises BadTime."""
    if not isinstance(given, datetime):
        shown = given.isoformat() if isinstance(given, date | time) else "2027-05-29"
        day = shown if isinstance(given, date) else "2027-05-29"
        raise BadTime(f"Write a date and a time without quotes, e.g. {day}T23:59:00.")
    if given.year not in YEARS:
        raise BadTime(f"{given.date()} is not in one of the years {YEARS[0]} to {YEARS[-1]}. Check the year.")
    return given.astimezone(UTC) if given.tzinfo else at_clock(given, zone).at
