"""New entries have their first games soon, whatever else waits."""

from collections.abc import Iterator
from itertools import pairwise

import pytest

from sandbox.api import Sandbox
from tests.tournament.factory import make_entries
from tests.tournament.ladder.several import Hall, waits
from tournament.blocks import claim_block, pair_one
from tournament.ladder.ladder import leave
from tournament.ladder.pairing import QUEUED_BLOCKS
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.tables import Block, Entry, EntryState, Tournament
from tournament.work.services import Services


@pytest.fixture
def services(sessions: Sessions, trusted: Sandbox) -> Services:
    return Services(sessions, lambda task: None, lambda: trusted, lambda: trusted, "worker")


@pytest.mark.full
def test_a_ladder_of_slow_players_keeps_no_new_entry_of_another_one_waiting(
    sessions: Sessions, services: Services
) -> None:
    """First come, first served, the four waited for 13 to 26 minutes."""
    *quick, slow = waits(sessions, services, [1.0, 1.0, 1.0, 1.0, 45.0])
    assert max(quick) <= 60.0 + 3 * 5, "a block of the slow one, and three of each"
    assert slow <= 3 * 45.0 + 45.0 * 4 + 3 * 45.0, "its own, what the others are owed, and what they play meanwhile"


def order(services: Services) -> Iterator[list[int]]:
    """The entries of the blocks in the order in which they are claimed."""
    while job := claim_block(services):
        with reading(services.sessions) as session:
            yield list(session.get_one(Block, job.claim.id).entries)


@pytest.mark.both_databases
def test_in_a_full_queue_new_entries_come_first_and_in_turn(sessions: Sessions, services: Services) -> None:
    hall = Hall(sessions, services, [1.0])
    (ladder,) = hall.lasts
    new = [hall.enter(ladder) for _ in range(3)]
    seated = [set(new).intersection(table) for table in order(services)]
    first = next(number for number, found in enumerate(seated) if not found)
    assert not any(seated[first:]), "those of the others come last"
    assert len(seated) - first == QUEUED_BLOCKS, "which wait as before"
    games = {id_: sum(4 for found in seated if id_ in found) for id_ in new}
    assert min(games.values()) >= 10
    places = sorted(next(number for number, found in enumerate(seated) if id_ in found) for id_ in new)
    assert all(after - before <= 1 for before, after in pairwise(places)), "nobody's second block before one's first"


@pytest.mark.both_databases
def test_who_enters_again_is_not_put_at_the_back_and_takes_nobody_along(sessions: Sessions, services: Services) -> None:
    """Their cancelled blocks are replaced at their place, also those of another new entry."""
    hall = Hall(sessions, services, [1.0])
    (ladder,) = hall.lasts
    former, other = hall.enter(ladder), hall.enter(ladder)
    with writing(sessions) as session:
        entry = session.get_one(Entry, former)
        leave(entry, EntryState.REPLACED, now())
        (again,) = make_entries(session, session.get_one(Tournament, ladder), 1)
        new = {again.id, other}
    pair_one(services, ladder)
    tables = list(order(services))
    assert not any(former in table for table in tables)
    first = [new.intersection(table) for table in tables[:6]]
    assert all(sum(4 for found in first if id_ in found) >= 10 for id_ in new)
