"""Files as they are kept: each once, however often it comes."""

from hashlib import sha256

from sqlalchemy import select
from sqlalchemy.orm import Session

from tournament.store.database import insert_or_find
from tournament.store.tables import Player


def player_of(session: Session, source: bytes) -> Player:
    """The row of a file, in the caller's transaction."""
    digest = sha256(source).hexdigest()

    def find() -> Player | None:
        return session.scalar(select(Player).where(Player.sha256 == digest))

    return find() or insert_or_find(session, Player(sha256=digest, source=source), find)
