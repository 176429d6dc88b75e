"""Replays of a tournament's games for anyone who has the address, until whoever shared one takes that back."""

import secrets

from sqlalchemy import select
from sqlalchemy.orm import Session

from tournament.store.database import insert_or_find
from tournament.store.tables import PlayedGame, SharedGame


def share(session: Session, game: PlayedGame, by: int) -> str:
    """Make a game's replay public; the token of its address. A game that is shared keeps its address."""

    def find() -> SharedGame | None:
        return session.get(SharedGame, game.id)

    fresh = SharedGame(game_id=game.id, token=secrets.token_urlsafe(18), shared_by=by)
    return (find() or insert_or_find(session, fresh, find)).token


def unshare(session: Session, game: PlayedGame) -> None:
    """End that, for everybody who has the address."""
    if found := session.get(SharedGame, game.id):
        session.delete(found)


def shared(session: Session, token: str) -> PlayedGame | None:
    """The game that is public at this address."""
    return session.scalar(select(PlayedGame).join(SharedGame).where(SharedGame.token == token))
