"""Discards any card, and groups cards of one value in the end: the least that a player must beat."""

import random


def comp10001go_play(discard_history, player_no, hand):
    """Any card of the hand."""
    return random.choice(hand)


def comp10001go_group(discard_history, player_no):
    """Group cards of one value together; leave each Ace alone."""
    groups = {}
    for turn in discard_history:
        card = turn[player_no]
        groups.setdefault(card if card[0] == "A" else card[0], []).append(card)
    return list(groups.values())
