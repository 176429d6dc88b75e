"""What playing workers do for single students: custom games, and comparisons, a few pairs at a time. When it is their
turn, and not that of the tournaments, is decided in `tournament.work.turns`.

As in `tournament.blocks`, only the claim and the storing hold a transaction, and a claim that was lost stores nothing.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from time import monotonic
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from tournament.custom.comparisons import give_turn, next_pair, store_pair
from tournament.custom.games import next_game, store_game
from tournament.custom.pairs import Draw, play_pair
from tournament.games import find_game
from tournament.play.contestants import contestant
from tournament.play.table import Contestant, count_games, play_table
from tournament.store import jobs
from tournament.store.database import now, reading, storing
from tournament.store.jobs import Claim
from tournament.store.tables import CustomGame, Entry, VersionComparison
from tournament.work.backlog import phase_of
from tournament.work.claims import PLAY, ClaimLost, Heartbeat, failed, lease_s, remind
from tournament.work.services import Services
from tournament.work.trace import following

log = logging.getLogger(__name__)

TURN_S = 2.0
"""So long a comparison is played before others have their turn."""


@cache
def longest(kind: type[Any]) -> Select[int]:
    """The ids of jobs of a kind, those first that wait longest."""
    return select(kind.id).order_by(kind.queued_at, kind.id)


def play_next(services: Services) -> bool:
    """Play the custom game that waits longest, or else a few pairs of a comparison; False if there was neither.

    Raises SandboxUnavailable, before anything is claimed, if this worker has no sandbox. Any other trouble of ours
    gives the job back and is raised.
    """
    return work_on(services, CustomGame, _play_game) or work_on(services, VersionComparison, _play_turn)


@dataclass(slots=True)
class Hold:
    """The claim on the job that is worked on, as it is now."""

    claim: Claim


def work_on(services: Services, kind: type[Any], work: Callable[[Services, Hold], None]) -> bool:
    """Do `work` on the job of a kind that waits longest; False if none waits. Raises as `play_next` does."""
    _ = services.sandbox, services.trusted
    found = _claim(services, kind)
    if found is None:
        return False
    claim, traces = found
    with following(*traces, **{kind.__tablename__: claim.id}):
        _try(services, kind, Hold(claim), work)
    return True


def _try(services: Services, kind: type[Any], hold: Hold, work: Callable[[Services, Hold], None]) -> None:
    try:
        work(services, hold)
    except ClaimLost:
        log.info("%s %d was cancelled or given to another worker", kind.__tablename__, hold.claim.id)
    except Exception as trouble:  # of whatever kind: it is ours, and the job must be given back at once
        failed(services, hold.claim, trouble, phase_of(kind), kind)
        raise


def _claim(services: Services, kind: type[Any]) -> tuple[Claim, Sequence[str | None]] | None:
    """The job that waits longest, and the traces of the uploads that it plays."""
    lease = lease_s(services.limits)
    order = longest(kind)  # type: ignore[arg-type]  # a class can be hashed
    return jobs.claim_first(services.sessions, kind, order, services.worker, lease, partial(_traces, kind))


def _traces(kind: type[Any], session: Session, id_: int) -> Sequence[str | None]:
    traces: Sequence[str | None] = session.get_one(kind, id_).traces
    return traces


def due(services: Services, kind: type[Any], *conditions: Any) -> int:
    """How many jobs of a kind could be claimed."""
    with reading(services.sessions) as session:
        waiting = select(func.count()).select_from(kind).where(jobs.claimable(kind, now()), *conditions)
        return session.scalar(waiting) or 0


def sweep(services: Services, kinds: Sequence[type[Any]] = (CustomGame, VersionComparison)) -> None:
    """Send a message for every job of these kinds that is due and has perhaps lost its own."""
    for kind in kinds:
        remind(services, due(services, kind, jobs.overdue(kind, now())))


# Custom games


def _play_game(services: Services, hold: Hold) -> None:
    claim = hold.claim

    def seat(session: Session) -> tuple[str, int, list[Contestant]] | None:
        asked = next_game(session, claim)
        if asked is None:
            return None
        slug = asked.tournament.game
        return slug, asked.seed, [contestant(services, slug, each.label, each.player, each.bot) for each in asked.seats]

    table = storing(services.sessions, seat)
    if table is None:
        return
    slug, seed, contestants = table
    beat = Heartbeat(services, claim, CustomGame)
    record = play_table(find_game(slug), seed, contestants, services.limits, beat)
    if not storing(services.sessions, lambda session: store_game(session, claim, record)):
        raise ClaimLost
    log.info("stored")
    count_games(phase_of(CustomGame), [record])


# Comparisons


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is needed to play a pair. `place` names entries, `table` has them ready to be seated."""

    game: str
    number: int
    place: Draw[int]
    table: Draw[Contestant]
    new: Contestant
    old: Contestant


def _play_turn(services: Services, hold: Hold) -> None:
    """Play pairs until the comparison is finished or its time is over."""
    until, pairs = monotonic() + TURN_S, 0
    while plan := storing(services.sessions, lambda session: _plan(session, services, hold.claim)):
        hold.claim = _play_pair(services, hold.claim, plan)
        pairs += 1
        if monotonic() > until:
            storing(services.sessions, lambda session: give_turn(session, hold.claim))
            services.send(PLAY)
            break
    if pairs:
        log.info("stored", extra={"pairs": pairs})


def _play_pair(services: Services, claim: Claim, plan: _Plan) -> Claim:
    """Play and store one pair; the claim that holds from then on."""
    beat, lease = Heartbeat(services, claim, VersionComparison), lease_s(services.limits)
    played = play_pair(find_game(plan.game), plan.table, plan.new, plan.old, services.limits, beat)
    goes_on = storing(
        services.sessions, lambda session: store_pair(session, claim, plan.number, plan.place, played, lease)
    )
    if goes_on is None:
        raise ClaimLost
    count_games(phase_of(VersionComparison), [played.new, played.old])
    return goes_on


def _plan(session: Session, services: Services, claim: Claim) -> _Plan | None:
    found = next_pair(session, claim)
    if found is None:
        return None
    comparison, number, place = found
    slug, entry = comparison.tournament.game, comparison.entry
    entries = {each.id: each for each in session.scalars(select(Entry).where(Entry.id.in_(place.opponents)))}
    seats = (entries[id_] for id_ in place.opponents)
    opponents = tuple(contestant(services, slug, each.name, each.player, each.bot) for each in seats)
    return _Plan(
        slug,
        number,
        place,
        Draw(place.seed, place.seat, opponents),
        contestant(services, slug, f"{entry.name} (new)", comparison.player),
        contestant(services, slug, f"{entry.name} (version {entry.version})", entry.player),
    )
