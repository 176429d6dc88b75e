# verdict: MLE
def play(hand):
    cards = []
    while True:
        cards.append(bytearray(1 << 20))
