"""Hands as they may end: four cards to a trick, thirteen tricks."""

from tournament.games.cards import PACK

HEARTS = [card for card in PACK if card[1] == "H"]


def cases(rng):
    for _ in range(60):
        yield {"args": (dealt(rng, {}),), "title": "any hand"}
    for _ in range(20):
        one, other = rng.sample(range(4), 2)
        yield {"args": (dealt(rng, {one: [*HEARTS, "QS"]}),), "title": "a moon"}
        yield {"args": (dealt(rng, {one: HEARTS, other: ["QS"]}),), "title": "all the hearts, but not the queen"}
        yield {"args": (dealt(rng, {one: [*HEARTS[1:], "QS"], other: HEARTS[:1]}),), "title": "all but one heart"}


def dealt(rng, held):
    """Four lists of taken cards, each in fours; some seats are sure to have certain cards."""
    rest = [card for card in PACK if not any(card in cards for cards in held.values())]
    rng.shuffle(rest)
    taken = [list(held.get(seat, [])) for seat in range(4)]
    for cards in taken:
        while len(cards) % 4:
            cards.append(rest.pop())
    while rest:
        rng.choice(taken).extend(rest.pop() for _ in range(4))
    for cards in taken:
        rng.shuffle(cards)
    return taken
