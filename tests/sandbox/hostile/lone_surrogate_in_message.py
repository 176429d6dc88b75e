# verdict: RTE
# message: raised ValueError on line 6: 'a ?
# An exception's text is shown whatever is in it.
def play(hand):
    if hand:
        raise ValueError("a \ud800\0")
