"""Comparisons of two versions in the database: beginning, playing pair by pair, cancelling, and how they stand.

Each function works in the caller's transaction. A comparison follows from its seed, its files and its opponents; what
was stored once is not played again, so it can be interrupted between any two pairs.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from random import SystemRandom

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from tournament.custom.improvement import ComparisonState, Pair, VersionResult, compare, score
from tournament.custom.pairs import Draw, PlayedPair, draw
from tournament.custom.wording import sentence
from tournament.games import find_game
from tournament.ladder.ladder import ListedEntry, standings
from tournament.play.record import Record
from tournament.store import jobs
from tournament.store.database import now
from tournament.store.jobs import PENDING, Claim, JobState
from tournament.store.tables import ComparedPair, Entry, EntryState, VersionComparison

MOST_PAIRS = 400
"""With so many, a difference of five wins in a hundred is usually found."""

NEIGHBOURS = 8
"""So many entries of about the same rank are opponents, besides the house bots."""

KEPT = 60
"""Of so many pairs at most the records are kept: enough to see why."""

REPLACED = "The entry it was compared with is not in play any more: it was replaced, withdrawn or put out."
ALONE = "Too few opponents are left in the tournament."


def begin(
    session: Session, submission_id: int, player_id: int, entry: Entry, trace: str | None = None
) -> VersionComparison:
    """Queue a comparison of a player with an entry; one that was cancelled goes on where it was. `trace`: the
    submission's, see `tournament.work.trace`."""
    former = session.scalar(
        select(VersionComparison).where(
            VersionComparison.entry_id == entry.id, VersionComparison.player_id == player_id
        )
    )
    if former:
        resume(former)
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


def resume(comparison: VersionComparison) -> None:
    """Let a comparison go on that was cancelled; others stay as they are."""
    if comparison.state is JobState.CANCELLED:
        jobs.queue_last(comparison)


def cancel(session: Session, comparison_id: int) -> None:
    """Stop a comparison that is not done; what was played stays. A worker that plays it finds out at its next sign."""
    comparison = session.get_one(VersionComparison, comparison_id, with_for_update=True, populate_existing=True)
    if comparison.state in PENDING:
        jobs.cancel(comparison)


def pending_of(session: Session, author_id: int) -> VersionComparison | None:
    """The comparison of an author that waits or is played."""
    pending = VersionComparison.state.in_(PENDING)
    return session.scalar(select(VersionComparison).where(VersionComparison.author_id == author_id, pending).limit(1))


def comparisons_of(session: Session, submission_id: int) -> Sequence[VersionComparison]:
    """Those in which a submission is the new version, the latest first."""
    wanted = select(VersionComparison).where(VersionComparison.submission_id == submission_id)
    return session.scalars(wanted.order_by(VersionComparison.id.desc())).all()


def opponents(session: Session, entry: Entry) -> list[int]:
    """Whom the versions of an entry play: the active entries of others that stand nearest, and the house bots."""
    rows = [row.entry for row in standings(session, entry.tournament) if row.state is EntryState.ACTIVE]
    place = next((index for index, row in enumerate(rows) if row.id == entry.id), len(rows))
    others = [(abs(index - place), row.id) for index, row in enumerate(rows) if _is_other(row, entry)]
    return [id_ for _, id_ in sorted(others)[:NEIGHBOURS]] + sorted(row.id for row in rows if row.bot is not None)


def _is_other(row: ListedEntry, entry: Entry) -> bool:
    return row.bot is None and row.author_id != entry.author_id


# Playing


def next_pair(session: Session, claim: Claim) -> tuple[VersionComparison, int, Draw[int]] | None:
    """The comparison, the number of its next pair, and where that is played, with the ids of entries.

    None if the claim is lost, or if nothing is to be played any more: then the comparison is finished, and its author
    is told.
    """
    comparison: VersionComparison | None = jobs.held(session, VersionComparison, claim)
    if comparison is None:
        return None
    outcomes = outcomes_of(session, comparison)
    if compare(outcomes, comparison.ranking, comparison.most_pairs).finished:
        _end(session, comparison)
        return None
    if comparison.entry.state is not EntryState.ACTIVE:
        _end(session, comparison, REPLACED)
        return None
    pool, seats = _still_active(session, comparison.opponents), find_game(comparison.tournament.game).seats[0]
    if len(pool) < seats - 1:
        _end(session, comparison, ALONE)
        return None
    return comparison, len(outcomes), draw(comparison.seed, len(outcomes), seats, pool)


def _end(session: Session, comparison: VersionComparison, trouble: str = "") -> None:
    jobs.finish(comparison, trouble)
    comparison.tell("has ended", f"{sentence(stand(session, comparison))} {trouble}".strip())


def _still_active(session: Session, ids: Sequence[int]) -> list[int]:
    active = select(Entry.id).where(Entry.id.in_(ids), Entry.state == EntryState.ACTIVE)
    return list(session.scalars(active.order_by(Entry.id)))


def store_pair(
    session: Session, claim: Claim, number: int, place: Draw[int], played: PlayedPair, lease_s: float
) -> Claim | None:
    """Store a pair, once; None, and nothing is stored, if the claim was lost.

    The claim that is returned holds from now on: a comparison that gets on has all its attempts again.
    """
    comparison: VersionComparison | None = jobs.held(session, VersionComparison, claim)
    if comparison is None:
        return None
    comparison.attempts, comparison.lease_until = 1, now() + timedelta(seconds=lease_s)
    goes_on = replace(claim, attempt=1)
    if session.get(ComparedPair, {"comparison_id": claim.id, "number": number}):
        return goes_on
    pair = _row(claim.id, number, place, played)
    if _worth_seeing(pair, comparison) and _kept(session, claim.id) < KEPT:
        pair.new_record, pair.old_record = played.new.pack(), played.old.pack()
    session.add(pair)
    session.flush()
    return goes_on


def _row(comparison_id: int, number: int, place: Draw[int], played: PlayedPair) -> ComparedPair:
    outcome = played.outcome
    return ComparedPair(
        comparison_id=comparison_id,
        number=number,
        seat=place.seat,
        opponents=list(place.opponents),
        no_contest=outcome.no_contest,
        parting=played.parting,
        new_place=outcome.new.place,
        new_points=outcome.new.points,
        new_verdict=_verdict(played.new, place.seat),
        old_place=outcome.old.place,
        old_points=outcome.old.points,
        old_verdict=_verdict(played.old, place.seat),
    )


def _verdict(record: Record, seat: int) -> str | None:
    return next((note.verdict.value for note in record.faults if note.seat == seat), None)


def _worth_seeing(pair: ComparedPair, comparison: VersionComparison) -> bool:
    """Whether a version was disqualified, or the two came to different results."""
    outcome = outcome_of(pair)
    if outcome.no_contest:
        return False
    different = score(outcome.new, comparison.ranking) != score(outcome.old, comparison.ranking)
    return outcome.new.fault or outcome.old.fault or different


def _kept(session: Session, comparison_id: int) -> int:
    kept = select(func.count()).where(ComparedPair.comparison_id == comparison_id, ComparedPair.new_record.is_not(None))
    return session.scalar(kept) or 0


def give_turn(session: Session, claim: Claim) -> bool:
    """Put a comparison that goes on behind the others that wait, with all its attempts; False if the claim was lost."""
    comparison: VersionComparison | None = jobs.held(session, VersionComparison, claim)
    if comparison is None:
        return False
    jobs.queue_last(comparison)
    return True


# How it stands


def outcomes_of(session: Session, comparison: VersionComparison) -> list[Pair]:
    """What was played so far, in order."""
    wanted = select(ComparedPair).where(ComparedPair.comparison_id == comparison.id).order_by(ComparedPair.number)
    return [outcome_of(pair) for pair in session.scalars(wanted)]


def outcome_of(pair: ComparedPair) -> Pair:
    """What a stored pair counts for."""
    new = VersionResult(pair.new_place, pair.new_points, pair.new_verdict is not None)
    old = VersionResult(pair.old_place, pair.old_points, pair.old_verdict is not None)
    return Pair(new, old, pair.no_contest, pair.parting is None)


def stand(session: Session, comparison: VersionComparison) -> ComparisonState:
    """How a comparison stands; `finished` too where it ended before its time."""
    state = compare(outcomes_of(session, comparison), comparison.ranking, comparison.most_pairs)
    return state if comparison.state in PENDING else replace(state, finished=True)


def shown_pairs(session: Session, comparison: VersionComparison) -> Sequence[ComparedPair]:
    """The pairs whose records are kept."""
    wanted = select(ComparedPair).where(
        ComparedPair.comparison_id == comparison.id, ComparedPair.new_record.is_not(None)
    )
    return session.scalars(wanted.order_by(ComparedPair.number)).all()
