"""Finals in the database: freezing one, drawing its next round, and starting, pausing, resuming, aborting and
publishing it. A final's entries are copies of the students' entries, and none of its settings changes once it is
frozen, except by amendments. Each function works in the caller's transaction and first locks the tournament, so that
nothing is done twice. Only `draw`, which finds the next round, locks nothing. If a process is killed, the next call
continues from what is stored."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from random import SystemRandom

from sqlalchemy import bindparam, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from tournament.final.record import (
    AmendmentLine,
    FrozenEntry,
    Header,
    canonical_json,
    ending_line,
    read_header,
    read_standings,
    root_of,
    show_standings,
)
from tournament.final.rounds import FinalError, FinalStanding, Stage, final_standings, next_round, survives, wanting
from tournament.final.settings import MOST_GAMES, FinalSettings
from tournament.final.status import (
    amendments_of,
    check_rules,
    contenders_of,
    present_settings,
    record_lines,
    replay_log,
)
from tournament.ladder.ladder import leave, lock
from tournament.ladder.pairing import add_blocks, cancel_unfinished, forget_meetings, meetings_of
from tournament.ladder.results import lock_entries
from tournament.play.games import find_game
from tournament.play.record import hashed_seed
from tournament.store.database import columns, now
from tournament.store.jobs import UNFINISHED, JobState
from tournament.store.notices import NoticeKind, tell
from tournament.store.tables import (
    Block,
    Entry,
    EntryState,
    Final,
    FinalPhase,
    Player,
    Tournament,
    TournamentKind,
    TournamentState,
)
from tournament.store.webhooks import CourseEvent, announce

NO_LIMIT = 2**31 - 1
"""A final puts entries out only between rounds, not as soon as their last fault is stored."""

TITLE = "The final"

MORE_GAMES = 200
"""The largest number of games that can be added at once to a final that has ended."""


class WrongPhase(FinalError):
    """The final is in another phase."""


class AlreadyFrozen(FinalError):
    """The assignment has a final already."""


class NobodyEntered(FinalError):
    """No entry can take part."""


class TooFewPlayers(FinalError):
    """There are too few players for a table, even with house bots."""


# Freezing


@dataclass(frozen=True, slots=True)
class Entrant:
    """A copy of a student's last entry, which takes part in the final."""

    author_id: int
    player_id: int
    name: str
    version: int
    entered_at: datetime
    trace: str | None = None  # the upload's trace id, see `tournament.work.runner`


@dataclass(frozen=True, slots=True)
class FinalPlan:
    """A final to be frozen. `notes` tell the instructors who is left out, and why. `seed` (53 bits) fixes all deals;
    without one it is random and secret."""

    game: str
    entrants: Sequence[Entrant]
    settings: FinalSettings
    notes: Sequence[str] = ()
    seed: int | None = None
    version: int | None = None  # the assignment's version


def freeze_plan(session: Session, assignment_id: int, plan: FinalPlan, at: datetime | None = None) -> Final:
    """Create the final of an assignment; nothing is played yet. Raises AlreadyFrozen, NobodyEntered, TooFewPlayers."""
    game, students = find_game(plan.game), len(plan.entrants)
    if not students:
        raise NobodyEntered("No student's entry can take part in the final, so there is nothing to freeze.")
    if students + len(game.bots) < min(game.seats):
        raise TooFewPlayers(
            f"{game.title} needs {min(game.seats)} players at a table; there are {students} and "
            f"{len(game.bots)} house bots."
        )
    tournament = _final_tournament(session, assignment_id, plan)
    entries = [Entry(tournament_id=tournament.id, **asdict(each)) for each in plan.entrants]
    entries += [Entry(tournament_id=tournament.id, bot=bot.name, name=bot.title) for bot in game.bots]
    session.add_all(entries)
    session.flush()
    ids = {each.player_id for each in plan.entrants}
    hashes = dict(session.execute(select(Player.id, Player.sha256).where(Player.id.in_(ids))).all())
    frozen = [
        FrozenEntry(
            name=each.name,
            version=each.version,
            sha256=hashes[each.player_id],
            entered_at=each.entered_at.isoformat(timespec="seconds"),
        )
        for each in plan.entrants
    ]
    bots = [FrozenEntry(name=b.title, version=1, sha256=sha256(b.source).hexdigest(), bot=b.name) for b in game.bots]
    header = Header(
        title=TITLE,
        game=plan.game,
        rules=game.version,
        seed=SystemRandom().getrandbits(53) if plan.seed is None else plan.seed,
        settings=plan.settings,
        entries=[*frozen, *bots],
        frozen_at=(at or now()).isoformat(timespec="seconds"),
        assignment_version=plan.version,
    )
    alone = (
        ["Only one student takes part. The player plays house bots, and its rank means nothing."]
        if students == 1
        else []
    )
    final = Final(
        tournament_id=tournament.id,
        header=canonical_json(header),
        entries=[entry.id for entry in entries],
        notes=[*plan.notes, *alone],
    )
    session.add(final)
    session.flush()
    return final


def _final_tournament(session: Session, assignment_id: int, plan: FinalPlan) -> Tournament:
    former = select(Final.phase).join(Final.tournament).where(Tournament.assignment_id == assignment_id)
    phases = session.scalars(former).all()
    taken = AlreadyFrozen("This assignment already has a final; abort it before you freeze another one.")
    if any(phase is not FinalPhase.ABORTED for phase in phases):
        raise taken
    tournament = Tournament(
        assignment_id=assignment_id,
        slug=f"final-{len(phases) + 1}",
        title=TITLE,
        game=plan.game,
        kind=TournamentKind.FINAL,
        state=TournamentState.PAUSED,
        ranking=plan.settings.ranking,
        target_games=plan.settings.most_games,
        fault_limit=NO_LIMIT,
    )
    try:
        with session.begin_nested():
            session.add(tournament)
    except IntegrityError:  # somebody else froze it at the same moment
        raise taken from None
    return tournament


# The next round


@dataclass(frozen=True, slots=True)
class DrawnRound:
    """The round that follows the `former` rounds, which are given as numbers of blocks. `blocks`, as (seed, entries),
    is empty if the final ends; `out` contains the ids of the entries that have been put out. `amended`: how often
    the final has been continued so far."""

    tournament_id: int
    former: Sequence[int]
    blocks: Sequence[tuple[int, Sequence[int]]]
    out: Sequence[int]
    amended: int


def draw(session: Session, tournament_id: int) -> DrawnRound | None:
    """Return the next round if the last round has been played completely; otherwise None. Locks nothing, unlike
    `queue`. Raises RulesChanged."""
    # Read first: a round that is queued in the meantime must not be seen here.
    final = session.get_one(Final, tournament_id, populate_existing=True)
    if not _may_go_on(final) or unfinished(session, tournament_id):
        return None
    header = read_header(final.header)
    check_rules(header)
    contenders, settings = contenders_of(session, final), present_settings(final)
    root, sizes, number = root_of(final.header), find_game(header.game).seats, len(final.rounds)
    met = meetings_of(session, tournament_id, list(final.entries)).numbered()
    tables = next_round(settings, sizes, contenders, met, hashed_seed(root, "round", number))
    blocks = [
        (hashed_seed(root, "block", index), [final.entries[seat] for seat in table])
        for index, table in enumerate(tables, sum(final.rounds))
    ]
    out = [final.entries[index] for index, each in enumerate(contenders) if not survives(settings, each)]
    return DrawnRound(tournament_id, final.rounds, blocks, out, len(final.amendments))


def queue(drawn: DrawnRound, session: Session) -> int:
    """Queue the round that was drawn, or end the final. Return the number of blocks; the caller sends a message for
    each. Does nothing if that round was queued meanwhile, or if the final is not running."""
    final = _locked_final(session, drawn.tournament_id)
    if not _may_go_on(final) or (final.rounds, len(final.amendments)) != (drawn.former, drawn.amended):
        return 0
    for entry in lock_entries(session, drawn.out, Entry.state == EntryState.ACTIVE).values():
        leave(entry, EntryState.OUT, now())
    if not drawn.blocks:
        _end_final(final, FinalPhase.FINISHED)
        forget_meetings(session, drawn.tournament_id)
        return 0
    add_blocks(session, drawn.tournament_id, drawn.blocks)
    final.rounds = [*final.rounds, len(drawn.blocks)]
    session.flush()
    return len(drawn.blocks)


def _may_go_on(final: Final) -> bool:
    return final.phase is FinalPhase.RUNNING and final.tournament.state is TournamentState.OPEN


def unfinished(session: Session, tournament_id: int) -> int:
    """Return the number of blocks of the current round that are parked or still to be played."""
    wanted = select(func.count()).where(Block.tournament_id == tournament_id, Block.state.in_(UNFINISHED))
    return session.scalar(wanted) or 0


def _end_final(final: Final, phase: FinalPhase) -> None:
    final.phase, final.tournament.state, final.ended_at = phase, TournamentState.CLOSED, now()


_FINAL_OF = (
    select(Final.tournament_id)
    .join(Final.tournament)
    .where(Tournament.assignment_id == bindparam("assignment"))
    .order_by(Final.tournament_id.desc())
    .limit(1)
)
"""A query that is built only once, since building it takes as long as running it. It selects only the id, since few
assignments have a final."""


def final_of(session: Session, assignment_id: int) -> Final | None:
    """Return the assignment's final, the latest one if others were aborted."""
    found = columns(session, _FINAL_OF, {"assignment": assignment_id}).scalar()
    return None if found is None else session.get(Final, found)


# What an instructor does


def start(session: Session, tournament_id: int) -> None:
    """Start a frozen final. Raises WrongPhase, RulesChanged."""
    with _in_phase(session, tournament_id, "started", FinalPhase.FROZEN) as final:
        check_rules(read_header(final.header))
        final.phase, final.started_at, final.tournament.state = FinalPhase.RUNNING, now(), TournamentState.OPEN


def pause(session: Session, tournament_id: int) -> None:
    """Start no more blocks; those in progress are finished, and count. Raises WrongPhase."""
    with _in_phase(session, tournament_id, "paused", FinalPhase.RUNNING) as final:
        final.tournament.state = TournamentState.PAUSED


def resume(session: Session, tournament_id: int) -> None:
    """Continue after a pause. Raises WrongPhase, RulesChanged."""
    with _in_phase(session, tournament_id, "resumed", FinalPhase.RUNNING) as final:
        check_rules(read_header(final.header))
        final.tournament.state = TournamentState.OPEN


def play_more(session: Session, tournament_id: int) -> tuple[int, int]:
    """Continue a final that has ended: players near a boundary between two marks play up to MORE_GAMES more games, and
    the record mentions this. Return the former and the new maximum of games. Raises WrongPhase, RulesChanged, and
    FinalError if nobody would play."""
    with _in_phase(session, tournament_id, "continued", FinalPhase.FINISHED) as final:
        check_rules(read_header(final.header))
        former, round_ = present_settings(final), len(final.rounds)
        most, at = min(MOST_GAMES, former.most_games + MORE_GAMES), now().isoformat(timespec="seconds")
        amendment = AmendmentLine(amended_at=at, most_games=most, round=round_)
        if wanting(amendment.applied(former), contenders_of(session, final))[0] is Stage.DONE:
            raise FinalError("More games would change nothing: no player who can still play is near a grade boundary.")
        final.amendments = [*final.amendments, canonical_json(amendment)]
        final.phase, final.ended_at = FinalPhase.RUNNING, None
        final.tournament.state, final.tournament.target_games = TournamentState.OPEN, most
    return former.most_games, most


def abort(session: Session, tournament_id: int) -> None:
    """End the final permanently, without marks. Blocks in progress are not stored. Raises WrongPhase."""
    phases = (FinalPhase.FROZEN, FinalPhase.RUNNING, FinalPhase.FINISHED)
    with _in_phase(session, tournament_id, "aborted", *phases) as final:
        _end_final(final, FinalPhase.ABORTED)
        cancel_unfinished(session, tournament_id)


def skip(session: Session, tournament_id: int, block_id: int) -> None:
    """Continue without a block that cannot be played because of internal errors; the record mentions this. Raises
    WrongPhase."""
    with _in_phase(session, tournament_id, "changed", FinalPhase.RUNNING):
        block = session.get(Block, block_id, with_for_update=True)
        if block is None or block.tournament_id != tournament_id or block.state is not JobState.PARKED:
            raise WrongPhase("Only a parked block of this final can be left out.")
        block.state, block.trouble, block.finished_at = JobState.CANCELLED, block.trouble or "skipped", now()


def publish(session: Session, tournament_id: int) -> list[FinalStanding]:
    """Calculate the marks from every stored game and show them to the students. Raises WrongPhase."""
    with _in_phase(session, tournament_id, "published", FinalPhase.FINISHED) as final:
        lines = work_out(session, final)
        final.standings, final.phase, final.published_at = show_standings(lines), FinalPhase.PUBLISHED, now()
        tournament = final.tournament
        if tournament.assignment_id:
            announced = f"{tournament.title}: the final is over, and its marks are published"
            announce(session, tournament.assignment_id, CourseEvent.MARKS, announced)
        subject = f"{tournament.title}: your mark is published"
        link = ("final", tournament.assignment_id or 0, "Your mark, and how it was calculated")
        authors = select(Entry.author_id).where(Entry.tournament_id == tournament_id, Entry.author_id.is_not(None))
        for author_id in session.scalars(authors.order_by(Entry.id)):
            told = (tournament.assignment_id, subject, "The final is over.", [link])
            tell(session, author_id or 0, *told, NoticeKind.MARKS)
    return lines


def work_out(session: Session, final: Final) -> list[FinalStanding]:
    """Return the standings after all games stored so far."""
    header = read_header(final.header)
    names = [entry.name for entry in header.entries]
    return final_standings(header.settings, names, replay_log(session, final, header).contenders())


def published_lines(final: Final) -> list[FinalStanding]:
    """Return the standings as they were published; raises WrongPhase."""
    if final.phase is not FinalPhase.PUBLISHED:
        raise WrongPhase("The marks of this final have not been published.")
    return read_standings(final.standings)


def export(session: Session, final: Final) -> Iterator[str]:
    """Yield the lines of a published final's record, to be signed (`tournament.final.record.signed`). Raises
    WrongPhase."""
    lines, amendments = published_lines(final), amendments_of(final)
    yield final.header
    for block in record_lines(session, final):
        while amendments and amendments[0].round <= block.round:
            yield canonical_json(amendments.pop(0))
        yield canonical_json(block)
    yield canonical_json(ending_line(lines))


@contextmanager
def _in_phase(session: Session, tournament_id: int, done: str, *phases: FinalPhase) -> Iterator[Final]:
    """Yield the locked final for a `with` block. Changes are flushed at the end of the block. Raises WrongPhase unless
    the final is in one of these phases."""
    final = _locked_final(session, tournament_id)
    if final.phase not in phases:
        raise WrongPhase(f"This final is {final.phase.value}; it cannot be {done} now.")
    yield final
    session.flush()


def _locked_final(session: Session, tournament_id: int) -> Final:
    """Return the final, with its tournament locked. Unlike the pairing of a ladder, this waits for the lock: the worker
    that stores the last result must plan the next round."""
    lock(session, session.get_one(Tournament, tournament_id))
    return session.get_one(Final, tournament_id, populate_existing=True)
