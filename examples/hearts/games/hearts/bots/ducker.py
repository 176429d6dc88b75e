"""Ducks under the highest card of the trick with its own highest, and discards what hurts most."""


def rank(card):
    """0 for a two … 12 for an ace."""
    return "234567890JQKA".index(card[0])


def points(card):
    return 13 if card == "QS" else int(card[1] == "H")


def hearts_legal_cards(hand, trick, first_trick, hearts_broken):
    """The cards of the hand that may be played."""
    if trick:
        following = [card for card in hand if card[1] == trick[0][1]]
        harmless = [card for card in hand if not points(card)] if first_trick else []
        return following or harmless or hand
    if first_trick:
        return ["2C"]
    return [card for card in hand if hearts_broken or card[1] != "H"] or hand


def hearts_pass(hand, direction, scores, player_no):
    """The most dangerous cards."""
    return sorted(hand, key=danger)[-3:]


def danger(card):
    """How much one would like to be rid of the card."""
    if card[1] == "S" and rank(card) >= rank("QS"):
        return 30 if card == "QS" else 20
    return rank(card) + 2 * points(card)


def hearts_play(hand, trick, tricks, hearts_broken, scores, player_no):
    """A low card to lead; the highest one that does not take the trick; or the worst one to discard."""
    legal = hearts_legal_cards(hand, trick, not tricks, hearts_broken)
    if not trick:
        return min(legal, key=rank)
    led = trick[0][1]
    if legal[0][1] != led:
        return max(legal, key=danger)
    best = max(rank(card) for card in trick if card[1] == led)
    under = [card for card in legal if rank(card) < best]
    if under:
        return "QS" if "QS" in under else max(under, key=rank)
    if len(trick) == 3:
        return max((card for card in legal if card != "QS"), key=rank, default="QS")
    return min(legal, key=rank)
