"""Positions out of random games, some for each rule."""

from game import positions as p

QUOTAS = {
    p.FIRST_CARD: 10,
    p.FOLLOW: 60,
    p.DISCARD: 60,
    p.NO_POINTS: 40,
    p.ONLY_POINTS: 10,
    p.LEAD: 60,
    p.NOT_BROKEN: 60,
    p.ONLY_HEARTS: 10,
}


def cases(rng):
    for position in p.of_each_kind(rng, QUOTAS):
        args = (position.hand, position.trick, not position.tricks, position.hearts_broken)
        yield {"args": args, "title": position.kind}
