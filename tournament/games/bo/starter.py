"""My player for Comp10001-Bo.

Fill in the four functions; keep their names and arguments. A card is a string of two characters, its value
('A234567890JQK', where '0' is a ten) and its suit ('SHDC'). The last card of a pile is the top one.

If your player stores anything from one play to the next, such as the state of the game or its strategy, it may use one
single global variable for that. This variable can be a dictionary or an instance of a class, and contain anything.
"""


def comp10001bo_match_build(play_card, build_pile):
    """Tell whether a card can be placed on a build pile.

    play_card: the card, such as '3C'
    build_pile: a list of cards, perhaps empty
    Return True or False.

    >>> comp10001bo_match_build('3C', ['2C'])
    True
    """


def comp10001bo_match_discard(play_card, discard_pile, player_no, to_player_no, from_hand=True):
    """Tell whether a card can be placed on a discard pile, and whether that ends the turn.

    play_card: the card
    discard_pile: a list of cards, perhaps empty
    player_no: who plays, 0 to 3
    to_player_no: whose discard pile it is, 0 to 3
    from_hand: True if the card comes from the hand, False if from the stockpile or another discard pile
    Return 0 (it cannot), 1 (it can, and the turn goes on) or 2 (it can, and the turn ends).

    >>> comp10001bo_match_discard('4S', ['3H'], 2, 3)
    1
    """


def comp10001bo_is_valid_play(play, player_no, hand, stockpiles, discard_piles, build_piles):
    """Tell whether a whole play is valid.

    play: a tuple (play_type, source, destination), where play_type and source are
        0 and a card of the hand,
        1 and a tuple such as ('7H', (2, 1)), the top card of discard pile 1 of player 2,
        2 and the top card of the player's own stockpile, or
        3 and None: no play is possible;
      and destination is
        (0, 3) for build pile 3,
        (1, (2, 3)) for discard pile 3 of player 2, or
        (None, None) when no play is possible
    player_no: who plays, 0 to 3
    hand: the player's cards, a list
    stockpiles: for each player a tuple (top card, number of cards)
    discard_piles: for each player a tuple of four lists of cards
    build_piles: a tuple of four lists of cards
    Return 0 (invalid), 1 (valid, and the turn goes on), 2 (valid, and the turn ends) or
    3 (it says that no play is possible, and that is so).

    >>> comp10001bo_is_valid_play((0, '2C', (0, 0)), 0, ['2C', 'AS', '9D', '0D', '0S'],
    ...     (('9C', 8), ('0D', 8), ('3H', 8), ('KD', 8)),
    ...     (([], [], [], []), ([], [], [], []), ([], [], [], []), ([], [], [], [])),
    ...     ([], [], [], []))
    1
    """


def comp10001bo_play(player_no, hand, stockpiles, discard_piles, build_piles, play_history):
    """Choose a play. It is called again and again until the turn ends.

    player_no, hand, stockpiles, discard_piles, build_piles: as above
    play_history: a list of every play of the game so far, each a tuple (player number, play)
    Return a play as described above.

    >>> comp10001bo_play(1, [], (('7H', 7), ('3C', 8), ('3H', 8), ('KD', 8)),
    ...     ((['7H'], [], [], []), ([], [], [], []), ([], [], [], []), ([], [], [], [])),
    ...     (['2C'], [], [], []), [(0, (2, '2C', (0, 0))), (0, (3, None, (None, None)))])
    (2, '3C', (0, 0))
    """
