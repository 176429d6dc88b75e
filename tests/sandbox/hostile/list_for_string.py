# verdict: ILLEGAL
def play(hand):
    return [hand[0]]
