def newgame_play(hand, led):
    """Return a card of `hand`; `led` is the card to beat, or None if you lead.

    >>> newgame_play(['4S'], None)
    '4S'
    """
