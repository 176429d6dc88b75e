"""What a viewer sees of a game of Hearts: frames for `replay.html`, and plays in words."""

from collections.abc import Mapping
from typing import Any

from tournament.games.cards import name
from tournament.games.text import count, who_wins

from .plays import ALL_POINTS, POINTS, in_order
from .rules import Play, result
from .state import HOLD, PLAYED, SEATS, HeartsState


def frame(state: HeartsState, seat: int | None) -> Mapping[str, Any]:
    """The table as plain data; a player's `hand` is None, and `received` empty, where `seat` cannot see them (a viewer,
    None, sees all).

    `hand` and `trick_no` count from 1. `trick` holds the cards in the middle by seat, None where there is none, and
    `played` is the seat of the last of them: a trick that has ended stays, with its `winner`, until the next one is
    led. After the last card of a hand `hand_end` tells what it scored, while the players already hold the next one.
    """
    last = state.last
    leader, cards = (last.leader, last.cards) if last else (state.leader, state.trick)
    trick: list[str | None] = [None for _ in SEATS]
    for place, card in enumerate(cards):
        trick[(leader + place) % len(SEATS)] = card
    return {
        "hand": state.hand_no + 1,
        "hands": state.hand_count,
        "direction": state.direction,
        "passing": state.passing and not state.ended,
        "on_turn": None if state.ended or state.passing else state.seat,
        "trick_no": max(1, len(state.tricks.items) + (last is None)),
        "trick": trick,
        "leader": leader if cards else None,
        "played": (leader + len(cards) - 1) % len(SEATS) if cards else None,
        "winner": last.winner if last else None,
        "hearts_broken": state.hearts_broken,
        "hand_end": _hand_end(state),
        "measure": {"of": "points", "values": list(state.scores), "best": "low"},
        "players": [_player(state, player, seat) for player in SEATS],
        "ended": state.ended,
        "offender": state.offender,
        "outcome": _outcome(state),
    }


def _hand_end(state: HeartsState) -> Mapping[str, Any] | None:
    """What the hand scored that ended with the last play; None if none did."""
    over = state.last and (state.ended == PLAYED or not state.tricks.items)
    if not over or not state.hand_scores:
        return None
    scores = state.hand_scores[-1]
    moon = ALL_POINTS in map(abs, scores)
    shooter = scores.index(min(scores)) if moon else None
    return {"hand": len(state.hand_scores), "scores": list(scores), "moon": shooter}


def _player(state: HeartsState, player: int, viewer: int | None) -> Mapping[str, Any]:
    hand = state.hands[player]
    shown = viewer in (None, player)
    return {
        "seat": player,
        "hand": list(hand) if shown else None,
        "hand_size": len(hand),
        "received": _received(state, player) if shown else [],
        "taken": in_order(card for card in state.taken[player] if POINTS[card]),
        "points": sum(POINTS[card] for card in state.taken[player]),
        "score": state.scores[player],
        "place": result(state).places[player] if state.ended == PLAYED else None,
    }


def _received(state: HeartsState, player: int) -> list[str]:
    """The cards that were passed to the player, until the first card of the hand is played."""
    if state.passing or state.direction == HOLD or state.trick or state.tricks.items:
        return []
    return next(list(state.passed[giver]) for giver in SEATS if state.receiver(giver) == player)


def _outcome(state: HeartsState) -> str:
    """Why the game ended, in a sentence; empty while it runs."""
    if state.offender is not None:
        return f"Player {state.offender} is disqualified."
    if not state.ended:
        return ""
    points = count(min(state.scores), "point").replace("-", "−")
    return f"{who_wins(result(state).places)} with {points}."


def describe(seat: int, play: Play) -> str:
    """The play in words: `plays the 3 of hearts`. Which cards were passed is for two players only."""
    return f"plays the {name(play)}" if isinstance(play, str) else "passes three cards"
