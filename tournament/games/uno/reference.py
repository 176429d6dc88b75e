"""A complete player for Uno: all questions, and a plain but sensible way to play.

It is one file with the function names of the assignment, as a student would hand it in.
"""

COLOURS = "RYGB"
DRAW = -2


def uno_match(card, top, colour):
    """Whether the card may be played on the top card when that colour must be followed."""
    if card[0] == "W" or card[0] == colour:
        return True
    return top[0] != "W" and card[1] == top[1]


def uno_hand_points(hand):
    """Return the total points of the cards in the hand."""
    return sum(card_points(card) for card in hand)


def card_points(card):
    """Return the points of one card: 50 for a wild card, 20 for an action, and the value of a number."""
    if card[0] == "W":
        return 50
    if card[1] in "SRD":
        return 20
    return int(card[1])


def uno_most_frequent_colour(hand):
    """Return the colour that most cards of the hand have; the first of R, Y, G, B if several do."""
    best, most = "R", 0
    for colour in COLOURS:
        number = count_colour(hand, colour)
        if number > most:
            best, most = colour, number
    return best


def count_colour(hand, colour):
    """Return how many cards of the hand have that colour."""
    return sum(card[0] == colour for card in hand)


def uno_pick_card(player_no, hand, top, colour, draw_pile_size, hand_sizes, play_history):
    """Return the index of the matching card that ranks first; DRAW if no card matches."""
    matching = [index for index, card in enumerate(hand) if uno_match(card, top, colour)]
    if not matching:
        return DRAW
    others = hand_sizes[:player_no] + hand_sizes[player_no + 1 :]
    strike = min(others) <= 2
    return max(matching, key=lambda index: rank(hand[index], hand, strike))


def rank(card, hand, strike):
    """Return the rank of a card; higher is better. Strike if somebody is close to the end, keep wild cards, and stay in
    a colour held often."""
    strikes = strike and card[1] in "SD"
    return (strikes, card[0] != "W", count_colour(hand, card[0]), card_points(card))


def uno_choose_colour(player_no, hand, top, colour, draw_pile_size, hand_sizes, play_history):
    """Return the colour that most of the remaining cards have."""
    return uno_most_frequent_colour(hand)
