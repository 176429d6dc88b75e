"""A complete player for Comp10001-Bo: all four questions, and a plain but sensible way to play.

It is one file with the function names of the assignment, as a student would hand it in.
"""

VALUES = "A234567890JQK"
RED_SUITS = "HD"
NUMBERS = (0, 1, 2, 3)

FROM_HAND, FROM_DISCARD, FROM_STOCKPILE, PASS = 0, 1, 2, 3
TO_BUILD, TO_DISCARD = 0, 1
NO_PLAY = (PASS, None, (None, None))


def is_red(card):
    """Whether the card is a heart or a diamond."""
    return card[1] in RED_SUITS


def distance(card, other):
    """Return how far apart the values of two cards are, from Ace (1) to King (13)."""
    return abs(VALUES.index(card[0]) - VALUES.index(other[0]))


def comp10001bo_match_build(play_card, build_pile):
    """Whether the card can be placed on the build pile."""
    if not build_pile:
        return play_card[0] in "2K"
    top = build_pile[-1]
    if is_red(play_card) != is_red(top):
        return False
    return play_card[0] == "A" or distance(play_card, top) == 1


def comp10001bo_match_discard(play_card, discard_pile, player_no, to_player_no, from_hand=True):
    """Return 0 if the card cannot be placed on the discard pile, 1 if it can, 2 if it can and that ends the turn."""
    if play_card[0] == "A":
        return 0
    if not discard_pile:
        return 2 if from_hand and player_no == to_player_no else 0
    top = discard_pile[-1]
    if is_red(play_card) != is_red(top) and distance(play_card, top) in (1, 11):
        return 1
    return 2 if from_hand else 0


def comp10001bo_is_valid_play(play, player_no, hand, stockpiles, discard_piles, build_piles):
    """Return 0 if the play is invalid, 1 if it is valid, 2 if it is valid and ends the turn, 3 if it rightly says that
    no play exists."""
    play_type, source, destination = play
    if play_type == PASS:
        return 0 if all_plays(player_no, hand, stockpiles, discard_piles, build_piles) else 3
    if not is_source(play_type, source, hand, stockpiles[player_no], discard_piles):
        return 0
    card = source[0] if play_type == FROM_DISCARD else source
    where, pile = destination
    if where == TO_BUILD:
        return int(pile in NUMBERS and comp10001bo_match_build(card, build_piles[pile]))
    owner, number = pile
    if owner not in NUMBERS or number not in NUMBERS:
        return 0
    if play_type == FROM_DISCARD and source[1] == pile:
        return 0
    discard_pile = discard_piles[owner][number]
    return comp10001bo_match_discard(card, discard_pile, player_no, owner, play_type == FROM_HAND)


def is_source(play_type, source, hand, stockpile, discard_piles):
    """Whether the card named by a play's source is where the play says it is."""
    if play_type == FROM_HAND:
        return source in hand
    if play_type == FROM_STOCKPILE:
        return source == stockpile[0]
    card, (owner, number) = source
    if owner not in NUMBERS or number not in NUMBERS:
        return False
    return discard_piles[owner][number][-1:] == [card]


def all_sources(player_no, hand, stockpiles, discard_piles):
    """Return every (play_type, source) from which the player can take a card."""
    sources = [(FROM_STOCKPILE, stockpiles[player_no][0])]
    sources += [(FROM_HAND, card) for card in hand]
    for owner in NUMBERS:
        for number in NUMBERS:
            if discard_piles[owner][number]:
                sources.append((FROM_DISCARD, (discard_piles[owner][number][-1], (owner, number))))
    return sources


def all_plays(player_no, hand, stockpiles, discard_piles, build_piles):
    """Return a list of (value, play) for every valid play except NO_PLAY. The value is 1 or 2, as
    comp10001bo_is_valid_play returns it."""
    destinations = [(TO_BUILD, number) for number in NUMBERS]
    destinations += [(TO_DISCARD, (owner, number)) for owner in NUMBERS for number in NUMBERS]
    plays = []
    for play_type, source in all_sources(player_no, hand, stockpiles, discard_piles):
        for destination in destinations:
            play = (play_type, source, destination)
            value = comp10001bo_is_valid_play(play, player_no, hand, stockpiles, discard_piles, build_piles)
            if value:
                plays.append((value, play))
    return plays


def comp10001bo_play(player_no, hand, stockpiles, discard_piles, build_piles, play_history):
    """Return the valid play that ranks first."""
    plays = all_plays(player_no, hand, stockpiles, discard_piles, build_piles)
    if not plays:
        return NO_PLAY
    top = stockpiles[player_no][0]
    return min(plays, key=lambda choice: rank(choice, top))[1]


def rank(choice, top):
    """Return the rank of a play; lower is better. The stockpile comes first, then a card of the hand that does not end
    the turn, then one that does, then a card of a discard pile."""
    value, (play_type, source, (where, _)) = choice
    if play_type == FROM_STOCKPILE:
        return 0
    if play_type == FROM_DISCARD:
        return 5
    if value == 1:
        return 1 if can_follow(top, source, where) else 2
    return 3 if can_follow(top, source, where) else 4


def can_follow(top, card, where):
    """Whether the top of the stockpile could go on the card once the card lies on a build or discard pile."""
    if where == TO_BUILD:
        return comp10001bo_match_build(top, [card])
    return comp10001bo_match_discard(top, [card], 0, 0, False) == 1
