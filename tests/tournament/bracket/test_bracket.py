"""Elimination brackets: seeding, byes, rounds, and matches decided by their games."""

from itertools import chain, pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournament.bracket.draw import (
    Bracket,
    MatchState,
    Place,
    Winner,
    build_bracket,
    champion_of,
    final_places,
    game_winner,
    match_score,
    open_matches,
    place_of_match,
    round_title,
    seats_in_game,
    seeding,
)

PLAYERS = st.integers(2, 40)
BEST_OF = st.sampled_from([1, 3, 5, 7])
unhurried = settings(deadline=None, max_examples=40)
WINNERS = st.lists(st.sampled_from([0, 1, None]), max_size=20)


@pytest.mark.parametrize(
    ("size", "order"),
    [
        (1, [0]),
        (2, [0, 1]),
        (4, [0, 3, 1, 2]),
        (8, [0, 7, 3, 4, 1, 6, 2, 5]),
        (16, [0, 15, 7, 8, 3, 12, 4, 11, 1, 14, 6, 9, 2, 13, 5, 10]),
    ],
)
def test_seeding(size: int, order: list[int]) -> None:
    assert seeding(size) == order


@pytest.mark.parametrize("power", range(1, 8))
def test_the_best_meet_as_late_as_possible(power: int) -> None:
    """If the better seed always wins, every round is left by the worse half, best against worst."""
    sides = seeding(1 << power)
    while len(sides) > 1:
        pairs = list(zip(sides[::2], sides[1::2], strict=True))
        assert all(first + second == len(sides) - 1 for first, second in pairs)
        sides = [min(pair) for pair in pairs]


@pytest.mark.parametrize(
    ("players", "byes", "rounds"),
    [(2, [], 1), (3, [0], 2), (4, [], 2), (5, [0, 2, 1], 3), (6, [0, 1], 3), (7, [0], 3), (8, [], 3), (9, range(7), 4)],
)
def test_byes_go_to_the_top_seeds(players: int, byes: list[int], rounds: int) -> None:
    bracket = build_bracket(players, 3, {})
    given = [match.winner for match in bracket[0] if match.state is MatchState.BYE]
    assert (sorted(given, key=str), len(bracket)) == (sorted(byes, key=str), rounds)


@pytest.mark.parametrize(("players", "best_of"), [(1, 3), (0, 1), (4, 2), (4, 0), (4, -1)])
def test_what_is_no_bracket(players: int, best_of: int) -> None:
    with pytest.raises(ValueError, match=r"at least two|odd number"):
        build_bracket(players, best_of, {})


@pytest.mark.parametrize(
    ("games", "best_of", "expected"),
    [
        ([], 1, ((0, 0), 0, None)),
        ([0], 1, ((1, 0), 1, 0)),
        ([1], 1, ((0, 1), 1, 1)),
        ([0], 3, ((1, 0), 1, None)),
        ([0, 0], 3, ((2, 0), 2, 0)),
        ([0, 1], 3, ((1, 1), 2, None)),
        ([0, 1, 1], 3, ((1, 2), 3, 1)),
        ([0, 0, 1, 1, 1, 1], 3, ((2, 0), 2, 0)),
        ([None], 1, ((0, 0), 1, None)),
        ([None, 1], 1, ((0, 1), 2, 1)),
        ([None, None], 1, ((0, 0), 2, 0)),
        ([None, 0, None], 3, ((1, 0), 3, 0)),
        ([0, 1, None], 3, ((1, 1), 3, None)),
        ([0, 1, None, None, 1], 3, ((1, 2), 5, 1)),
        ([0, 1, None, None, None, None], 3, ((1, 1), 6, 0)),
    ],
)
def test_a_match(games: list[Winner], best_of: int, expected: tuple[tuple[int, int], int, Winner]) -> None:
    assert match_score(games, best_of, better=0) == expected


def test_a_level_match_goes_to_the_better_seed_on_either_side() -> None:
    assert match_score([None, None], 1, better=1) == ((0, 0), 2, 1)


@given(games=WINNERS, best_of=BEST_OF)
def test_a_decision_stands_and_a_match_always_ends(games: list[Winner], best_of: int) -> None:
    decided = [match_score(games[:count], best_of, better=0) for count in range(len(games) + 1)]
    assert all(after == before for before, after in pairwise(decided) if before[2] is not None)
    assert len(games) < 2 * best_of or decided[-1][2] is not None
    wins, played, winner = decided[-1]
    assert max(wins) <= best_of
    assert played <= 2 * best_of
    if winner is not None:
        assert wins[winner] >= wins[1 - winner]
        assert played >= best_of or wins[winner] == best_of // 2 + 1


def played_out(players: int, best_of: int, rng: Random) -> tuple[dict[Place, list[Winner]], list[Bracket]]:
    """A bracket with random games, played in random order, and how it stood after each."""
    games: dict[Place, list[Winner]] = {}
    stood = [build_bracket(players, best_of, games)]
    while due := open_matches(stood[-1]):
        games.setdefault(rng.choice(due).place, []).append(rng.choice([0, 1, None]))
        stood.append(build_bracket(players, best_of, games))
    return games, stood


@unhurried
@given(players=PLAYERS, best_of=BEST_OF, rng=st.randoms(use_true_random=False))
def test_every_bracket_ends_with_one_champion(players: int, best_of: int, rng: Random) -> None:
    _, stood = played_out(players, best_of, rng)
    last = stood[-1]
    matches = [match for matches in last for match in matches]
    assert champion_of(last) is not None
    assert sum(match.state is MatchState.DECIDED for match in matches) == players - 1
    assert {match.state for match in matches} <= {MatchState.DECIDED, MatchState.BYE}
    assert sorted(final_places(last)) == list(range(players))
    assert sorted(match.loser for match in matches if match.loser is not None) == sorted(
        set(range(players)) - {champion_of(last)}
    ), "everybody but the champion loses exactly once"


@unhurried
@given(players=PLAYERS, rng=st.randoms(use_true_random=False))
def test_two_seeds_can_meet_in_one_match_only(players: int, rng: Random) -> None:
    _, stood = played_out(players, 1, rng)
    for matches in stood[-1]:
        for match in matches:
            first, second = match.sides
            if first is not None and second is not None:
                assert place_of_match(players, first, second) == place_of_match(players, second, first) == match.place


@unhurried
@given(players=st.integers(2, 20), best_of=BEST_OF, rng=st.randoms(use_true_random=False))
def test_what_is_decided_stays_decided(players: int, best_of: int, rng: Random) -> None:
    _, stood = played_out(players, best_of, rng)
    for before, after in pairwise(stood):
        for earlier, later in zip(chain(*before), chain(*after), strict=True):
            if earlier.winner is not None:
                assert later == earlier
            assert all(side in (None, after_side) for side, after_side in zip(earlier.sides, later.sides, strict=True))


@unhurried
@given(players=PLAYERS, rng=st.randoms(use_true_random=False))
def test_places_fit_the_round_in_which_each_was_beaten(players: int, rng: Random) -> None:
    _, stood = played_out(players, 1, rng)
    found = final_places(stood[-1])
    assert [place for place in found.values() if place <= 2] in ([1, 2], [2, 1])
    for matches in stood[-1]:
        for match in matches:
            if match.loser is not None:
                assert found[match.loser] == len(matches) + 1
                assert match.winner is not None
                assert found[match.winner] < found[match.loser]


def test_places_of_eight() -> None:
    games = {(0, number): [0] for number in range(4)} | {(1, 0): [0], (1, 1): [0], (2, 0): [1]}
    assert final_places(build_bracket(8, 1, games)) == {1: 1, 0: 2, 2: 3, 3: 3, 4: 5, 5: 5, 6: 5, 7: 5}


def test_nobody_plays_a_bye_or_before_an_earlier_match() -> None:
    bracket = build_bracket(5, 3, {})
    assert [match.place for match in open_matches(bracket)] == [(0, 1), (1, 1)]
    assert bracket[1][1].sides == (1, 2)
    assert bracket[1][0].sides == (0, None)
    assert bracket[1][0].state is MatchState.WAITING
    after = build_bracket(5, 3, {(0, 1): [1, 1]})
    assert after[1][0].sides == (0, 4)
    assert champion_of(after) is None


@pytest.mark.parametrize(
    ("ranks", "game", "winner"),
    [
        ((1, 2), 0, 0),
        ((1, 2), 1, 1),
        ((2, 1), 0, 1),
        ((2, 1), 1, 0),
        ((2, 2), 0, None),
        ((3, 2), 0, 1),
        ((2, 3), 1, 1),
        ((3, 3), 1, None),
    ],
)
def test_who_won_a_game(ranks: tuple[int, int], game: int, winner: Winner) -> None:
    assert game_winner(ranks, game) == winner


def test_seats_alternate() -> None:
    assert [seats_in_game(game) for game in range(4)] == [(0, 1), (1, 0), (0, 1), (1, 0)]


@pytest.mark.parametrize(
    ("matches", "title"),
    [(1, "Final"), (2, "Semi-finals"), (4, "Quarter-finals"), (8, "Round of 16"), (64, "Round of 128")],
)
def test_the_name_of_a_round(matches: int, title: str) -> None:
    assert round_title(matches) == title
