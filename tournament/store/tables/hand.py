"""Games that people play by hand."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column, relationship

from tournament.store.database import Base, now
from tournament.store.jobs import Job, JobState
from tournament.store.tables.tournaments import Player

PATIENCE = timedelta(minutes=5)
"""After so long without a play the person's seat is given up."""


class HandGame(Job, Base):
    """A game that a person plays against house bots. It never counts.

    A job of it is short: from the record, the bots play until the person must. So it is `done` whenever the person is
    on turn, and is queued again by each play; no worker waits for anybody. `record` has what was played so far.
    `revision` counts its changes, so that a form of an older position is known. Once it is over, `ended` says how, and
    a job of it asks the player `adviser_id` what it would have done.
    """

    __tablename__ = "hand_game"
    __table_args__ = (
        Index("ix_hand_game_person", "person_id", "assignment_id", "begun_at"),
        Index("ix_hand_game_waiting", "ended", "finished_at"),  # for those that are given up
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), index=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    seat: Mapped[int]
    bots: Mapped[list[str]] = mapped_column(JSON)  # house bots in the order of the other seats
    practice: Mapped[bool]  # whether plays can be taken back
    record: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    move: Mapped[list[Any]] = mapped_column(JSON, default=list)  # the play that the person has chosen, or nothing
    revision: Mapped[int] = mapped_column(default=0)
    begun_at: Mapped[datetime] = mapped_column(default=now)
    ended: Mapped[str] = mapped_column(default="")
    place: Mapped[int | None] = mapped_column(default=None)
    adviser_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"), default=None)
    advice: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)  # see `tournament.hand.advice`
    request_key: Mapped[str | None] = mapped_column(default=None)  # the form's: sent twice, it begins one game

    adviser: Mapped[Player | None] = relationship()

    @property
    def author_id(self) -> int | None:
        """The person, who sits where others have a player."""
        return self.person_id

    @property
    def player_id(self) -> int | None:
        """No file plays."""
        return None

    @property
    def traces(self) -> list[str | None]:
        """No upload plays."""
        return []

    @property
    def on_turn(self) -> bool:
        """Whether the person must play."""
        return self.state is JobState.DONE and not self.ended

    def is_left(self, at: datetime) -> bool:
        """Whether the person was awaited for too long."""
        return self.on_turn and self.finished_at is not None and self.finished_at + PATIENCE < at
