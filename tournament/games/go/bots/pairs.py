"""Makes pairs out of what it has and what it sees; looks at nobody else, wants no third card, and knows no runs."""

VALUES = "234567890JQKA"


def comp10001go_play(discard_history, player_no, hand):
    """The highest card that makes a pair with its discards, or that has a twin in the hand, or else the lowest card."""
    mine = [turn[player_no][0] for turn in discard_history] + ["A", "A"]
    values = [card[0] for card in hand]
    hand = sorted(hand, key=lambda card: VALUES.index(card[0]))
    pairing = [card for card in hand if mine.count(card[0]) == 1]
    twins = [card for card in hand if values.count(card[0]) > 1 and card[0] not in mine]
    return (hand[:1] + twins[-1:] + pairing[-1:])[-1]


def comp10001go_group(discard_history, player_no):
    """Cards of one value together; Aces alone."""
    groups = {}
    for turn in discard_history:
        card = turn[player_no]
        groups.setdefault(card if card[0] == "A" else card[0], []).append(card)
    return list(groups.values())
