"""Plays its stockpile whenever it can, makes room for it with one card if it can, and discards towards it."""

NO_PLAY = (3, None, (None, None))
VALUES = "A234567890JQK"
NUMBERS = range(4)


def is_red(card):
    """Hearts and diamonds."""
    return card[1] in "HD"


def distance(card, other):
    """How far apart the values are, an Ace being 0 and a King 12."""
    return abs(VALUES.index(card[0]) - VALUES.index(other[0]))


def comp10001bo_match_build(play_card, build_pile):
    """Whether the card may go on the build pile."""
    if not build_pile:
        return play_card[0] in "2K"
    top = build_pile[-1]
    return is_red(play_card) == is_red(top) and (play_card[0] == "A" or distance(play_card, top) == 1)


def comp10001bo_match_discard(play_card, discard_pile, player_no, to_player_no, from_hand=True):
    """0, 1 or 2: may not go on the discard pile, may go, may go and ends the turn."""
    if play_card[0] == "A":
        return 0
    if not discard_pile:
        return 2 if from_hand and player_no == to_player_no else 0
    top = discard_pile[-1]
    if is_red(play_card) != is_red(top) and distance(play_card, top) in (1, 11):
        return 1
    return 2 if from_hand else 0


def places(card, build_piles, discard_piles):
    """Every pile that takes the card without ending the turn, build piles first."""
    found = [(0, pile) for pile in NUMBERS if comp10001bo_match_build(card, build_piles[pile])]
    for owner in NUMBERS:
        for pile in NUMBERS:
            if comp10001bo_match_discard(card, discard_piles[owner][pile], owner, owner, False):
                found.append((1, (owner, pile)))
    return found


def comp10001bo_play(player_no, hand, stockpiles, discard_piles, build_piles, play_history):
    """The stockpile, then a card for it to stand on, then whatever goes from the hand, then a discard."""
    top = stockpiles[player_no][0]
    for place in places(top, build_piles, discard_piles):
        return (2, top, place)
    moves = []
    for card in hand:
        for place in places(card, build_piles, discard_piles):
            moves.append((0, card, place))
    for move in moves:
        if welcomes(move[1], move[2], top, build_piles):
            return move
    if moves:
        return moves[0]
    return discard(player_no, hand, top, discard_piles) or tidy(discard_piles, build_piles)


def welcomes(card, place, top, build_piles):
    """Whether the top of the stockpile could go onto the card, once it is played to the place."""
    if place[0] == 1:
        return comp10001bo_match_discard(top, [card], 0, 0, False) == 1
    completes = build_piles[place[1]] and card[0] in "2KA"
    return not completes and comp10001bo_match_build(top, [card])


def discard(player_no, hand, top, discard_piles):
    """Give up a card that the stockpile can follow on, or else the first that is no Ace."""
    cards = [card for card in hand if card[0] != "A"]
    cards.sort(key=lambda card: comp10001bo_match_discard(top, [card], 0, 0, False) != 1)
    for card in cards:
        for pile in NUMBERS:
            if not discard_piles[player_no][pile]:
                return (0, card, (1, (player_no, pile)))
        return (0, card, (1, (player_no, 0)))
    return None


def tidy(discard_piles, build_piles):
    """Move a card off a discard pile, if nothing else is left; or nothing at all."""
    for owner in NUMBERS:
        for pile in NUMBERS:
            if discard_piles[owner][pile]:
                card = discard_piles[owner][pile][-1]
                for place in places(card, build_piles, discard_piles):
                    if place != (1, (owner, pile)):
                        return (1, (card, (owner, pile)), place)
    return NO_PLAY
