# expect: q1=none q2=some q3=none q4=none
"""Forgets that only the suit led can take a trick."""


def hearts_trick_winner(trick, leader):
    best = max(trick, key=lambda card: "234567890JQKA".index(card[0]))
    return (leader + trick.index(best)) % 4
