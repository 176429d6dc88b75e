"""Thinning: old games of a ladder lose their records and keep their results, so standings and ratings do not change.
The records take up nearly all the disk space of games. Games of finals and brackets are never thinned."""

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Select, exists, func, or_, select, update
from sqlalchemy.orm import Session

from tournament.store.database import Sessions, changed, writing
from tournament.store.tables import Entry, PlayedGame, Seat, Tournament, TournamentKind

AT_A_TIME: Final = 500  # games per transaction; on SQLite nobody else can write in the meantime


def thinnable(before: datetime, ended: Collection[int]) -> Select[int]:
    """Select the ids of games whose records may be deleted. They were played before that time, and by that time all
    students' entries in them had left, or the season of their ladder had ended. `ended`: assignments whose ladders
    are all over."""
    stays = exists().where(Seat.game_id == PlayedGame.id, Seat.entry_id == Entry.id, Entry.author_id.is_not(None))
    stays = stays.where(or_(Entry.left_at.is_(None), Entry.left_at >= before))
    over = or_(Tournament.season_ended < before, Tournament.assignment_id.in_(ended))
    ladders = select(PlayedGame.id).join(Tournament, Tournament.id == PlayedGame.tournament_id)
    ladders = ladders.where(Tournament.kind == TournamentKind.LADDER, or_(over, ~stays))
    return ladders.where(PlayedGame.played_at < before, func.length(PlayedGame.record) > 0)


def thinnable_size(session: Session, before: datetime, ended: Collection[int]) -> tuple[int, int]:
    """Return the number of games that `thin` would reduce to their results, and the size of their records in bytes."""
    found = select(func.count(), func.sum(func.length(PlayedGame.record)))
    number, size = session.execute(found.where(PlayedGame.id.in_(thinnable(before, ended)))).one()
    return number, size or 0


def thin(sessions: Sessions, before: datetime, ended: Collection[int], told: Callable[[int], Any] = int) -> int:
    """Delete the records of all `thinnable` games in several transactions. Call `told` after each with the number of
    games done so far, and return the total."""
    done, last, wanted = 0, 0, thinnable(before, ended).order_by(PlayedGame.id).limit(AT_A_TIME)
    while True:
        with writing(sessions) as session:
            ids = session.scalars(wanted.where(PlayedGame.id > last)).all()
            done += changed(session, update(PlayedGame).where(PlayedGame.id.in_(ids)).values(record=b""))
        if not ids:
            return done
        last = ids[-1]
        told(done)
