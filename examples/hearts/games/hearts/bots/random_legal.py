"""Any legal card at random: the least that a player must beat."""

import random


def hearts_legal_cards(hand, trick, first_trick, hearts_broken):
    """The cards of the hand that may be played."""
    if trick:
        following = [card for card in hand if card[1] == trick[0][1]]
        harmless = [card for card in hand if card[1] != "H" and card != "QS"] if first_trick else []
        return following or harmless or hand
    if first_trick:
        return ["2C"]
    return [card for card in hand if hearts_broken or card[1] != "H"] or hand


def hearts_pass(hand, direction, scores, player_no):
    """Any three cards."""
    return random.sample(hand, 3)


def hearts_play(hand, trick, tricks, hearts_broken, scores, player_no):
    """Any legal card."""
    return random.choice(hearts_legal_cards(hand, trick, not tricks, hearts_broken))
