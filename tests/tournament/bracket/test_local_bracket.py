"""Playing a bracket between files: who sits where, on which deals, and that nothing is played beyond a decision."""

import pytest

from sandbox.choose import open_sandbox
from tests.tournament.bids import BIDS, NINE
from tournament.bracket.draw import BracketGame, build_bracket, champion_of, match_seed, play_bracket
from tournament.play.games import find_game
from tournament.play.record import block_seed
from tournament.play.table import PlayerSpec, UnplayableTable, contestant_of

ZERO = NINE.replace("9", "0")
RAISES = "def bid(seat, log): return 1 / 0\n"


def played(*sources: str, best_of: int = 3, seed: int = 1) -> list[BracketGame]:
    specs = [PlayerSpec(f"p{number}", source.encode()) for number, source in enumerate(sources)]
    with open_sandbox("trusted") as trusted:
        players = [contestant_of(BIDS, each, trusted, trusted) for each in specs]
        return list(play_bracket(BIDS, players, best_of, seed))


def test_a_match_stops_when_it_is_decided_and_seats_alternate_on_fresh_deals() -> None:
    games = played(NINE, ZERO, best_of=5)
    assert [each.record.seats for each in games] == [["p0", "p1"], ["p1", "p0"], ["p0", "p1"]]
    deal = match_seed(1, (0, 0))
    assert [each.record.seed for each in games] == [deal, block_seed(deal, 1), block_seed(deal, 2)]
    assert [each.winner for each in games] == [0, 0, 0]


def test_a_fault_loses_the_game() -> None:
    assert [each.winner for each in played(RAISES, NINE)] == [1, 1]


def test_a_level_match_goes_on_and_then_to_the_better_seed() -> None:
    games = played(NINE, NINE)
    assert [each.winner for each in games] == [None] * 6
    assert champion_of(build_bracket(2, 3, {(0, 0): [each.winner for each in games]})) == 0


def test_rounds_follow_each_other() -> None:
    games = played(ZERO, ZERO, NINE, ZERO, NINE, best_of=1)
    assert [(each.place, sorted(each.record.seats), each.winner) for each in games] == [
        ((0, 1), ["p3", "p4"], 1),
        ((1, 0), ["p0", "p4"], 1),
        ((1, 1), ["p1", "p2"], 1),
        ((2, 0), ["p2", "p4"], None),
        ((2, 0), ["p2", "p4"], None),
    ]


def test_matches_have_deals_of_their_own() -> None:
    seeds = {match_seed(seed, (round_, number)) for seed in range(3) for round_ in range(4) for number in range(8)}
    assert len(seeds) == 3 * 4 * 8
    assert max(seeds) < 2**53


@pytest.mark.parametrize(("slug", "count"), [("bo", 2), ("kotc", 1), ("kotc", 0)])
def test_what_is_no_bracket(slug: str, count: int) -> None:
    game = find_game(slug)
    with open_sandbox("trusted") as sandbox:
        players = [contestant_of(game, PlayerSpec("a", b""), sandbox, sandbox)] * count
        with pytest.raises(UnplayableTable):
            next(play_bracket(game, players, 3, 1))
