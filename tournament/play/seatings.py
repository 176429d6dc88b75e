"""The orders in which a table sits for the games of one block."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

SEATINGS_OF_FOUR = ((0, 1, 2, 3), (1, 3, 0, 2), (2, 0, 3, 1), (3, 2, 1, 0))
"""ABCD BDAC CADB DCBA: everybody sits once in each seat, and once directly before each other, read from left to right
(a row-complete Latin square). Round the table, from the last seat to the first, DA and AD occur twice: the order in
which a table is drawn is random, so over many blocks this too is level."""


def seatings(table: Sequence[T]) -> list[tuple[T, ...]]:
    """The orders in which a table sits for the games of one block: everybody sits once in each seat."""
    if len(table) == 4:
        return [tuple(table[index] for index in order) for order in SEATINGS_OF_FOUR]
    return [tuple(table[shift:]) + tuple(table[:shift]) for shift in range(len(table))]
