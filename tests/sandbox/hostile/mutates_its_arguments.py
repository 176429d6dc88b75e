# verdict: survives
# calls: 3
def play(hand):
    card = hand[0]
    hand.clear()
    hand.append("SA")
    return card
