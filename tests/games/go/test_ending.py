"""How a game ends: scores, places, shared wins and disqualifications."""

import pytest

from tests.games.go.tables import TEN, grouping, groups
from tournament.games import go
from tournament.games.go.rules import GoState

SINGLES = [", ".join(cards.split()) for cards in TEN]
MADE = [
    "KC KD, 2S 3H 4S, 9C 9D 9H, AD, 7C",
    "KS KH, 2D 3C 4H, 8C 8D 8S, AC, 6H",
    "QS QH, 2C 3D 4C, 0C 0D 0S, AS, 6S",
    "JS JH, 2H 3S 4D, 5C 5D 5S, AH, 6D",
]


def end(*texts: str) -> GoState:
    state = grouping()
    go.apply(state, [(seat, go.parse(state, seat, groups(text))) for seat, text in enumerate(texts)])
    return state


@pytest.mark.parametrize(
    ("texts", "points", "places"),
    [
        (MADE, (62, 57, 67, 35), (2, 3, 1, 4)),
        (SINGLES, (-89, -85, -89, -72), (3, 2, 3, 1)),
        ([MADE[0], SINGLES[1], MADE[2], MADE[3]], (62, -85, 67, 35), (2, 4, 1, 3)),
    ],
)
def test_the_highest_score_wins(texts: list[str], points: tuple[int, ...], places: tuple[int, ...]) -> None:
    result = go.result(end(*texts))
    assert result.ended == "grouped"
    assert result.points == points
    assert result.places == places


def test_equal_scores_share_the_place() -> None:
    state = end(*MADE)
    state.groupings = [[["2C", "2D"]], [["3C"]], [["2S", "2H"]], [["3D"]]]
    assert go.result(state).places == (1, 3, 1, 3)


def test_nobody_is_asked_any_more() -> None:
    assert go.requests(end(*MADE)) == ()


def test_a_running_game_has_no_result() -> None:
    with pytest.raises(ValueError, match="running"):
        go.result(grouping())


@pytest.mark.parametrize("seat", range(4))
def test_a_disqualified_seat_is_last_with_the_lowest_score_there_is(seat: int) -> None:
    state = grouping()
    go.disqualify(state, seat)
    result = go.result(state)
    assert result.ended == "disqualified"
    assert result.places == tuple(3 if other == seat else 2 for other in range(4))
    assert result.points == tuple(-156 if other == seat else 0 for other in range(4))
