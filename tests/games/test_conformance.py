"""What every game must keep, whatever its rules: the contract of `tournament.games.api`."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import cycle, islice
from random import Random
from sys import intern
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.api import Log
from tests.games.conftest import PlayGame
from tests.games.drawing import draw
from tests.games.rubbish import rubbish, spoiled
from tournament.games import GAMES, find_game
from tournament.games.api import Game, HouseBot, IllegalPlay, MalformedPlay, Option, OptionValue
from tournament.games.options import options_of, with_options
from tournament.play.record import is_question
from tournament.play.replay import finish, frames, reapply, verify

few = settings(max_examples=12, deadline=None)
SEEDS = st.integers(0, 2**53 - 1)


@dataclass(frozen=True)
class Moment:
    """A state in which somebody must answer, the size of the table, and all the plays of that game."""

    state: Any
    seats: int
    plays: list[Any]


def draw_options(data: st.DataObject, game: Game[Any]) -> Game[Any]:
    """The game with any of its options chosen, often at their bounds."""
    values = {option.name: st.sampled_from(extremes(option)) | within(option) for option in options_of(game)}
    return with_options(game, data.draw(st.fixed_dictionaries({}, optional=values)))


def extremes(option: Option) -> Sequence[OptionValue]:
    if isinstance(option.default, bool):
        return (False, True)
    return option.choices or (option.minimum, option.maximum)


def within(option: Option) -> st.SearchStrategy[OptionValue]:
    is_number = not option.choices and not isinstance(option.default, bool)
    return st.integers(option.minimum, option.maximum) if is_number else st.sampled_from(extremes(option))


def with_extremes(game: Game[Any]) -> list[Game[Any]]:
    """The game as usual, with all its options at the lower bound, and with all at the upper one."""
    options = options_of(game)
    bounds = [{option.name: extremes(option)[end] for option in options} for end in (0, -1)]
    return [game, *(with_options(game, chosen) for chosen in bounds if chosen)]


def draw_bots(data: st.DataObject, game: Game[Any]) -> list[HouseBot]:
    seats = data.draw(st.sampled_from(game.seats))
    return data.draw(st.lists(st.sampled_from(game.bots), min_size=seats, max_size=seats))


@pytest.fixture(scope="module", params=GAMES)
def game(request: pytest.FixtureRequest) -> Game[Any]:
    return GAMES[request.param]


@pytest.fixture(scope="module")
def moments(game: Game[Any], play_game: PlayGame) -> list[Moment]:
    """Moments out of games of the weakest, the strongest and all house bots, at every table size, and of all house bots
    with other options."""
    usual, *others = with_extremes(game)
    tables = [(usual, seats, bots) for seats in game.seats for bots in (game.bots[:1], game.bots[-1:], game.bots)]
    found = []
    for chosen, seats, bots in tables + [(other, other.seats[0], game.bots) for other in others]:
        record = play_game(chosen, seats, list(islice(cycle(bots), seats)))
        running = [deepcopy(state) for _, state in reapply(chosen, record) if game.requests(state)]
        plays = [game.decode(play) for _, play in record.plays if not is_question(play)]
        found += [Moment(state, seats, plays) for state in running[:: len(running) // 30 + 1]]
    return found


def draw_moment(data: st.DataObject, moments: list[Moment]) -> Moment:
    return moments[data.draw(st.integers(0, len(moments) - 1))]


def plain(args: Any) -> Any:
    return [list(arg.items) if isinstance(arg, Log) else arg for arg in args]


@few
@given(data=st.data())
def test_games_between_house_bots_end_and_replay(game: Game[Any], play_game: PlayGame, data: st.DataObject) -> None:
    game = draw_options(data, game)
    bots = draw_bots(data, game)
    record = play_game(game, data.draw(SEEDS), bots)
    assert record.game == game.name
    assert record.faults == [], "a house bot is never disqualified"
    assert record.ended
    assert len(record.places) == len(record.points) == len(bots)
    assert all(1 <= place <= len(bots) for place in record.places)
    verify(game, record)


@few
@given(data=st.data())
def test_every_card_is_accounted_for_after_every_play(
    game: Game[Any], play_game: PlayGame, data: st.DataObject
) -> None:
    game = draw_options(data, game)
    record = play_game(game, data.draw(SEEDS), draw_bots(data, game))
    counts = [Counter(game.cards(state)) for _, state in reapply(game, record)]
    assert counts.count(counts[0]) == len(counts)


@few
@given(data=st.data())
def test_the_same_seed_gives_the_same_game(game: Game[Any], play_game: PlayGame, data: st.DataObject) -> None:
    game = draw_options(data, game)
    seed, bots = data.draw(SEEDS), draw_bots(data, game)
    first, second = (json.dumps(play_game(each, seed, bots).to_json()) for each in (game, find_game(game.name)))
    assert first == second


@few
@given(data=st.data())
def test_plays_survive_json_and_read_in_words(game: Game[Any], play_game: PlayGame, data: st.DataObject) -> None:
    game = draw_options(data, game)
    record = play_game(game, data.draw(SEEDS), draw_bots(data, game))
    for index, state in reapply(game, record):
        due = record.plays[index : index + len(game.requests(state))]
        for seat, play in due:
            if any(is_question(each) for _, each in due):
                continue
            parsed = game.parse(state, seat, game.decode(play))
            assert json.loads(json.dumps(parsed)) == play
            assert game.describe(seat, parsed)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_rubbish_is_refused_with_a_reason_and_changes_nothing(
    game: Game[Any], moments: list[Moment], data: st.DataObject
) -> None:
    moment = draw_moment(data, moments)
    state, seat = moment.state, game.requests(moment.state)[0].seat
    raw = data.draw(rubbish() | spoiled(moment.plays))
    before = (game.frame(state, None), list(game.cards(state)))
    if refusal := refused(game, state, seat, raw):
        assert (refusal.rule == "shape") is isinstance(refusal, MalformedPlay)
        assert refusal.rule == refusal.rule.lower().replace(" ", "-")
        assert 10 < len(refusal.message) < 1000
        assert refusal.message.isprintable()
    assert (game.frame(state, None), list(game.cards(state))) == before


def refused(game: Game[Any], state: Any, seat: int, raw: Any) -> IllegalPlay | None:
    try:
        json.dumps(game.parse(state, seat, raw))
    except IllegalPlay as refusal:
        return refusal
    return None


@few
@given(data=st.data())
def test_a_question_that_is_not_offered_is_refused(game: Game[Any], moments: list[Moment], data: st.DataObject) -> None:
    state = draw_moment(data, moments).state
    with pytest.raises(IllegalPlay):
        game.answer(state, game.requests(state)[0].seat, data.draw(st.text()), data.draw(st.lists(rubbish())))


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_no_hidden_card_reaches_a_seat(game: Game[Any], moments: list[Moment], data: st.DataObject) -> None:
    moment = draw_moment(data, moments)
    state, whole = moment.state, game.frame(moment.state, None)
    for seat in range(moment.seats):
        other = game.redeal(state, seat, Random(data.draw(SEEDS)))
        assert Counter(game.cards(other)) == Counter(game.cards(state))
        assert game.frame(other, seat) == game.frame(state, seat)
        assert asked(game, other, seat) == asked(game, state, seat)
    assert game.frame(state, None) == whole, "redealing leaves the state alone"


def test_cards_are_dealt_interned_so_that_asking_is_quick(game: Game[Any]) -> None:
    for request in game.requests(game.deal(Random(1), game.seats[0])):
        words = list(strings(plain(request.args)))
        assert [word for word in words if intern(word) is not word] == []


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)


def asked(game: Game[Any], state: Any, seat: int) -> Any:
    return [(each.function, plain(each.args)) for each in game.requests(state) if each.seat == seat]


def test_redealing_changes_what_is_hidden(game: Game[Any]) -> None:
    state = game.deal(Random(1), game.seats[0])
    dealt = {repr(list(game.cards(game.redeal(state, 0, Random(seed))))) for seed in range(5)}
    assert len(dealt) == 5


@few
@given(data=st.data())
def test_a_disqualification_ends_the_game_against_one_alone(
    game: Game[Any], moments: list[Moment], data: st.DataObject
) -> None:
    moment = draw_moment(data, moments)
    state = deepcopy(moment.state)
    with pytest.raises(ValueError, match="running"):
        game.result(state)
    seat = data.draw(st.integers(0, moment.seats - 1))
    game.disqualify(state, seat)
    result = game.result(state)
    assert not game.requests(state)
    assert result.ended == "disqualified"
    others = [place for other, place in enumerate(result.places) if other != seat]
    assert result.places[seat] > max(others)
    assert 1 not in result.places
    assert result.points[seat] == min(result.points)


@few
@given(data=st.data())
def test_frames_are_plain_data_and_can_be_drawn(game: Game[Any], play_game: PlayGame, data: st.DataObject) -> None:
    game = draw_options(data, game)
    bots = draw_bots(data, game)
    record = play_game(game, data.draw(SEEDS), bots)
    seat = data.draw(st.none() | st.integers(0, len(bots) - 1))
    for frame in frames(game, record, seat)[:: data.draw(st.integers(5, 20))]:
        assert json.loads(json.dumps(frame.table)) == frame.table
        assert draw(game, frame.table, record.seats).strip()


def test_the_usual_options_are_those_of_the_deal(game: Game[Any]) -> None:
    deal: Any = game.deal
    usual = {option.name: option.default for option in game.options}
    assert game.cards(deal(Random(1), game.seats[0], **usual)) == game.cards(deal(Random(1), game.seats[0]))
    for option in options_of(game):
        assert option.name.isidentifier()
        assert option.title
        for value in (option.default, *extremes(option)):
            with_options(game, {option.name: value})


def test_a_finished_game_asks_nobody(game: Game[Any], play_game: PlayGame) -> None:
    state, result = finish(game, play_game(game, 1, [game.bots[0]] * game.seats[0]))
    assert not game.requests(state)
    assert result == game.result(state)
