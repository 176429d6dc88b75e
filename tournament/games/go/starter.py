"""My player for Comp10001-Go.

Fill in the functions; keep their names and arguments. A card is a string of two characters, its value
('A234567890JQK', where '0' is a ten) and its suit ('SHDC').
"""


def comp10001huxxy_valid_table(groups):
    """Tell whether all groups on a table are valid. (This one is about a sister game, which has two packs.)

    groups: a list of lists of cards
    Return True if each group is an N-of-a-kind (three cards or more of one value; three must have different suits,
    and four or more must show all suits) or a run (three cards or more in any order whose values follow each other
    and whose colours alternate); otherwise False.

    >>> comp10001huxxy_valid_table([['3C', 'AS', '2H']])
    True
    """


def comp10001go_valid_groups(groups):
    """Tell whether all groups are valid.

    groups: a list of lists of cards, with up to ten cards in all
    Return True if each group is a single card, an N-of-a-kind (two cards or more of one value, no Aces) or a run
    (three cards or more in any order whose values follow each other and whose colours alternate; an Ace stands for a
    card of its colour that is missing inside); otherwise False.

    >>> comp10001go_valid_groups([['KC', 'KH', 'KS', 'KD'], ['2C', '3H']])
    False
    """


def comp10001go_play(discard_history, player_no, hand):
    """Choose a card to discard. It is called ten times in a game.

    discard_history: a list with one list for each turn that is over: the cards discarded by players 0, 1, 2 and 3
    player_no: your number, 0 to 3
    hand: a list of the cards that you hold in this turn
    Return one card of the hand.

    >>> comp10001go_play([['0S', 'KH', 'AC', '3C'], ['JH', 'AD', 'QS', '5H'], ['9C', '8S', 'QH', '9S'],
    ...     ['8C', '9D', '0D', 'JS'], ['5C', 'AH', '5S', '4C'], ['8H', '2D', '6C', '2C'], ['8D', '4D', 'JD', 'AS'],
    ...     ['0H', '6S', '2H', 'KC'], ['KS', 'KD', '7S', '6H']], 3, ['QC'])
    'QC'
    """


def comp10001go_group(discard_history, player_no):
    """Group your ten discards. It is called once, after the last turn.

    discard_history, player_no: as above
    Return a list of lists of cards: valid groups, with each of your discards in one of them.

    >>> comp10001go_group([['0S', 'KH', 'AC', '3C'], ['JH', 'AD', 'QS', '5H'], ['9C', '8S', 'QH', '9S'],
    ...     ['8C', '9D', '0D', 'JS'], ['5C', 'AH', '5S', '4C'], ['8H', '2D', '6C', '2C'], ['8D', '4D', 'JD', 'AS'],
    ...     ['0H', '6S', '2H', 'KC'], ['KS', 'KD', '7S', '6H'], ['JC', 'QD', '4H', 'QC']], 3)
    [['3C'], ['5H'], ['9S'], ['JS'], ['4C'], ['2C'], ['AS'], ['KC'], ['6H'], ['QC']]
    """


def comp10001go_best_partitions(cards):
    """Find all best ways to group cards. (This is the bonus question; leave it for last.)

    cards: a list of up to ten cards
    Return a list of groupings, each a list of lists of cards: all those that score most, in any order. There is a time
    limit, in which it is not possible to try everything.

    >>> comp10001go_best_partitions(['3C', '5H', '9S', 'JS', '4C', '2C', 'AS', 'KC', '6H', 'QC'])
    [[['3C'], ['5H'], ['9S'], ['JS'], ['4C'], ['2C'], ['AS'], ['KC'], ['6H'], ['QC']]]
    """
