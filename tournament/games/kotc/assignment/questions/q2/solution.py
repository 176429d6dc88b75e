"""Every turn in which the rules allow a card to be played."""

from game.positions import KotcPosition


def kotc_turn(hand, discard, draw_pile, hand_sizes):
    return KotcPosition(hand, discard, draw_pile, hand_sizes).turns(may_skip=False)
