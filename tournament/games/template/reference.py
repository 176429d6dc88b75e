ORDER = "A234567890JQK"


def newgame_play(hand, led):
    ordered = sorted(hand, key=value)
    if led is None:
        return ordered[-1]
    winning = [card for card in ordered if value(card) > value(led)]
    return winning[0] if winning else ordered[0]


def value(card):
    return ORDER.index(card[0])
