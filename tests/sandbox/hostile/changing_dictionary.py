# verdict: ILLEGAL
class Changing(dict):
    def items(self):
        while True:
            yield from list(super().items())

    __iter__ = keys = values = __len__ = items


def play(hand):
    return Changing(card="HQ")
