# verdict: MALFORMED
# message: at most 65,536
def play(hand):
    return 'A' * 1_000_000
