# expect: q1=all q2=all q3=all q4=all
"""Everything, as briefly as it goes, and the first legal card."""

VALUES = "234567890JQKA"


def hearts_legal_cards(hand, trick, first_trick, hearts_broken):
    if trick:
        following = [card for card in hand if card[1] == trick[0][1]]
        harmless = [card for card in hand if card[1] != "H" and card != "QS"] if first_trick else []
        return following or harmless or hand
    if first_trick:
        return ["2C"]
    return [card for card in hand if hearts_broken or card[1] != "H"] or hand


def hearts_trick_winner(trick, leader):
    followed = [card for card in trick if card[1] == trick[0][1]]
    best = max(followed, key=lambda card: VALUES.index(card[0]))
    return (leader + trick.index(best)) % 4


def hearts_hand_scores(taken):
    scores = [sum(card[1] == "H" for card in cards) + 13 * ("QS" in cards) for cards in taken]
    return [26 - score for score in scores] if 26 in scores else scores


def hearts_pass(hand, direction, scores, player_no):
    return hand[-3:]


def hearts_play(hand, trick, tricks, hearts_broken, scores, player_no):
    return hearts_legal_cards(hand, trick, not tricks, hearts_broken)[0]
