"""Collects cards of one value as long as more of them are in sight; knows no runs."""

VALUES = "A234567890JQK"
POINTS = {0: 0, 1: -1, 2: 2, 3: 6, 4: 24}  # times the value


def comp10001go_play(discard_history, player_no, hand):
    """The card that promises most."""
    mine = [turn[player_no][0] for turn in discard_history]
    gone = [card[0] for turn in discard_history for card in turn]
    return max(hand, key=lambda card: promise(card[0], mine, gone, [card[0] for card in hand]))


def promise(value, mine, gone, hand):
    """What a card of that value adds to my discards, and part of what the next one would add."""
    if value == "A":
        return -20
    have = mine.count(value)
    gain = POINTS[have + 1] - POINTS[have]
    here = hand.count(value) - 1
    elsewhere = 3 - here - gone.count(value)
    if len(mine) < 9 and here + elsewhere:
        gain += (0.4 * here + 0.2 * elsewhere) * (POINTS[have + 2] - POINTS[have + 1])
    return gain * (VALUES.index(value) + 1)


def comp10001go_group(discard_history, player_no):
    """Cards of one value together; Aces alone."""
    groups = {}
    for turn in discard_history:
        card = turn[player_no]
        groups.setdefault(card if card[0] == "A" else card[0], []).append(card)
    return list(groups.values())
