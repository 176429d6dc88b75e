"""Games by hand: what follows from their record, what the bots remember, and the worker's part."""

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.api import Limits, Program, Sandbox, Verdict
from sandbox.choose import open_sandbox
from tournament.games.api import Composition, Game, IllegalPlay, Offer, offers
from tournament.play.conformance.games import preset_play
from tournament.play.games import GAMES, find_game
from tournament.play.record import Record, is_question
from tournament.play.replay import reapply, verify
from tournament.play.table import PlayerSpec, house_bot, play_files, player_program
from tournament.practice.hand_table import (
    GIVEN_UP,
    PERSON,
    HandTable,
    advise,
    asked,
    awaits,
    given_up,
    go_on,
    opening,
    played,
    position,
    taken_back,
)

LIMITS = Limits()
SMALL = {
    "bo": "bo?stockpile_size=1",
    "phazed": "phazed?hand_limit=1&turn_limit=2",
    "go": "go?hand_size=3",
    "kotc": "kotc?hand_size=2",
    "uno": "uno?hand_size=2",
}


def seat_bots(game: Game[Any], rng: Random) -> tuple[int, list[str]]:
    names = [bot.name for bot in game.bots]
    return rng.randrange(game.seats[0]), rng.choices(names, k=game.seats[0] - 1)


def choose(game: Game[Any], state: Any, seat: int, rng: Random) -> Any:
    """An offered play, parsed."""
    whole = [each for each in offers(game, state, seat) if isinstance(each, Offer) or each.preset]
    plays = [each for each in whole if not getattr(each, "question", "")]
    return game.parse(state, seat, preset_play(rng.choice(plays)))


@pytest.mark.parametrize("name", SMALL.values())
@settings(max_examples=4)
@given(seed=st.integers(0, 2**53 - 1))
def test_a_game_by_hand_is_one_that_the_rules_lead_to(name: str, seed: int) -> None:
    game, rng = find_game(name), Random(seed)
    seat, bots = seat_bots(game, rng)
    record, move = opening(game, seed, seat, bots), list[Any]()
    with open_sandbox("trusted") as trusted:
        while True:
            before = record.plays
            record, move = go_on(game, HandTable(record, seat, bots, move), trusted, LIMITS), []
            assert record.plays[: len(before)] == before
            if record.ended:
                break
            state = position(game, record)
            assert awaits(game, state, seat)
            play = choose(game, state, seat, rng)
            after = played(game, record, seat, play)
            record, move = (after, []) if after else (record, [json.loads(json.dumps(play))])
            if record.ended:
                break
    verify(game, record)
    assert (record.seats[seat], record.seats.count(PERSON), record.faults) == (PERSON, 1, [])


@pytest.mark.parametrize("slug", GAMES)
def test_bots_that_are_started_again_play_as_if_they_had_never_left(slug: str, trusted: Sandbox) -> None:
    """A bot in the person's seat whose plays are given one by one leads to the very game that it would have played."""
    game = find_game(SMALL[slug])
    bots = [game.bots[index % len(game.bots)].name for index in range(game.seats[0])]
    (whole,) = play_files(game, [house_bot(game, name) for name in bots], 1, 7, trusted, trusted)
    seat = 1
    record, others = opening(game, 7, seat, [*bots[:seat], *bots[seat + 1 :]]), [*bots[:seat], *bots[seat + 1 :]]
    own = [play for who, play in whole.plays if who == seat and not is_question(play)]
    move: list[Any] = []
    for play in [*own, None]:
        record = go_on(game, HandTable(record, seat, others, move), trusted, LIMITS)
        if record.ended:
            break
        move = [play]
    assert (record.plays, record.places, record.ended) == (whole.plays, whole.places, whole.ended)


@pytest.mark.parametrize("slug", ["phazed"])
def test_a_phase_is_put_together_out_of_cards_in_any_order(slug: str, trusted: Sandbox) -> None:
    game, rng = find_game("phazed?hand_limit=12"), Random(3)
    (record,) = play_files(game, [house_bot(game, "planner")] * 4, 1, 5, trusted, trusted)
    seen = set()
    for index, state in reapply(game, record):
        seat, play = record.plays[index] if index < len(record.plays) else (0, [0])
        if play[0] == 3:
            seen.add(play[1][0])
            (offer,) = [each for each in offers(game, state, seat) if isinstance(each, Composition)]
            parts = [rng.sample(group, len(group)) for group in play[1][1]]
            game.parse(state, seat, offer.make(parts))
            with pytest.raises(IllegalPlay):
                game.parse(state, seat, offer.make([[] for _ in parts]))
    assert seen == {1, 2, 3, 4, 5, 6, 7}


def begun(name: str, seat: int, trusted: Sandbox, seed: int = 11) -> tuple[Game[Any], Record]:
    """A game in which the person is on turn for the first time."""
    game = find_game(name)
    bots = [game.bots[0].name] * (game.seats[0] - 1)
    return game, go_on(game, HandTable(opening(game, seed, seat, bots), seat, bots), trusted, LIMITS)


def test_a_question_is_part_of_the_position_and_is_taken_back_with_its_turn(trusted: Sandbox) -> None:
    game, record = begun("kotc", 1, trusted)
    drawn = asked(game, asked(game, record, 1, "draw"), 1, "draw")
    assert len(position(game, drawn).hands[1]) == len(position(game, record).hands[1]) + 2
    after = played(game, drawn, 1, None)
    assert after
    for each in (drawn, after):
        assert taken_back(game, each, 1) == record
    with pytest.raises(IllegalPlay):
        asked(game, record, 1, "no such question")


def test_nothing_is_taken_back_where_nothing_was_played(trusted: Sandbox) -> None:
    game, record = begun("bo", 2, trusted)
    assert taken_back(game, record, 2) == record


@pytest.mark.parametrize("slug", GAMES)
def test_a_game_that_is_given_up_has_a_record_with_the_reason(slug: str, trusted: Sandbox) -> None:
    game, record = begun(slug, 1, trusted)
    left = given_up(game, record, 1, "Somebody has left.")
    verify(game, left)
    assert [(note.seat, note.verdict, note.message) for note in left.faults] == [
        (1, Verdict.WTLE, "Somebody has left.")
    ]
    assert GIVEN_UP != left.ended == "disqualified"


def test_a_bot_that_fails_ends_the_game_against_it_alone(trusted: Sandbox) -> None:
    class Broken(HandTable):
        def programs(self, game: Game[Any]) -> dict[int, Program]:
            return {seat: player_program(game, b"1 / 0") for seat in (0, 2, 3)}

    game = find_game("bo")
    record = go_on(game, Broken(opening(game, 1, 1, ["planner"] * 3), 1, ["planner"] * 3), trusted, LIMITS)
    assert [note.seat for note in record.faults] == [0, 2, 3]
    assert record.ended == "disqualified"


REMEMBERS = b"""
calls = []


def comp10001bo_play(player_no, hand, stockpiles, discard_piles, build_piles, play_history):
    calls.append(len(play_history))
    assert calls == sorted(set(calls))
    return (0, hand[0], (1, (player_no, len(calls) % 4)))
"""


@pytest.mark.parametrize("slug", GAMES)
def test_a_player_is_asked_at_each_call_of_its_seat_in_order(slug: str, trusted: Sandbox) -> None:
    game = find_game(SMALL[slug])
    names = [game.bots[0].name] * game.seats[0]
    (record,) = play_files(game, [house_bot(game, name) for name in names], 1, 2, trusted, trusted)
    own = sum(seat == 0 and not is_question(play) for seat, play in record.plays)
    bot = player_program(game, game.bots[0].source)
    same = advise(game, HandTable(record, 0, ()), bot, trusted, LIMITS, lambda: None)
    assert [each["same"] for each in same] == [True] * own, "the bot that played there says what it played"
    assert [each["number"] for each in same] == sorted({each["number"] for each in same})


def test_a_player_keeps_what_it_remembers_from_one_move_to_the_next(trusted: Sandbox) -> None:
    game = find_game("bo")
    spec = PlayerSpec("a", game.bots[0].source, trusted=True)
    (record,) = play_files(game, [spec] * 4, 1, 2, trusted, trusted)
    found: Sequence[dict[str, Any]] = advise(
        game, HandTable(record, 0, ()), player_program(game, REMEMBERS), trusted, LIMITS, lambda: None
    )
    assert len(found) > 2
    assert not [each for each in found if "AssertionError" in each["trouble"]]
