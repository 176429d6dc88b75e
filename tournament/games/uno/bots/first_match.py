"""The bot described in the seed: plays the first card that matches, and chooses the colour of which it holds most
cards."""


def uno_match(card, top, colour):
    """Whether the card may be played."""
    return card[0] == "W" or card[0] == colour or (top[0] != "W" and card[1] == top[1])


def uno_most_frequent_colour(hand):
    """The colour that most cards have; the first of R, Y, G, B if several do."""
    colours = [card[0] for card in hand]
    return max("RYGB", key=colours.count)


def uno_pick_card(player_no, hand, top, colour, draw_pile_size, hand_sizes, play_history):
    """The first card that matches, or a draw if none does."""
    for index, card in enumerate(hand):
        if uno_match(card, top, colour):
            return index
    return -2


def uno_choose_colour(player_no, hand, top, colour, draw_pile_size, hand_sizes, play_history):
    """The colour that most cards have."""
    return uno_most_frequent_colour(hand)
