# verdict: MISSING
# message: Your file lacks what this game needs: 'Nothing. This player qualifies.'
import _quadrille


def play(hand):
    raise _quadrille.Missing("Nothing. This player qualifies.")
