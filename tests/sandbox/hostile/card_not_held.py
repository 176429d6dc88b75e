# verdict: ILLEGAL
def play(hand):
    return 'SA'
