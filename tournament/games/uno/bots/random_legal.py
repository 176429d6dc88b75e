"""Any legal play at random, drawing included: the least that a player must beat."""

import random


def uno_match(card, top, colour):
    """Whether the card may be played."""
    return card[0] == "W" or card[0] == colour or (top[0] != "W" and card[1] == top[1])


def uno_pick_card(player_no, hand, top, colour, draw_pile_size, hand_sizes, play_history):
    """An index of a card that matches, or -2."""
    plays = [index for index, card in enumerate(hand) if uno_match(card, top, colour)]
    if draw_pile_size:
        plays.append(-2)
    return random.choice(plays)


def uno_choose_colour(player_no, hand, top, colour, draw_pile_size, hand_sizes, play_history):
    """Any colour."""
    return random.choice("RYGB")
