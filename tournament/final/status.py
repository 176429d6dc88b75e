"""The progress of a final, for its page and the command line."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from tournament.final.finals import RulesChanged, check_rules
from tournament.final.game_log import contenders_of, settings_of
from tournament.final.record import read_header
from tournament.final.rounds import Contender, Stage, survives, wanting
from tournament.final.settings import FinalSettings
from tournament.play.games import find_game
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Final, FinalPhase, PlayedGame, Tournament, TournamentKind, TournamentState
from tournament.work.backlog import latest_pace

PACE_BLOCKS = 200
"""The number of latest blocks from which the pace is measured."""


@dataclass(frozen=True, slots=True)
class BlocksLeft:
    """How many blocks are left: `least` if no more intervals cross a line, `most` if all that may cross one do.
    `stage`: what the next of them are for."""

    least: int
    most: int
    stage: Stage = Stage.DONE


@dataclass(frozen=True, slots=True)
class FinalStatus:
    """`blocks` and `games` have been played. `seconds`: how long the rest takes at the present pace, at least and most;
    None: unknown. `ladder_blocks` are waiting and go first. `trouble`: why the final does not go on, or ""."""

    phase: FinalPhase
    paused: bool
    stage: Stage
    rounds: int
    entries: int
    survivors: int
    blocks: int
    games: int
    left: BlocksLeft
    seconds: tuple[float, float] | None
    parked: list[Block]
    ladder_blocks: int
    trouble: str

    @property
    def share(self) -> float:
        """How much has been played of all that may have to be, 0 to 1."""
        whole = self.blocks + self.left.most
        return self.blocks / whole if whole else 0.0


def blocks_left(settings: FinalSettings, size: int, contenders: Sequence[Contender]) -> BlocksLeft:
    """What is left to be played, the current round included. `size`: players at a table."""
    stage, wanted = wanting(settings, contenders)
    alive = [each for each in contenders if not each.house and survives(settings, each)]
    seats = min(size, len(alive))  # house bots take the others
    if stage is Stage.DONE:
        return BlocksLeft(0, 0)
    if stage is Stage.FIRST:
        least = sum(_blocks(each, settings.first_games, size) for each in alive)
        most = sum(_blocks(each, settings.most_games, size) for each in alive)
        return BlocksLeft(ceil(least / seats), ceil(most / seats), stage)
    to_come = [_blocks(contenders[index], settings.most_games, size) for index in wanted]
    tables = min(len(wanted), ceil(len(alive) / seats))  # in a round, if those who are near a line sit apart
    least = ceil(len(wanted) / seats)
    return BlocksLeft(least, max(least, min(sum(to_come), max(to_come) * tables)), stage)


def _blocks(contender: Contender, games: int, size: int) -> int:
    return max(0, ceil((games - contender.tally.games) / size))


def status_of(session: Session, final: Final) -> FinalStatus:
    """How far the final is."""
    header = read_header(final.header)
    contenders = contenders_of(session, final)
    students = [each for each in contenders if not each.house]
    over = final.phase not in (FinalPhase.FROZEN, FinalPhase.RUNNING)
    left = BlocksLeft(0, 0) if over else blocks_left(settings_of(final), find_game(header.game).seats[0], contenders)
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
    return FinalStatus(
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
