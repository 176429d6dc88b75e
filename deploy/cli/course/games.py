"""Games of a department's own in a course folder: which package is meant by the bare name of a game."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from sqlalchemy.orm import Session

from deploy import packages
from deploy.cli.errors import BadInput
from grader.authoring.course_folder.games import NO_GAMES, PackagedGames
from grader.authoring.course_folder.problems import Problem
from tournament.games.packing import HASH_DIGITS, BadFolder, digest_of, pack, read_folder
from tournament.games.signing import PACKAGE, new_key, public_key, sign
from tournament.play import games as added
from tournament.play.conformance.apart import examine
from tournament.play.games import SignedPackage
from tournament.play.packages import latest, names

GAMES = "games"


def added_games(session: Session, folder: Path) -> PackagedGames:
    """The packages of the folder's own games, and otherwise the latest ones that were added; a game of the folder that
    was not added cannot be used. Nothing of the folder is run. Raises BadInput."""
    own, there = _names(_archives(folder)), names(session)
    unfit = {slug: _not_added(folder, slug, there) for slug, name in own.items() if name not in there}
    found = {slug: name for slug, name in (latest(session) | own).items() if slug not in unfit}
    return PackagedGames(found, unfit)


def _not_added(folder: Path, slug: str, there: Sequence[str]) -> str:
    """What to do if a game of the folder was not added to the installation, where `there` are."""
    versions = [name for name in there if name.partition("@")[0] == slug]
    command = f"`quadrille game add {shlex.quote(str(folder / GAMES / slug))}`"
    if not versions:
        return f"The game in {GAMES}/{slug} was not added to this installation. The operator runs {command}."
    return (
        f"The game in {GAMES}/{slug} is not the same as {versions[0]}, which was added to this installation. To use the"
        f' one in the folder, the operator runs {command}. To use the added one, write game = "{versions[0]}" here.'
    )


def use_own_games(folder: Path, tell: Callable[[str], None]) -> tuple[PackagedGames, list[Problem]]:
    """Let this process, without an installation, use the folder's own games, after a check: they are run with all its
    permissions. Other games are those of the default data folder. Returns also what is wrong with the games. Raises
    BadInput."""
    archives = _archives(folder)
    if not archives:
        packages.install_here()
        return NO_GAMES, []
    secret = new_key()
    signed = {}
    for archive in archives.values():
        digest = digest_of(archive)
        signed[digest[:HASH_DIGITS]] = SignedPackage(archive, sign(secret, bytes.fromhex(digest), PACKAGE))
    added.install(signed.get, lambda: [public_key(secret)])
    flaws = {slug: list(_flaws(folder, slug, tell)) for slug in archives}
    unfit = {slug: f"The game in {GAMES}/{slug} has errors; correct them first." for slug in flaws if flaws[slug]}
    fit = {slug: name for slug, name in _names(archives).items() if slug not in unfit}
    return PackagedGames(fit, unfit), [problem for each in flaws.values() for problem in each]


def _flaws(folder: Path, slug: str, tell: Callable[[str], None]) -> Iterator[Problem]:
    """What `quadrille game check` finds."""
    place = f"{GAMES}/{slug}"
    tell(place)
    for outcome in examine(folder / place):
        for flaw in outcome.flaws:
            yield Problem(f"{place}/{flaw.file}".rstrip("/"), flaw.line, f"{flaw.what} {flaw.fix}".strip())


def _names(archives: Mapping[str, bytes]) -> dict[str, str]:
    return {slug: f"{slug}@{digest_of(archive)[:HASH_DIGITS]}" for slug, archive in archives.items()}


def _archives(folder: Path) -> dict[str, bytes]:
    """The packages of the games in the folder, by the name of their folder, which is the game's slug."""
    there = folder / GAMES
    try:
        inside = sorted(each for each in there.iterdir() if (each / "__init__.py").is_file()) if there.is_dir() else []
        return {each.name: pack(read_folder(each)) for each in inside}
    except (BadFolder, OSError) as error:
        raise BadInput(str(error)) from error
