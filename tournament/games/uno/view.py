"""What a viewer sees of a game of Uno: frames for `replay.html`, and plays in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from tournament.games.text import count
from tournament.games.uno.pack import COLOUR_NAMES, hand_points, name
from tournament.games.uno.rules import Play
from tournament.games.uno.state import ALL_PASSED, DISQUALIFIED, TURN_LIMIT, WON, UnoState


def frame(state: UnoState, seat: int | None) -> Mapping[str, Any]:
    """Return the table as plain data. `hand` and `points` are None where `seat` cannot see them; a viewer (None) sees
    all. `events` say in words what the last play led to. A player's `new` is how many cards the play added to the end
    of the hand, and `skipped` whether it cost that player a turn."""
    changes = state.history.items[state.step_start :]
    running = state.ended is None
    return {
        "on_turn": state.seat if running else None,
        "choosing": state.choosing and running,
        "turn": state.turn,
        "max_turns": state.max_turns,
        "direction": state.direction,
        "colour": state.colour,
        "top": state.discard[-1],
        "under": state.discard[-3:-1],
        "draw": len(state.draw),
        "played": any(action == "play" for _, action, _ in changes),
        "events": [_shown_event(*change) for change in changes],
        "players": [_player(state, player, seat in (None, player), changes) for player in range(len(state.hands))],
        "measure": {"of": "cards in hand", "values": [*map(len, state.hands)], "best": "low"},
        "ended": state.ended,
        "decided_by": state.decided_by,
        "outcome": _outcome(state),
    }


def _player(state: UnoState, player: int, shown: bool, changes: Sequence[tuple[int, str, Any]]) -> Mapping[str, Any]:
    hand = state.hands[player]
    own = [(action, what) for seat, action, what in changes if seat == player]
    drawn = sum(what for action, what in own if action == "draw")
    played_drawn = [action for action, _ in own][:2] == ["draw", "play"]
    return {
        "seat": player,
        "hand": list(hand) if shown else None,
        "hand_size": len(hand),
        "new": drawn - played_drawn,
        "skipped": ("skip", None) in own,
        "points": hand_points(hand) if shown else None,
    }


def _shown_event(seat: int, action: str, what: Any) -> Mapping[str, Any]:
    match action:
        case "play":
            text = f"plays the {name(what)}"
        case "colour":
            text = f"chooses {COLOUR_NAMES[what].lower()}"
        case "draw":
            text = f"draws {count(what, 'card')}"
        case "skip":
            text = "is skipped"
        case _:
            text = "passes: no card fits and none is left to draw"
    return {"seat": seat, "action": action, "text": text}


def _outcome(state: UnoState) -> str:
    """Return the sentence that says why the game ended, or "" while it runs."""
    if state.ended is None:
        return ""
    who = f"Player {state.decided_by}"
    if state.ended == DISQUALIFIED:
        return f"{who} is disqualified."
    if state.ended == WON:
        return f"{who} wins with an empty hand."
    points = count(hand_points(state.hands[state.decided_by or 0]), "point")
    why = {ALL_PASSED: "Nobody can play or draw", TURN_LIMIT: f"Turn {state.max_turns} was the last"}[state.ended]
    return f"{why}: {who} wins with the fewest points in hand ({points})."


def describe(seat: int, play: Play) -> str:
    """Describe the play in words: `plays the red 6`, `draws a card`, `chooses green`."""
    pick, card = play
    if isinstance(pick, str):
        return f"chooses {COLOUR_NAMES[pick].lower()}"
    return "draws a card" if card is None else f"plays the {name(card)}"
