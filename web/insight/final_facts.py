"""How the final of an assignment stands: each player's interval, and the lines between marks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from sqlalchemy import select
from sqlalchemy.orm import Session

from tournament.final.game_log import contenders_of, settings_of
from tournament.final.lifecycle import final_of, published_lines
from tournament.final.marks import lines as boundaries_of
from tournament.final.record import read_header
from tournament.final.scoring import FinalStanding, standings
from tournament.final.settings import FinalSettings
from tournament.store.tables import Entry, Final, FinalPhase, Ranking

UNPLAYED = (FinalPhase.FROZEN, FinalPhase.ABORTED)


@dataclass(frozen=True, slots=True)
class FinalBand:
    """The survivors who get the same mark, the best first; `crossing`: of how many the interval reaches over a line."""

    number: int
    mark: float
    lines: Sequence[FinalStanding]
    crossing: int


@dataclass(frozen=True, slots=True)
class FinalFacts:
    """How a final stands. `boundaries`: the values at which marks end. `authors`: of its entries, by their numbers."""

    settings: FinalSettings
    lines: Sequence[FinalStanding]
    boundaries: Sequence[float]
    authors: Mapping[int, int | None]

    def crosses(self, line: FinalStanding) -> bool:
        """Whether an interval reaches over a line between marks."""
        low, high = ends_of(line)
        return any(low < each < high for each in self.boundaries)

    @property
    def bands(self) -> list[FinalBand]:
        """Those of each mark, the best first."""
        found = []
        for number, own in groupby(self.lines, lambda line: line.bin or 0):
            lines = list(own)
            found.append(FinalBand(number, lines[0].mark or 0.0, lines, sum(map(self.crosses, lines))))
        return found


def ends_of(line: FinalStanding) -> tuple[float, float]:
    """The interval of a survivor, the smaller end first; where nothing is known it is the value itself."""
    value = line.value or 0.0
    low, high = sorted((value if line.low is None else line.low, value if line.high is None else line.high))
    return low, high


def final_facts(session: Session, assignment_id: int) -> FinalFacts | None:
    """How the assignment's final stands, as published if it is; None before its first game counts."""
    final = final_of(session, assignment_id)
    if final is None or final.phase in UNPLAYED:
        return None
    settings, lines = settings_of(final), [line for line in _lines(session, final) if line.rank]
    values = [line.value or 0.0 for line in lines]
    signs = -1 if settings.ranking is Ranking.PLACE else 1  # more is better
    ranks = [line.rank or 0 for line in lines]
    ends = [signs * each for each in boundaries_of(settings.marks, [signs * each for each in values], ranks)]
    wanted = select(Entry.id, Entry.author_id).where(Entry.tournament_id == final.tournament_id)
    authors = dict(session.execute(wanted).all())
    numbered = {number: authors[id_] for number, id_ in enumerate(final.entries)}
    return FinalFacts(settings, lines, ends, numbered) if lines else None


def _lines(session: Session, final: Final) -> Sequence[FinalStanding]:
    if final.phase is FinalPhase.PUBLISHED:
        return published_lines(final)
    names = [entry.name for entry in read_header(final.header).entries]
    return standings(settings_of(final), names, contenders_of(session, final))
