# expect: q1=none q2=some q3=none q4=none
"""Takes an ace for a one."""


def hearts_trick_winner(trick, leader):
    followed = [card for card in trick if card[1] == trick[0][1]]
    best = max(followed, key=lambda card: "A234567890JQK".index(card[0]))
    return (leader + trick.index(best)) % 4
