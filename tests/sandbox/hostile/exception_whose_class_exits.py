# verdict: RTE
# message: Your program raised Trouble on line 10: 'text'
class Trouble(Exception):
    @property
    def __class__(self):
        raise KeyboardInterrupt


def play(hand):
    raise Trouble("text")
