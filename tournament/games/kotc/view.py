"""What a viewer sees of a game of King of the Cards: frames for `replay.html`, and plays in words."""

from collections.abc import Mapping
from typing import Any

from tournament.games.cards import NAMES, name
from tournament.games.kotc.rules import Play
from tournament.games.kotc.state import DISQUALIFIED, IDLE_TURNS, STALLED, TURN_LIMIT, WON, KotcState
from tournament.games.text import count


def frame(state: KotcState, seat: int | None) -> Mapping[str, Any]:
    """Return the table as plain data. `hand` is None where `seat` cannot see it; a viewer (None) sees all hands. `top`
    is the top card and `suit` the letter of the suit that it counts as. `events` say in words what has happened since
    the previous play. A player's `new` is how many cards were added to the end of the hand meanwhile."""
    events = state.asked or state.events
    return {
        "on_turn": None if state.ended else state.seat,
        "turn": state.turn - (state.ended in (STALLED, TURN_LIMIT)),  # these end a game as the next one begins
        "deal": state.deals,
        "idle": state.idle,
        "top": state.discard[-1],
        "suit": state.top[1],
        "under": state.discard[-3:-1],
        "discards": len(state.discard),
        "draw": len(state.draw),
        "played": any(action == "play" for _, action, _ in events),
        "events": [{"seat": who, "action": action, "text": _event_text(action, what)} for who, action, what in events],
        "players": [_player(state, player, seat in (None, player)) for player in range(len(state.hands))],
        "measure": {"of": "cards in hand", "values": [*map(len, state.hands)], "best": "low"},
        "ended": state.ended,
        "decided_by": state.decided_by,
        "outcome": _outcome(state),
    }


def _player(state: KotcState, player: int, shown: bool) -> Mapping[str, Any]:
    hand = state.hands[player]
    return {
        "seat": player,
        "hand": list(hand) if shown else None,
        "hand_size": len(hand),
        "new": state.fresh[player] if shown else 0,
    }


def _event_text(action: str, what: Any) -> str:
    match action:
        case "play":
            return _card_text(what)
        case "skip":
            return "skips the turn"
        case "draw":
            return "chooses to draw a card"
        case "must draw":
            return f"has no card that fits and draws {count(what, 'card')}"
        case "shuffle":
            return f"finds the draw pile empty and shuffles {count(what, 'card')} from under the top discard into it"
        case "deal":
            return (
                f"begins deal {what}: nobody played for {IDLE_TURNS} turns, and no single player had the fewest cards"
            )
        case _:
            return "passes: no card fits, and none is left to draw"


def _card_text(card: str) -> str:
    return f"plays an Eight and declares {NAMES[card[1]]}" if card[0] == "8" else f"plays the {name(card)}"


def _outcome(state: KotcState) -> str:
    """Return the sentence that says why the game ended, or "" while it runs."""
    if state.ended is None:
        return ""
    who = f"Player {state.decided_by}"
    if state.ended == DISQUALIFIED:
        return f"{who} is disqualified."
    if state.ended == WON:
        return f"{who} wins with an empty hand."
    last = f"Turn {state.turn_limit} was the last"
    why = {STALLED: f"Nobody played for {IDLE_TURNS} turns", TURN_LIMIT: last}[state.ended]
    fewest, *others = sorted(map(len, state.hands))
    if state.decided_by is None:
        who = "both hold" if len(others) == 1 else "several hold only"
        return f"{why}, and {who} {count(fewest, 'card')}: nobody wins."
    return f"{why}: {who} wins, holding {count(fewest, 'card')} against {' and '.join(map(str, others))}."


def describe(seat: int, play: Play) -> str:
    """Describe the play in words: `plays the 6 of hearts`, `plays an Eight and declares clubs`, `skips the turn`."""
    return "skips the turn" if play is None else _card_text(play)
