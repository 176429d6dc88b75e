"""Plays the first card that matches, like the seed's bot, but keeps its wild cards for last: they always match."""


def uno_match(card, top, colour):
    """Whether the card may be played."""
    return card[0] == "W" or card[0] == colour or (top[0] != "W" and card[1] == top[1])


def uno_most_frequent_colour(hand):
    """The colour of most cards, the first of RYGB among equals."""
    colours = [card[0] for card in hand]
    return max("RYGB", key=colours.count)


def uno_pick_card(player_no, hand, top, colour, draw_pile_size, hand_sizes, play_history):
    """The first card that matches and is not wild, then a wild card, then a card from the pile."""
    matching = [index for index, card in enumerate(hand) if uno_match(card, top, colour)]
    return min(matching, key=lambda index: hand[index][0] == "W", default=-2)


def uno_choose_colour(player_no, hand, top, colour, draw_pile_size, hand_sizes, play_history):
    """The colour of most cards."""
    return uno_most_frequent_colour(hand)
