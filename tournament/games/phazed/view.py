"""What a viewer sees of a game of Phazed: frames for `replay.html`, and plays in words."""

from collections.abc import Mapping
from typing import Any

from tournament.games.cards import symbol
from tournament.games.phazed.groups import ACCUMULATIONS, PHASES, symbols, total
from tournament.games.phazed.plays import BUILD, DISCARD, FROM_DECK, FROM_PILE, PHASE, Play
from tournament.games.phazed.rules import result
from tournament.games.phazed.state import COMPLETED, SEATS, PhazedState
from tournament.games.text import count, who_wins

GROUP_NAMES = {
    1: "Set of one value",
    2: "Set of one suit",
    3: "Set of one value",
    4: "Run",
    5: "Run of one colour",
    6: "Accumulation",
    7: "Accumulation of one colour",
}
PLAY_NAMES = {FROM_DECK: "deck", FROM_PILE: "pile", PHASE: "phase", BUILD: "build", DISCARD: "discard"}


def frame(state: PhazedState, seat: int | None) -> Mapping[str, Any]:
    """Return the table as plain data. `hand` is None where `seat` cannot see it; a viewer (None) sees all four hands.
    `last` is the last play with the card that it moved (None if hidden). `hand_end` says how the previous hand ended;
    it is present until the first play of the new hand, and at the end of the game. `scores` are the penalty points so
    far."""
    running = state.ended is None
    return {
        "hand": state.hand_no + 1,
        "hands": state.hand_limit,
        "dealer": state.dealer,
        "on_turn": state.seat if running else None,
        "must_draw": running and not state.begun,
        "turn": min(state.turns // len(SEATS) + 1, state.turn_limit),
        "turn_limit": state.turn_limit,
        "deck": len(state.deck),
        "pile": list(state.pile[-8:]),
        "pile_size": len(state.pile),
        "players": [_player(state, player, seat in (None, player)) for player in SEATS],
        "measure": {"of": "penalty points", "values": list(state.scores), "best": "low"},
        "last": _last(state, seat),
        "hand_end": _hand_end(state),
        "ended": state.ended,
        "places": list(result(state).places) if state.ended and state.offender is None else None,
        "offender": state.offender,
        "outcome": _outcome(state),
    }


def _outcome(state: PhazedState) -> str:
    """Return the sentence that says why the game ended, or "" while it runs."""
    if state.ended is None:
        return ""
    if state.offender is not None:
        return f"Player {state.offender} is disqualified."
    places = result(state).places
    points = f"{state.scores[places.index(1)]} penalty points"
    if state.ended == COMPLETED:
        return f"{who_wins(places)}: phase 7 is done, with {points}."
    return f"{who_wins(places)}: after {count(state.hand_limit, 'hand')} nobody has fewer than {points}."


def _player(state: PhazedState, player: int, shown: bool) -> Mapping[str, Any]:
    phase, groups = state.table[player]
    kinds = PHASES[phase] if phase else ()
    return {
        "seat": player,
        "hand": list(state.hands[player]) if shown else None,
        "hand_size": len(state.hands[player]),
        "achieved": state.phase_status[player],
        "phase": phase,
        "groups": [
            {"name": GROUP_NAMES[kind], "cards": list(cards), "total": total(cards) if kind in ACCUMULATIONS else None}
            for kind, cards in zip(kinds, groups, strict=True)
        ],
        "score": state.scores[player],
    }


def _last(state: PhazedState, viewer: int | None) -> Mapping[str, Any] | None:
    if state.last is None:
        return None
    seat, (kind, content) = state.last
    if kind == FROM_DECK:
        card = state.drawn if viewer in (None, seat) else None
    else:
        card = None if kind == PHASE else content[0] if kind == BUILD else content
    return {
        "seat": seat,
        "kind": PLAY_NAMES[kind],
        "card": card,
        "phase": content[0] if kind == PHASE else None,
        "position": list(content[1]) if kind == BUILD else None,
    }


def _hand_end(state: PhazedState) -> Mapping[str, Any] | None:
    over = state.ended is not None and state.offender is None
    if not state.hand_ends or (state.history.items and not over):
        return None
    end = state.hand_ends[-1]
    return {"hand": len(state.hand_ends), "ended": end.ended, "by": end.by, "points": list(end.points)}


def describe(seat: int, play: Play) -> str:
    """Describe the play in words, with numbers as in the student's code: `places A♦ at index 3 of group 0 of player
    1`."""
    kind, content = play
    if kind == FROM_DECK:
        return "draws from the deck"
    if kind == FROM_PILE:
        return f"takes {symbol(content)} from the discard pile"
    if kind == PHASE:
        number, groups = content
        return f"plays phase {number}: {', '.join(map(symbols, groups))}"
    if kind == DISCARD:
        return f"discards {symbol(content)}"
    card, (owner, group, index) = content
    whose = "their own" if owner == seat else f"player {owner}'s"
    return f"places {symbol(card)} at index {index} of {whose} group {group}"
