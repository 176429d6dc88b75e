# verdict: MALFORMED
import _quadrille


def play(hand):
    return _quadrille.ask('draw')
