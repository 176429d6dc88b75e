# expect: q1=none q2=none q3=some q4=none
"""Takes all the hearts for a moon."""


def hearts_hand_scores(taken):
    hearts = [sum(card[1] == "H" for card in cards) for cards in taken]
    if 13 in hearts:
        return [0 if number == 13 else 26 for number in hearts]
    return [number + 13 * ("QS" in cards) for number, cards in zip(hearts, taken, strict=True)]
