"""What is known of the leaders of a ladder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from tournament.ladder.matchups import leaders_of
from tournament.ladder.rank_history import Ranked, sampled, thinned_ranks_of
from tournament.store.recent import Recent

LEADERS = 8
MOST_SAMPLES = 60
"""The number of samples of an entry's rank that are drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class LadderFacts:
    """The leaders when ratings were last fitted, see `tournament.store.tables.Matchups`. `names`: of those who still
    play. `ranks`: samples of the first of these."""

    entries: Sequence[int]
    games: Sequence[Sequence[int]]
    ahead: Sequence[Sequence[int]]
    names: Mapping[int, str]
    ranks: Sequence[Ranked]


_known = Recent[LadderFacts](32)


def ladder_facts(session: Session, tournament_id: int) -> LadderFacts | None:
    """The leaders of a ladder; None before its first ratings. Kept until something of it changes."""
    found, names = leaders_of(session, tournament_id)
    if found is None:
        return None
    first = [id_ for id_ in found.entries if id_ in names][:LEADERS]

    def make() -> LadderFacts:
        ranks = thinned_ranks_of(session, first, MOST_SAMPLES)
        return LadderFacts(found.entries, found.games, found.ahead, names, ranks)

    key = (tournament_id, found.at, frozenset(names.items()), sampled(session, first))
    return _known.get(session, key, make)
