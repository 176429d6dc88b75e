def newgame_play(hand, led):
    return max(hand, key=lambda card: "A234567890JQK".index(card[0]))
