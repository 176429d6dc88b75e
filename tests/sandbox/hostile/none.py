# verdict: ILLEGAL
def play(hand):
    return None
