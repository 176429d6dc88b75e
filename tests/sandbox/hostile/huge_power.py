# verdict: TLE
def play(hand):
    return 10 ** (10**8)
