# verdict: OLE
def play(hand):
    for _ in range(20_000):
        print('x' * 100)
    return hand[0]
