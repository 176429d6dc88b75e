# verdict: MALFORMED
# message: no ordinary number
def play(hand):
    return float('nan')
