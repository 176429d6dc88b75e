# verdict: SYNTAX
# message: line 3
def play(hand:
    return hand[0]
