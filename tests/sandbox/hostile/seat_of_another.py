# verdict: ILLEGAL
def play(hand):
    return (1, hand[0])
