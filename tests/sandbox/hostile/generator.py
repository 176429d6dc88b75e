# verdict: MALFORMED
# message: returned a generator object; only numbers
def play(hand):
    return (card for card in hand)
