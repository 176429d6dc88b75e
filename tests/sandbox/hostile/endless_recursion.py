# verdict: RTE
# message: called itself too many times
def play(hand):
    return play(hand)
