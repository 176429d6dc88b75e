# verdict: RTE
# message: Your program raised Trouble on line 9.
class Trouble(Exception):
    def __str__(self):
        raise SystemExit


def play(hand):
    raise Trouble
