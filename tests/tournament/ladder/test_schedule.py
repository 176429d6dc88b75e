"""Who plays whom: properties of the schedule over many rounds."""

from collections import Counter
from itertools import combinations, pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournament.ladder.schedule import FIRST_GAMES, Candidate, Meetings, next_tables, urgencies
from tournament.play.table import seatings

HOUSE = 1000  # ids of house bots begin here


class Ladder:
    """A ladder on which every queued block is played at once."""

    def __init__(self, authors: list[int], bots: int, target: int = 10**6, seed: int = 0) -> None:
        self.authors, self.bots, self.target, self.rng = authors, bots, target, Random(seed)
        self.games: Counter[int] = Counter()
        self.strength: Counter[int] = Counter()
        self.tables: list[tuple[int, ...]] = []
        self.met = Meetings(())

    def candidates(self) -> list[Candidate]:
        students = [
            Candidate(id_, self.games[id_], author, strength=self.strength[id_])
            for id_, author in enumerate(self.authors)
        ]
        bots = [Candidate(HOUSE + n, self.games[HOUSE + n], house=True) for n in range(self.bots)]
        return students + bots

    def play(self, rounds: int, tables: int = 4, sizes: tuple[int, ...] = (4,)) -> list[tuple[int, ...]]:
        for _ in range(rounds):
            candidates = self.candidates()
            self.met = self.met.among([each.id for each in candidates])
            new = next_tables(candidates, sizes, tables, self.target, self.met, self.rng)
            self.met.add(new)
            for table in new:
                self.games.update(dict.fromkeys(table, len(table)))
            self.tables += new
        return self.tables

    def meetings(self, *ids: int) -> list[int]:
        """How often each two of these have met."""
        counts = Meetings(ids, self.tables).counts
        return [int(counts[pair]) for pair in combinations(range(len(ids)), 2)]


def test_the_seatings_of_four() -> None:
    assert ["".join(order) for order in seatings("ABCD")] == ["ABCD", "BDAC", "CADB", "DCBA"]


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_everybody_sits_once_in_each_seat(size: int) -> None:
    for seat in range(size):
        assert sorted(order[seat] for order in seatings(range(size))) == list(range(size))


def test_in_a_block_of_four_everybody_sits_once_directly_before_each_other() -> None:
    """Who sits before whom matters; round the table only the last seat and the first add to it."""
    neighbours = Counter(pair for order in seatings("ABCD") for pair in pairwise(order))
    assert neighbours == {(one, other): 1 for one in "ABCD" for other in "ABCD" if one != other}


def test_round_the_table_neighbours_are_level_over_many_blocks() -> None:
    tables = Ladder(list(range(4)), bots=0, seed=3).play(150)
    orders = [order for table in tables for order in seatings(table)]
    neighbours = Counter((order[seat - 1], order[seat]) for order in orders for seat in range(4))
    assert len(neighbours) == 12
    assert max(neighbours.values()) < 1.1 * min(neighbours.values())


@given(
    authors=st.lists(st.integers(0, 6), max_size=12),
    bots=st.integers(0, 5),
    sizes=st.sampled_from([(4,), (2,), (4, 3, 2), (3, 2, 4)]),
    seed=st.integers(0, 99),
)
@settings(max_examples=60)
def test_every_table_is_lawful(authors: list[int], bots: int, sizes: tuple[int, ...], seed: int) -> None:
    ladder = Ladder(authors, bots, seed=seed)
    for table in ladder.play(5, sizes=sizes):
        assert len(table) in sizes
        assert len(set(table)) == len(table), "somebody meets himself"
        seated = [authors[id_] for id_ in table if id_ < HOUSE]
        assert len(set(seated)) == len(seated), "an entry meets its author's other entry"
        assert seated, "a table of house bots only"
    players = len(set(authors)) + bots
    assert bool(ladder.tables) == (bool(authors) and players >= min(sizes))


@pytest.mark.parametrize("students", [4, 5, 8, 20, 60])
def test_games_and_opponents_are_level(students: int) -> None:
    ladder = Ladder(list(range(students)), bots=4)
    ladder.play(100)
    games = [ladder.games[id_] for id_ in range(students)]
    assert max(games) - min(games) <= 12
    meetings = ladder.meetings(*range(students))
    assert max(meetings) - min(meetings) <= 4


def test_everybody_has_equally_strong_opponents() -> None:
    """The mean strength of an entry's opponents; drawn at random it would stray by 0.07 at the median."""
    students = 40
    ladder = Ladder(list(range(students)), bots=0)
    ladder.strength.update({id_: Random(id_).gauss(0, 1) for id_ in range(students)})
    ladder.play(65)  # 26 blocks each
    counts = Meetings(range(students), ladder.tables).counts
    strength = np.array([ladder.strength[id_] for id_ in range(students)])
    opposition = (counts @ strength) / counts.sum(axis=1) - (strength.sum() - strength) / (students - 1)
    assert np.median(np.abs(opposition)) < 0.03


def test_strength_costs_no_coverage() -> None:
    ladder = Ladder(list(range(13)), bots=0)
    ladder.strength.update({id_: Random(id_).gauss(0, 1) for id_ in range(13)})
    ladder.play(130)
    meetings = ladder.meetings(*range(13))  # 40 expected
    assert max(meetings) - min(meetings) <= 8


def test_seats_are_level() -> None:
    """In a block everybody sits in each seat once; in its first game too, everybody sits anywhere equally often."""
    ladder = Ladder(list(range(8)), bots=0)
    first = Counter(table[0] for table in ladder.play(200))
    assert min(first.values()) > 60  # of 100 expected


@pytest.mark.parametrize(("students", "bots_at_table"), [(1, 3), (2, 2), (3, 1)])
def test_house_bots_fill_short_tables(students: int, bots_at_table: int) -> None:
    ladder = Ladder(list(range(students)), bots=4)
    for table in ladder.play(10):
        assert sum(id_ >= HOUSE for id_ in table) == bots_at_table
    games = [ladder.games[HOUSE + n] for n in range(4)]
    assert max(games) - min(games) <= 4


def test_house_bots_join_students_now_and_then() -> None:
    ladder = Ladder(list(range(20)), bots=4)
    joined = [sum(id_ >= HOUSE for id_ in table) for table in ladder.play(200)]
    assert set(joined) == {0, 1}
    assert 0 < sum(joined) < len(joined) / 8


def test_a_table_smaller_than_usual_is_used_only_when_players_lack() -> None:
    assert {len(table) for table in Ladder([1, 2], bots=0).play(3, sizes=(4, 2, 3))} == {2}
    assert {len(table) for table in Ladder([1, 2, 3], bots=0).play(3, sizes=(4, 2, 3))} == {3}
    assert {len(table) for table in Ladder([1, 2, 3], bots=1).play(3, sizes=(4, 2, 3))} == {4}


def test_the_ladder_rests_when_everybody_has_enough_games_and_wakes_for_a_new_entry() -> None:
    ladder = Ladder(list(range(10)), bots=2, target=40)
    ladder.play(50)
    assert all(ladder.games[id_] >= 40 for id_ in range(10))
    assert max(ladder.games[id_] for id_ in range(10)) <= 48
    before = len(ladder.tables)
    ladder.authors.append(10)
    new = ladder.play(50)[before:]
    assert len(new) == 10
    assert all(10 in table for table in new)


def test_a_new_entry_is_at_every_table_until_it_has_caught_up_and_its_opponents_are_many() -> None:
    ladder = Ladder(list(range(40)), bots=0)
    ladder.games = Counter(dict.fromkeys(range(39), 300))
    tables = ladder.play(5)
    assert all(39 in table for table in tables)
    assert len({id_ for table in tables for id_ in table}) == 40
    assert {table.index(39) for table in tables} == {0, 1, 2, 3}


def test_two_new_entries_do_not_only_meet_each_other() -> None:
    ladder = Ladder(list(range(40)), bots=0)
    ladder.games = Counter(dict.fromkeys(range(38), 300))
    ladder.play(10)
    assert ladder.meetings(38, 39)[0] <= 5


def test_a_new_entry_on_a_busy_ladder_has_a_first_rank_soon() -> None:
    """A hundred games, after which a rank is not provisional, are 25 blocks, and they are the next ones."""
    ladder = Ladder(list(range(60)), bots=4)
    ladder.games = Counter(dict.fromkeys(range(59), 200))
    ladder.play(7)
    assert ladder.games[59] >= 100


def test_many_new_entries_share_the_ladder() -> None:
    ladder = Ladder(list(range(80)), bots=4)
    ladder.games = Counter(dict.fromkeys(range(40), 200))
    ladder.play(50)
    new = [ladder.games[id_] for id_ in range(40, 80)]
    assert max(new) - min(new) <= 12
    assert min(new) > 40, "most of them could play among themselves, but meet the others too"
    assert min(ladder.meetings(*range(40))) == 0
    assert max(ladder.games[id_] for id_ in range(40)) <= 280, "no one of the others bears it all"


def test_house_bots_do_not_play_alone() -> None:
    assert Ladder([], bots=4).play(3) == []


@given(
    tables=st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=4, unique=True), max_size=20),
    ids=st.lists(st.integers(0, 12), unique=True),
)
def test_meetings_are_counted(tables: list[list[int]], ids: list[int]) -> None:
    together = Counter((one, other) for table in tables for one in table for other in table if one != other)
    met = Meetings(range(10), tables).among(ids)
    for row, one in enumerate(ids):
        for column, other in enumerate(ids):
            assert met.counts[row, column] == together[one, other]


def test_meetings_of_entries_unknown_are_passed_over() -> None:
    assert Meetings([1, 2], [(1, 2, 3, 4), (3, 4)]).counts.tolist() == [[0, 1], [1, 0]]


@given(st.lists(st.integers(0, 12), min_size=1, max_size=8), st.integers(0, 5), st.integers(0, 2**32))
def test_a_full_queue_still_has_room_for_first_games(games: list[int], tables: int, seed: int) -> None:
    """`tables` are as many as usual; beyond them all that is drawn are first games, until nobody lacks any."""
    played = [*games, 100, 100, 100, 100]
    candidates = [Candidate(id_, number, id_) for id_, number in enumerate(played)]
    chosen = next_tables(candidates, (4,), tables, 400, Meetings(()), Random(seed), 100)
    urgency = urgencies(candidates, chosen)
    assert all(urgency[tables:])
    assert len(chosen) >= tables
    for table, urgent in zip(chosen, urgency, strict=True):
        assert urgent == max(0, FIRST_GAMES - min(played[id_] for id_ in table))
        for id_ in table:
            played[id_] += 4
    assert len(chosen) == tables or min(played) >= FIRST_GAMES
