"""My player for Phazed.

Fill in the five functions; keep their names and arguments. A card is a string of two characters, its value
('234567890JQKA', where '0' is a ten and Aces are wild) and its suit ('SHDC').
"""


def phazed_group_type(group):
    """Tell which combinations a whole group of cards is.

    group: a list of cards
    Return a sorted list of numbers, empty if the group is none of these:
        1 a set of three cards of the same value
        2 a set of seven cards of the same suit
        3 a set of four cards of the same value
        4 a run of eight cards
        5 a run of four cards of the same colour
        6 a 34-accumulation
        7 a 34-accumulation of cards of the same colour

    >>> phazed_group_type(['KS', '0C', '8C', '3S'])
    [6, 7]
    """


def phazed_phase_type(phase):
    """Tell which phases some groups make.

    phase: a list of groups, each a list of cards; the order of the groups matters
    Return a sorted list of the numbers of the phases, 1 to 7, empty if it is none.

    >>> phazed_phase_type([['4H', '5D', 'AC', '7H'], ['7H', '7C', 'AH', 'AS']])
    [7]
    """


def phazed_is_valid_play(play, player_id, table, turn_history, phase_status, hand, discard):
    """Tell whether a play is valid.

    play: one of the tuples
        (1, card): the card was drawn from the deck
        (2, card): the card is taken from the discard pile
        (3, (phase number, groups)): a phase is played
        (4, (card, (player, group number, index))): a card is placed on a group on the table
        (5, card): the card is discarded, and the turn ends
    player_id: who plays, 0 to 3
    table: for each player a tuple of the phase played in this hand and its groups, or (None, [])
    turn_history: the turns of this hand, each a tuple (player, list of plays); a card that was drawn from the deck is
        'XX' there
    phase_status: for each player the last phase achieved in the game, 0 at first
    hand: the player's cards, a list
    discard: the top card of the discard pile, or None if it is empty
    Return True or False.

    >>> phazed_is_valid_play((3, (1, [['2S', '2S', '2C'], ['AS', '5S', '5S']])), 0,
    ...     [(None, []), (None, []), (None, []), (None, [])],
    ...     [(0, [(2, 'JS')])], [0, 0, 0, 0],
    ...     ['AS', '2S', '2S', '2C', '5S', '5S', '7S', '8S', '9S', '0S', 'JS'], None)
    True
    """


def phazed_score(hand):
    """Count the penalty points for the cards left in a hand.

    hand: a list of cards
    Return a whole number.

    >>> phazed_score(['2D', '9S', 'AD', '0D'])
    46
    """


def phazed_play(player_id, table, turn_history, phase_status, hand, discard):
    """Choose one play. It is called again and again until the turn ends.

    player_id, table, turn_history, phase_status, hand, discard: as above
    Return a play as described above, but to draw from the deck (1, None), since the card is not known yet.

    >>> phazed_play(1,
    ...     [(None, []), (5, [['2C', '3H', '4D', 'AD', '6S', '7C', '8S', '9H', '0S', 'JS']]), (None, []), (None, [])],
    ...     [(0, [(2, 'JS'), (5, 'JS')]),
    ...      (1, [(2, 'JS'), (3, (5, [['2C', '3H', '4D', 'AD', '6S', '7C', '8S', '9H']])),
    ...           (4, ('0S', (1, 0, 8))), (4, ('JS', (1, 0, 9)))])],
    ...     [0, 5, 0, 0], ['5D'], None)
    (5, '5D')
    """
