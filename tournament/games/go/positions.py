"""Cards and groupings for the hidden cases: from games between house bots, with extra runs that hold Aces."""

from collections.abc import Iterator
from random import Random
from typing import Any

from tournament.games.cards import COLOUR, PACK, VALUES
from tournament.games.go import rules
from tournament.games.go.bots import collector, pairs
from tournament.games.go.groups import OTHER_COLOUR
from tournament.games.go.partitions import best_partitions
from tournament.games.go.rules import SEATS, TURNS, Grouping, deal


def piles(rng: Random) -> Iterator[list[str]]:
    """Yield without end: the 1 to 10 cards that a player had discarded at a random turn of a game, alternating with
    versions that contain a run."""
    while True:
        for pile in _discards_of_game(rng):
            size = rng.choice((TURNS, rng.randrange(1, TURNS + 1)))
            yield pile[:size]
            yield _with_run(pile[:size], rng)


def groupings(rng: Random) -> Iterator[Grouping]:
    """Yield without end: a best grouping of the cards that `piles` yields, and changed copies of it, most of them
    invalid."""
    for pile in piles(rng):
        best = rng.choice(best_partitions(pile))
        yield [rng.sample(group, len(group)) for group in best]
        yield _with_groups_merged(best, rng)
        yield _with_card_moved(best, rng)
        yield _with_card_exchanged(best, rng)
        if rng.random() < 0.1:
            yield _with_group_of_aces(best, rng)


def _discards_of_game(rng: Random) -> list[list[str]]:
    """Return the discards of each seat in one game, with a player drawn by `rng` in each seat."""

    def at_random(history: Any, seat: int, hand: list[str]) -> str:
        return rng.choice(hand)

    players = [rng.choice((at_random, pairs.comp10001go_play, collector.comp10001go_play)) for _ in SEATS]
    state = deal(rng, len(SEATS))
    while state.turn < TURNS:
        asked = rules.requests(state)
        history = state.history.items
        rules.apply(state, [(each.seat, players[each.seat](history, each.seat, each.args[2])) for each in asked])
    return state.discards


def _with_run(pile: list[str], rng: Random) -> list[str]:
    """Return cards that make a run with up to three Aces inside, followed by cards of the pile, at most ten in all."""
    size = rng.randrange(3, 7)
    first, colour = rng.randrange(1, len(VALUES) - size + 1), rng.choice(("red", "black"))
    filled = rng.sample(range(1, size - 1), rng.randrange(min(size - 2, 3) + 1))
    run: list[str] = []
    for step in range(size):
        value = "A" if step in filled else VALUES[first + step]
        free = [card for card in PACK if card[0] == value and COLOUR[card] == colour and card not in run]
        run += [rng.choice(free)]
        colour = OTHER_COLOUR[colour]
    others = [card for card in pile if card not in run]
    return [*run, *others][: max(len(pile), len(run))]


def _with_groups_merged(grouping: Grouping, rng: Random) -> Grouping:
    """Return the grouping with two of its groups joined."""
    if len(grouping) < 2:
        return grouping
    one, other = rng.sample(range(len(grouping)), 2)
    rest = [group for number, group in enumerate(grouping) if number not in (one, other)]
    return [*rest, [*grouping[one], *grouping[other]]]


def _with_card_moved(grouping: Grouping, rng: Random) -> Grouping:
    """Return the grouping with one card moved to another group, often to the largest."""
    card = rng.choice([card for group in grouping for card in group])
    without = [left for group in grouping if (left := [other for other in group if other != card])]
    if not without:
        return grouping
    target = rng.choice((max(without, key=len), rng.choice(without)))
    return [[*group, card] if group is target else group for group in without]


def _with_card_exchanged(grouping: Grouping, rng: Random) -> Grouping:
    """Return the grouping with one card exchanged for a card that is not in it, of any value, but more often of the
    same value or an Ace."""
    cards = [card for group in grouping for card in group]
    out = rng.choice(rng.choice([group for group in grouping if len(group) > 2] or grouping))
    wanted = rng.choice([out[0], "A", *VALUES])
    free = [card for card in PACK if card not in cards and card[0] == wanted]
    if not free:
        return grouping
    card = rng.choice(free)
    return [[card if other == out else other for other in group] for group in grouping]


def _with_group_of_aces(grouping: Grouping, rng: Random) -> Grouping:
    """Return some of the groups, plus a group of two or three Aces, often with one other card."""
    aces = rng.sample([card for card in PACK if card[0] == "A"], rng.choice((2, 3)))
    rest = [group for group in grouping if not any(card[0] == "A" for card in group)]
    alone = [group for group in rest if len(group) == 1 and rng.random() < 0.7][:1]
    kept = [group for group in rest if group not in alone]
    while sum(map(len, kept)) > TURNS - 4:
        kept.pop()
    return [*kept, [*aces, *(card for group in alone for card in group)]]
