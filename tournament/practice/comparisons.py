"""Comparisons of two versions of a player in the database.

Each function works in the caller's transaction. A comparison follows from its seed, its files and its opponents. A pair
that is stored is not played again, so a comparison can be interrupted between any two pairs.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from random import SystemRandom

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from tournament.ladder.standings import standings
from tournament.play.contestants import contestant
from tournament.play.games import find_game
from tournament.play.record import Record
from tournament.practice.improvement import ComparisonState, Pair, VersionResult, compare, score, sentence
from tournament.practice.pairs import Draw, PlayedPair, draw, pair_tables
from tournament.practice.turn import NextGames, in_turns
from tournament.store import jobs
from tournament.store.database import now
from tournament.store.jobs import LEASE_S, PENDING, JobState
from tournament.store.tables import ComparedPair, Entry, EntryState, VersionComparison
from tournament.work.services import Services

MOST_PAIRS = 400
"""Enough pairs to find a difference of five wins in a hundred, usually."""

NEIGHBOURS = 8
"""The number of entries of similar rank that are opponents, besides the house bots."""

KEPT = 60
"""The records of at most this many pairs are kept: enough to see the reasons."""

REPLACED = "The entry it was compared with no longer plays: it was replaced, withdrawn or put out."
ALONE = "Too few opponents are left in the tournament."


def begin(
    session: Session, submission_id: int, player_id: int, entry: Entry, trace: str | None = None
) -> VersionComparison:
    """Queue a comparison of a player with an entry; one that was cancelled continues. `trace`: the submission's, see
    `tournament.work.messages`."""
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
    """Stop a comparison that is not done; its pairs are kept. Its worker finds out at the next heartbeat."""
    comparison = session.get_one(VersionComparison, comparison_id, with_for_update=True, populate_existing=True)
    if comparison.state in PENDING:
        jobs.cancel(comparison)


def pending_of(session: Session, author_id: int) -> VersionComparison | None:
    """The comparison of an author that is waiting or being played."""
    pending = VersionComparison.state.in_(PENDING)
    return session.scalar(select(VersionComparison).where(VersionComparison.author_id == author_id, pending).limit(1))


def comparisons_of(session: Session, submission_id: int) -> Sequence[VersionComparison]:
    """The comparisons in which a submission is the new version, the latest first."""
    return session.scalars(_OF_SUBMISSION, {"submission": submission_id}).all()


_OF_SUBMISSION = (
    select(VersionComparison)
    .where(VersionComparison.submission_id == bindparam("submission"))
    .order_by(VersionComparison.id.desc())
)
"""Made once, as are those of the other things that a submission's page shows: that saves 10% of it."""


def opponents(session: Session, entry: Entry) -> list[int]:
    """The opponents of an entry's versions: the active entries of others nearest in rank, and the house bots."""
    rows = [row.entry for row in standings(session, entry.tournament) if row.state is EntryState.ACTIVE]
    place = next((index for index, row in enumerate(rows) if row.id == entry.id), len(rows))
    others = sorted(
        (abs(index - place), row.id)
        for index, row in enumerate(rows)
        if row.bot is None and row.author_id != entry.author_id
    )
    return [id_ for _, id_ in others[:NEIGHBOURS]] + sorted(row.id for row in rows if row.bot is not None)


# Playing


def _games(session: Session, services: Services, comparison: VersionComparison) -> NextGames | None:
    """The next pair of a comparison."""
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


COMPARISONS = in_turns(VersionComparison, _games)


def next_pair(session: Session, comparison: VersionComparison) -> tuple[int, Draw[int]] | None:
    """The number of the next pair of a held comparison, and where that is played, with the ids of entries. None if no
    pair is left; the comparison is finished then, and its author told."""
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
    """Store a pair of a held comparison, once. One that makes progress has all its attempts again."""
    comparison.attempts, comparison.lease_until = 1, now() + timedelta(seconds=LEASE_S)
    if session.get(ComparedPair, {"comparison_id": comparison.id, "number": number}):
        return
    played = PlayedPair(place.seat, *records)
    outcome = played.outcome
    verdicts = [
        next((note.verdict.value for note in record.faults if note.seat == place.seat), None) for record in records
    ]
    pair = ComparedPair(
        comparison_id=comparison.id,
        number=number,
        seat=place.seat,
        opponents=list(place.opponents),
        no_contest=outcome.no_contest,
        parting=played.parting,
        new_place=outcome.new.place,
        new_points=outcome.new.points,
        new_verdict=verdicts[0],
        old_place=outcome.old.place,
        old_points=outcome.old.points,
        old_verdict=verdicts[1],
    )
    different = score(outcome.new, comparison.ranking) != score(outcome.old, comparison.ranking)
    worth_seeing = not outcome.no_contest and (outcome.new.fault or outcome.old.fault or different)
    if worth_seeing and len(shown_pairs(session, comparison)) < KEPT:
        pair.new_record, pair.old_record = played.new.pack(), played.old.pack()
    session.add(pair)
    session.flush()


# How it stands


def outcomes_of(session: Session, comparison: VersionComparison) -> list[Pair]:
    """The pairs played so far, in order."""
    wanted = select(ComparedPair).where(ComparedPair.comparison_id == comparison.id).order_by(ComparedPair.number)
    return [outcome_of(pair) for pair in session.scalars(wanted)]


def outcome_of(pair: ComparedPair) -> Pair:
    """A stored pair as a comparison counts it."""
    new = VersionResult(pair.new_place, pair.new_points, pair.new_verdict is not None)
    old = VersionResult(pair.old_place, pair.old_points, pair.old_verdict is not None)
    return Pair(new, old, pair.no_contest, pair.parting is None)


def stand(session: Session, comparison: VersionComparison) -> ComparisonState:
    """How a comparison stands; one that ended early is `finished` too."""
    state = compare(outcomes_of(session, comparison), comparison.ranking, comparison.most_pairs)
    return state if comparison.state in PENDING else replace(state, finished=True)


def shown_pairs(session: Session, comparison: VersionComparison) -> Sequence[ComparedPair]:
    """The pairs whose records are kept."""
    wanted = select(ComparedPair).where(
        ComparedPair.comparison_id == comparison.id, ComparedPair.new_record.is_not(None)
    )
    return session.scalars(wanted.order_by(ComparedPair.number)).all()
