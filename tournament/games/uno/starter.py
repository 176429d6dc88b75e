"""My player for Uno.

Fill in the five functions; keep their names and arguments. A card is a string of two characters: its colour ('R', 'Y',
'G', 'B', or 'W' for a wild card) and its number ('0' to '9') or action: 'S' skip, 'R' reverse, 'D' draw 2. 'WC' is the
wild card and 'WD' wild draw 4.
"""


def uno_match(card, top, colour):
    """Tell whether a card may be played.

    card: the card, such as 'R6'
    top: the top card of the discard pile
    colour: the colour to follow: 'R', 'Y', 'G' or 'B'; or 'W' if the first card of the game was a wild card, so that
        only wild cards match. On any card but a wild one it is that card's own colour.
    Return True or False.

    >>> uno_match('R6', 'WC', 'R')
    True
    """


def uno_hand_points(hand):
    """Add up what the cards of a hand count: numbers their value, actions 20, wild cards 50.

    hand: a list of cards, perhaps empty
    Return the sum, an integer.

    >>> uno_hand_points(['BD', 'BS', 'B7'])
    47
    """


def uno_most_frequent_colour(hand):
    """Find the colour that most cards of the hand have.

    hand: a list of cards, perhaps empty. Wild cards have no colour. Return 'R', 'Y', 'G' or 'B': the first of them, in
    this order, if several are equally frequent.

    >>> uno_most_frequent_colour(['GS', 'R0', 'RD', 'RR', 'YS'])
    'R'
    """


def uno_pick_card(player_no, hand, top, colour, draw_pile_size, hand_sizes, play_history):
    """Choose what to do in your turn. It is called only if you hold a card that matches or can draw one.

    player_no: your number, from 0
    hand: your cards, a list
    top: the top card of the discard pile
    colour: the colour to follow, as above
    draw_pile_size: how many cards are left to draw
    hand_sizes: a list of how many cards each player holds, by number
    play_history: a list of all that happened so far, tuples (player number, action, what):
        (1, 'play', 'R6')     player 1 played that card
        (1, 'colour', 'G')    player 1 chose that colour for the wild card just played
        (1, 'draw', 2)        player 1 drew so many cards
        (1, 'skip', None)     player 1 lost the turn
        (1, 'pass', None)     player 1 could neither play nor draw
    Return the index of a card of your hand that matches, or -2 to draw a card, which is possible while there are
    cards to draw. If the card that you draw matches, it is played at once.

    >>> uno_pick_card(0, ['R6', 'BD', 'GS', 'G9', 'YD', 'Y6'], 'WC', 'R', 41, [6, 9, 6, 6], [])
    0
    """


def uno_choose_colour(player_no, hand, top, colour, draw_pile_size, hand_sizes, play_history):
    """Choose the colour of the wild card that you have just played.

    The arguments are those of uno_pick_card; the card has left your hand already and is the top one.
    Return 'R', 'Y', 'G' or 'B'.

    >>> uno_choose_colour(2, ['GS', 'R0', 'RD', 'RR', 'YS'], 'WD', 'W', 40, [7, 8, 5, 6], [])
    'R'
    """
