"""Hidden cases of Q3: plays in positions that a game can reach, legal or wrong in one way.

No hidden case puts a card inside an accumulation or a set, which the seed hardly mentions, nor depends on what the last
card of a hand does while an accumulation stands between totals. None names a player, group or index that does not
exist.
"""

from collections.abc import Hashable, Iterator
from random import Random

from tournament.games.api import Case, IllegalPlay
from tournament.games.cards import PACK
from tournament.games.phazed.building import is_unfinished
from tournament.games.phazed.groups import ACCUMULATIONS, ACES, PHASES, RUNS, TOTALS, total
from tournament.games.phazed.hands import unseen
from tournament.games.phazed.near_misses import near_misses
from tournament.games.phazed.positions import PhazedPosition, find_build, find_phase, positions
from tournament.games.phazed.shape import BUILD, DISCARD, DRAW, FROM_DECK, FROM_PILE, PHASE, Play
from tournament.games.phazed.view import describe
from tournament.games.quotas import Candidate, by_quotas

LAST_TOTAL = "last total"

QUOTAS: dict[Hashable, int] = {
    (True, FROM_DECK): 30,
    (True, FROM_PILE): 30,
    **{(True, PHASE, number): 15 for number in PHASES},
    **{(True, BUILD, kind): 20 for kind in range(1, 8)},
    (True, BUILD, 7): 15,
    (True, "part"): 60,
    (True, "last card"): 20,
    (True, DISCARD): 60,
    "already-drawn": 50,
    "draw-first": 60,
    "not-top": 30,
    "not-held": 60,
    "phase-played": 30,
    "wrong-phase": 50,
    "not-a-phase": 90,
    "phase-first": 40,
    "not-an-end": 40,
    "run-full": 20,
    "out-of-order": 60,
    "wrong-value": 60,
    "wrong-suit": 40,
    "wrong-colour": 40,
    "accumulation-full": 3,
    "too-much": 40,
    "unfinished": 50,
    # right except for one thing; with the type of the group that is built on
    ("not-a-phase", None): 6,
    ("wrong-value", 1): 10,
    ("wrong-value", 3): 10,
    ("wrong-suit", 2): 15,
    ("wrong-colour", 5): 20,
    ("wrong-colour", 7): 20,
    ("not-an-end", 4): 8,
    ("not-an-end", 5): 8,
    ("not-held", None): 5,
    **{((True, BUILD, kind), "Ace first"): 3 for kind in range(1, 4)},
    ("right", LAST_TOTAL): 2,
    ("run-full", 4): 3,
    ("accumulation-full", "beyond the last total"): 2,
}


@by_quotas(QUOTAS)
def play_cases(rng: Random) -> Iterator[Candidate]:
    """Hidden cases of Q3; the title is the play in words, or the reason why it is refused."""
    for position in positions(rng):
        for play in _plays(position, rng):
            kind, case = _case(position, play, rng)
            if _is_settled(play, kind):
                yield kind, case
        for moved, play in near_misses(position, rng):
            kind, case = _case(moved, play, rng)
            if _is_settled(play, kind):
                about = _built_on(moved, play)
                yield ("right" if about == LAST_TOTAL and case.expected else kind, about), case


def _is_settled(play: Play, kind: Hashable) -> bool:
    """Whether the seed settles this play: it does not if the last card of the hand leaves an accumulation between
    totals."""
    return play[0] != BUILD or kind != "unfinished"


def _built_on(position: PhazedPosition, play: Play) -> Hashable:
    """The type of the group that a card is placed on, or what else is special about it."""
    kind, content = play
    if kind != BUILD:
        return None
    card, (owner, number, _) = content
    phase, groups = position.table[owner]
    type_of = PHASES[phase or 0][number]
    if type_of in ACCUMULATIONS:
        beyond = total([*groups[number], card]) - TOTALS[-1]
        return type_of if beyond not in (0, 1) else "beyond the last total" if beyond else LAST_TOTAL
    return "Ace first" if groups[number][0] in ACES and card not in ACES and type_of not in RUNS else type_of


def _case(position: PhazedPosition, play: Play, rng: Random) -> Candidate:
    # the question names the card that was drawn
    args = ((FROM_DECK, rng.choice(unseen(position))) if play == DRAW else play, *position)
    try:
        position.check(play)
    except IllegalPlay as illegal:
        return illegal.rule, Case(args, False, illegal.message)
    return _kind(position, play), Case(args, True, describe(position.player_id, play))


def _kind(position: PhazedPosition, play: Play) -> Hashable:
    """What a legal play is about."""
    kind, content = play
    if kind == PHASE:
        return True, kind, content[0]
    if kind != BUILD:
        return True, kind
    if len(position.hand) == 1:
        return True, "last card"
    card, (owner, number, _) = content
    phase, groups = position.table[owner]
    type_of = PHASES[phase or 0][number]
    if type_of in ACCUMULATIONS and is_unfinished([*groups[number], card]):
        return True, "part"
    return True, kind, type_of


def _plays(position: PhazedPosition, rng: Random) -> Iterator[Play]:
    """Tempting plays of the right shape; only a few at times when they cannot be legal."""
    if not position.begun or rng.random() < 0.1:
        yield DRAW
        yield FROM_PILE, position.discard or rng.choice(PACK)
        yield FROM_PILE, rng.choice(PACK)
    if position.begun or rng.random() < 0.1:
        yield DISCARD, _card(position, rng)
        yield from _phases(position, rng)
        yield from _builds(position, rng)


def _card(position: PhazedPosition, rng: Random) -> str:
    return rng.choice(PACK if rng.random() < 0.15 else position.hand)


def _phases(position: PhazedPosition, rng: Random) -> Iterator[Play]:
    if position.played:
        yield PHASE, (rng.choice([*PHASES]), position.table[position.player_id][1])
        return
    due = position.phase_status[position.player_id] + 1
    number = due if rng.random() < 0.8 else rng.choice([*PHASES])
    groups = find_phase(position.hand, number)
    if groups:
        yield PHASE, (number, groups)
        yield PHASE, (rng.choice([*PHASES]), groups)
        yield from ((PHASE, (number, _spoil(groups, position, rng))) for _ in range(3))


def _spoil(groups: list[list[str]], position: PhazedPosition, rng: Random) -> list[list[str]]:
    """The groups with one card replaced by another of the hand, two cards or groups swapped, or a card left out."""
    groups = [list(group) for group in groups]
    group = rng.choice(groups)
    index, other = rng.randrange(len(group)), rng.randrange(len(group))
    match rng.randrange(4):
        case 0:
            groups.reverse()
        case 1:
            group[index], group[other] = group[other], group[index]
        case 2:
            del group[index]
        case _:
            group[index] = _card(position, rng)
    return groups


def _builds(position: PhazedPosition, rng: Random) -> Iterator[Play]:
    places = position.places()
    places = rng.sample(places, min(len(places), 3 if position.played else 1))
    if position.played and (play := find_build(position.hand, position.table)):
        yield play
    for place in places:
        owner, number, index = place
        if rng.random() < 0.1 and PHASES[position.table[owner][0] or 0][number] in RUNS:
            place = (owner, number, max(index - 1, 1))
        yield from (
            (BUILD, (card, place)) for card in dict.fromkeys([_card(position, rng), *rng.choices(position.hand, k=3)])
        )
