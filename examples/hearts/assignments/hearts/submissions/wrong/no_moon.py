# expect: q1=none q2=none q3=some q4=none
"""Knows no moon."""


def hearts_hand_scores(taken):
    return [sum(card[1] == "H" for card in cards) + 13 * ("QS" in cards) for cards in taken]
