"""Every legal answer."""

from game.positions import UnoPosition


def uno_pick_card(player_no, hand, top, colour, draw_pile_size, hand_sizes, play_history):
    return UnoPosition(player_no, hand, top, colour, draw_pile_size, hand_sizes, play_history).picks()
