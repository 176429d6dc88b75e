"""A complete player for Hearts: all questions, and a plain but sensible way to play.

It is one file without imports, as a student would hand it in.
"""

RANKS = "234567890JQKA"


def hearts_legal_cards(hand, trick, first_trick, hearts_broken):
    """The cards of the hand that may be played."""
    if trick:
        following = [card for card in hand if card[1] == trick[0][1]]
        if following:
            return following
        harmless = [card for card in hand if points(card) == 0]
        return harmless if first_trick and harmless else hand
    if first_trick:
        return ["2C"]
    plain = [card for card in hand if card[1] != "H"]
    return plain if plain and not hearts_broken else hand


def hearts_trick_winner(trick, leader):
    """The seat that takes the four cards."""
    best = 0
    for place in range(1, 4):
        if trick[place][1] == trick[best][1] and rank(trick[place]) > rank(trick[best]):
            best = place
    return (leader + best) % 4


def hearts_hand_scores(taken):
    """What each player scores for the cards that it took."""
    scores = [sum(map(points, cards)) for cards in taken]
    return [26 - score for score in scores] if 26 in scores else scores


def points(card):
    """1 for a heart, 13 for the queen of spades."""
    return 13 if card == "QS" else int(card[1] == "H")


def rank(card):
    """0 for a two, 12 for an ace."""
    return RANKS.index(card[0])


def hearts_pass(hand, direction, scores, player_no):
    """The highest spades, then the highest cards."""
    return sorted(hand, key=lambda card: (card in ("QS", "KS", "AS"), rank(card)))[-3:]


def hearts_play(hand, trick, tricks, hearts_broken, scores, player_no):
    """The highest card that stays under the trick, or the worst card to discard; otherwise the lowest card."""
    legal = hearts_legal_cards(hand, trick, not tricks, hearts_broken)
    if not trick:
        return min(legal, key=rank)
    if legal[0][1] != trick[0][1]:
        return max(legal, key=lambda card: (points(card), rank(card)))
    best = max(rank(card) for card in trick if card[1] == trick[0][1])
    under = [card for card in legal if rank(card) < best]
    return max(under, key=rank) if under else min(legal, key=rank)
