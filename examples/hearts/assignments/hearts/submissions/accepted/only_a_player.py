# expect: q1=none q2=none q3=none q4=all
"""A player that may enter, though it answers no other question."""

import random


def legal(hand, trick, first_trick, hearts_broken):
    if trick:
        following = [card for card in hand if card[1] == trick[0][1]]
        harmless = [card for card in hand if card[1] != "H" and card != "QS"] if first_trick else []
        return following or harmless or hand
    if first_trick:
        return ["2C"]
    return [card for card in hand if hearts_broken or card[1] != "H"] or hand


def hearts_pass(hand, direction, scores, player_no):
    return hand[-3:]


def hearts_play(hand, trick, tricks, hearts_broken, scores, player_no):
    return random.choice(legal(hand, trick, not tricks, hearts_broken))
