# verdict: MALFORMED


def play(hand):
    print(hand[0], file=open(3, "w", closefd=False), flush=True)
    return hand[0]
