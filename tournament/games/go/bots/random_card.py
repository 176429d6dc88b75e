"""Discards any card, and makes pairs, triples and quartets in the end: the least that a player must beat."""

import random


def comp10001go_play(discard_history, player_no, hand):
    """Any card."""
    return random.choice(hand)


def comp10001go_group(discard_history, player_no):
    """Cards of one value together; Aces alone."""
    groups = {}
    for turn in discard_history:
        card = turn[player_no]
        groups.setdefault(card if card[0] == "A" else card[0], []).append(card)
    return list(groups.values())
