"""The progress of a final, for its page and the command line."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from tournament.final.game_log import contenders_of, settings_of
from tournament.final.lifecycle import RulesChanged, check_rules
from tournament.final.pace import Left, blocks_left, latest_pace
from tournament.final.record import read_header
from tournament.final.rounds import Stage, survives
from tournament.play.games import find_game
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Final, FinalPhase, PlayedGame, Tournament, TournamentKind, TournamentState

PACE_BLOCKS = 200
"""The number of latest blocks from which the pace is measured."""


@dataclass(frozen=True, slots=True)
class Status:
    """`blocks` and `games` have been played. `seconds`: how long the rest takes at the present pace, at least and at
    most; None while that is unknown. `ladder_blocks` are waiting and go first. `trouble`: why the final does not go on,
    or ""."""

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
        """How much has been played of all that may have to be, 0 to 1."""
        whole = self.blocks + self.left.most
        return self.blocks / whole if whole else 0.0


def status(session: Session, final: Final) -> Status:
    """How far the final is."""
    header = read_header(final.header)
    contenders = contenders_of(session, final)
    students = [each for each in contenders if not each.house]
    over = final.phase not in (FinalPhase.FROZEN, FinalPhase.RUNNING)
    left = Left(0, 0) if over else blocks_left(settings_of(final), find_game(header.game).seats[0], contenders)
    trouble = ""
    if not over:
        try:
            check_rules(header)
        except RulesChanged as error:
            trouble = str(error)

    def count(wanted: Select[Any]) -> int:
        return session.scalar(wanted.with_only_columns(func.count(), maintain_column_froms=True)) or 0

    games = select(PlayedGame).where(PlayedGame.tournament_id == final.tournament_id)
    latest = games.with_only_columns(PlayedGame.played_at).where(PlayedGame.seating == 0)
    pace = latest_pace(session.scalars(latest.order_by(PlayedGame.id.desc()).limit(PACE_BLOCKS)).all())
    blocks = select(Block).where(Block.tournament_id == final.tournament_id)
    ladders = select(Block).join(Block.tournament).where(Tournament.kind == TournamentKind.LADDER)
    return Status(
        phase=final.phase,
        paused=final.phase is FinalPhase.RUNNING and final.tournament.state is TournamentState.PAUSED,
        stage=left.stage,
        rounds=len(final.rounds),
        entries=len(students),
        survivors=sum(survives(header.settings, each) for each in students),
        blocks=count(blocks.where(Block.state == JobState.DONE)),
        games=count(games),
        left=left,
        seconds=None if pace is None else (left.least * pace, left.most * pace),
        parked=list(session.scalars(blocks.where(Block.state == JobState.PARKED).order_by(Block.id))),
        ladder_blocks=count(ladders.where(Tournament.state == TournamentState.OPEN, Block.state == JobState.QUEUED)),
        trouble=trouble,
    )
