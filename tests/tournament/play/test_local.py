"""Games without a database."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.api import Sandbox
from tests.tournament.bids import BIDS
from tournament.play.games import find_game
from tournament.play.record import block_seed
from tournament.play.table import PlayerSpec, UnplayableTable, house_bot, play_files

BO = find_game("bo")
MANY = [PlayerSpec(letter, f"def bid(seat, log):\n    return {n}\n".encode()) for n, letter in enumerate("ABCDE")]


def test_a_block_is_one_deal_in_four_seatings(trusted: Sandbox) -> None:
    records = list(play_files(BIDS, MANY[:4], 10, 7, trusted, trusted))
    assert ["".join(record.seats) for record in records] == [*("ABCD", "BDAC", "CADB", "DCBA") * 2, "ABCD", "BDAC"]
    seeds = [record.seed for record in records]
    assert seeds == [7] * 4 + [block_seed(7, 1)] * 4 + [block_seed(7, 2)] * 2
    assert len(set(seeds)) == 3


def test_a_table_of_another_size_sits_in_turn(trusted: Sandbox) -> None:
    records = list(play_files(BIDS, MANY[:3], 4, 7, trusted, trusted))
    assert ["".join(record.seats) for record in records] == ["ABC", "BCA", "CAB", "ABC"]


def test_the_same_seed_gives_the_same_games(trusted: Sandbox) -> None:
    dice = PlayerSpec("dice", b"import random\ndef bid(seat, log):\n    return random.randrange(10)\n")
    one, two, other = (list(play_files(BIDS, [dice, dice], 6, seed, trusted, trusted)) for seed in (1, 1, 2))
    assert [record.to_json() for record in one] == [record.to_json() for record in two]
    assert [record.plays for record in one] != [record.plays for record in other]


@given(st.integers(0, 2**53 - 1), st.integers(1, 1000))
def test_seeds_of_blocks_fit_into_a_double_and_a_column(seed: int, block: int) -> None:
    assert 0 <= block_seed(seed, block) < 2**53


def test_a_table_that_cannot_be_played_at_is_refused(trusted: Sandbox) -> None:
    with pytest.raises(UnplayableTable, match="no house bot 'nobody'; it has: "):
        house_bot(BO, "bot:nobody")
    with pytest.raises(UnplayableTable, match="needs 4 players, not 2"):
        next(play_files(BO, MANY[:2], 1, 1, trusted, trusted))
