"""What a pull writes into a course folder."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.orm import Session

from deploy.cli.common import unknown
from deploy.cli.course.games import GAMES, added_games
from deploy.cli.errors import BadInput
from deploy.courses import find_course
from grader.authoring.course_folder.course import (
    ASSIGNMENTS,
    COURSE,
    CourseFolder,
    CourseSettings,
    assignments_of,
    read_course,
)
from grader.authoring.course_folder.files import read_files
from grader.authoring.course_folder.games import PackagedGames
from grader.authoring.course_folder.layout import ASSIGNMENT_TEXTS, SETTINGS
from grader.authoring.course_folder.problems import CourseError
from grader.authoring.course_folder.scaffold import update_settings
from grader.authoring.course_folder.state import FolderState, SiteState, read_state
from grader.authoring.course_folder.writing import write_assignment, write_settings
from grader.authoring.versions import live
from grader.definition.model import Definition
from tournament.games.names import parse_name
from tournament.games.packing import unpack
from tournament.play import packages
from web.assignment.pushing import published, seen_of, settings_of_course


@dataclass(frozen=True, slots=True)
class Pulled:
    """The `files` to be written, by path, instead of those `replaced`; what the folder must remember; and what of the
    folder was `edited` since the last pull or push, so that it would be lost."""

    settings: CourseSettings
    files: Mapping[str, bytes]
    replaced: Mapping[str, bytes]
    seen: FolderState
    edited: Sequence[str]


def pulled(session: Session, folder: Path, slug: str, only: str) -> Pulled:
    """What a pull of the course, or of one assignment, does to the folder. Raises BadInput and BadCourse."""
    try:
        there = read_files(folder) if folder.is_dir() else {}
    except CourseError as error:
        raise BadInput(str(error)) from error
    games = added_games(session, folder)
    local = read_course(there, folder.resolve().name, games)
    course = find_course(session, slug or (local.settings.slug if local.settings else folder.resolve().name))
    settings, state = settings_of_course(course), read_state(folder)
    on_site = published(session, course)
    if only and only not in on_site:
        raise BadInput(unknown(f"the course has no assignment {only!r}", only, on_site))
    wanted = {each: live(session, assignment) for each, assignment in on_site.items() if only in ("", each)}
    changed = {each: definition for each, definition in wanted.items() if local.assignments.get(each) != definition}
    files, replaced = _settings_file(there, local, settings)
    edited = [COURSE] if files and local.settings and local.settings.digest != state.course else []
    fetched = _fetched(session, folder, changed.values())
    games = PackagedGames({**games.names, **fetched})
    for slug, name in fetched.items():
        content = unpack(packages.archive_of(session, name) or b"")
        files |= {f"{GAMES}/{slug}/{path}": each for path, each in content.items()}
    for each, definition in changed.items():
        present = assignments_of(there).get(each, {})
        if present and _edited(local.assignments.get(each), state.assignments.get(each)):
            edited.append(each)
        fresh = write_assignment(definition, settings.zone, local.defaults, games)
        kept = {path: _kept(path, content, present.get(path)) for path, content in fresh.items()}
        files |= {f"{ASSIGNMENTS}/{each}/{path}": content for path, content in kept.items()}
        replaced |= {f"{ASSIGNMENTS}/{each}/{path}": present[path] for path in present if _is_ours(path)}
    seen = {**state.assignments, **{each: seen_of(session, on_site[each]) for each in wanted}}
    return Pulled(settings, files, replaced, FolderState(settings.digest, seen), edited)


def _settings_file(
    there: Mapping[str, bytes], local: CourseFolder, settings: CourseSettings
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """course.toml as it is to be, if it must change, and as it is."""
    if local.settings == settings:
        return {}, {}
    if local.settings is None:
        present = {COURSE: there[COURSE]} if COURSE in there else {}
        return {COURSE: write_settings(settings)}, present
    return {COURSE: update_settings(there[COURSE], settings)}, {COURSE: there[COURSE]}


def _fetched(session: Session, folder: Path, definitions: Iterable[Definition]) -> dict[str, str]:
    """The added games that these definitions need and the folder does not have, by slug: one version of each."""
    stored, found = packages.names(session), dict[str, str]()
    for name in [definition.game for definition in definitions]:
        slug = parse_name(name).slug
        if name in stored and slug not in found and not (folder / GAMES / slug).exists():
            found[slug] = name
    return found


def _edited(local: Definition | None, seen: SiteState | None) -> bool:
    """Whether an assignment's files hold changes that the site has never had."""
    return local is None or seen is None or local.digest != seen.digest


def _kept(path: str, fresh: bytes, present: bytes | None) -> bytes:
    """The settings as they are if they say the same; any other file as it is to be."""
    if present is None or path != SETTINGS:
        return fresh
    try:
        return present if tomllib.loads(present.decode()) == tomllib.loads(fresh.decode()) else fresh
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return fresh


def _is_ours(path: str) -> bool:
    """Whether a pull may replace or remove this file of an assignment's folder."""
    return path in (SETTINGS, *ASSIGNMENT_TEXTS.values()) or path.startswith(("questions/", "submissions/"))
