# verdict: MALFORMED
# message: returned an object object
def play(hand):
    return object()
