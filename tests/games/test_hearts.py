"""Hearts, the example of a department's own game: its README.md says the rules. What every game must keep, such as the
golden games, is tested in test_hearts_course.py."""

from collections import Counter
from itertools import islice
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games.drawn import drawn
from tests.games.hearts import game, pass_cards, play, plays, positions, refusal, table
from tournament.games.api import IllegalPlay
from tournament.games.cards import PACK
from tournament.games.options import with_options

HEARTS = [card for card in PACK if card[1] == "H"]
few = settings(max_examples=15, deadline=None)


@pytest.mark.parametrize(
    ("hand", "trick", "first_trick", "broken", "legal"),
    [
        ("2C 9C AD QS 7H", "", True, False, "2C"),
        ("3C 9C AD QS 7H", "2C KC", True, False, "3C 9C"),
        ("AD 4S QS 7H", "2C", True, False, "AD 4S"),
        ("QS 7H AH", "2C", True, False, "QS 7H AH"),
        ("7H AH", "2C KC", True, False, "7H AH"),
        ("AD 4S QS 7H", "2C", False, False, "AD 4S QS 7H"),
        ("AD 4S QS 7H", "5D 2D", False, False, "AD"),
        ("4S QS 7H", "5H", False, False, "7H"),
        ("4S QS 7H", "", False, False, "4S QS"),
        ("QS 7H", "", False, False, "QS"),
        ("7H AH", "", False, False, "7H AH"),
        ("4S QS 7H", "", False, True, "4S QS 7H"),
    ],
)
def test_which_cards_may_be_played(hand: str, trick: str, first_trick: bool, broken: bool, legal: str) -> None:
    assert plays.legal_cards(hand.split(), trick.split(), first_trick, broken) == legal.split()


@few
@given(st.integers(0, 2**32))
def test_there_is_always_a_legal_card_and_the_referee_accepts_no_other(seed: int) -> None:
    for position in islice(positions.positions(Random(seed)), 60):
        args = (position.hand, position.trick, not position.tricks, position.hearts_broken)
        accepted = [card for card in PACK if not refused(plays.check_play, card, *args)]
        assert accepted
        assert Counter(accepted) == Counter(position.legal)


def refused(check: Any, *args: Any) -> str:
    try:
        check(*args)
    except IllegalPlay as illegal:
        return illegal.message
    return ""


@pytest.mark.parametrize(
    ("trick", "leader", "winner"),
    [
        ("2C 9C KC 5C", 0, 2),
        ("4D 0D 8D 9D", 3, 0),
        ("4D AS QS AH", 1, 1),
        ("JC QC 0C AC", 2, 1),
        ("2H 3C 4C 3H", 2, 1),
    ],
)
def test_who_takes_a_trick(trick: str, leader: int, winner: int) -> None:
    assert plays.trick_winner(trick.split(), leader) == winner


@pytest.mark.parametrize(
    ("taken", "scores", "subtracted"),
    [
        (["QS", *HEARTS[:3]], [16, 10, 0, 0], [16, 10, 0, 0]),
        (HEARTS, [13, 13, 0, 0], [13, 13, 0, 0]),
        (["QS", *HEARTS, "AC"], [0, 26, 26, 26], [-26, 0, 0, 0]),
        (["QS", *HEARTS[1:]], [25, 1, 0, 0], [25, 1, 0, 0]),
    ],
)
def test_what_a_hand_scores(taken: list[str], scores: list[int], subtracted: list[int]) -> None:
    piles = [taken, [card for card in PACK if card not in taken], [], []]
    assert plays.hand_scores(piles) == scores
    assert plays.hand_scores(piles, subtract=True) == subtracted


@pytest.mark.parametrize(
    ("state", "raw", "rule", "words"),
    [
        (table("2C 3C | 4C | 5C | 6C", tricks=0), "3C", "first-card", "The first card of a hand is '2C' (2♣)"),
        (table("3C 4D | 4C | 5C | 2D", "2C", 3), "4D", "follow-suit", "clubs were led and you hold some"),
        (table("3D 4H | 4C | 5C | 2D", "2C", 3, tricks=0), "4H", "first-trick", "no points may be played"),
        (table("3D QS | 4C | 5C | 2D", "2C", 3, tricks=0), "QS", "first-trick", "for example '3D' (3♦)"),
        (table("3D 4H | 4C | 5C | 2D"), "4H", "hearts-not-broken", "lead another suit, for example '3D' (3♦)"),
        (table("3D 4H | 4C | 5C | 2D"), "4C", "not-held", "'4C' (4♣), which is not in your hand"),
        (table("3D 4H | 4C | 5C | 2D"), "3d", "shape", "A card is written as"),
        (table("3D 4H | 4C | 5C | 2D"), ["3D"], "shape", "hearts_play returns one card; you returned ['3D'], a list."),
        (table("3D 4H | 4C | 5C | 2D"), None, "shape", "without a return statement"),
    ],
)
def test_why_a_card_is_refused(state: Any, raw: Any, rule: str, words: str) -> None:
    with pytest.raises(IllegalPlay) as caught:
        game.parse(state, 0, raw)
    assert caught.value.rule == rule
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("raw", "rule"),
    [
        (["2C", "3C", "4C"], ""),
        (("4C", "2C", "3C"), ""),
        (["2C", "3C"], "three-cards"),
        (["2C", "3C", "4C", "5C"], "three-cards"),
        ([], "three-cards"),
        (["2C", "3C", "2C"], "twice"),
        (["2C", "3C", "AH"], "not-held"),
        (["2C", "3C", 4], "shape"),
        (["2C", "3C", ["4C"]], "shape"),
        ("2C", "shape"),
        ({"2C", "3C", "4C"}, "shape"),
        (None, "shape"),
    ],
)
def test_what_may_be_passed(raw: Any, rule: str) -> None:
    state = table("2C 3C 4C 5C | 6C | 7C | 8C", passing=True)
    assert refusal(state, raw) == rule


def test_a_deal() -> None:
    state = game.deal(Random(1), 4)
    assert [len(hand) for hand in state.hands] == [13] * 4
    assert sorted(game.cards(state)) == sorted(PACK)
    requests = game.requests(state)
    assert [(each.seat, each.function) for each in requests] == [(seat, "hearts_pass") for seat in range(4)]
    assert [each.args for each in requests] == [(state.hands[seat], "left", [0] * 4, seat) for seat in range(4)]
    assert state.hands[0] == plays.in_order(state.hands[0])


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_only_four_can_play(seats: int) -> None:
    with pytest.raises(ValueError, match="four players"):
        game.deal(Random(1), seats)


@pytest.mark.parametrize(
    ("hand_no", "received"), [(0, "DABC"), (1, "BCDA"), (2, "CDAB")], ids=["left", "right", "across"]
)
def test_where_cards_go(hand_no: int, received: str) -> None:
    cards = {"A": "2C 3C 4C", "B": "2D 3D 4D", "C": "2S 3S 4S", "D": "2H 3H 4H"}
    state = table(" | ".join(cards.values()), passing=True, hand_no=hand_no, tricks=0)
    pass_cards(state, *cards.values())
    assert state.hands == [cards[giver].split() for giver in received]
    assert state.leader == received.index("A"), "the two of clubs leads"


@pytest.mark.parametrize(
    ("passing", "directions"),
    [("yes", ["left", "right", "across", "hold", "left", "right"]), ("no", ["hold"] * 6)],
)
def test_directions_take_turns(passing: str, directions: list[str]) -> None:
    state = with_options(game, {"hands": 6, "passing": passing}).deal(Random(1), 4)
    begun: dict[int, tuple[str, bool]] = {}
    while not state.ended:
        begun.setdefault(state.hand_no, (state.direction, state.passing))
        step(state, Random(1))
    assert list(begun.values()) == [(direction, direction != "hold") for direction in directions]


def step(state: Any, rng: Random) -> None:
    """Everybody who is asked answers at random."""
    answers = []
    for request in game.requests(state):
        hand = request.args[0]
        if state.passing:
            answers.append((request.seat, rng.sample(hand, 3)))
        else:
            legal = plays.legal_cards(hand, state.trick, state.first_trick, state.hearts_broken)
            answers.append((request.seat, rng.choice(legal)))
    game.apply(state, [(seat, game.parse(state, seat, raw)) for seat, raw in answers])


@few
@given(st.integers(0, 2**32), st.integers(1, 4), st.booleans(), st.sampled_from(["add", "subtract"]))
def test_every_game_ends_after_its_hands(seed: int, hands: int, passing: bool, moon: str) -> None:
    rng = Random(seed)
    state = with_options(game, {"hands": hands, "passing": passing, "moon": moon}).deal(Random(seed), 4)
    while not state.ended:
        assert len(game.cards(state)) == 52
        step(state, rng)
    assert len(state.hand_scores) == hands
    assert all(sum(scores) in (26, 78, -26) for scores in state.hand_scores)
    result = game.result(state)
    assert result.ended == "all hands played"
    assert result.points == tuple(-sum(scores) for scores in zip(*state.hand_scores, strict=True))
    assert [result.points[seat] == max(result.points) for seat in range(4)] == [place == 1 for place in result.places]


def test_a_trick() -> None:
    state = play(table("3D 4D | 4S | AD | 2D 3H", leader=3, tricks=1), "2D", "3D", "4S", "AD")
    assert (state.leader, state.trick, state.taken[2]) == (2, [], ["2D", "3D", "4S", "AD"])
    assert state.tricks.items[1:] == [(3, ["2D", "3D", "4S", "AD"])]
    assert state.hearts_broken is False


@pytest.mark.parametrize(("discard", "broken"), [("3H", True), ("QS", False), ("AS", False)])
def test_only_a_heart_breaks_hearts(discard: str, broken: bool) -> None:
    state = play(table(f"2D | {discard} 3S | 4D | 5D"), "2D", discard)
    assert state.hearts_broken is broken


def test_a_player_is_told_its_own_cards_and_what_lies_on_the_table() -> None:
    state = play(table("2D 3D | 3S | 4D | 5D", scores=[1, 2, 3, 20]), "2D")
    (request,) = game.requests(state)
    hand, trick, tricks, broken, scores, player_no = request.args
    assert (hand, trick, broken, scores, player_no) == (["3S"], ["2D"], False, [1, 2, 3, 20], 1)
    assert tricks.items == [(0, ["2C", "3C", "4C", "5C"])]


def test_equal_scores_share_a_place() -> None:
    state = table("2D | 2S | 2C | 2H", scores=[5, 3, 9, 3])
    with pytest.raises(ValueError, match="running"):
        game.result(state)
    state.ended = "all hands played"
    assert game.result(state).places == (3, 1, 4, 1)
    assert game.frame(state, None)["outcome"] == "Players 1 and 3 share the win with 3 points."


def test_redealing_leaves_what_a_seat_knows() -> None:
    for seed in range(20):
        state = game.deal(Random(seed), 4)
        pass_cards(state, *(" ".join(hand[:3]) for hand in state.hands))
        passed, leader = state.passed[0], state.leader
        other = game.redeal(state, 0, Random(seed))
        assert set(passed) <= set(other.hands[1])
        assert "2C" in other.hands[leader]
        assert other.hands[0] == state.hands[0]
        assert other.hands[2] != state.hands[2]


def test_what_was_passed_is_for_two_only() -> None:
    state = game.deal(Random(3), 4)
    passed = [hand[:3] for hand in state.hands]
    pass_cards(state, *map(" ".join, passed))
    received = [player["received"] for player in game.frame(state, 1)["players"]]
    assert received == [[], passed[0], [], []]
    assert [player["received"] for player in game.frame(state, None)["players"]] == [passed[3], *passed[:3]]
    assert game.describe(0, passed[0]) == "passes three cards"
    assert game.describe(0, "0H") == "plays the 10 of hearts"


def test_the_drawing_of_a_trick_and_of_the_end_of_a_hand() -> None:
    state = play(table("2D | 3D | QS | 4D", hand_count=1, scores=[0, 0, 5, 8]), "2D", "3D", "QS")
    running = drawn(game, game.frame(state, 3), ["A", "<b>", "C", "D"])
    assert "trick 2 of 13 · hearts are not broken · player 3 to play" in running
    assert "&lt;b&gt;" in running
    assert "5 points" in running
    ended = drawn(game, game.frame(play(state, "4D"), None))
    assert "Hand 1 is over." in ended
    assert "takes it" in ended
    assert "Players 0 and 1 share the win with 0 points." in ended


def test_the_drawing_of_a_moon() -> None:
    state = table("2D | 3D | QS | 4D", hand_count=1, subtract=True)
    state.taken[3] = HEARTS
    frame = game.frame(play(state, "2D", "3D", "QS", "4D"), None)
    assert frame["hand_end"] == {"hand": 1, "scores": [0, 0, 0, -26], "moon": 3}
    assert "player 3 has shot the moon" in drawn(game, frame)
    assert frame["outcome"] == "Player 3 wins with −26 points."
