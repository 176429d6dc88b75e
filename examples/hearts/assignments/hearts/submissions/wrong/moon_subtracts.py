# expect: q1=none q2=none q3=some q4=none
"""Gives a moon −26 instead of 26 to the others."""


def hearts_hand_scores(taken):
    scores = [sum(card[1] == "H" for card in cards) + 13 * ("QS" in cards) for cards in taken]
    return [-26 if score == 26 else score for score in scores]
