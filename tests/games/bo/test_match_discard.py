"""Which cards go on a discard pile, and which end the turn there (seed, section 2.1 and Q2)."""

import pytest

from tournament.games.bo.plays import match_discard
from tournament.games.cards import PACK

ACES = {"AS", "AH", "AD", "AC"}


@pytest.mark.parametrize(
    ("seat", "owner", "from_hand", "value"), [(2, 2, True, 2), (2, 2, False, 0), (2, 0, True, 0), (2, 0, False, 0)]
)
def test_only_the_owner_starts_a_pile_and_only_from_the_hand(
    seat: int, owner: int, from_hand: bool, value: int
) -> None:
    assert {match_discard(card, [], seat, owner, from_hand) for card in PACK if card not in ACES} == {value}


@pytest.mark.parametrize("pile", ["", "KS", "2H", "7D 8S"])
@pytest.mark.parametrize("from_hand", [True, False])
def test_aces_never_go_on_a_discard_pile(pile: str, from_hand: bool) -> None:
    assert {match_discard(ace, pile.split(), 1, 1, from_hand) for ace in ACES} == {0}


@pytest.mark.parametrize(
    ("pile", "follow"),
    [
        ("JC", "0H 0D QH QD"),
        ("3H 2C", "3H 3D KH KD"),
        ("QS KH", "QS QC 2S 2C"),
        ("4S", "3H 3D 5H 5D"),
    ],
)
@pytest.mark.parametrize("owner", [0, 3])
def test_the_sequence_goes_on_and_only_the_hand_may_break_it(pile: str, follow: str, owner: int) -> None:
    cards = pile.split()
    for card in set(PACK) - ACES:
        follows = card in follow.split()
        assert match_discard(card, cards, 0, owner, False) == (1 if follows else 0)
        assert match_discard(card, cards, 0, owner) == (1 if follows else 2)
