"""The seed's bot: the first card that matches, and the colour of most cards."""


def uno_match(card, top, colour):
    """Whether the card may be played."""
    return card[0] == "W" or card[0] == colour or (top[0] != "W" and card[1] == top[1])


def uno_most_frequent_colour(hand):
    """The colour of most cards, the first of RYGB among equals."""
    colours = [card[0] for card in hand]
    return max("RYGB", key=colours.count)


def uno_pick_card(player_no, hand, top, colour, draw_pile_size, hand_sizes, play_history):
    """The first card that matches; a card from the pile if none does."""
    for index, card in enumerate(hand):
        if uno_match(card, top, colour):
            return index
    return -2


def uno_choose_colour(player_no, hand, top, colour, draw_pile_size, hand_sizes, play_history):
    """The colour of most cards."""
    return uno_most_frequent_colour(hand)
