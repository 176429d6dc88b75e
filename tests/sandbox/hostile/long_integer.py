# verdict: MALFORMED
# message: thousands of digits
def play(hand):
    return 10**4_000
