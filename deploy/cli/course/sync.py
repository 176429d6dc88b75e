"""`quadrille course diff`, `push` and `pull`: a course folder and the installation."""

import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click
from sqlalchemy.orm import Session

from deploy.cli.common import data_option, for_programs, internal_errors, json_option, sandboxed, say, say_json, unknown
from deploy.cli.course.folder import check_all, write_into
from deploy.cli.course.reading import (
    GAMES,
    LoadedFolder,
    added_games,
    errors_in,
    folder_argument,
    load_folder,
    only_option,
    tell_problems,
)
from deploy.cli.errors import BAD_INPUT, BadInput
from deploy.cli.installation.database import looked_at, storing
from deploy.courses import find_course
from deploy.settings import Settings, load
from grader.authoring.course_folder.course import (
    ASSIGNMENTS,
    COURSE,
    CourseFolder,
    CourseSettings,
    assignments_of,
    read_course,
    update_settings,
)
from grader.authoring.course_folder.files import (
    FolderState,
    read_files,
    read_state,
    write_state,
)
from grader.authoring.course_folder.layout import ASSIGNMENT_TEXTS, SETTINGS, PackagedGames
from grader.authoring.course_folder.problems import Problem
from grader.authoring.course_folder.writing import write_assignment, write_settings
from grader.authoring.papers import CaseSets, keys, stored_sets
from grader.authoring.versions import Overwritten, live
from grader.definition.differences import Difference
from grader.definition.model import Definition
from grader.programs.jails import Jails, kept_objects
from tournament.games.loading import unpack_game
from tournament.games.options import parse_name
from tournament.play import packages
from web.assignment.pushing import (
    Plan,
    carry_out,
    plan_push,
    published_assignments,
    seen_now,
    seen_of,
    settings_of_course,
)


@dataclass(frozen=True, slots=True)
class Pulled:
    """The result of a pull: the `files` to write, by path, instead of those `replaced`; the state that the folder must
    remember; and the parts of the folder that were `edited` since the last pull or push, and would be lost."""

    settings: CourseSettings
    files: Mapping[str, bytes]
    replaced: Mapping[str, bytes]
    seen: FolderState
    edited: Sequence[str]


def pulled(session: Session, folder: Path, slug: str, only: str) -> Pulled:
    """Plan what a pull of the course or of one assignment does to the folder. Raises CourseError, BadInput and
    BadCourse."""
    there = read_files(folder) if folder.is_dir() else {}
    games = added_games(session, folder)
    local = read_course(there, folder.resolve().name, games)
    course = find_course(session, slug or (local.settings.slug if local.settings else folder.resolve().name))
    settings, state = settings_of_course(course), read_state(folder)
    on_site = published_assignments(session, course)
    if only and only not in on_site:
        raise BadInput(unknown(f"the course has no assignment {only!r}", only, on_site))
    wanted = {each: live(session, assignment) for each, assignment in on_site.items() if only in ("", each)}
    changed = {each: definition for each, definition in wanted.items() if local.assignments.get(each) != definition}
    files, replaced = _settings_file(there, local, settings)
    edited = [COURSE] if files and local.settings and local.settings.digest != state.course else []
    fetched = _fetched(session, folder, changed.values())
    games = PackagedGames({**games.names, **fetched})
    for slug, name in fetched.items():
        content = unpack_game(packages.archive_of(session, name) or b"")
        files |= {f"{GAMES}/{slug}/{path}": each for path, each in content.items()}
    for each, definition in changed.items():
        present = assignments_of(there).get(each, {})
        mine, seen_last = local.assignments.get(each), state.assignments.get(each)
        never_pushed = mine is None or seen_last is None or mine.digest != seen_last.digest
        if present and never_pushed:  # its files have changes that were never on the site
            edited.append(each)
        fresh = write_assignment(definition, settings.zone, local.defaults, games)
        kept = {path: _settings_kept(path, content, present.get(path)) for path, content in fresh.items()}
        files |= {f"{ASSIGNMENTS}/{each}/{path}": content for path, content in kept.items()}
        replaced |= {f"{ASSIGNMENTS}/{each}/{path}": present[path] for path in present if _is_ours(path)}
    seen = {**state.assignments, **{each: seen_of(session, on_site[each]) for each in wanted}}
    return Pulled(settings, files, replaced, FolderState(settings.digest, seen), edited)


def _settings_file(
    there: Mapping[str, bytes], local: CourseFolder, settings: CourseSettings
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return the new course.toml and the present one, if the file must change."""
    if local.settings == settings:
        return {}, {}
    if local.settings is None:
        present = {COURSE: there[COURSE]} if COURSE in there else {}
        return {COURSE: write_settings(settings)}, present
    return {COURSE: update_settings(there[COURSE], settings)}, {COURSE: there[COURSE]}


def _fetched(session: Session, folder: Path, definitions: Iterable[Definition]) -> dict[str, str]:
    """Return the added games that these definitions need but the folder lacks, by slug; one version of each."""
    stored, found = packages.names(session), dict[str, str]()
    for name in [definition.game for definition in definitions]:
        slug = parse_name(name).slug
        if name in stored and slug not in found and not (folder / GAMES / slug).exists():
            found[slug] = name
    return found


def _settings_kept(path: str, fresh: bytes, present: bytes | None) -> bytes:
    """Return the new content of a file, or the present content of a settings file if both mean the same."""
    if present is None or path != SETTINGS:
        return fresh
    try:
        return present if tomllib.loads(present.decode()) == tomllib.loads(fresh.decode()) else fresh
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return fresh


def _is_ours(path: str) -> bool:
    """Whether a pull may replace or remove this file of an assignment's folder."""
    return path in (SETTINGS, *ASSIGNMENT_TEXTS.values()) or path.startswith(("questions/", "submissions/"))


@click.command()
@folder_argument
@only_option
@json_option
@data_option
def diff(folder: Path, only: str, as_json: bool, data: Path | None) -> None:
    """Show what a push of FOLDER would change on the site, and whom that would affect."""
    loaded, planned = _planned(load(data), folder, only)
    if as_json:
        say_json(as_data(planned, loaded.problems))
    else:
        tell_problems(loaded.problems)
        _tell_plan(planned, details=True)
    _end_with_errors(loaded.problems, only)


@click.command()
@folder_argument
@only_option
@click.option("--yes", is_flag=True, help="Do not ask before changes that affect marks, entries or drafts.")
@json_option
@data_option
def push(folder: Path, only: str, yes: bool, as_json: bool, data: Path | None) -> None:
    """Publish what has changed in FOLDER, after a check; the course is created if it does not exist.

    All changes are published, or none. An assignment with errors is named and left out; the others are pushed. The push
    is refused if the site was edited since the folder was last pulled or pushed.
    """
    settings = load(data)
    loaded, planned = _planned(settings, folder, only)
    _refuse_conflicts(planned)
    checked, sets = _check_changed(settings, loaded, planned)
    problems = sorted([*loaded.problems, *checked])
    bad = {problem.file.split("/")[1] for problem in checked if not problem.warning}
    planned = replace(planned, parts=[part for part in planned.parts if part.slug not in bad])
    if not as_json:
        tell_problems(problems)
        _tell_plan(planned, details=False)
    _confirm(planned, yes)
    versions = _carried_out(settings, folder, planned, sets)
    if as_json:
        say_json(as_data(planned, problems) | {"pushed": versions})
    else:
        say(_done(versions, planned))
        if planned.former is None:
            say(f"To add people: quadrille course add {planned.settings.slug} people.csv", err=True)
    _end_with_errors(problems, only)


@click.command()
@folder_argument
@only_option
@click.option("--course", "slug", default="", metavar="SLUG", help="The course; by default the course of FOLDER.")
@click.option("--force", is_flag=True, help="Overwrite changes in FOLDER that were not pushed.")
@json_option
@data_option
def pull(folder: Path, only: str, slug: str, force: bool, as_json: bool, data: Path | None) -> None:
    """Write the course as it is on the site into FOLDER, with everything that was edited there.

    Files with the same meaning as on the site stay unchanged, including comments.
    """
    with looked_at(load(data)) as session:
        found = pulled(session, folder, slug, only)
    if found.edited and not force:
        raise BadInput(
            f"not pulled: {', '.join(found.edited)} changed in {folder} since the last pull or push, and would be"
            " overwritten; push first, or keep the changes in git and add --force"
        )
    changed = write_into(folder, found.files, found.replaced)
    _remember(folder, found.seen)
    if as_json:
        say_json({"course": found.settings.slug, "changed": changed})
    else:
        say("\n".join(changed) if changed else f"{folder} is the same as the site.")


def _planned(settings: Settings, folder: Path, only: str) -> tuple[LoadedFolder, Plan]:
    with looked_at(settings) as session:
        loaded = load_folder(folder, only, added_games(session, folder))
        planned = plan_push(session, loaded.settings, loaded.assignments, read_state(folder))
    if only:
        planned = replace(planned, only_on_site=())
    places = {slug: f"{ASSIGNMENTS}/{slug}/" for slug in planned.only_on_site}
    broken = {slug for slug, place in places.items() for each in loaded.problems if each.file.startswith(place)}
    return loaded, replace(planned, only_on_site=[slug for slug in places if slug not in broken])


def _refuse_conflicts(planned: Plan) -> None:
    if not planned.conflicts:
        return
    for part in planned.parts:
        for edit in part.site_edits if part.conflict else ():
            say(f"  {part.slug}, edited on the site: {edit.sentence}", err=True)
    raise BadInput(
        f"not pushed: {', '.join(planned.conflicts)} changed on the site since this folder was last pulled or pushed;"
        " see `quadrille course diff`, pull, make your changes again and push"
    )


def _check_changed(settings: Settings, loaded: LoadedFolder, planned: Plan) -> tuple[list[Problem], CaseSets]:
    """Check the assignments that would change. Return their problems and their case sets; stored case sets are not
    generated again."""
    changed = {part.slug: part.definition for part in planned.changed}
    if not changed:
        return [], {}
    with looked_at(settings) as session:
        wanted = {key for definition in changed.values() for key in keys(definition).values()}
        known = stored_sets(session, wanted)
    with internal_errors(), for_programs() as programs, sandboxed(False, [*changed]) as sandbox:
        jails = Jails(lambda: sandbox, lambda: sandbox, programs, objects=kept_objects())
        checked = check_all(replace(loaded, assignments=changed), jails, known)
    problems = [problem for each in checked.values() for problem in each.problems]
    return problems, {key: cases for each in checked.values() for key, cases in each.case_sets.items()}


def _confirm(planned: Plan, yes: bool) -> None:
    """Ask for confirmation if something needs it. Raises BadInput if nobody can be asked, and click.Abort if the answer
    is no."""
    asks = [f"{part.slug}: {sentence}" for part in planned.changed for sentence in part.asks]
    if not asks or yes:
        return
    if not sys.stdin.isatty():
        raise BadInput(f"not pushed: {' '.join(asks)} If that is what you want, add --yes")
    click.confirm("Push?", abort=True, err=True)


def _carried_out(settings: Settings, folder: Path, planned: Plan, sets: CaseSets) -> dict[str, int]:
    try:
        with storing(settings) as session:
            versions = carry_out(session, planned, sets, by=None)
            seen = seen_now(session, planned, read_state(folder))
    except Overwritten as error:
        raise BadInput(f"not pushed: {error}") from error
    _remember(folder, seen)
    return versions


def _remember(folder: Path, seen: FolderState) -> None:
    if seen == read_state(folder):
        return
    try:
        write_state(folder, seen)
    except OSError as error:
        raise BadInput(f"{folder} cannot remember this: {error.strerror}; pull before you push again") from error


def _tell_plan(planned: Plan, details: bool) -> None:
    """Print what a push changes; for `diff`, on standard output."""
    for change in planned.setting_changes:
        say(change.sentence)
    for part in planned.parts:
        for change in part.changes:
            say(f"{part.slug}: {change.sentence}")
            if details and "\n" in f"{change.before}{change.after}" and part.before:
                say("\n".join(f"    {line}" for line in change.lines()))
        for sentence in (*part.asks, *part.notes) if part.changes else ():
            say(f"{part.slug}: {sentence}", colour="yellow")
        if details and part.conflict:
            say(f"{part.slug}: it was edited on the site since the last pull; a push is refused.", colour="yellow")
    for slug in planned.only_on_site:
        say(f"{slug}: only on the site; it stays as it is.")
    if details and not (planned.setting_changes or planned.changed):
        say("The folder is the same as the site.")


def _done(versions: Mapping[str, int], planned: Plan) -> str:
    if versions:
        return f"Pushed: {', '.join(f'{slug} (version {number})' for slug, number in versions.items())}."
    if planned.setting_changes:
        return "Pushed the course’s settings."
    return "Nothing to push: the folder is the same as the site."


def _end_with_errors(problems: Sequence[Problem], only: str) -> None:
    if errors_in(problems, only):
        raise SystemExit(BAD_INPUT)


def as_data(planned: Plan, problems: Sequence[Problem]) -> dict[str, Any]:
    """Return a plan as plain data."""
    return {
        "course": planned.settings.slug,
        "is_new": planned.former is None,
        "settings": list(map(_change_data, planned.setting_changes)),
        "assignments": {
            part.slug: {
                "is_new": part.before is None,
                "changes": list(map(_change_data, part.changes)),
                "site_edits": list(map(_change_data, part.site_edits)),
                "asks": list(part.asks),
                "notes": list(part.notes),
            }
            for part in planned.parts
        },
        "only_on_site": list(planned.only_on_site),
        "conflicts": planned.conflicts,
        "problems": [asdict(problem) for problem in problems],
    }


def _change_data(change: Difference) -> dict[str, Any]:
    return {**asdict(change), "sentence": change.sentence}
