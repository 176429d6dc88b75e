# verdict: RTE
# message: nobody to type it
def play(hand):
    return input('card? ')
