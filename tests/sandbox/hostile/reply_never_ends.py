# verdict: ILLEGAL
# The plain content is read without running any of the methods.
class Endless(str):
    def __str__(self):
        while True:
            pass

    __repr__ = __len__ = __iter__ = __hash__ = __eq__ = __str__


def play(hand):
    return Endless('SA')
