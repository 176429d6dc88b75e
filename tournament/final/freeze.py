"""Freezing a final: its entries are copies of what the students entered, and nothing about it changes afterwards."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from random import SystemRandom

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from tournament.final.record import FrozenEntry, Header, canonical
from tournament.final.rounds import FinalError
from tournament.final.settings import FinalSettings
from tournament.play.games import find_game
from tournament.store.database import now
from tournament.store.tables import Entry, Final, FinalPhase, Player, Tournament, TournamentKind, TournamentState

NO_LIMIT = 2**31 - 1
"""A final puts entries out between rounds, not when their last fault happens to be stored."""

TITLE = "The final"


class AlreadyFrozen(FinalError):
    """The assignment has a final already."""


class NobodyEntered(FinalError):
    """There is no entry that could take part."""


class TooFewPlayers(FinalError):
    """Even with house bots a table is not full."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A copy of a student's last entry, which takes part."""

    author_id: int
    player_id: int
    name: str
    version: int
    entered_at: datetime
    trace: str | None = None  # its upload's, see `tournament.work.messages`


@dataclass(frozen=True, slots=True)
class FinalPlan:
    """A final to be frozen. `notes` tell the instructors who does not take part, and why. `seed` (53 bits) fixes all
    deals; without one it is random and secret."""

    game: str
    entrants: Sequence[Entrant]
    settings: FinalSettings
    notes: Sequence[str] = ()
    seed: int | None = None
    version: int | None = None  # of the assignment


def freeze(session: Session, assignment_id: int, plan: FinalPlan, at: datetime | None = None) -> Final:
    """Create the final of an assignment; nothing is played yet. Raises AlreadyFrozen, NobodyEntered, TooFewPlayers."""
    game, students = find_game(plan.game), len(plan.entrants)
    if not students:
        raise NobodyEntered("No student's entry can take part in the final, so there is nothing to freeze.")
    if students + len(game.bots) < min(game.seats):
        raise TooFewPlayers(
            f"{game.title} needs {min(game.seats)} players at a table; there are {students} and "
            f"{len(game.bots)} house bots."
        )
    tournament = _new_tournament(session, assignment_id, plan)
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
    alone = ["Only one student takes part: it plays house bots, and its rank says nothing."] if students == 1 else []
    final = Final(
        tournament_id=tournament.id,
        header=canonical(header),
        entries=[entry.id for entry in entries],
        notes=[*plan.notes, *alone],
    )
    session.add(final)
    session.flush()
    return final


def _new_tournament(session: Session, assignment_id: int, plan: FinalPlan) -> Tournament:
    former = select(Final.phase).join(Final.tournament).where(Tournament.assignment_id == assignment_id)
    phases = session.scalars(former).all()
    taken = AlreadyFrozen("This assignment has a final already; abort it before you freeze another one.")
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
