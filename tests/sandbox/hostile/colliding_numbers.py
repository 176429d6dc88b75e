# verdict: ILLEGAL
# Thousands of numbers with one hash: slow to make into a set, for us too, and no slower than a reply may be.
def play(hand):
    return {i * (2**61 - 1) for i in range(1, 2800)}
