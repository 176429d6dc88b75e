"""Positions out of random games, some for each rule."""

from game import positions as p

QUOTAS = {
    p.FIRST_CARD: 5,
    p.FOLLOW: 40,
    p.DISCARD: 20,
    p.NO_POINTS: 30,
    p.ONLY_POINTS: 5,
    p.LEAD: 20,
    p.NOT_BROKEN: 40,
    p.ONLY_HEARTS: 10,
}


def cases(rng):
    for position in p.of_each_kind(rng, QUOTAS):
        yield {"args": tuple(position), "title": position.kind}
