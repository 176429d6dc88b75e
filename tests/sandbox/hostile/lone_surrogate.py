# verdict: MALFORMED
# message: lone surrogate
def play(hand):
    return '\ud800'
