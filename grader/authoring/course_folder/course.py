"""A course folder as a whole: course.toml, and a folder for each assignment. An error in one assignment does not keep
the others from being read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Annotated, Final
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError, field_validator

from grader.authoring.course_folder.defaults import NO_DEFAULTS, Defaults, read_defaults
from grader.authoring.course_folder.games import NO_GAMES, PackagedGames
from grader.authoring.course_folder.layout import SETTINGS
from grader.authoring.course_folder.problems import CourseError, Problem, near
from grader.authoring.course_folder.reading import Surroundings, read_assignment
from grader.authoring.course_folder.toml import TomlFile, plain, said
from grader.definition.local_times import DEFAULT_ZONE, UTC_ZONE, find_zone, zone_or_utc
from grader.definition.model import Definition
from grader.definition.question import Slug, Title
from sandbox import patterns

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
