# verdict: ILLEGAL
def play(hand):
    return True
