# verdict: RTE
# message: ValueError on line 4: 'no idea'
def play(hand):
    raise ValueError('no idea')
