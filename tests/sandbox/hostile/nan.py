# verdict: MALFORMED
# message: not an ordinary number
def play(hand):
    return float('nan')
