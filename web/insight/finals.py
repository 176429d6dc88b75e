"""Compute how the final of an assignment ended: each player's interval, and the boundaries between marks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from tournament.final.finals import final_of, published_lines
from tournament.final.record import read_header
from tournament.final.rounds import FinalStanding, final_standings
from tournament.final.settings import mark_boundaries as boundaries_of
from tournament.final.status import contenders_of, present_settings
from tournament.store.database import Recent
from tournament.store.tables import Entry, Final, FinalPhase, Ranking

ENDED = (FinalPhase.FINISHED, FinalPhase.PUBLISHED)
_known = Recent["FinalFacts | None"](16)


@dataclass(frozen=True, slots=True)
class FinalBand:
    """The players with the same mark, best first. `number`: the band's number, from 1 for the best mark; `crossing`:
    how many of the players' intervals cross a boundary."""

    number: int
    mark: float
    lines: Sequence[FinalStanding]
    crossing: int


@dataclass(frozen=True, slots=True, eq=False)
class FinalFacts:
    """How a final ended, for the players with a rank, best first. `figures`: for each player, the value that decides
    the rank and the ends of its interval. `boundaries`: the values that separate two marks; `crosses`: whether each
    player's interval crosses a boundary. `authors`: the authors of all entries, by entry number."""

    ranking: Ranking
    lines: Sequence[FinalStanding]
    figures: NDArray[np.float64]
    boundaries: Sequence[float]
    crosses: NDArray[np.bool_]
    authors: Mapping[int, int | None]

    @property
    def bands(self) -> list[FinalBand]:
        """A band of players for each mark."""
        found, begin = [], 0
        for number, own in groupby(self.lines, lambda line: line.bin or 0):
            lines = list(own)
            crossing = int(self.crosses[begin : begin + len(lines)].sum())
            found.append(FinalBand(number, lines[0].mark or 0.0, lines, crossing))
            begin += len(lines)
        return found


def final_facts(session: Session, assignment_id: int) -> FinalFacts | None:
    """How the assignment's final ended: the published result, or the result so far if it is not published yet; None
    before the final has ended. Each process computes this only once, since the ranks of a thousand players with their
    intervals take a tenth of a second."""
    final = final_of(session, assignment_id)
    if final is None or final.phase not in ENDED:
        return None
    key = (final.tournament_id, final.phase, final.ended_at)
    return _known.get(session, key, lambda: _facts_of(session, final))


def _facts_of(session: Session, final: Final) -> FinalFacts | None:
    if final.phase is FinalPhase.PUBLISHED:
        standings = published_lines(final)
    else:
        header = read_header(final.header)
        names = [entry.name for entry in header.entries]
        standings = final_standings(header.settings, names, contenders_of(session, final))
    lines = [line for line in standings if line.rank and line.value is not None]
    if not lines:
        return None
    settings = present_settings(final)
    figures = np.array([[line.value, line.low, line.high] for line in lines], float)
    figures = np.where(np.isnan(figures), figures[:, :1], figures)  # an unknown interval end becomes the value
    sign = -1 if settings.ranking is Ranking.PLACE else 1  # from here on, more is better
    values = (sign * figures[:, 0]).tolist()
    boundaries = [sign * each for each in boundaries_of(settings.marks, values, [line.rank or 0 for line in lines])]
    ends, ordered = np.sort(figures[:, 1:], axis=1), np.sort(boundaries)
    crosses = np.searchsorted(ordered, ends[:, 1], "left") > np.searchsorted(ordered, ends[:, 0], "right")
    wanted = select(Entry.id, Entry.author_id).where(Entry.tournament_id == final.tournament_id)
    authors = dict(session.execute(wanted).all())
    numbered = {number: authors[id_] for number, id_ in enumerate(final.entries)}
    return FinalFacts(settings.ranking, lines, figures, boundaries, crosses, numbered)
