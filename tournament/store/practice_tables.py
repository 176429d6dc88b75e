"""Games that never count: trial games, comparisons of two versions of a player, and custom games."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, LargeBinary, UniqueConstraint, select
from sqlalchemy.orm import Mapped, mapped_column, object_session, relationship

from tournament.store.database import Base, now, words
from tournament.store.jobs import PENDING, Job, JobState
from tournament.store.notices import Link, Notice
from tournament.store.tournament_tables import Entry, Player, Ranking, Tournament

INTERNAL_ERROR = (
    "An internal error stopped this. You did nothing wrong. Your instructor can see it too, and can start it again."
)


class Trial(Job, Base):
    """The trial games of a file in an assignment. `played` of its `games` are over. Once the job is done, `offence` is
    the record of the game in which the file was at fault, None if there is no such game. `used_s`: the time that the
    games have used, see `tournament.practice.trials`. If it exceeds the budget, `trouble` says so and the other
    games are not played."""

    __tablename__ = "trial"
    __table_args__ = (UniqueConstraint("assignment_id", "player_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), index=True)
    game: Mapped[str]
    games: Mapped[int]
    played: Mapped[int] = mapped_column(default=0)
    offence: Mapped[bytes | None] = mapped_column(LargeBinary, default=None)
    used_s: Mapped[float] = mapped_column(default=0.0, server_default="0")
    trace: Mapped[str | None] = mapped_column(default=None)  # its upload's trace id, see `tournament.work.runner`

    player: Mapped[Player] = relationship()

    @property
    def traces(self) -> list[str | None]:
        """The trace id of the upload that plays."""
        return [self.trace]

    @property
    def passed(self) -> bool:
        """Whether the games are over and the file was at fault in none of them."""
        return self.state is JobState.DONE and self.offence is None

    @property
    def failed(self) -> bool:
        """Whether the file was at fault."""
        return self.state is JobState.DONE and self.offence is not None


class VersionComparison(Job, Base):
    """A student's new player against their own entry, in pairs of games; see `tournament.practice.improvement`. Each
    claim is only for a few pairs, so `queued_at` is the time of the comparison's last turn. `trouble`: why it ended
    early."""

    __tablename__ = "comparison"
    __table_args__ = (UniqueConstraint("entry_id", "player_id"), Index("ix_comparison_author", "author_id", "state"))

    id: Mapped[int] = mapped_column(primary_key=True)
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), index=True)
    author_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), index=True)  # the new version
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))  # its file
    entry_id: Mapped[int] = mapped_column(ForeignKey("entry.id"))  # the former version
    ranking: Mapped[Ranking] = mapped_column(words(Ranking))
    seed: Mapped[int] = mapped_column(BigInteger)  # the seed of all its deals and draws
    opponents: Mapped[list[int]] = mapped_column(JSON)  # ids of entries, from which each table is drawn
    most_pairs: Mapped[int]
    begun_at: Mapped[datetime] = mapped_column(default=now)
    trace: Mapped[str | None] = mapped_column(default=None)  # the submission's trace id, see `tournament.work.runner`

    tournament: Mapped[Tournament] = relationship()
    entry: Mapped[Entry] = relationship()
    player: Mapped[Player] = relationship()
    pairs: Mapped[list["ComparedPair"]] = relationship(order_by="ComparedPair.number")

    @property
    def traces(self) -> list[str | None]:
        """The trace ids of the uploads that are compared."""
        return [self.trace, self.entry.trace]

    def was_parked(self) -> None:
        """Tell the author that the comparison has stopped."""
        self.tell("could not be finished", f"{INTERNAL_ERROR} The games played so far are kept.")

    def tell(self, what: str, text: str) -> None:
        """Leave a notice about the comparison for the author."""
        subject = f"The comparison of submission {self.submission_id} with your entry {what}"
        _tell_of_job(self, self.author_id, subject, text, ("comparison", self.id, "The comparison"))


class ComparedPair(Base):
    """Two games that differ only in the version. Their records are kept if they are interesting: if the versions got
    different results, or somebody was disqualified."""

    __tablename__ = "compared_pair"

    comparison_id: Mapped[int] = mapped_column(ForeignKey("comparison.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)  # from 0; the deal and the table follow from it
    seat: Mapped[int]
    opponents: Mapped[list[int]] = mapped_column(JSON)  # ids of entries by seat, without the seat of the versions
    no_contest: Mapped[bool]
    parting: Mapped[int | None] = mapped_column(default=None)  # the index of the first play that differs
    new_place: Mapped[int]
    new_points: Mapped[float]
    new_verdict: Mapped[str | None] = mapped_column(default=None)  # of the new version's fault
    old_place: Mapped[int]
    old_points: Mapped[float]
    old_verdict: Mapped[str | None] = mapped_column(default=None)
    played_at: Mapped[datetime | None] = mapped_column(default=now)  # None for pairs from before this was stored
    new_record: Mapped[bytes | None] = mapped_column(LargeBinary, default=None, deferred=True)
    old_record: Mapped[bytes | None] = mapped_column(LargeBinary, default=None, deferred=True)


class CustomBatch(Base):
    """Custom games of the same players, each with its own deal, that somebody requested together. Their seeds follow
    from `seed`. `rotates`: the players sit one seat further in each game."""

    __tablename__ = "custom_batch"
    __table_args__ = (
        Index("ix_custom_batch_asker", "asker_id", "tournament_id"),
        Index("ix_custom_batch_request", "asker_id", "request_key", unique=True),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), index=True)
    asker_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    seed: Mapped[int] = mapped_column(BigInteger)
    rotates: Mapped[bool]
    asked_at: Mapped[datetime] = mapped_column(default=now)
    request_key: Mapped[str | None] = mapped_column(default=None)  # see `CustomGame.request_key`

    tournament: Mapped[Tournament] = relationship()
    games: Mapped[list["CustomGame"]] = relationship(order_by="CustomGame.number", back_populates="batch")

    def tell_if_over(self) -> None:
        """When the last game of the batch has ended, leave one notice for the person who requested the batch. Games
        that end at the same moment wait for each other here, so that exactly one of them is the last."""
        session = object_session(self)
        if session is None:
            return
        session.refresh(self, with_for_update=True)
        states = session.scalars(select(CustomGame.state).where(CustomGame.batch_id == self.id)).all()
        if any(state in PENDING for state in states):
            return
        played = sum(state is JobState.DONE for state in states)
        text = "All of the games were played." if played == len(states) else f"{played} of {len(states)} were played."
        link = ("custom_batch", self.id, "The result")
        _tell_of_job(self, self.asker_id, f"Your {len(states)} custom games have ended", text, link)


class CustomGame(Job, Base):
    """A game that somebody requested, at `queued_at`. `trouble` says why it was not played. `share`: the token in its
    public address, None while it is not shared. `number`: its place in its batch, from 0. The later games of a batch
    wait until everybody's first games have been played."""

    __tablename__ = "custom_game"
    __table_args__ = (
        Index("ix_custom_game_asker", "asker_id", "tournament_id", "queued_at"),
        Index("ix_custom_game_request", "asker_id", "request_key", unique=True),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), index=True)
    asker_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    batch_id: Mapped[int | None] = mapped_column(ForeignKey("custom_batch.id"), index=True, default=None)
    number: Mapped[int] = mapped_column(default=0, server_default="0")
    seed: Mapped[int] = mapped_column(BigInteger)
    record: Mapped[bytes | None] = mapped_column(LargeBinary, default=None, deferred=True)
    ended: Mapped[str] = mapped_column(default="")
    share: Mapped[str | None] = mapped_column(unique=True, default=None)
    # From the form, so that a form that is sent twice requests only one game
    request_key: Mapped[str | None] = mapped_column(default=None)

    tournament: Mapped[Tournament] = relationship()
    batch: Mapped[CustomBatch | None] = relationship(back_populates="games")
    seats: Mapped[list["CustomSeat"]] = relationship(order_by="CustomSeat.seat")

    @property
    def traces(self) -> list[str | None]:
        """The trace ids of the uploads that play."""
        return [seat.trace for seat in self.seats]

    def was_parked(self) -> None:
        """Tell the person who requested the game that it has stopped."""
        self.tell("could not be played", f"{INTERNAL_ERROR} It does not count towards your quota.")

    def tell(self, what: str, text: str) -> None:
        """Leave a notice about the game for the person who requested it. If the game is in a batch, there is one notice
        about the batch, once it is over."""
        if self.batch:
            self.batch.tell_if_over()
            return
        _tell_of_job(
            self, self.asker_id, f"Your custom game {self.id} {what}", text, ("custom_game", self.id, "The game")
        )


class CustomSeat(Base):
    """The player in one seat of a custom game: an entry, or a player of the requester's own that is not entered."""

    __tablename__ = "custom_seat"

    game_id: Mapped[int] = mapped_column(ForeignKey("custom_game.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    label: Mapped[str]  # the public name
    author_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"), default=None)
    entry_id: Mapped[int | None] = mapped_column(ForeignKey("entry.id"), default=None)
    player_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"), default=None)
    bot: Mapped[str | None] = mapped_column(default=None)
    trace: Mapped[str | None] = mapped_column(default=None)  # its upload's trace id, see `tournament.work.runner`
    place: Mapped[int | None] = mapped_column(default=None)
    points: Mapped[float | None] = mapped_column(default=None)
    verdict: Mapped[str | None] = mapped_column(default=None)

    player: Mapped[Player | None] = relationship()
    entry: Mapped[Entry | None] = relationship()


def _tell_of_job(
    job: VersionComparison | CustomGame | CustomBatch, user_id: int, subject: str, text: str, link: Link
) -> None:
    session, assignment = object_session(job), job.tournament.assignment_id
    if session is not None:
        session.add(Notice(user_id=user_id, assignment_id=assignment, subject=subject, text=text, links=[link]))


PATIENCE = timedelta(minutes=5)
"""A game is given up if the person has not played for this long."""


class HandGame(Job, Base):
    """A game that a person plays against house bots; it never counts. Its job is short: the bots play on from the
    record until it is the person's turn. So the job is `done` whenever it is the person's turn, and each play queues
    it again; no worker waits for the person. `record` contains the plays so far. `revision` counts its changes, so
    that a form for an older position is recognised. Once the game is over, `ended` says how it ended, and a job asks
    the player `adviser_id` what it would have done."""

    __tablename__ = "hand_game"
    __table_args__ = (
        Index("ix_hand_game_person", "person_id", "assignment_id", "begun_at"),
        Index("ix_hand_game_waiting", "ended", "finished_at"),  # for games that are given up
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), index=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    seat: Mapped[int]
    bots: Mapped[list[str]] = mapped_column(JSON)  # house bots in the order of the other seats
    practice: Mapped[bool]  # whether plays can be taken back
    record: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    move: Mapped[list[Any]] = mapped_column(JSON, default=list)  # the play that the person has chosen, if any
    revision: Mapped[int] = mapped_column(default=0)
    begun_at: Mapped[datetime] = mapped_column(default=now)
    ended: Mapped[str] = mapped_column(default="")
    place: Mapped[int | None] = mapped_column(default=None)
    adviser_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"), default=None)
    advice: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)  # see `tournament.practice.hand_table`
    # From the form, so that a form that is sent twice begins only one game
    request_key: Mapped[str | None] = mapped_column(default=None)

    adviser: Mapped[Player | None] = relationship()

    @property
    def author_id(self) -> int | None:
        """The person, in place of a player's author."""
        return self.person_id

    @property
    def player_id(self) -> int | None:
        """None, since no file plays for the person."""
        return None

    @property
    def on_turn(self) -> bool:
        """Whether it is the person's turn."""
        return self.state is JobState.DONE and not self.ended

    def is_left(self, at: datetime) -> bool:
        """Whether the game has waited for the person for too long."""
        return self.on_turn and self.finished_at is not None and self.finished_at + PATIENCE < at
