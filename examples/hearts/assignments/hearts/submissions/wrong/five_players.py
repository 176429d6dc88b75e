# expect: q1=none q2=some q3=none q4=none
"""Does not go on with player 0 after player 3."""


def hearts_trick_winner(trick, leader):
    followed = [card for card in trick if card[1] == trick[0][1]]
    return leader + trick.index(max(followed, key=lambda card: "234567890JQKA".index(card[0])))
