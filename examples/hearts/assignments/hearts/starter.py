"""My player for Hearts.

Fill in the functions; keep their names and parameters. A card is a string of two characters, its value
('234567890JQKA', where '0' is a ten) and its suit ('CDSH').
"""


def hearts_legal_cards(hand, trick, first_trick, hearts_broken):
    """Return a list of the cards that may be played now, in any order.

    hand: a list of the cards that you hold
    trick: a list of the cards played to this trick so far; empty if you lead
    first_trick: whether this is the first trick of the hand
    hearts_broken: whether a heart has been played in this hand

    >>> hearts_legal_cards(['AD', '4S', 'QS', '7H'], ['2C'], True, False)
    ['AD', '4S']
    """


def hearts_trick_winner(trick, leader):
    """Return the number of the player who takes the trick.

    trick: a list of four cards in the order in which they were played
    leader: the number of the player who played the first of them

    >>> hearts_trick_winner(['4D', '0D', '8D', '9D'], 3)
    0
    """


def hearts_hand_scores(taken):
    """Return a list of the four players' scores for a hand.

    taken: a list of four lists, the cards that each player has taken

    >>> hearts_hand_scores([['2C', '3C', '4C', '5C'], ['QS', '2D', '3D', '4D'], [], ['2H', '3H', '7S', '8S']])
    [0, 13, 0, 2]
    """


def hearts_pass(hand, direction, scores, player_no):
    """Return a list of three cards to pass on.

    hand: a list of the thirteen cards that you hold, sorted by suit
    direction: 'left', 'right' or 'across'
    scores: a list of the four players' scores so far
    player_no: your number, 0 to 3

    >>> len(hearts_pass(['2C', '4C', '9C', 'JC', '2D', '5D', 'KD', '3S', 'QS', '2H', '5H', '9H', 'AH'],
    ...     'left', [0, 0, 0, 0], 2))
    3
    """


def hearts_play(hand, trick, tricks, hearts_broken, scores, player_no):
    """Return the card to play.

    hand: a list of the cards that you hold, sorted by suit
    trick: a list of the cards played to this trick so far; empty if you lead
    tricks: a list of the tricks of this hand that are over, each a tuple of the leader's number and the four cards
    hearts_broken: whether a heart has been played in this hand
    scores: a list of the four players' scores so far
    player_no: your number, 0 to 3

    >>> hearts_play(['4C', '7C', 'JC', '5D', '3S', '8S', '9S', 'QS', '2H', '6H', '7H', 'KH'], ['3D', 'JD'],
    ...     [(1, ['2C', '9C', 'KC', '5C'])], False, [13, 0, 4, 9], 1)
    '5D'
    """
