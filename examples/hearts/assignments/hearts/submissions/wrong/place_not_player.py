# expect: q1=none q2=some q3=none q4=none
"""Returns the place of the best card in the trick, not the player's number."""


def hearts_trick_winner(trick, leader):
    followed = [card for card in trick if card[1] == trick[0][1]]
    return trick.index(max(followed, key=lambda card: "234567890JQKA".index(card[0])))
