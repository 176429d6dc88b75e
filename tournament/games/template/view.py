"""What a viewer sees of a game."""

from typing import Any

from .rules import State


def frame(state: State, seat: int | None) -> dict[str, Any]:
    """Return the table as plain data for `replay.html`. A hand that `seat` cannot see is only the number of its
    cards."""
    hands = [list(hand) if seat in (None, owner) else len(hand) for owner, hand in enumerate(state.hands)]
    return {"hands": hands, "led": state.led, "tricks": list(state.tricks), "needed": state.needed}


def describe(seat: int, play: Any) -> str:
    """Describe a play in a few words."""
    return f"plays {play}"
