# verdict: MLE
x = (1 << 19**8,) * 4**7


def play(hand):
    return hand[0]
