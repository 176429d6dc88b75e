"""Compare the rules of this Hearts with those of OpenSpiel, in random games: who is on turn, which cards are legal, and
what each hand scores.

    pip install open_spiel
    PYTHONPATH=<the folder of Quadrille> python check_against_openspiel.py [GAMES]

Every other game is dealt from a pack that is hardly shuffled, so that long suits make the rare rules matter: a first
trick with nothing but points, a lead with nothing but hearts, a moon.
"""

import sys
from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pyspiel

FOLDER = Path(__file__).parent / "games" / "hearts"
DIRECTIONS = {"left": "Left", "right": "Right", "across": "Across", "hold": "No Pass"}
SUITS, RANKS = "CDHS", "234567890JQKA"


class Clumsy(Random):
    """Hardly shuffles: the pack is sorted, and a few cards change places."""

    def shuffle(self, x: Any) -> None:
        x.sort(key=lambda card: (card == "QS" or card[1] == "H", card[1], card))
        for _ in range(self.choice([0, 1, 2, 4, 8])):
            one, two = self.randrange(len(x)), self.randrange(len(x))
            x[one], x[two] = x[two], x[one]


def load_game() -> ModuleType:
    spec = spec_from_file_location("hearts", FOLDER / "__init__.py", submodule_search_locations=[str(FOLDER)])
    assert spec
    assert spec.loader
    module = sys.modules["hearts"] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def action(card: str) -> int:
    """OpenSpiel's number of a card."""
    return RANKS.index(card[0]) * 4 + SUITS.index(card[1])


def card_of(number: int) -> str:
    return RANKS[number // 4] + SUITS[number % 4]


def same_deal(other: Any, hands: list[list[str]], direction: str) -> None:
    """Carry out OpenSpiel's chance moves: the direction, then the cards one by one to the seats in turn."""
    numbers = {other.action_to_string(number): number for number, _ in other.chance_outcomes()}
    (number,) = (number for text, number in numbers.items() if text.endswith(DIRECTIONS[direction]))
    other.apply_action(number)
    for place in range(13):
        for hand in hands:
            other.apply_action(action(hand[place]))


def play_hand(hearts: ModuleType, state: Any, openspiel: Any, rng: Random, met: Counter[str]) -> None:
    """One hand at random on both sides; AssertionError where they differ."""
    other = openspiel.new_initial_state()
    same_deal(other, state.hands, state.direction)
    if state.passing:
        passed = [rng.sample(hand, 3) for hand in state.hands]
        for seat, cards in enumerate(passed):
            for each in cards:
                assert other.current_player() == seat
                other.apply_action(action(each))
        hearts.apply(state, [(seat, hearts.parse(state, seat, cards)) for seat, cards in enumerate(passed)])
    hand_no = state.hand_no
    while not state.ended and state.hand_no == hand_no:
        (request,) = hearts.requests(state)
        hand, trick, tricks, broken = request.args[:4]
        legal = [each for each in hand if accepted(hearts, state, request.seat, each)]
        assert other.current_player() == request.seat, f"seat {request.seat} must play, not {other.current_player()}"
        theirs = {card_of(number) for number in other.legal_actions()}
        assert set(legal) == theirs, f"{hand} after {trick}: {legal}, not {sorted(theirs)}"
        if all(each[1] == "H" or each == "QS" for each in hand) and not tricks.items:
            met["nothing but points in the first trick"] += 1
        if not trick and not broken and all(each[1] == "H" for each in hand):
            met["nothing but hearts to lead"] += 1
        choice = rng.choice(legal)
        met["cards"] += 1
        other.apply_action(action(choice))
        hearts.apply(state, [(request.seat, hearts.parse(state, request.seat, choice))])
    assert other.is_terminal()
    scores = state.hand_scores[-1]
    assert [26 - score for score in scores] == other.returns(), f"{scores}, not {other.returns()}"
    met["hands"] += 1
    met["moons"] += max(scores) == 26


def accepted(hearts: ModuleType, state: Any, seat: int, card: str) -> bool:
    from tournament.games.api import IllegalPlay

    try:
        hearts.parse(state, seat, card)
    except IllegalPlay:
        return False
    return True


def main(games: int = 1000) -> None:
    hearts = load_game()
    openspiel = pyspiel.load_game("hearts", {"qs_breaks_hearts": False})
    met: Counter[str] = Counter()
    for number in range(games):
        rng = Random(number)
        state = hearts.deal((Random, Clumsy)[number % 2](number), 4)
        while not state.ended:
            play_hand(hearts, state, openspiel, rng, met)
        assert [sum(column) for column in zip(*state.hand_scores, strict=True)] == state.scores
    print(f"{games} games agree:", ", ".join(f"{count} {what}" for what, count in sorted(met.items())))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
