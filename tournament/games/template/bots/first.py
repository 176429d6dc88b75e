def newgame_play(hand, led):
    return hand[0]
