"""The plays offered to a person who plays Comp10001-Bo by hand."""

from collections.abc import Sequence

from tournament.games.api import Offer
from tournament.games.bo.plays import COMPLETES_BUILD, ENDS_TURN, legal_plays, match_discard
from tournament.games.bo.shape import FROM_DISCARD, FROM_HAND, NO_PLAY, TO_BUILD, Play
from tournament.games.bo.state import PLAYS_A_TURN, BoState
from tournament.games.cards import symbol


def choices(state: BoState, seat: int) -> Sequence[Offer]:
    """Every legal play, card by card; build piles first."""
    found = list(legal_plays(seat, state.hands[seat], state.stockpiles[seat][-1], state.discards, state.builds))
    if not found:
        return [Offer("Say that no play is possible", NO_PLAY, "No card fits anywhere; your turn ends.")]
    return [_choice(state, seat, play) for play in found]


def _choice(state: BoState, seat: int, play: Play) -> Offer:
    kind, source, (where, pile) = play
    card = source[0] if kind == FROM_DISCARD else source
    if kind == FROM_DISCARD:
        origin = f"from {_pile(seat, source[1])}"
    else:
        origin = "from your hand" if kind == FROM_HAND else "from your stockpile"
    target, why = _onto_build(state, card, pile) if where == TO_BUILD else _onto_discard(state, seat, play, card)
    if state.plays + 1 == PLAYS_A_TURN:
        why = f"{why} It is the fifth play of your turn, and the last."
    return Offer(f"Play {symbol(card)} onto {target}", play, why, f"{symbol(card)} {origin}")


def _onto_build(state: BoState, card: str, number: int) -> tuple[str, str]:
    """The name of the build pile, and why the card fits there."""
    pile, target = state.builds[number], f"build pile {number}"
    if not pile:
        return target, "A 2 or a King starts an empty build pile."
    why = f"On {symbol(pile[-1])}: the same colour, and {'an Ace fits any value' if card[0] == 'A' else 'next to it'}."
    if card in COMPLETES_BUILD:
        why += " It completes the pile, which goes back into the draw pile."
    return target, why


def _onto_discard(state: BoState, seat: int, play: Play, card: str) -> tuple[str, str]:
    """The name of the discard pile, and what happens after the play."""
    owner, number = play[2][1]
    pile = state.discards[owner][number]
    on = f"On {symbol(pile[-1])}" if pile else "It starts this pile"
    if match_discard(card, pile, seat, owner, play[0] == FROM_HAND) == ENDS_TURN:
        return _pile(seat, (owner, number)), f"{on}: this ends your turn."
    return _pile(seat, (owner, number)), f"{on}: the other colour, and next to it. Your turn goes on."


def _pile(seat: int, place: tuple[int, int]) -> str:
    owner, number = place
    return f"{'your' if owner == seat else f'player {owner}’s'} discard pile {number}"
