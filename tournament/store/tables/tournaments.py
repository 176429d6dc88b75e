"""Players, tournaments of every kind, and who has entered them."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, LargeBinary, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from tournament.store.database import Base, now, words


class Player(Base):
    """A student's file, kept once however often it is submitted."""

    __tablename__ = "player"

    id: Mapped[int] = mapped_column(primary_key=True)
    sha256: Mapped[str] = mapped_column(unique=True)
    source: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(default=now)


class Ranking(StrEnum):
    """What a tournament ranks by."""

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
    FINAL = "final"  # see tournament.final.lifecycle
    BRACKET = "bracket"  # see tournament.bracket.lifecycle


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
    target_games: Mapped[int] = mapped_column(default=400)  # the ladder rests when every active entry has as many
    exclusion_s: Mapped[int] = mapped_column(default=600)  # no second entry within this time
    out_exclusion_s: Mapped[int] = mapped_column(default=120, server_default="120")  # at most, after being put out
    fault_limit: Mapped[int] = mapped_column(default=10)  # this many disqualified games put an entry out
    active_limit: Mapped[int] = mapped_column(default=1, server_default="1")  # entries of one student that play at once
    created_at: Mapped[datetime] = mapped_column(default=now)
    rated_blocks: Mapped[int] = mapped_column(default=0)  # played when the ratings were last fitted
    since_version: Mapped[int] = mapped_column(
        default=0, server_default="0"
    )  # with which its season began; 0: the first
    season_ended: Mapped[datetime | None] = mapped_column(default=None)  # of a ladder: another one took its place


class EntryState(StrEnum):
    """Only active entries are paired; the games of the others stay visible and no longer count."""

    ACTIVE = "active"
    REPLACED = "replaced"  # by its author's newer entry
    OUT = "out"  # disqualified too often
    WITHDRAWN = "withdrawn"


class Entry(Base):
    """A player in a tournament: a student's, or a house bot (`bot` names it, no author, no rank).

    The standings are kept here, in the transaction that stores a result.
    """

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
    name: Mapped[str]  # what everybody sees: the author's pseudonym, or the bot's title
    version: Mapped[int] = mapped_column(default=1)  # counts an author's entries in this tournament
    state: Mapped[EntryState] = mapped_column(words(EntryState), default=EntryState.ACTIVE)
    entered_at: Mapped[datetime] = mapped_column(default=now)
    left_at: Mapped[datetime | None] = mapped_column(default=None)
    withdrawn_by: Mapped[int | None] = mapped_column(default=None)  # a user's id
    exclusion_from: Mapped[datetime | None] = mapped_column(default=None)  # when it was asked for; None: `entered_at`
    trace: Mapped[str | None] = mapped_column(default=None)  # its upload's id in the log, see `tournament.work.trace`
    seated: Mapped[int] = mapped_column(default=0, server_default="0")  # games it sat in, whether they count or not
    games: Mapped[int] = mapped_column(default=0)  # that count
    wins: Mapped[int] = mapped_column(default=0)
    faults: Mapped[int] = mapped_column(default=0)  # games in which it was disqualified
    places: Mapped[int] = mapped_column(default=0)  # sums over the games that count
    points: Mapped[float] = mapped_column(default=0.0)
    # Over the blocks with games that count, sums of products of a block's sums: what an interval needs
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
    rating: Mapped[float | None] = mapped_column(default=None)  # fitted now and then, see tournament.ladder.rerate

    tournament: Mapped[Tournament] = relationship()
    player: Mapped[Player | None] = relationship()


class RankSample(Base):
    """The rank of an entry at one moment, among `ranked` entries, after `games` games that count. See
    `tournament.ladder.rank_history`."""

    __tablename__ = "rank_sample"

    entry_id: Mapped[int] = mapped_column(ForeignKey("entry.id"), primary_key=True)
    at: Mapped[datetime] = mapped_column(primary_key=True)
    rank: Mapped[int]
    ranked: Mapped[int]
    games: Mapped[int]


class Matchups(Base):
    """How the leaders of a ladder did against each other when its ratings were last fitted, see
    `tournament.ladder.matchups`. `entries`: their ids, the best rank first; for each row and column of them, in how
    many `games` one of the two finished ahead, and in how many the row did."""

    __tablename__ = "matchups"

    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), primary_key=True)
    at: Mapped[datetime]
    entries: Mapped[list[int]] = mapped_column(JSON)
    games: Mapped[list[list[int]]] = mapped_column(JSON)
    ahead: Mapped[list[list[int]]] = mapped_column(JSON)


class ExclusionOverride(Base):
    """What an instructor decided for one student: an exclusion of `seconds`, or that the entries made so far, up to
    `last_entry`, exclude no more."""

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
    """How far a final has come. Whether it is paused is its tournament's state."""

    FROZEN = "frozen"  # the entries are taken, nothing is played
    RUNNING = "running"
    FINISHED = "finished"
    PUBLISHED = "published"
    ABORTED = "aborted"


class Final(Base):
    """What a final has beyond its tournament. Its rounds' tables and seeds follow from `header` and the results."""

    __tablename__ = "final"

    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), primary_key=True)
    phase: Mapped[FinalPhase] = mapped_column(words(FinalPhase), default=FinalPhase.FROZEN)
    header: Mapped[str]  # canonical JSON, see tournament.final.record.Header
    entries: Mapped[list[int]] = mapped_column(JSON)  # ids, in the order of the header
    rounds: Mapped[list[int]] = mapped_column(JSON, default=list)  # how many blocks each round so far has
    amendments: Mapped[list[str]] = mapped_column(JSON, default=list, server_default="[]")  # as in the record
    notes: Mapped[list[str]] = mapped_column(JSON, default=list)  # for the instructor: who does not take part, and why
    standings: Mapped[str] = mapped_column(default="")  # canonical JSON, once published
    frozen_at: Mapped[datetime] = mapped_column(default=now)
    started_at: Mapped[datetime | None] = mapped_column(default=None)
    ended_at: Mapped[datetime | None] = mapped_column(default=None)
    published_at: Mapped[datetime | None] = mapped_column(default=None)

    tournament: Mapped[Tournament] = relationship()


class BracketDraw(Base):
    """What an elimination bracket has beyond its tournament. How it stands follows from this and the games played."""

    __tablename__ = "bracket"

    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), primary_key=True)
    ladder_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), index=True)  # whose standings seeded it
    best_of: Mapped[int]
    seed: Mapped[int] = mapped_column(BigInteger)  # of all its deals
    entries: Mapped[list[int]] = mapped_column(JSON)  # ids, the best seed first

    tournament: Mapped[Tournament] = relationship(foreign_keys=tournament_id)
