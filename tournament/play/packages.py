"""Adds, retires and fetches the game packages that an installation stores, for `tournament.play.games`."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session, undefer

from tournament.games.loading import HASH_DIGITS, digest_of
from tournament.games.options import UnknownGame
from tournament.games.signing import PACKAGE, sign
from tournament.play.games import SignedPackage
from tournament.store.database import Sessions, insert_or_find, now, reading
from tournament.store.tables import GamePackage


@dataclass(frozen=True, slots=True)
class NewPackage:
    """A game to add: its archive, and the slug, title and version that it states."""

    archive: bytes
    slug: str
    title: str
    version: str


def name_of(package: GamePackage) -> str:
    """Return the name by which an assignment refers to the package: `slug@hash`."""
    return f"{package.slug}@{package.sha256[:HASH_DIGITS]}"


def add(session: Session, new: NewPackage, secret: str) -> GamePackage:
    """Store a package, signed with the private key `secret`. A package that is already stored is signed again, and is
    no longer retired."""
    digest = digest_of(new.archive)
    signature = sign(secret, bytes.fromhex(digest), PACKAGE)
    row = GamePackage(sha256=digest, slug=new.slug, title=new.title, version=new.version, archive=new.archive)
    row.signature = signature
    found = session.get(GamePackage, digest)
    stored = found or insert_or_find(session, row, lambda: session.get(GamePackage, digest))
    stored.archive, stored.signature, stored.retired_at = new.archive, signature, None
    return stored


def stored(session: Session) -> Sequence[GamePackage]:
    """Return all packages, sorted by slug, the latest of each slug first."""
    return session.scalars(select(GamePackage).order_by(GamePackage.slug, GamePackage.added_at.desc())).all()


def names(session: Session) -> list[str]:
    """Return the names of all packages, the latest of each game first."""
    return list(map(name_of, stored(session)))


def archive_of(session: Session, name: str) -> bytes | None:
    """Return the content of the package with the name `slug@hash`; None if it does not exist."""
    slug, _, hash_ = name.partition("@")
    of_hash = GamePackage.sha256.startswith(hash_, autoescape=True)
    wanted = select(GamePackage.archive).where(GamePackage.slug == slug, of_hash)
    return session.scalars(wanted).first() if hash_ else None


def offered(session: Session) -> Sequence[GamePackage]:
    """Return the packages that a new assignment may use."""
    return [package for package in stored(session) if package.retired_at is None]


def latest(session: Session) -> dict[str, str]:
    """Return, for each slug, the full name, `slug@hash`, of the latest package that a new assignment may use."""
    return {package.slug: name_of(package) for package in reversed(offered(session))}


def retire(session: Session, name: str) -> Sequence[GamePackage]:
    """Retire the package `slug@hash`, or all packages of a slug; return those that were not retired before. Raises
    UnknownGame."""
    slug, _, hash_ = name.partition("@")
    named = [each for each in stored(session) if each.slug == slug and (not hash_ or name_of(each) == name)]
    if not named:
        known = ", ".join(map(name_of, offered(session))) or "none"
        raise UnknownGame(f"No game {name!r} was added here; available: {known}.")
    retired = [each for each in named if each.retired_at is None]
    for each in retired:
        each.retired_at = now()
    return retired


def fetch(sessions: Sessions, hash_: str) -> SignedPackage | None:
    """Return the stored package whose SHA-256 begins with these digits; None if there is none."""
    wanted = select(GamePackage).where(GamePackage.sha256.startswith(hash_, autoescape=True))
    with reading(sessions) as session:
        row = session.scalars(wanted.options(undefer(GamePackage.archive))).first()
        return SignedPackage(row.archive, row.signature) if row else None
