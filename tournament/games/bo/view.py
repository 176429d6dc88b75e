"""What a viewer sees of a game of Comp10001-Bo: frames for `replay.html`, and plays in words."""

from collections.abc import Mapping
from typing import Any

from tournament.games.bo.plays import FROM_DISCARD, FROM_HAND, PASS, SEATS, TO_BUILD, Play
from tournament.games.bo.state import ABANDONED, DISQUALIFIED, PLAYS_A_TURN, TURNS_EACH, WON, BoState
from tournament.games.cards import symbol
from tournament.games.text import count

END: Mapping[str | None, str] = {WON: "winner", DISQUALIFIED: "disqualified"}
"""The label of the player who decided how the game ended."""


def frame(state: BoState, seat: int | None) -> Mapping[str, Any]:
    """Return the table as plain data. `hand` is None where `seat` cannot see it; a viewer (None) sees all four hands.
    `left` is how many plays a player has left in this turn. `last` is the last play with its card and destination, or
    None; it is repeated for the player who made it and for the player whose pile received the card. A build pile that
    the play `completed` is already empty."""
    running, last = state.ended is None, _last(state)
    return {
        "on_turn": state.seat if running else None,
        "turn": min(state.turn // len(SEATS) + 1, state.turn_limit),
        "turn_limit": state.turn_limit,
        "draw": len(state.draw),
        "builds": [list(pile) for pile in state.builds],
        "players": [_player(state, player, seat in (None, player), last) for player in SEATS],
        "measure": {"of": "cards left in the stockpile", "values": [*map(len, state.stockpiles)], "best": "low"},
        "last": last,
        "outcome": _outcome(state),
    }


def _outcome(state: BoState) -> str:
    """Return the sentence that says why the game ended, or "" while it runs."""
    if state.ended is None:
        return ""
    if state.ended == WON:
        return f"Player {state.decided_by} wins: the stockpile is empty."
    if state.ended == DISQUALIFIED:
        return f"Player {state.decided_by} is disqualified."
    if state.ended == ABANDONED:
        return "Nobody wins: no card is left to draw, and nobody has a play."
    turns = "twenty turns" if state.turn_limit == TURNS_EACH else count(state.turn_limit, "turn")
    return f"Nobody wins: each player has had {turns}."


def _player(state: BoState, player: int, shown: bool, last: Mapping[str, Any] | None) -> Mapping[str, Any]:
    stockpile, hand = state.stockpiles[player], state.hands[player]
    touched = last and (last["seat"] == player or (last["discard"] and last["discard"][0] == player))
    return {
        "seat": player,
        "top": stockpile[-1] if stockpile else None,
        "stockpile": len(stockpile),
        "hand": list(hand) if shown else None,
        "hand_size": len(hand),
        "discards": [list(pile) for pile in state.discards[player]],
        "left": PLAYS_A_TURN - state.plays if player == state.seat and state.ended is None else 0,
        "end": END.get(state.ended, "") if player == state.decided_by else "",
        "last": last if touched else None,
    }


def _last(state: BoState) -> Mapping[str, Any] | None:
    if not state.history.items:
        return None
    seat, (kind, source, (where, pile)) = state.history.items[-1]
    build = pile if where == TO_BUILD else None
    return {
        "seat": seat,
        "card": source[0] if kind == FROM_DISCARD else source,
        "build": build,
        "discard": list(pile) if kind != PASS and build is None else None,
        "completed": build is not None and not state.builds[build],
    }


def describe(seat: int, play: Play) -> str:
    """Describe the play in words, with piles numbered as in the student's code: `plays 3♥ from the hand onto build pile
    2`."""
    kind, source, (where, pile) = play
    if kind == PASS:
        return "has no play"
    if kind == FROM_DISCARD:
        card, origin = source[0], f"from {_discard(seat, *source[1])}"
    else:
        card, origin = source, "from the hand" if kind == FROM_HAND else "from the stockpile"
    target = f"build pile {pile}" if where == TO_BUILD else _discard(seat, *pile)
    return f"plays {symbol(card)} {origin} onto {target}"


def _discard(seat: int, owner: int, number: int) -> str:
    whose = "their own" if owner == seat else f"player {owner}'s"
    return f"{whose} discard pile {number}"
