# verdict: MALFORMED
# message: the limit is 65,536
def play(hand):
    return 'A' * 1_000_000
