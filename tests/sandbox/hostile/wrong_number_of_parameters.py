# verdict: MISSING
# message: play(hand, log) will be called with 1 argument
def play(hand, log):
    return hand[0]
