"""A course folder as a whole: course.toml, and a folder for each assignment; a new one, and those that come with this
software. An error in one assignment does not keep the others from being read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated, Final
from zoneinfo import ZoneInfo

import tomlkit
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError, field_validator

from grader.authoring.course_folder.layout import SETTINGS
from grader.authoring.course_folder.problems import CourseError, Problem, TomlFile, near, plain, said
from grader.authoring.course_folder.reading import Surroundings, read_assignment
from grader.authoring.course_folder.surroundings import NO_DEFAULTS, NO_GAMES, Defaults, PackagedGames, read_defaults
from grader.definition.local_times import DEFAULT_ZONE, UTC_ZONE, find_zone, zone_or_utc
from grader.definition.model import Definition
from grader.definition.question import Slug, Title
from sandbox import patterns
from tournament.play.games import find_game

COURSE: Final = "course.toml"
ASSIGNMENTS: Final = "assignments"

_SLUG = patterns.compile(r"[a-z0-9][a-z0-9-]{0,39}")


class CourseSettings(BaseModel):
    """What course.toml says besides the defaults. `slug` is the course's name in addresses, `time_zone` an IANA name,
    `term` is shown behind the title."""

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
        """The SHA-256 of everything in it."""
        return sha256(self.model_dump_json().encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class CourseFolder:
    """What a course folder says. `settings` is None if course.toml is wrong. `problems` are those of course.toml and of
    all assignments; an assignment that has any is not among `assignments`."""

    settings: CourseSettings | None
    defaults: Defaults = NO_DEFAULTS
    assignments: Mapping[str, Definition] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of its dates."""
        return self.settings.zone if self.settings else UTC_ZONE


def read_course(files: Mapping[str, bytes], folder: str = "", games: PackagedGames = NO_GAMES) -> CourseFolder:
    """A course from the files of its folder, by path. `folder` is the folder's own name, which is the course's slug
    unless course.toml has another. `games` are those that are not built in."""
    settings, defaults, problems = _read_settings(files, folder)
    zone = settings.zone if settings else UTC_ZONE
    assignments, more = read_assignments(files, zone, Surroundings(defaults, games))
    return CourseFolder(settings, defaults, assignments, tuple(sorted([*problems, *more])))


def read_assignments(
    files: Mapping[str, bytes], zone: ZoneInfo, around: Surroundings
) -> tuple[dict[str, Definition], list[Problem]]:
    """The assignments in a course's files that are good, by slug, and what is wrong with the others."""
    assignments, problems = {}, []
    for slug, inside in assignments_of(files).items():
        try:
            if not _SLUG.fullmatch(slug):
                raise CourseError([Problem(SETTINGS, 0, _bad_slug(slug))])
            assignments[slug] = read_assignment(inside, zone, around)
        except CourseError as error:
            problems += [problem.inside(f"{ASSIGNMENTS}/{slug}") for problem in error.found]
    return assignments, problems


def assignments_of(files: Mapping[str, bytes]) -> dict[str, dict[str, bytes]]:
    """The files of each assignment by its slug, with their paths in its own folder."""
    found: dict[str, dict[str, bytes]] = {}
    for path in sorted(files):
        top, slug, inside = (*path.split("/", 2), "", "")[:3]
        if top == ASSIGNMENTS and inside:
            found.setdefault(slug, {})[inside] = files[path]
    return found


def _read_settings(files: Mapping[str, bytes], folder: str) -> tuple[CourseSettings | None, Defaults, list[Problem]]:
    if COURSE not in files:
        problem = "This file is missing. `quadrille course init FOLDER` makes a folder that has all it needs."
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
            text = _bad_slug(str(given.get("slug"))) if name == "slug" else said(item["loc"], item)
            problems.append(toml.problem((name,), text))
        return None, defaults, problems


def _bad_slug(given: str) -> str:
    return (
        f"{given!r} cannot be part of an address. Use up to 40 small letters, digits and hyphens, as in comp10001-2027."
    )


def scaffold(slug: str, title: str, zone: str, game: str) -> dict[str, bytes]:
    """The files of a new course by path. Raises pydantic's ValidationError for a slug that cannot be part of an
    address, and for a title that is none."""
    settings = CourseSettings(slug=slug, title=title, time_zone=zone)
    template = files_in(files("grader.authoring.course_folder") / "template")
    template[COURSE] = update_settings(template[COURSE], settings)
    found = builtin_files(game)
    return template | {f"{ASSIGNMENTS}/{game}/{path}": content for path, content in found.items()}


def update_settings(toml: bytes, settings: CourseSettings) -> bytes:
    """The file course.toml with other settings, and everything else in it as it was, comments included."""
    document = tomlkit.parse(toml.decode("utf-8-sig"))
    for name, value in settings.model_dump().items():
        if document.get(name, "") != value:
            document[name] = value
    return tomlkit.dumps(document).encode()


UTC = ZoneInfo("UTC")


@cache
def builtin(slug: str) -> Definition:
    """The definition of a built-in game's assignment. Raises UnknownGame."""
    return read_assignment(builtin_files(slug), UTC)


def builtin_files(slug: str) -> dict[str, bytes]:
    """The folder of a built-in game's assignment: its files by path. The starter is the game's. Raises UnknownGame."""
    folder = find_game(slug).folder
    return files_in(folder / "assignment") | {"starter.py": (folder / "starter.py").read_bytes()}


def files_in(folder: Traversable) -> dict[str, bytes]:
    """The files of a course folder that comes with this software, by path."""
    return dict(sorted(_files(folder, "")))


def _files(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _files(each, f"{path}{each.name}/")
        elif each.name.endswith((".toml", ".md", ".txt", ".py")):
            yield f"{path}{each.name}", each.read_bytes()
