"""Reads a course folder: course.toml, and a folder for each assignment. An error in one assignment does not prevent
reading the others. Also creates new course folders, reads the folders that come with this software, and warns of
probable mistakes in an assignment's folder that do not prevent publication."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated, Final
from zoneinfo import ZoneInfo

import tomlkit
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError, field_validator

from grader.authoring.course_folder.layout import (
    ASSIGNMENT_TEXTS,
    CASES,
    CHECKER,
    DOCTEST_CASES,
    NO_DEFAULTS,
    NO_GAMES,
    QUESTION_TEXTS,
    SETTINGS,
    SHOWN,
    TEXT,
    VALIDATOR,
    Defaults,
    PackagedGames,
    read_defaults,
    submission_path,
)
from grader.authoring.course_folder.problems import CourseError, Problem, TomlFile, near, plain, said
from grader.authoring.course_folder.reading import read_assignment
from grader.definition.local_times import DEFAULT_ZONE, UTC_ZONE, LocalTime, find_zone, zone_or_utc
from grader.definition.model import Definition
from grader.definition.question import FOLDERS, SLUG, SLUG_RULE, ProgramQuestion, Slug, Title
from sandbox import patterns
from tournament.play.games import find_game

COURSE: Final = "course.toml"
ASSIGNMENTS: Final = "assignments"
PAGES_OF_COURSES: Final = frozenset(
    ("gradebook", "new-assignment", "people", "platforms", "pseudonym", "settings", "webhooks")
)
"""The pages below a course's own address. Assignments cannot use these words as slugs."""

ADDRESS_TAKEN: Final = "This course already has a page at the address {slug}. Choose another."


class CourseSettings(BaseModel):
    """The settings in course.toml except the defaults. `slug` is used in URLs, `time_zone` is an IANA name, and `term`
    is shown with the title."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slug: Slug
    title: Title
    time_zone: str = DEFAULT_ZONE
    term: Annotated[str, StringConstraints(strip_whitespace=True, max_length=60)] = ""

    @field_validator("time_zone")
    @classmethod
    def _exists(cls, name: str) -> str:
        return find_zone(name).key

    @property
    def zone(self) -> ZoneInfo:
        """The course's time zone."""
        return zone_or_utc(self.time_zone)

    @property
    def digest(self) -> str:
        """The SHA-256 of all settings."""
        return sha256(self.model_dump_json().encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class CourseFolder:
    """The content of a course folder. `settings` is None if course.toml is invalid. `problems` lists the problems of
    course.toml and of all assignments; `assignments` contains only assignments without problems."""

    settings: CourseSettings | None
    defaults: Defaults = NO_DEFAULTS
    assignments: Mapping[str, Definition] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of the dates in the folder."""
        return self.settings.zone if self.settings else UTC_ZONE


def read_course(files: Mapping[str, bytes], folder: str = "", games: PackagedGames = NO_GAMES) -> CourseFolder:
    """Read a course from the files of its folder, by path. `folder` is the folder's own name, which is the course's
    slug unless course.toml sets another. `games` are the games that are not built in."""
    settings, defaults, problems = _read_settings(files, folder)
    zone = settings.zone if settings else UTC_ZONE
    assignments, more = read_assignments(files, zone, defaults, games)
    return CourseFolder(settings, defaults, assignments, tuple(sorted([*problems, *more])))


def read_assignments(
    files: Mapping[str, bytes], zone: ZoneInfo, defaults: Defaults, games: PackagedGames
) -> tuple[dict[str, Definition], list[Problem]]:
    """Return the correct assignments in a course's files, by slug, and the problems of the others."""
    assignments, problems = {}, []
    for slug, inside in assignments_of(files).items():
        try:
            if not SLUG.fullmatch(slug):
                raise CourseError([Problem(SETTINGS, 0, bad_slug(slug))])
            if slug in PAGES_OF_COURSES:
                raise CourseError([Problem(SETTINGS, 0, ADDRESS_TAKEN.format(slug=slug))])
            assignments[slug] = read_assignment(inside, zone, defaults, games)
        except CourseError as error:
            problems += [problem.inside(f"{ASSIGNMENTS}/{slug}") for problem in error.found]
    return assignments, problems


def assignments_of(files: Mapping[str, bytes]) -> dict[str, dict[str, bytes]]:
    """Return the files of each assignment, by slug, with paths relative to the assignment's folder."""
    found: dict[str, dict[str, bytes]] = {}
    for path in sorted(files):
        top, slug, inside = (*path.split("/", 2), "", "")[:3]
        if top == ASSIGNMENTS and inside:
            found.setdefault(slug, {})[inside] = files[path]
    return found


def _read_settings(files: Mapping[str, bytes], folder: str) -> tuple[CourseSettings | None, Defaults, list[Problem]]:
    if COURSE not in files:
        problem = "This file is missing. `quadrille course init FOLDER` creates a folder with everything needed."
        return None, NO_DEFAULTS, [Problem(COURSE, 0, problem)]
    try:
        toml = TomlFile(COURSE, files[COURSE])
    except CourseError as error:
        return None, NO_DEFAULTS, error.found
    defaults, problems = read_defaults(toml)
    known = tuple(CourseSettings.model_fields)
    for key in toml.data:
        if key not in (*known, "defaults"):
            problems.append(toml.problem((key,), f"There is no setting {key} here. {near(key, (*known, 'defaults'))}"))
    given = {"slug": folder} if folder else {}
    given |= {key: each for key, each in plain(toml.data).items() if key in known}
    try:
        return CourseSettings.model_validate(given, strict=True), defaults, problems
    except ValidationError as error:
        for item in error.errors():
            name = str(item["loc"][0])
            text = bad_slug(str(given.get("slug"))) if name == "slug" else said(item["loc"], item)
            problems.append(toml.problem((name,), text))
        return None, defaults, problems


def bad_slug(given: str) -> str:
    """Return the message about a slug that SLUG does not allow."""
    return f"{given!r} cannot be part of an address. Use {SLUG_RULE}, e.g. comp10001-2027."


def scaffold(slug: str, title: str, zone: str, game: str) -> dict[str, bytes]:
    """Return the files of a new course by path. Raises ValidationError (pydantic) for an invalid slug or title."""
    settings = CourseSettings(slug=slug, title=title, time_zone=zone)
    template = files_in(files("grader.authoring.course_folder") / "template")
    template[COURSE] = update_settings(template[COURSE], settings)
    return template | {f"{ASSIGNMENTS}/{game}/{path}": content for path, content in builtin_files(game).items()}


def update_settings(toml: bytes, settings: CourseSettings) -> bytes:
    """Return the file course.toml with new settings. Everything else, such as comments, stays unchanged."""
    document = tomlkit.parse(toml.decode("utf-8-sig"))
    for name, value in settings.model_dump().items():
        if document.get(name, "") != value:
            document[name] = value
    return tomlkit.dumps(document).encode()


@cache
def builtin(slug: str) -> Definition:
    """Return the definition of the assignment that comes with a built-in game. Raises UnknownGame."""
    return read_assignment(builtin_files(slug), UTC_ZONE)


def builtin_files(slug: str) -> dict[str, bytes]:
    """Return the files of the assignment that comes with a built-in game, by path, including the game's starter file.
    Raises UnknownGame."""
    folder = find_game(slug).folder
    return files_in(folder / "assignment") | {"starter.py": (folder / "starter.py").read_bytes()}


def files_in(folder: Traversable) -> dict[str, bytes]:
    """Return the files of a course folder that comes with this software, by path."""
    return dict(sorted(_files_below(folder, "")))


def _files_below(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _files_below(each, f"{path}{each.name}/")
        elif each.name.endswith((".toml", ".md", ".txt", ".py")):
            yield f"{path}{each.name}", each.read_bytes()


_QUESTION_FILES: Final = (*QUESTION_TEXTS.values(), DOCTEST_CASES, CHECKER)
_PROGRAM_FOLDERS: Final = (CASES, VALIDATOR, *FOLDERS.values())
_LINK = patterns.compile(r"!?\[[^\]\n]*\]\(\s*<?([^)\s>]+)")
_REACHED: Final = patterns.compile(r"(?i)[a-z][a-z0-9+.-]*:|/|#")
"""Matches the beginnings of link targets that work on the site."""


def warnings(files: Mapping[str, bytes], definition: Definition, zone: ZoneInfo, now: datetime) -> list[Problem]:
    """Return warnings about an assignment. `files` are the files from which it was read."""
    toml = TomlFile(SETTINGS, files[SETTINGS])
    found = [*_unused(files, definition), *_dead_links(definition), *_of_programs(definition)]
    if definition.due_at and definition.due_at <= now:
        due = LocalTime(definition.due_at, zone).in_words
        found.append(toml.problem(("due",), f"The deadline, {due}, is in the past."))
    if definition.game and not definition.tournaments:
        found.append(
            Problem(SETTINGS, 0, "The assignment has a game but no tournament. Add one under [[tournaments]].")
        )
    if not definition.questions:
        found.append(Problem(SETTINGS, 0, "There are no questions: every upload gets 0 of 0 points."))
    return sorted(Problem(each.file, each.line, each.text, warning=True) for each in found)


def _unused(files: Mapping[str, bytes], definition: Definition) -> Iterator[Problem]:
    """Warn about unused files whose names suggest that they should be used."""
    slugs = [question.slug for question in definition.questions]
    programs = {each.slug for each in definition.questions if isinstance(each, ProgramQuestion)}
    tops = (SETTINGS, *ASSIGNMENT_TEXTS.values(), "questions", "submissions")
    strange: set[str] = set()
    for path in files:
        top, _, inside = path.partition("/")
        slug, _, file = inside.partition("/")
        if top not in tops:
            if close := get_close_matches(top, tops, n=1, cutoff=0.8):
                yield Problem(path, 0, f"This is not used. Did you mean {close[0]}?")
        elif top == "questions" and slug not in slugs:
            strange.add(slug)
        elif top == "questions" and slug in programs:
            part, _, rest = file.partition("/")
            if file not in (TEXT, CHECKER) and not (rest and part in _PROGRAM_FOLDERS):
                yield _not_used(path, part.removesuffix(".py"), (TEXT, CHECKER, *_PROGRAM_FOLDERS))
        elif top == "questions" and file not in _QUESTION_FILES:
            yield _not_used(path, file, _QUESTION_FILES)
        elif top == "submissions" and not submission_path(path):
            yield Problem(path, 0, "This is not used, because its name does not end with .py.")
    for slug in sorted(strange):
        yield Problem(f"questions/{slug}", 0, f"This is not used: no question in {SETTINGS} has the slug {slug}.")


def _not_used(path: str, name: str, known: Sequence[str]) -> Problem:
    close = get_close_matches(name, known, n=1)
    return Problem(path, 0, f"This is not used. {f'Did you mean {close[0]}?' if close else ''}".strip())


def _of_programs(definition: Definition) -> Iterator[Problem]:
    """Warn about what program questions probably lack, and about surprising cases."""
    for question in definition.questions:
        if not isinstance(question, ProgramQuestion):
            continue
        folder = f"questions/{question.slug}"
        if not question.cases:
            yield Problem(f"{folder}/{CASES}", 0, "There are no cases: any program that compiles gets full points.")
        if not question.solution:
            yield Problem(f"{folder}/{FOLDERS['solution']}", 0, "There is no solution, so the cases cannot be checked.")
        for case in question.cases:
            if "\r" in case.input:
                text = "It has Windows line ends, and programs receive them unchanged. Git may have changed them."
                yield Problem(f"{folder}/{CASES}/{SHOWN[case.hidden]}/{case.slug}.in", 0, text)


def _dead_links(definition: Definition) -> Iterator[Problem]:
    """Warn about links and pictures that refer to files, because the site does not have these files."""
    texts = {ASSIGNMENT_TEXTS["text"]: definition.text}
    texts |= {f"questions/{each.slug}/{QUESTION_TEXTS['text']}": each.text for each in definition.questions}
    for file, text in texts.items():
        for link in _LINK.finditer(text):
            if not _REACHED.match(link[1]):
                line = text.count("\n", 0, link.start()) + 1
                yield Problem(file, line, f"The site has no file {link[1]}. Link to a full address: https://…")
