"""Players, tournaments of every kind, who has entered them, and the games that count."""

from datetime import datetime
from enum import StrEnum
from hashlib import sha256

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, LargeBinary, UniqueConstraint, select
from sqlalchemy.orm import Mapped, Session, mapped_column, object_session, relationship

from tournament.store.database import Base, insert_or_find, now, words
from tournament.store.jobs import Job

EXCLUSION_S, OUT_EXCLUSION_S, FAULT_LIMIT, TARGET_GAMES = 600, 120, 10, 400
"""A tournament's settings unless its assignment defines others; see `Tournament`."""


class Player(Base):
    """A student's file, stored only once however often it is submitted."""

    __tablename__ = "player"

    id: Mapped[int] = mapped_column(primary_key=True)
    sha256: Mapped[str] = mapped_column(unique=True)
    source: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(default=now)


def player_of(session: Session, source: bytes) -> Player:
    """Return the row of a file; it is added in the caller's transaction if it does not exist."""
    digest = sha256(source).hexdigest()

    def find() -> Player | None:
        return session.scalar(select(Player).where(Player.sha256 == digest))

    return find() or insert_or_find(session, Player(sha256=digest, source=source), find)


class Ranking(StrEnum):
    """The figure by which a tournament ranks entries."""

    WIN_RATE = "win rate"
    PLACE = "place"
    POINTS = "points"


class TournamentState(StrEnum):
    """Whether games are being paired."""

    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"


class TournamentKind(StrEnum):
    """How a tournament's games are paired."""

    LADDER = "ladder"  # continuous games between the active entries
    FINAL = "final"  # see tournament.final.finals
    BRACKET = "bracket"  # see tournament.bracket.brackets


class Tournament(Base):
    """A ladder, a final, or an elimination bracket, of one assignment."""

    __tablename__ = "tournament"
    __table_args__ = (UniqueConstraint("assignment_id", "slug"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int | None] = mapped_column(ForeignKey("assignment.id"), default=None)
    slug: Mapped[str]
    title: Mapped[str]
    game: Mapped[str]
    kind: Mapped[TournamentKind] = mapped_column(words(TournamentKind), default=TournamentKind.LADDER)
    state: Mapped[TournamentState] = mapped_column(words(TournamentState), default=TournamentState.OPEN)
    ranking: Mapped[Ranking] = mapped_column(words(Ranking), default=Ranking.WIN_RATE)
    # Once every active entry has played this many games, the ladder rests
    target_games: Mapped[int] = mapped_column(default=TARGET_GAMES)
    exclusion_s: Mapped[int] = mapped_column(default=EXCLUSION_S)  # a student cannot enter twice within this time
    # The longest cooldown after being put out
    out_exclusion_s: Mapped[int] = mapped_column(default=OUT_EXCLUSION_S, server_default=str(OUT_EXCLUSION_S))
    # An entry is put out after this many games with a fault
    fault_limit: Mapped[int] = mapped_column(default=FAULT_LIMIT)
    # How many entries of one student play at the same time
    active_limit: Mapped[int] = mapped_column(default=1, server_default="1")
    created_at: Mapped[datetime] = mapped_column(default=now)
    # The number of played blocks when the ratings were last fitted
    rated_blocks: Mapped[int] = mapped_column(default=0)
    since_version: Mapped[int] = mapped_column(
        default=0, server_default="0"
    )  # the assignment's version with which the season began; 0: the first
    season_ended: Mapped[datetime | None] = mapped_column(default=None)  # set when another ladder has replaced this one


class EntryState(StrEnum):
    """Only active entries are paired. The games of other entries stay visible but no longer count."""

    ACTIVE = "active"
    REPLACED = "replaced"  # by a newer entry of its author
    OUT = "out"  # disqualified too often
    WITHDRAWN = "withdrawn"


class Entry(Base):
    """A player in a tournament: a student's, or the house bot that `bot` names, which has no rank. Its standings are
    updated with each result."""

    __tablename__ = "entry"
    __table_args__ = (
        UniqueConstraint("tournament_id", "author_id", "version"),
        Index("ix_entry_standings", "tournament_id", "state", "games"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"))
    author_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"), index=True)
    player_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"))
    bot: Mapped[str | None] = mapped_column(default=None)
    name: Mapped[str]  # the public name: the author's pseudonym, or the bot's title
    version: Mapped[int] = mapped_column(default=1)  # counts an author's entries in this tournament
    state: Mapped[EntryState] = mapped_column(words(EntryState), default=EntryState.ACTIVE)
    entered_at: Mapped[datetime] = mapped_column(default=now)
    left_at: Mapped[datetime | None] = mapped_column(default=None)
    withdrawn_by: Mapped[int | None] = mapped_column(default=None)  # a user's id
    # When the entry was requested; None if at `entered_at`
    exclusion_from: Mapped[datetime | None] = mapped_column(default=None)
    trace: Mapped[str | None] = mapped_column(default=None)  # its upload's trace id, see `tournament.work.runner`
    # Games in which it sat, whether they count or not
    seated: Mapped[int] = mapped_column(default=0, server_default="0")
    games: Mapped[int] = mapped_column(default=0)  # the number of games that count
    wins: Mapped[int] = mapped_column(default=0)
    faults: Mapped[int] = mapped_column(default=0)  # games in which it was disqualified
    places: Mapped[int] = mapped_column(default=0)  # sums over the games that count
    points: Mapped[float] = mapped_column(default=0.0)
    # Sums, over the blocks with games that count, of products of a block's sums: the data for intervals
    blocks: Mapped[int] = mapped_column(default=0)
    games_games: Mapped[int] = mapped_column(default=0)
    wins_wins: Mapped[int] = mapped_column(default=0)
    wins_games: Mapped[int] = mapped_column(default=0)
    places_places: Mapped[int] = mapped_column(default=0)
    places_games: Mapped[int] = mapped_column(default=0)
    points_points: Mapped[float] = mapped_column(default=0.0)
    points_games: Mapped[float] = mapped_column(default=0.0)
    # The latest games that count, a letter each, the last one last: see tournament.ladder.results.letter
    form: Mapped[str] = mapped_column(default="", server_default="")
    rating: Mapped[float | None] = mapped_column(default=None)  # fitted from time to time, see tournament.ladder.rerate

    tournament: Mapped[Tournament] = relationship()
    player: Mapped[Player | None] = relationship()


class RankSample(Base):
    """The rank of an entry at one moment, among `ranked` entries, after `games` games that count. See
    `tournament.ladder.standings`."""

    __tablename__ = "rank_sample"

    entry_id: Mapped[int] = mapped_column(ForeignKey("entry.id"), primary_key=True)
    at: Mapped[datetime] = mapped_column(primary_key=True)
    rank: Mapped[int]
    ranked: Mapped[int]
    games: Mapped[int]


class Matchups(Base):
    """How the leaders of a ladder did against each other when its ratings were last fitted, see
    `tournament.ladder.rerate`. `entries`: the ids of the leaders, the best rank first; they are the rows and columns
    of both tables. `games`: the number of games in which one of the two finished ahead of the other. `ahead`: the
    number in which the row's entry did."""

    __tablename__ = "matchups"

    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), primary_key=True)
    at: Mapped[datetime]
    entries: Mapped[list[int]] = mapped_column(JSON)
    games: Mapped[list[list[int]]] = mapped_column(JSON)
    ahead: Mapped[list[list[int]]] = mapped_column(JSON)


class CooldownOverride(Base):
    """An instructor's decision for one student: a cooldown of `seconds`, or that the entries so far, up to
    `last_entry`, no longer cause a cooldown."""

    __tablename__ = "exclusion_override"
    __table_args__ = (Index("ix_exclusion_override_author", "tournament_id", "author_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"))
    author_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    seconds: Mapped[int | None] = mapped_column(default=None)
    last_entry: Mapped[int | None] = mapped_column(default=None)
    reason: Mapped[str]
    given_by: Mapped[int] = mapped_column(ForeignKey("user.id"))
    given_at: Mapped[datetime] = mapped_column(default=now)
    revoked_at: Mapped[datetime | None] = mapped_column(default=None)


class FinalPhase(StrEnum):
    """The phase of a final. The state of its tournament says whether it is paused."""

    FROZEN = "frozen"  # the entries are fixed, nothing has been played
    RUNNING = "running"
    FINISHED = "finished"
    PUBLISHED = "published"
    ABORTED = "aborted"


class Final(Base):
    """The data of a final that is not in its tournament. The tables and seeds of its rounds follow from `header` and
    the results."""

    __tablename__ = "final"

    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), primary_key=True)
    phase: Mapped[FinalPhase] = mapped_column(words(FinalPhase), default=FinalPhase.FROZEN)
    header: Mapped[str]  # canonical JSON, see tournament.final.record.Header
    entries: Mapped[list[int]] = mapped_column(JSON)  # ids, in the order of the header
    rounds: Mapped[list[int]] = mapped_column(JSON, default=list)  # how many blocks each round so far has
    amendments: Mapped[list[str]] = mapped_column(JSON, default=list, server_default="[]")  # as in the record
    notes: Mapped[list[str]] = mapped_column(JSON, default=list)  # for the instructor: who is left out, and why
    standings: Mapped[str] = mapped_column(default="")  # canonical JSON, once published
    frozen_at: Mapped[datetime] = mapped_column(default=now)
    started_at: Mapped[datetime | None] = mapped_column(default=None)
    ended_at: Mapped[datetime | None] = mapped_column(default=None)
    published_at: Mapped[datetime | None] = mapped_column(default=None)

    tournament: Mapped[Tournament] = relationship()


class BracketDraw(Base):
    """The data of an elimination bracket that is not in its tournament. Its state follows from this and the games
    played.
    """

    __tablename__ = "bracket"

    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), primary_key=True)
    # The ladder whose standings seeded it
    ladder_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), index=True)
    best_of: Mapped[int]
    seed: Mapped[int] = mapped_column(BigInteger)  # the seed of all its deals
    entries: Mapped[list[int]] = mapped_column(JSON)  # ids, the best seed first

    tournament: Mapped[Tournament] = relationship(foreign_keys=tournament_id)


class Block(Job, Base):
    """The unit of play, with as many games as players. Each player sits once in each seat, and each game has a fresh
    deal. `entries` are entry ids in the seat order of the first game. All seeds follow from `seed`, see
    `tournament.play.record`. `deals`: the number of attempts at the block. It is increased with each claim, before
    anybody sees a card, and never decreased. It is 0 for blocks that were played while all games of a block had the
    same deal. `urgency`: blocks with a higher number are played earlier, see `tournament.ladder.schedule`; 0 for
    finals and brackets."""

    counted = ("attempts", "deals")

    __tablename__ = "block"
    __table_args__ = (Index("ix_block_pairing", "tournament_id", "state"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), index=True)
    seed: Mapped[int] = mapped_column(BigInteger)  # random, 53 bits: too many to guess, and exact in JavaScript
    entries: Mapped[list[int]] = mapped_column(JSON)
    finish: Mapped[str] = mapped_column(default="")  # once played: see tournament.ranking.plackett_luce.finish_of
    deals: Mapped[int] = mapped_column(default=0, server_default="0")
    urgency: Mapped[int] = mapped_column(default=0, server_default="0")

    tournament: Mapped[Tournament] = relationship()

    def was_cut_off(self, why: str) -> None:
        """Keep the attempt on record, with the first reason that is reported: the process that notices first knows the
        reason best."""
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
    """One entry's part in one game. `counts`: whether the game counts in the entry's standings. `block_id` is copied
    from the game, since looking it up there would read the records of a thousand games for one page. `call_ms` and
    `slowest_ms`: the CPU time of the entry's average call and of its slowest call, in milliseconds; None for games
    without a call, or from before these times were stored."""

    __tablename__ = "seat"
    __table_args__ = (Index("ix_seat_entry_game", "entry_id", "game_id"),)

    game_id: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    entry_id: Mapped[int] = mapped_column(ForeignKey("entry.id"))
    block_id: Mapped[int] = mapped_column(default=0, server_default="0")
    place: Mapped[int]
    points: Mapped[float]
    counts: Mapped[bool]
    verdict: Mapped[str | None] = mapped_column(default=None)  # the offender's verdict
    rule: Mapped[str] = mapped_column(default="")
    message: Mapped[str] = mapped_column(default="")
    call_ms: Mapped[float | None] = mapped_column(default=None)
    slowest_ms: Mapped[float | None] = mapped_column(default=None)

    game: Mapped[PlayedGame] = relationship(back_populates="seats")
    entry: Mapped[Entry] = relationship()
