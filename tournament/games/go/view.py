"""What a viewer sees of a game of Comp10001-Go: frames for `replay.html`, and plays in words."""

from collections.abc import Mapping
from typing import Any

from tournament.games.cards import symbol
from tournament.games.go.groups import laid_out, points
from tournament.games.go.partitions import best_score
from tournament.games.go.rules import GROUPED, SEATS, GoState, Play, result, score
from tournament.games.text import count, who_wins


def frame(state: GoState, seat: int | None) -> Mapping[str, Any]:
    """Return the table as plain data. `hand` is None where `seat` cannot see it; a viewer (None) sees all four hands.
    `turns` is how many turns are over. `best` is the best score of a player's discards so far; `groups` and `score` are
    None until the end."""
    players = [_player(state, player, seat in (None, player)) for player in SEATS]
    values = [each["best"] if each["score"] is None else each["score"] for each in players]
    return {
        "turns": state.turn,
        "turn_limit": state.hand_size,
        "grouping": state.turn == state.hand_size and not state.ended,
        "ended": state.ended,
        "offender": state.offender,
        "outcome": _outcome(state),
        "measure": {"of": "points that the discards are worth", "values": values, "best": "high"},
        "players": players,
    }


def _outcome(state: GoState) -> str:
    """Return the sentence that says why the game ended, or "" while it runs."""
    if state.offender is not None:
        return f"Player {state.offender} is disqualified."
    if not state.ended:
        return ""
    final = result(state)
    return f"{who_wins(final.places)} with {count(int(max(final.points)), 'point')}."


def _player(state: GoState, player: int, shown: bool) -> Mapping[str, Any]:
    hand, discards = state.hands[player], state.discards[player]
    grouping = state.groupings[player] if state.groupings else None
    return {
        "seat": player,
        "hand": list(hand) if shown else None,
        "hand_size": len(hand),
        "discards": list(discards),
        "best": best_score(discards),
        "groups": [{"cards": laid_out(group), "points": points(group)} for group in grouping] if grouping else None,
        "score": score(grouping) if grouping else None,
        "place": result(state).places[player] if state.ended == GROUPED else None,
    }


def describe(seat: int, play: Play) -> str:
    """Describe the play in words: `discards 3♥`, or `groups K♣ K♥: 24 points`, which leaves out single cards."""
    if isinstance(play, str):
        return f"discards {symbol(play)}"
    groups = [" ".join(map(symbol, laid_out(group))) for group in play if len(group) > 1]
    return f"groups {', '.join(groups) or 'nothing'}: {count(score(play), 'point')}"
