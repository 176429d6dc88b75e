# verdict: TLE
class Endless(Exception):
    def __str__(self):
        while True:
            pass


def play(hand):
    raise Endless()
