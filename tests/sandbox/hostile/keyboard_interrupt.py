# verdict: RTE
def play(hand):
    raise KeyboardInterrupt
