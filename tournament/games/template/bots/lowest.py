def newgame_play(hand, led):
    return min(hand, key=lambda card: "A234567890JQK".index(card[0]))
