# verdict: MLE
def play(hand):
    cards = []
    while True:
        cards.append([1])
