"""Random tricks, in which from one to four cards follow suit."""

VALUES = "234567890JQKA"
SUITS = "CDSH"


def cases(rng):
    for number in range(120):
        following = number % 4 + 1
        led = rng.choice(SUITS)
        trick = rng.sample([value + led for value in VALUES], following)
        others = [value + suit for suit in SUITS if suit != led for value in VALUES]
        rest = trick[1:] + rng.sample(others, 4 - following)
        rng.shuffle(rest)
        title = "only the card led" if following == 1 else f"{following} cards of the suit"
        yield {"args": ([trick[0], *rest], rng.randrange(4)), "title": title}
