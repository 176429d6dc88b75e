"""Who has met whom in the finished rounds of a final, remembered by each process that plans the next one.

Planning a round then costs the same however many were played: only the blocks since the last time are read.
"""

from datetime import datetime
from threading import Lock
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from tournament.ladder.schedule import Meetings
from tournament.store.tables import Block, Final


class Past:
    """Who has met whom, by entry number. It is read from the blocks alone and may be lost at any time."""

    def __init__(self, final: Final) -> None:
        self.met = Meetings(range(len(final.entries)))
        self._number = {id_: index for index, id_ in enumerate(final.entries)}
        self._final = final.tournament_id
        self._last = 0
        self._newest: tuple[datetime, int] | None = None  # the block that ended last
        self._lock = Lock()

    def stands(self, session: Session) -> bool:
        """Whether the database still holds what was read, which it does not once an older backup is restored."""
        if self._newest is None:
            return True
        ended, block = self._newest
        return session.scalar(select(Block.finished_at).where(Block.id == block)) == ended

    def read(self, session: Session) -> None:
        """Add the blocks since the last time, all of which must have ended."""
        new = select(Block.id, Block.entries, Block.finished_at).where(Block.tournament_id == self._final)
        with self._lock:
            blocks = session.execute(new.where(Block.id > self._last)).all()
            self.met.add([self._number[id_] for id_ in block.entries] for block in blocks)
            ended = [(block.finished_at, block.id) for block in blocks if block.finished_at]
            self._newest = max(ended + ([self._newest] if self._newest else []), default=None)
            self._last = max((block.id for block in blocks), default=self._last)


_pasts: WeakKeyDictionary[Engine, dict[int, Past]] = WeakKeyDictionary()


def past_of(session: Session, final: Final) -> Past:
    """The past of a final whose current round is over."""
    known = _pasts.setdefault(session.get_bind().engine, {})
    past = known.get(final.tournament_id)
    if past is None or not past.stands(session):
        past = known[final.tournament_id] = Past(final)
    past.read(session)
    return past


def forget(session: Session, final: Final) -> None:
    """Drop what is known of a final of which no more rounds are planned."""
    _pasts.get(session.get_bind().engine, {}).pop(final.tournament_id, None)
