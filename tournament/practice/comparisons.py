"""Comparisons of two versions of a player, by pairs of games; see `tournament.practice.improvement`. Functions that use
the database work in the caller's transaction. The games of a comparison follow from its seed, its files and its
opponents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random, SystemRandom
from typing import TypeVar

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from sandbox.api import Limits, Sandbox
from tournament.games.api import Game, State
from tournament.ladder.standings import standings
from tournament.play.contestants import contestant
from tournament.play.games import find_game
from tournament.play.record import Record, block_seed
from tournament.play.table import Contestant, GameTable, PlayerSpec, contestant_of, house_bot, play_tables
from tournament.practice.custom_games import FEWEST, LATELY, LATEST, STANDSTILL
from tournament.practice.improvement import ComparisonState, Pair, VersionResult, compare, score, sentence
from tournament.practice.turn import Draw, NextGames, in_turns
from tournament.store import jobs
from tournament.store.database import now
from tournament.store.jobs import LEASE, PENDING, JobState
from tournament.store.tables import ComparedPair, Entry, EntryState, Ranking, VersionComparison
from tournament.work.services import Services

T = TypeVar("T")

MOST_PAIRS = 400
"""The maximum number of pairs in a comparison: usually enough to find a difference of five wins in a hundred."""

NEIGHBOURS = 8
"""The number of opponents that are entries of similar rank, in addition to the house bots."""

KEPT = 60
"""The records of at most this many pairs are kept, which are enough to see the reasons."""

REPLACED = "The entry it was compared with no longer plays: it was replaced, withdrawn or removed for its faults."
ALONE = "Too few opponents are left in the tournament."


def begin(
    session: Session, submission_id: int, player_id: int, entry: Entry, trace: str | None = None
) -> VersionComparison:
    """Queue a comparison of a player with an entry; a cancelled comparison resumes. `trace`: the trace id of the
    submission."""
    former = session.scalar(
        select(VersionComparison).where(
            VersionComparison.entry_id == entry.id, VersionComparison.player_id == player_id
        )
    )
    if former:
        if former.state is JobState.CANCELLED:
            jobs.queue_last(former)
        return former
    comparison = VersionComparison(
        tournament_id=entry.tournament_id,
        author_id=entry.author_id,
        submission_id=submission_id,
        player_id=player_id,
        entry_id=entry.id,
        ranking=entry.tournament.ranking,
        seed=SystemRandom().getrandbits(53),
        opponents=opponents(session, entry),
        most_pairs=MOST_PAIRS,
        trace=trace,
    )
    session.add(comparison)
    session.flush()
    return comparison


def cancel(session: Session, comparison_id: int) -> None:
    """Stop a comparison that is not done; its pairs are kept. Its worker notices at the next heartbeat."""
    comparison = session.get_one(VersionComparison, comparison_id, with_for_update=True, populate_existing=True)
    if comparison.state in PENDING:
        jobs.cancel(comparison)


def pending_of(session: Session, author_id: int) -> VersionComparison | None:
    """Return an author's comparison that is waiting or being played; None if there is none."""
    pending = VersionComparison.state.in_(PENDING)
    return session.scalar(select(VersionComparison).where(VersionComparison.author_id == author_id, pending).limit(1))


def comparisons_of(session: Session, submission_id: int) -> Sequence[VersionComparison]:
    """Return the comparisons in which a submission is the new version, the latest first."""
    return session.scalars(_OF_SUBMISSION, {"submission": submission_id}).all()


_OF_SUBMISSION = (
    select(VersionComparison)
    .where(VersionComparison.submission_id == bindparam("submission"))
    .order_by(VersionComparison.id.desc())
)
"""A query that is built only once, like the other queries of a submission's page: this saves 10% of the page's time."""


def opponents(session: Session, entry: Entry) -> list[int]:
    """Return the opponents of an entry's versions: other students' active entries nearest in rank, and the house
    bots."""
    rows = [row.entry for row in standings(session, entry.tournament) if row.state is EntryState.ACTIVE]
    place = next((index for index, row in enumerate(rows) if row.id == entry.id), len(rows))
    others = sorted(
        (abs(index - place), row.id)
        for index, row in enumerate(rows)
        if row.bot is None and row.author_id != entry.author_id
    )
    return [id_ for _, id_ in others[:NEIGHBOURS]] + sorted(row.id for row in rows if row.bot is not None)


# Pairs of games


@dataclass(frozen=True, slots=True)
class PlayedPair:
    """The records of two games that differ only in the version that sat in `seat`."""

    seat: int
    new: Record
    old: Record

    @property
    def outcome(self) -> Pair:
        """The pair in the form that a comparison counts."""
        return Pair(
            _version_result(self.new, self.seat),
            _version_result(self.old, self.seat),
            bool(self.spoilers),
            self.parting is None,
        )

    @property
    def spoilers(self) -> set[int]:
        """The seats of opponents that were disqualified."""
        return {note.seat for record in (self.new, self.old) for note in record.faults} - {self.seat}

    @property
    def parting(self) -> int | None:
        """The index of the first play that differs; None if both games have the same plays and the same end."""
        for index, (one, other) in enumerate(zip(self.new.plays, self.old.plays, strict=False)):
            if one != other:
                return index
        same = (len(self.new.plays), self.new.faults == []) == (len(self.old.plays), self.old.faults == [])
        return None if same else min(len(self.new.plays), len(self.old.plays))


def _version_result(record: Record, seat: int) -> VersionResult:
    return VersionResult(record.places[seat], record.points[seat], record.fault_of(seat) is not None)


def draw(seed: int, number: int, seats: int, pool: Sequence[T]) -> Draw[T]:
    """Draw the seat, the deal and the opponents of pair number `number`, which follow from the seed: each seat in turn,
    a fresh deal, random opponents. Raises ValueError if the pool is smaller than a table."""
    rng = Random(f"quadrille pair {seed} {number}")
    return Draw(block_seed(seed, number), number % seats, tuple(rng.sample(list(pool), seats - 1)))


def pair_tables(place: Draw[Contestant], new: Contestant, old: Contestant) -> list[GameTable]:
    """Return the tables of both games of a pair, the new version's first."""
    before, after = place.opponents[: place.seat], place.opponents[place.seat :]
    return [GameTable(place.seed, [*before, version, *after]) for version in (new, old)]


# Playing


def _games_of_pair(session: Session, services: Services, comparison: VersionComparison) -> NextGames | None:
    """Return the next pair of a comparison."""
    found = next_pair(session, comparison)
    if found is None:
        return None
    number, place = found
    name, entry = comparison.tournament.game, comparison.entry
    entries = {each.id: each for each in session.scalars(select(Entry).where(Entry.id.in_(place.opponents)))}
    seats = (entries[id_] for id_ in place.opponents)
    opponents = tuple(contestant(services, name, each.name, each.player, each.bot) for each in seats)
    new = contestant(services, name, f"{entry.name} (new)", comparison.player)
    old = contestant(services, name, f"{entry.name} (version {entry.version})", entry.player)
    tables = pair_tables(Draw(place.seed, place.seat, opponents), new, old)
    return NextGames(find_game(name), tables, partial(store_pair, number=number, place=place))


COMPARISONS = in_turns(VersionComparison, _games_of_pair)


def next_pair(session: Session, comparison: VersionComparison) -> tuple[int, Draw[int]] | None:
    """Return the number of the next pair of a held comparison, and its seat, deal and opponents (as ids of entries). If
    no pair is left, finish the comparison, tell its author and return None."""
    outcomes = outcomes_of(session, comparison)
    active = select(Entry.id).where(Entry.id.in_(comparison.opponents), Entry.state == EntryState.ACTIVE)
    pool, seats = session.scalars(active.order_by(Entry.id)).all(), find_game(comparison.tournament.game).seats[0]
    finished = compare(outcomes, comparison.ranking, comparison.most_pairs).finished
    replaced, alone = comparison.entry.state is not EntryState.ACTIVE, len(pool) < seats - 1
    if finished or replaced or alone:
        trouble = "" if finished else REPLACED if replaced else ALONE
        jobs.finish(comparison, trouble)
        comparison.tell("has ended", f"{sentence(stand(session, comparison))} {trouble}".strip())
        return None
    return len(outcomes), draw(comparison.seed, len(outcomes), seats, pool)


def store_pair(
    session: Session, comparison: VersionComparison, records: Sequence[Record], number: int, place: Draw[int]
) -> None:
    """Store a pair of a held comparison, unless it is stored already. Each pair resets the comparison's count of
    attempts."""
    comparison.attempts, comparison.lease_until = 1, now() + LEASE
    if session.get(ComparedPair, {"comparison_id": comparison.id, "number": number}):
        return
    played = PlayedPair(place.seat, *records)
    outcome = played.outcome
    new_fault, old_fault = (record.fault_of(place.seat) for record in records)
    pair = ComparedPair(
        comparison_id=comparison.id,
        number=number,
        seat=place.seat,
        opponents=list(place.opponents),
        no_contest=outcome.no_contest,
        parting=played.parting,
        new_place=outcome.new.place,
        new_points=outcome.new.points,
        new_verdict=new_fault.verdict.value if new_fault else None,
        old_place=outcome.old.place,
        old_points=outcome.old.points,
        old_verdict=old_fault.verdict.value if old_fault else None,
    )
    different = score(outcome.new, comparison.ranking) != score(outcome.old, comparison.ranking)
    worth_seeing = not outcome.no_contest and (outcome.new.fault or outcome.old.fault or different)
    if worth_seeing and len(shown_pairs(session, comparison)) < KEPT:
        pair.new_record, pair.old_record = played.new.pack(), played.old.pack()
    session.add(pair)
    session.flush()


# The state of a comparison


def outcomes_of(session: Session, comparison: VersionComparison) -> list[Pair]:
    """Return the pairs played so far, in order, in the form that a comparison counts."""
    wanted = select(ComparedPair).where(ComparedPair.comparison_id == comparison.id).order_by(ComparedPair.number)
    found = []
    for pair in session.scalars(wanted):
        new = VersionResult(pair.new_place, pair.new_points, pair.new_verdict is not None)
        old = VersionResult(pair.old_place, pair.old_points, pair.old_verdict is not None)
        found.append(Pair(new, old, pair.no_contest, pair.parting is None))
    return found


def stand(session: Session, comparison: VersionComparison) -> ComparisonState:
    """Return the state of a comparison; a comparison that ended early is also `finished`."""
    state = compare(outcomes_of(session, comparison), comparison.ranking, comparison.most_pairs)
    return state if comparison.state in PENDING else replace(state, finished=True)


def shown_pairs(session: Session, comparison: VersionComparison) -> Sequence[ComparedPair]:
    """Return the pairs whose records are kept."""
    wanted = select(ComparedPair).where(
        ComparedPair.comparison_id == comparison.id, ComparedPair.new_record.is_not(None)
    )
    return session.scalars(wanted.order_by(ComparedPair.number)).all()


def comparison_time_left_s(
    session: Session, comparison: VersionComparison, state: ComparisonState
) -> tuple[float, float] | None:
    """Return the seconds until the next look at a comparison, and until all its pairs have been played, at the pace of
    its latest pairs; None if that cannot be estimated."""
    ends = select(ComparedPair.played_at).where(
        ComparedPair.comparison_id == comparison.id, ComparedPair.played_at >= now() - LATELY
    )
    lately = session.scalars(ends.order_by(ComparedPair.number.desc()).limit(LATEST)).all()
    moments = [each for each in lately if each is not None]
    if len(moments) < FEWEST or now() - moments[0] > STANDSTILL:
        return None
    a_pair = (moments[0] - moments[-1]).total_seconds() / (len(moments) - 1)
    return a_pair * (state.next_look - state.pairs), a_pair * (state.most - state.pairs)


# Without a database


@dataclass(frozen=True, slots=True)
class FileComparison:
    """Two files that are compared without a database, in at most `most` pairs."""

    new: PlayerSpec
    old: PlayerSpec
    ranking: Ranking
    most: int
    seed: int


def compare_files(
    game: Game[State], compared: FileComparison, sandbox: Sandbox, trusted: Sandbox
) -> Iterator[PlayedPair]:
    """Play two files against the house bots, pair by pair, until the answer is clear or all pairs are played; the same
    files and seed always give the same games. Raises SandboxError."""
    pool = [contestant_of(game, house_bot(game, bot.name), sandbox, trusted) for bot in game.bots]
    new, old = (contestant_of(game, each, sandbox, trusted) for each in (compared.new, compared.old))
    outcomes: list[Pair] = []
    while not compare(outcomes, compared.ranking, compared.most).finished:
        place = draw(compared.seed, len(outcomes), game.seats[0], pool)
        played = PlayedPair(place.seat, *play_tables(game, pair_tables(place, new, old), Limits()))
        outcomes.append(played.outcome)
        yield played
