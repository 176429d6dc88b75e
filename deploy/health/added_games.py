"""Whether this host can use the games that were added to the installation."""

from collections.abc import Iterator

from sqlalchemy.orm import Session

from deploy.packages import trusted_keys
from deploy.settings import Settings
from sandbox.host.probe import Finding
from tournament.play.games import SignedPackage, UnverifiedGame, distrust
from tournament.play.packages import name_of, stored

NAME = "added games"


def added_games(settings: Settings, session: Session) -> Iterator[Finding]:
    """A finding for each package that this host does not trust, or one for all. A retired one is not needed."""
    packages = stored(session)
    try:
        keys = trusted_keys(settings) if packages else ()
    except UnverifiedGame:
        return  # the finding about the key says so
    doubts = {each: distrust(each.sha256, SignedPackage(each.archive, each.signature), keys) for each in packages}
    for package, doubt in doubts.items():
        if doubt:
            detail = f"{name_of(package)} is not used: {doubt.why}"
            yield Finding(NAME, False, detail, doubt.fix, needed=package.retired_at is None)
    if packages and not any(doubts.values()):
        yield Finding(NAME, True, f"their signatures are right: {', '.join(map(name_of, packages))}")
