"""Functions that the commands on a course folder share: reading the folder, and reporting problems in it."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from sqlalchemy.orm import Session

from deploy.cli.common import say, unknown
from deploy.cli.errors import BadInput
from deploy.database import install_added_games_here
from grader.authoring.course_folder.course import (
    ASSIGNMENTS,
    COURSE,
    CourseFolder,
    CourseSettings,
    assignments_of,
    read_course,
    warnings,
)
from grader.authoring.course_folder.files import read_files
from grader.authoring.course_folder.layout import NO_GAMES, PackagedGames
from grader.authoring.course_folder.problems import CourseError, Problem
from grader.definition.model import Definition
from tournament.games.loading import HASH_DIGITS, BadFolder, digest_of, pack, read_folder
from tournament.games.signing import PACKAGE, new_key, public_key, sign
from tournament.play import games as added
from tournament.play.conformance.apart import examine_apart
from tournament.play.games import SignedPackage
from tournament.play.packages import latest, names
from tournament.store.database import now

folder_argument = click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
only_option = click.option("--only", default="", metavar="SLUG", help="Only this assignment, such as bo.")


@dataclass(frozen=True, slots=True)
class LoadedFolder:
    """A course folder that was read: its files by path, the requested assignments that have no errors, and all
    problems."""

    files: Mapping[str, bytes]
    course: CourseFolder
    assignments: Mapping[str, Definition]
    problems: Sequence[Problem]

    @property
    def settings(self) -> CourseSettings:
        """The settings in course.toml. Raises CourseError if they are wrong."""
        if self.course.settings is None:
            raise CourseError(problem for problem in self.problems if problem.file == COURSE)
        return self.course.settings


def load_folder(folder: Path, only: str, games: PackagedGames) -> LoadedFolder:
    """Read a course folder; `games` are the games that are not built in. Raises CourseError if the folder cannot be
    read at all, and BadInput if it has no assignment called `only`."""
    files = read_files(folder)
    course = read_course(files, folder.resolve().name, games)
    inside = assignments_of(files)
    if only and only not in inside:
        raise BadInput(unknown(f"there is no assignment {only!r} in {folder}", only, inside))
    problems = list(course.problems)
    for slug, definition in course.assignments.items():
        found = warnings(inside[slug], definition, course.zone, now())
        problems += [problem.inside(f"{ASSIGNMENTS}/{slug}") for problem in found if only in ("", slug)]
    if not inside:
        problems.append(Problem(ASSIGNMENTS, 0, "No assignment was found. Each needs a folder with assignment.toml."))
    chosen = {slug: each for slug, each in course.assignments.items() if only in ("", slug)}
    return LoadedFolder(files, course, chosen, sorted(problems))


def errors_in(problems: Sequence[Problem], only: str) -> list[Problem]:
    """Return the errors, without warnings. If `only` names an assignment, the errors of other assignments are left
    out."""
    own = f"{ASSIGNMENTS}/{only}/"
    errors = [problem for problem in problems if not problem.warning]
    return [each for each in errors if not only or each.file == COURSE or each.file.startswith(own)]


def tell_problems(problems: Sequence[Problem]) -> None:
    """Print problems, one per line, in a form that editors understand."""
    for problem in sorted(problems):
        say(str(problem), err=True, colour="yellow" if problem.warning else "red")


GAMES = "games"


def added_games(session: Session, folder: Path) -> PackagedGames:
    """Return the packages of the folder's own games and, for other games, of the latest added versions. A game in the
    folder that was not added cannot be used. No code in the folder is run. Raises BadInput."""
    own, there = _package_names(_archives(folder)), names(session)
    unfit = {slug: _not_added(folder, slug, there) for slug, name in own.items() if name not in there}
    found = {slug: name for slug, name in (latest(session) | own).items() if slug not in unfit}
    return PackagedGames(found, unfit)


def _not_added(folder: Path, slug: str, there: Sequence[str]) -> str:
    """Return the advice for a game in the folder that was not added to the installation; `there` are the names of the
    added games."""
    versions = [name for name in there if name.partition("@")[0] == slug]
    command = f"`quadrille game add {shlex.quote(str(folder / GAMES / slug))}`"
    if not versions:
        return f"The game in {GAMES}/{slug} was not added to this installation. The operator runs {command}."
    return (
        f"The game in {GAMES}/{slug} is not the same as {versions[0]}, which was added to this installation. To use the"
        f' one in the folder, the operator runs {command}. To use the added one, write game = "{versions[0]}" here.'
    )


def use_own_games(folder: Path, tell: Callable[[str], None]) -> tuple[PackagedGames, list[Problem]]:
    """Check the folder's own games and let this process use them without an installation; they run with all permissions
    of the process. Other games come from the default data folder. Returns the games and the problems found. Raises
    BadInput."""
    archives = _archives(folder)
    if not archives:
        install_added_games_here()
        return NO_GAMES, []
    secret = new_key()
    signed = {}
    for archive in archives.values():
        digest = digest_of(archive)
        signed[digest[:HASH_DIGITS]] = SignedPackage(archive, sign(secret, bytes.fromhex(digest), PACKAGE))
    added.install(signed.get, lambda: [public_key(secret)])
    problems, unfit = list[Problem](), dict[str, str]()
    for slug in archives:
        place = f"{GAMES}/{slug}"
        tell(place)
        for flaw in (flaw for outcome in examine_apart(folder / place) for flaw in outcome.flaws):
            problems.append(Problem(f"{place}/{flaw.file}".rstrip("/"), flaw.line, f"{flaw.what} {flaw.fix}".strip()))
            unfit[slug] = f"The game in {place} has errors; correct them first."
    fit = {slug: name for slug, name in _package_names(archives).items() if slug not in unfit}
    return PackagedGames(fit, unfit), problems


def _package_names(archives: Mapping[str, bytes]) -> dict[str, str]:
    return {slug: f"{slug}@{digest_of(archive)[:HASH_DIGITS]}" for slug, archive in archives.items()}


def _archives(folder: Path) -> dict[str, bytes]:
    """Return the packages of the games in the folder, by the name of each game's folder, which is its slug."""
    there = folder / GAMES
    try:
        inside = sorted(each for each in there.iterdir() if (each / "__init__.py").is_file()) if there.is_dir() else []
        return {each.name: pack(read_folder(each)) for each in inside}
    except (BadFolder, OSError) as error:
        raise BadInput(str(error)) from error
