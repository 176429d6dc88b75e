"""The one name of a game with its options, and what may be chosen."""

from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournament.bids import BIDS
from tournament.games import bo, phazed
from tournament.games.api import Game, Option
from tournament.games.options import GameName, choices, options_comment, options_of, parse_name, with_options
from tournament.play import games as added
from tournament.play.games import GAMES, BadOption, UnknownGame, find_game

SUNDRY = (
    Option("order", "Order of play", "left", choices=("left", "right & back")),
    Option("passing", "Passing cards", True),
    Option("rounds", "Rounds", 3, 1, 9),
)


class Sundry:
    """A game with an option of each kind, and tables of several sizes."""

    options = SUNDRY

    def __getattr__(self, name: str) -> Any:
        return getattr(BIDS, name)

    def deal(self, rng: Random, seats: int, **options: Any) -> Any:
        return seats, options


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("phazed", "phazed"),
        ("phazed?", "phazed"),
        ("phazed?hand_size=10", "phazed"),
        ("phazed?hand_size=8", "phazed?hand_size=8"),
        ("phazed?hand_size=08", "phazed?hand_size=8"),
        ("phazed?packs=3&hand_size=8&turn_limit=50", "phazed?hand_size=8&packs=3"),
        ("phazed?h%61nd_size=%38", "phazed?hand_size=8"),
        ("uno?players=4", "uno"),
        ("uno?players=3", "uno?players=3"),
    ],
)
def test_a_name_is_made_canonical(name: str, canonical: str) -> None:
    game = find_game(name)
    assert game.name == canonical
    assert game.slug == canonical.partition("?")[0]
    assert find_game(game.name).name == canonical


def test_a_game_with_the_usual_options_is_the_module_itself() -> None:
    assert find_game("phazed?hand_size=10") is phazed
    assert with_options(find_game("phazed?hand_size=8"), {}) is phazed


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("chess", "There is no game 'chess'; available: bo, "),
        ("fazed", "There is no game 'fazed'; did you mean 'phazed'? Available: bo, "),
        ("Bo", "did you mean 'bo'?"),
        ("chess?hand_size=8", "There is no game 'chess'; available: bo, "),
        ("bo@0123456789abcdef", "No game package bo@0123456789abcdef is stored here"),
    ],
)
def test_an_unknown_game_is_an_error_that_names_the_known_ones(name: str, message: str) -> None:
    with pytest.raises(UnknownGame) as error:
        find_game(name)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "go?hand_siz=8",
            "no option 'hand_siz'; did you mean 'hand_size'? It has: hand_size (Cards dealt",
        ),
        ("go?x=8", "Comp10001-Go has no option 'x'. It has: hand_size (Cards dealt"),
        ("go?x=8", "a whole number from 3 to 13, usually 10"),
        ("bo?players=3", "Comp10001-Bo has no option 'players'"),
        ("go?hand_size=14", "The option hand_size of Comp10001-Go is a whole number from 3 to 13, not '14'."),
        ("go?hand_size=-3", "not '-3'."),
        ("go?hand_size=٨", "not '٨'."),
        ("go?hand_size=", "not ''."),
        ("go?hand_size=yes", "not 'yes'."),
        ("uno?players=6", "The option players of Uno is one of 2, 3, 4, 5, not '6'."),
        ("go?hand_size", "'hand_size' does not set an option"),
        ("go?hand_size=8&hand_size=9", "chosen twice"),
    ],
)
def test_a_wrong_option_is_an_error_that_says_what_is_allowed(name: str, message: str) -> None:
    with pytest.raises(BadOption) as error:
        find_game(name)
    assert message in str(error.value)


def test_a_game_without_options_says_so() -> None:
    with pytest.raises(BadOption, match=r"^Alone has no options, so 'x' cannot be set\.$"):
        with_options(without_options(), {"x": 1})


def without_options() -> Game[Any]:
    return type("Alone", (), {"title": "Alone", "options": (), "seats": (2,)})()


def test_options_have_values_or_texts() -> None:
    game = with_options(Sundry(), {"order": "right & back", "passing": "no", "rounds": 5, "players": 4})
    assert game.name == "bids?order=right%20%26%20back&passing=no&players=4&rounds=5"
    assert game.seats == (4,)
    assert game.deal(Random(1), 4) == (4, {"order": "right & back", "passing": False, "rounds": 5})
    assert parse_name(game.name).options["order"] == "right & back"
    same = with_options(Sundry(), parse_name(game.name).options)
    assert same.name == game.name
    for chosen in ({"rounds": True}, {"rounds": 2.0}, {"passing": 1}, {"order": 1}, {"players": "four"}, {"rounds": 0}):
        with pytest.raises(BadOption):
            with_options(game, chosen)  # type: ignore[arg-type]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(
    st.text("abc_", min_size=1), st.just("") | st.text("0123456789abcdef", min_size=16), st.dictionaries(TEXTS, TEXTS)
)
def test_what_is_written_is_read_again(slug: str, digits: str, options: dict[str, str]) -> None:
    name = GameName(slug, digits, options)
    assert parse_name(str(name)) == name
    assert str(name).isascii()
    assert parse_name(str(name)).package == str(replace(name, options={}))


def test_what_was_chosen_is_told_beside_what_is_usual() -> None:
    game = find_game("phazed?turn_limit=9&hand_size=8")
    assert [(each.option.title, each.value, each.usual) for each in choices(game)] == [
        ("Cards dealt to each player", "8", "10"),
        ("Maximum turns per player in a hand", "9", "50"),
    ]
    assert choices(phazed) == []


def test_a_players_file_can_begin_with_the_options() -> None:
    comment = options_comment(find_game("phazed?hand_size=8"))
    assert '--game "phazed?hand_size=8"' in comment
    assert "Cards dealt to each player: 8 (usually 10)" in comment
    compile(comment, "player.py", "exec")
    assert options_comment(phazed) == ""


def test_the_table_size_is_an_option_of_games_with_several() -> None:
    sized = {slug for slug, game in GAMES.items() if "players" in {each.name for each in options_of(game)}}
    assert sized == {"kotc", "uno"}
    assert all(option.name != "players" for game in GAMES.values() for option in game.options)


def test_former_rules_take_the_options_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phazed, "former_deals", {"1": partial(phazed.deal, turn_limit=9)}, raising=False)
    former: Any = find_game("phazed?hand_size=8")
    state = former.former_deals["1"](Random(1), 4)
    assert ([len(hand) for hand in state.hands], state.turn_limit) == ([8] * 4, 9)


def test_a_stored_game_is_found_by_its_hash_and_takes_options(monkeypatch: pytest.MonkeyPatch) -> None:
    stored: Any = type("Stored", (), {**vars(bo), "name": "bo@0123456789abcdef"})
    monkeypatch.setattr(added, "find_added", lambda slug, hash: {("bo", "0123456789abcdef"): stored}[slug, hash])
    assert find_game("bo@0123456789abcdef?packs=3").name == "bo@0123456789abcdef?packs=3"
