# verdict: MALFORMED
def play(hand):
    cards = []
    for _ in range(1000):
        cards = [cards]
    return cards
