"""The console game's lines, exactly as in the seed's Sample Runs.

Where the sample lost its layout in print, that of the course's own program decides. Spaces at the end of a line do not
count, and are left out here.
"""

from collections.abc import Collection, Iterator, Sequence

from tournament.games.uno.pack import COLOUR_NAMES, VALUES, hand_points
from tournament.games.uno.state import UnoState

CARDS_PER_LINE = 10
WIDTH = 57
TURN_RULER = "=" * WIDTH
PLAYER_RULER = "-" * WIDTH
NO_MORE_CARDS = "No more cards on draw pile!"
GAME_OVER = ("*" * 10, "Game Over!", "*" * 10)


def lines(items: Sequence[str]) -> Iterator[str]:
    """The items in lines of ten, a space between them; one empty line if there are none."""
    for start in range(0, max(len(items), 1), CARDS_PER_LINE):
        yield " ".join(items[start : start + CARDS_PER_LINE]).rstrip()


def bot_line(hand: Sequence[str], shown: bool) -> str:
    """A bot's hand, always in one line."""
    return " ".join(f"[{card}]" if shown else "[Uno]" for card in hand)


def deck_lines(deck: Sequence[str]) -> Iterator[str]:
    """Cards with their values: `[R6]=6  [WC]=50`."""
    return lines([f"[{card}]={VALUES[card]:<2}" for card in deck])


def option_lines(hand: Sequence[str], options: Collection[int], can_draw: bool) -> Iterator[str]:
    """A man's hand: each card after its index, or after `[x]` if it does not match; then the option to draw, in a
    line of its own if the last one is full."""
    marks = [f"[{index}]" if index in options else "[x]" for index in range(len(hand))]
    shown = [f"{mark:>4}[{card}]" for mark, card in zip(marks, hand, strict=True)]
    *full, last = lines(shown)
    yield from full
    if len(hand) % CARDS_PER_LINE == 0:
        yield last
        last = ""
    yield f"{last}{' ' * bool(last)} [D]raw" if can_draw else last


def turn_header(state: UnoState) -> Iterator[str]:
    """What lies on the table at the beginning of a turn."""
    yield TURN_RULER
    yield f"Turn {state.turn}:"
    top, colour = state.discard[-1], COLOUR_NAMES[state.colour]
    yield f"Discard Pile: [{top}]  Current Color: {colour:<8}Draw Pile: {len(state.draw)}"
    yield PLAYER_RULER


def owed(player: str, hand: Sequence[str]) -> str:
    """A line of the final table."""
    cards = " ".join(f"[{card}]" for card in hand)
    return f"{player} owes {hand_points(hand):>4} point(s): {cards}".rstrip()
