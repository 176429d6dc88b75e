"""Comparisons of versions, as the pages show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.exceptions import NotFound

from grader.assignment.ladders import qualifies_for
from grader.entering.custom_games import former_version
from grader.store.models import Submission
from tournament.play.record import Record
from tournament.practice.comparisons import comparisons_of, shown_pairs, stand
from tournament.practice.improvement import ComparisonState, sentence
from tournament.store.jobs import PENDING, JobState
from tournament.store.tables import ComparedPair, Entry, Tournament, VersionComparison
from tournament.work.waits import usual_wait_s
from web.site import access, insides
from web.site.insides import Seated, with_filenames


@dataclass(frozen=True, slots=True)
class ShownComparison:
    """A comparison and its present state."""

    row: VersionComparison
    state: ComparisonState
    sentence: str
    pending: bool


@dataclass(frozen=True, slots=True)
class ComparisonOption:
    """A ladder in which a submission was compared, or can be with `former`, its author's entry there."""

    tournament: Tournament
    former: Entry | None
    shown: ShownComparison | None
    takes_s: float | None  # lately, waiting included


@dataclass(frozen=True, slots=True)
class ShownPair:
    """A pair with something to see; `opponents` by seat, without the seat of the versions."""

    pair: ComparedPair
    opponents: list[str]


def options(session: Session, submission: Submission, among: Sequence[Tournament]) -> list[ComparisonOption]:
    """Those of its assignment's ladders in which a submission can be compared."""
    if submission.state is not JobState.DONE or not submission.qualifies:
        return []
    made = comparisons_of(session, submission.id)
    found = [_option(session, submission, each, made) for each in among]
    return [each for each in found if each.former or each.shown]


def _option(
    session: Session, submission: Submission, tournament: Tournament, made: Sequence[VersionComparison]
) -> ComparisonOption:
    former = (
        former_version(session, tournament, submission.author_id) if qualifies_for(submission, tournament) else None
    )
    if former and former.player_id == submission.player_id:
        former = None
    of_these = [each for each in made if each.tournament_id == tournament.id]
    latest = next((each for each in of_these if former is None or each.entry_id == former.id), None)
    takes_s = usual_wait_s(session, VersionComparison) if former and not latest else None
    return ComparisonOption(tournament, former, show(session, latest) if latest else None, takes_s)


def show(session: Session, row: VersionComparison) -> ShownComparison:
    """A comparison as the pages show it."""
    state = stand(session, row)
    return ShownComparison(row, state, sentence(state), row.state in PENDING)


def lines(session: Session, row: VersionComparison) -> list[ShownPair]:
    """The pairs with something to see."""
    pairs = shown_pairs(session, row)
    names = names_of(session, {id_ for pair in pairs for id_ in pair.opponents})
    return [ShownPair(pair, [names[id_] for id_ in pair.opponents]) for pair in pairs]


def names_of(session: Session, ids: set[int]) -> Mapping[int, str]:
    """The names of these entries, as everybody sees them."""
    return {row.id: row.name for row in session.execute(select(Entry.id, Entry.name).where(Entry.id.in_(ids)))}


@dataclass(frozen=True, slots=True)
class Replayed:
    """A game of a pair, as far as the viewer may see it; `own` are the seats into which they may look."""

    seen: access.Seen
    row: VersionComparison
    pair: ComparedPair
    version: str
    record: Record
    own: Mapping[int, Seated]


def replayed(session: Session, row: VersionComparison, seen: access.Seen, number: int, version: str) -> Replayed:
    """The game that the version `new` or `old` played in that pair."""
    pair = session.get(ComparedPair, {"comparison_id": row.id, "number": number})
    packed = None if pair is None else pair.new_record if version == "new" else pair.old_record
    if pair is None or packed is None:
        raise NotFound("No record is kept of this pair, because there was nothing to see in it.")
    record = Record.unpack(packed)
    entries = {each.id: each for each in session.scalars(select(Entry).where(Entry.id.in_(pair.opponents)))}
    others = [entries[id_] for id_ in pair.opponents]
    names = [each.name for each in others]  # some may have been removed since
    names.insert(pair.seat, record.seats[pair.seat])
    seated: list[Seated] = [*others]
    seated.insert(pair.seat, row if version == "new" else row.entry)
    own = {seat: who for seat, who in enumerate(seated) if seen.viewer.pupils is None or seat == pair.seat}
    shown = with_filenames(insides.record_for(own, replace(record, seats=names)), seated.__getitem__)
    return Replayed(seen, row, pair, version, shown, own)
