"""Games of a department's own in a course folder: which package is meant by the bare name of a game."""

from collections.abc import Mapping
from pathlib import Path

from sqlalchemy.orm import Session

from deploy import packages
from deploy.cli.errors import BadInput
from tournament.games import added
from tournament.games.added import SignedPackage
from tournament.games.packing import HASH_DIGITS, BadFolder, digest_of, pack, read_folder
from tournament.play.packages import latest
from tournament.signing import PACKAGE, new_key, public_key, sign

GAMES = "games"


def added_games(session: Session, folder: Path) -> dict[str, str]:
    """The whole names of games by slug: the packages of the folder's own games, and otherwise the latest ones that were
    added. Nothing of the folder is run. Raises BadInput."""
    return latest(session) | _names(_archives(folder))


def use_own_games(folder: Path) -> dict[str, str]:
    """Let this process, without an installation, use the folder's own games: they are run with all its permissions.
    Other games are those of the default data folder. Returns their whole names by slug. Raises BadInput."""
    archives = _archives(folder)
    if not archives:
        packages.install_here()
        return {}
    secret = new_key()
    signed = {}
    for archive in archives.values():
        digest = digest_of(archive)
        signed[digest[:HASH_DIGITS]] = SignedPackage(archive, sign(secret, bytes.fromhex(digest), PACKAGE))
    added.install(signed.get, lambda: [public_key(secret)])
    return _names(archives)


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
