# verdict: MISSING
# message: does not define the function play
def pley(hand):
    return hand[0]
