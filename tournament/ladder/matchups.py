"""How often each leader of a ladder finished ahead of each other one.

A sum for each pair of a thousand entries would be a million rows, written with every game. Only the leaders are looked
at, and the fit of the ratings reads all results anyway: so they are counted there.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from tournament.ladder.standings import on_board
from tournament.ranking.plackett_luce import PlayedBlock
from tournament.ranking.ratings import worth
from tournament.store.database import now
from tournament.store.tables import Entry, EntryState, Matchups, Tournament

LEADERS = 12

Counts = NDArray[np.int64]


def count_matchups(blocks: Iterable[PlayedBlock], leaders: Sequence[int]) -> tuple[Counts, Counts]:
    """For each row and column of the leaders: the games in which one of the two finished ahead of the other, and those
    in which the row did. A game that ended in a fault is lost by those at fault and no contest between the others."""
    row_of = {id_: row for row, id_ in enumerate(leaders)}
    ahead = np.zeros((len(leaders), len(leaders)), np.int64)
    for block in blocks:
        seated = [(at, row_of[id_]) for at, id_ in enumerate(block.entries) if id_ in row_of]
        if len(seated) < 2:
            continue
        orders = [block.finish[at :: len(block.entries)] for at, _ in seated]
        for one, (_, row) in enumerate(seated):
            for other, (_, column) in enumerate(seated):
                ahead[row, column] += sum(a < b for a, b in zip(orders[one], orders[other], strict=True))
    return ahead + ahead.T, ahead


def matchups_of(session: Session, tournament: Tournament, blocks: Iterable[PlayedBlock]) -> Matchups:
    """How the present leaders did against each other in all these blocks, to be stored."""
    ranked = [(entry.id, tally) for entry, tally in on_board(session, tournament.id) if tally.ranked and tally.games]
    best = sorted(ranked, key=lambda each: (-worth(each[1], tournament.ranking), each[0]))[:LEADERS]
    leaders = [id_ for id_, _ in best]
    games, ahead = (each.tolist() for each in count_matchups(blocks, leaders))
    return Matchups(tournament_id=tournament.id, at=now(), entries=leaders, games=games, ahead=ahead)


def leaders_of(session: Session, tournament_id: int) -> tuple[Matchups | None, dict[int, str]]:
    """The matchups of a ladder, None before its first ratings; and the names of those of its entries that still
    play."""
    found = session.get(Matchups, tournament_id)
    if found is None:
        return None, {}
    wanted = select(Entry.id, Entry.name).where(Entry.state == EntryState.ACTIVE, Entry.id.in_(found.entries))
    return found, dict(session.execute(wanted).all())
