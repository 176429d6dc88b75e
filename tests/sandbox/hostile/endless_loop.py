# verdict: TLE
def play(hand):
    while True:
        pass
