# verdict: MLE
def play(hand):
    raise MemoryError
