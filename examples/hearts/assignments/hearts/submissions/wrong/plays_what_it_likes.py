# expect: q1=none q2=none q3=none q4=some
"""Plays its last card, whatever was led."""


def hearts_pass(hand, direction, scores, player_no):
    return hand[-3:]


def hearts_play(hand, trick, tricks, hearts_broken, scores, player_no):
    return hand[-1]
