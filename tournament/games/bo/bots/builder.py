"""Puts whatever it can on the build piles, hand first, and looks no further than the first play it finds."""

NO_PLAY = (3, None, (None, None))
VALUES = "A234567890JQK"
NUMBERS = range(4)


def comp10001bo_match_build(play_card, build_pile):
    """Whether the card may go on the build pile."""
    if not build_pile:
        return play_card[0] in "2K"
    top = build_pile[-1]
    if (play_card[1] in "HD") != (top[1] in "HD"):
        return False
    return play_card[0] == "A" or abs(VALUES.index(play_card[0]) - VALUES.index(top[0])) == 1


def comp10001bo_match_discard(play_card, discard_pile, player_no, to_player_no, from_hand=True):
    """0, 1 or 2: may not go on the discard pile, may go, may go and ends the turn."""
    if play_card[0] == "A":
        return 0
    if not discard_pile:
        return 2 if from_hand and player_no == to_player_no else 0
    top = discard_pile[-1]
    distance = abs(VALUES.index(play_card[0]) - VALUES.index(top[0]))
    if (play_card[1] in "HD") != (top[1] in "HD") and distance in (1, 11):
        return 1
    return 2 if from_hand else 0


def comp10001bo_play(player_no, hand, stockpiles, discard_piles, build_piles, play_history):
    """Build from the hand, the stockpile and the discard piles; then the stockpile elsewhere; then discard."""
    top = stockpiles[player_no][0]
    sources = [(0, card, card) for card in hand]
    sources.append((2, top, top))
    for owner in NUMBERS:
        for pile in NUMBERS:
            if discard_piles[owner][pile]:
                card = discard_piles[owner][pile][-1]
                sources.append((1, (card, (owner, pile)), card))
    for play_type, source, card in sources:
        for pile in NUMBERS:
            if comp10001bo_match_build(card, build_piles[pile]):
                return (play_type, source, (0, pile))
    for wanted in (1, 2):
        for play_type, source, card in sources:
            if play_type == 1:
                continue
            for owner in NUMBERS:
                for pile in NUMBERS:
                    cards = discard_piles[owner][pile]
                    value = comp10001bo_match_discard(card, cards, player_no, owner, play_type == 0)
                    if value == wanted:
                        return (play_type, source, (1, (owner, pile)))
    return last_resort(sources, discard_piles)


def last_resort(sources, discard_piles):
    """A card that can only move from one discard pile to another, or nothing."""
    for play_type, source, card in sources:
        if play_type != 1:
            continue
        for owner in NUMBERS:
            for pile in NUMBERS:
                value = comp10001bo_match_discard(card, discard_piles[owner][pile], owner, owner, False)
                if value and source[1] != (owner, pile):
                    return (play_type, source, (1, (owner, pile)))
    return NO_PLAY
