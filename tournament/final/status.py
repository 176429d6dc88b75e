"""How a final is getting on, for the page and the command line."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from tournament.final.game_log import contenders_of
from tournament.final.lifecycle import RulesChanged, check_rules
from tournament.final.pace import Left, blocks_left, latest_pace
from tournament.final.record import Header, read_header
from tournament.final.rounds import Stage, survives
from tournament.games import find_game
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Final, FinalPhase, PlayedGame, Tournament, TournamentKind, TournamentState

PACE_BLOCKS = 200
"""The pace is that of so many of the latest blocks."""


@dataclass(frozen=True, slots=True)
class Status:
    """`blocks` and `games` are played. `seconds`: how long what is left takes, at least and at most, at the present
    pace; None while that is unknown. `ladder_blocks` wait, and go first. `trouble`: why nothing goes on, or ""."""

    phase: FinalPhase
    paused: bool
    stage: Stage
    rounds: int
    entries: int
    survivors: int
    blocks: int
    games: int
    left: Left
    seconds: tuple[float, float] | None
    parked: list[Block]
    ladder_blocks: int
    trouble: str

    @property
    def share(self) -> float:
        """How much is played of all that may have to be, 0 to 1."""
        whole = self.blocks + self.left.most
        return self.blocks / whole if whole else 0.0


def status(session: Session, final: Final) -> Status:
    """How the final is getting on."""
    header = read_header(final.header)
    contenders = contenders_of(session, final)
    students = [each for each in contenders if not each.house]
    over = final.phase not in (FinalPhase.FROZEN, FinalPhase.RUNNING)
    size = find_game(header.game).seats[0]
    left = Left(0, 0) if over else blocks_left(header.settings, size, contenders)
    seconds_a_block = latest_pace(_finished(session, final))
    of_final = select(func.count()).where(Block.tournament_id == final.tournament_id, Block.state == JobState.DONE)
    games = select(func.count()).where(PlayedGame.tournament_id == final.tournament_id)
    return Status(
        phase=final.phase,
        paused=final.phase is FinalPhase.RUNNING and final.tournament.state is TournamentState.PAUSED,
        stage=left.stage,
        rounds=len(final.rounds),
        entries=len(students),
        survivors=sum(survives(header.settings, each) for each in students),
        blocks=session.scalar(of_final) or 0,
        games=session.scalar(games) or 0,
        left=left,
        seconds=(left.least * seconds_a_block, left.most * seconds_a_block) if seconds_a_block is not None else None,
        parked=_parked(session, final),
        ladder_blocks=_ladder_blocks(session),
        trouble="" if over else _trouble(header),
    )


def _finished(session: Session, final: Final) -> Sequence[datetime]:
    """When the latest blocks ended, the last that was stored first."""
    ended = select(PlayedGame.played_at).where(PlayedGame.tournament_id == final.tournament_id, PlayedGame.seating == 0)
    return session.scalars(ended.order_by(PlayedGame.id.desc()).limit(PACE_BLOCKS)).all()


def _parked(session: Session, final: Final) -> list[Block]:
    wanted = select(Block).where(Block.tournament_id == final.tournament_id, Block.state == JobState.PARKED)
    return list(session.scalars(wanted.order_by(Block.id)))


def _ladder_blocks(session: Session) -> int:
    waiting = (
        select(func.count(Block.id))
        .join(Block.tournament)
        .where(
            Tournament.kind == TournamentKind.LADDER,
            Tournament.state == TournamentState.OPEN,
            Block.state == JobState.QUEUED,
        )
    )
    return session.scalar(waiting) or 0


def _trouble(header: Header) -> str:
    try:
        check_rules(header)
    except RulesChanged as trouble:
        return str(trouble)
    return ""
