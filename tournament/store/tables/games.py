"""Games that count: blocks of them, and each game with its seats."""

from datetime import datetime

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, LargeBinary, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, object_session, relationship

from tournament.store.database import Base, now
from tournament.store.jobs import Job
from tournament.store.tables.tournaments import Entry, Tournament


class Block(Job, Base):
    """The unit of play: as many games as players, who sit once in each seat; each game has a fresh deal.

    `entries` are entry ids in the order of the first game. All seeds follow from `seed`, see `tournament.play.seeds`.
    `deals`: how many attempts were made at it. It is counted with the claim, before anybody sees a card, and never goes
    back; 0 of blocks that were played while all games of a block had the same deal. `urgency`: those with more are
    played first, see `tournament.ladder.schedule`; 0 of finals and brackets.
    """

    counted = ("attempts", "deals")

    __tablename__ = "block"
    __table_args__ = (Index("ix_block_pairing", "tournament_id", "state"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), index=True)
    seed: Mapped[int] = mapped_column(BigInteger)  # random, 53 bits: nobody finds it by trying, and JavaScript holds it
    entries: Mapped[list[int]] = mapped_column(JSON)
    finish: Mapped[str] = mapped_column(default="")  # once played: see tournament.ranking.plackett_luce.finish_of
    deals: Mapped[int] = mapped_column(default=0, server_default="0")
    urgency: Mapped[int] = mapped_column(default=0, server_default="0")

    tournament: Mapped[Tournament] = relationship()

    def was_cut_off(self, why: str) -> None:
        """Keep the attempt on record, with the first reason given: who finds it out first knows best why."""
        session, attempt = object_session(self), self.deals
        if session is not None and attempt > 0 and not session.get(VoidAttempt, (self.id, attempt)):
            session.add(VoidAttempt(block_id=self.id, attempt=attempt, reason=why))
            session.flush()


class VoidAttempt(Base):
    """An attempt at a block that was cut off: none of its games count, and its deals are never dealt again."""

    __tablename__ = "void_attempt"

    block_id: Mapped[int] = mapped_column(ForeignKey("block.id"), primary_key=True)
    attempt: Mapped[int] = mapped_column(primary_key=True)  # see `Block.deals`
    reason: Mapped[str]
    at: Mapped[datetime] = mapped_column(default=now)


class PlayedGame(Base):
    """A finished game. `record` is the compressed record (see `tournament.play.record`)."""

    __tablename__ = "game"
    __table_args__ = (UniqueConstraint("block_id", "seating"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    block_id: Mapped[int] = mapped_column(ForeignKey("block.id"))
    seating: Mapped[int]
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), index=True)
    ended: Mapped[str]
    plays: Mapped[int]
    record: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    played_at: Mapped[datetime] = mapped_column(default=now)

    seats: Mapped[list["Seat"]] = relationship(back_populates="game", order_by="Seat.seat")


class SharedGame(Base):
    """A game whose replay is public at an address that nobody can guess."""

    __tablename__ = "shared_game"

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    token: Mapped[str] = mapped_column(unique=True)
    shared_by: Mapped[int] = mapped_column(ForeignKey("user.id"))
    shared_at: Mapped[datetime] = mapped_column(default=now)


class Seat(Base):
    """One entry's part in one game. `counts`: it is in the entry's standings. `block_id` is the game's: to look it up
    there would read the records of a thousand games for one page. `call_ms` and `slowest_ms`: the CPU time
    of its calls, on average and of the slowest, in milliseconds; None before they were kept, and without a call."""

    __tablename__ = "seat"
    __table_args__ = (Index("ix_seat_entry_game", "entry_id", "game_id"),)

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    entry_id: Mapped[int] = mapped_column(ForeignKey("entry.id"))
    block_id: Mapped[int] = mapped_column(default=0, server_default="0")
    place: Mapped[int]
    points: Mapped[float]
    counts: Mapped[bool]
    verdict: Mapped[str | None] = mapped_column(default=None)  # of the fault, for the offender
    rule: Mapped[str] = mapped_column(default="")
    message: Mapped[str] = mapped_column(default="")
    call_ms: Mapped[float | None] = mapped_column(default=None)
    slowest_ms: Mapped[float | None] = mapped_column(default=None)

    game: Mapped[PlayedGame] = relationship(back_populates="seats")
    entry: Mapped[Entry] = relationship()
