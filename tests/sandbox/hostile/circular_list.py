# verdict: MALFORMED
# message: contains itself
def play(hand):
    hand.append(hand)
    return hand
