"""Hidden cases of Q3: plays in positions that a game can reach, legal or wrong in one way.

No hidden case puts a card inside an accumulation or a set, which the seed hardly mentions. No case depends on what the
last card of a hand does while an accumulation is between totals. No case names a player, group or index that does not
exist.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from random import Random
from typing import TypeAlias, TypeVar

from tournament.games.api import Case, IllegalPlay
from tournament.games.cards import COLOUR, PACK, VALUE
from tournament.games.phazed.groups import (
    ACCUMULATIONS,
    ACES,
    CYCLE,
    LAST_PHASE,
    NEXT_TOTAL,
    PHASES,
    RUNS,
    SUIT_OF_7,
    TOTALS,
    Group,
    naturals,
    total,
)
from tournament.games.phazed.plays import (
    BUILD,
    DISCARD,
    DRAW,
    FROM_DECK,
    FROM_PILE,
    HIDDEN,
    PHASE,
    Play,
    is_unfinished,
    put_down,
    run_end,
)
from tournament.games.phazed.positions import PhazedPosition, Place, find_build, find_phase, positions
from tournament.games.phazed.state import DEALT, SEATS, in_order
from tournament.games.phazed.view import describe
from tournament.games.quotas import Candidate, by_quotas


def unseen(position: PhazedPosition) -> list[str]:
    """Return the cards that may lie in the deck or be hidden in others' hands. These are all except the player's own,
    those on the table and in the discard pile, and those that another player was seen to take and still holds."""
    pile: list[str] = []
    for _, plays in position.turn_history:
        for kind, content in plays:
            if kind == DISCARD:
                pile.append(content)
            elif kind == FROM_PILE and pile:
                pile.pop()
    if not pile and position.discard:
        pile = [position.discard]
    taken = [card for seat in SEATS if seat != position.player_id for card in _SeatHistory(position, seat).known]
    table = [card for _, groups in position.table for group in groups for card in group]
    left = Counter([*PACK, *PACK])
    left.subtract([*position.hand, *table, *pile, *taken])
    return [card for card, count in left.items() for _ in range(count)]


def with_cards(position: PhazedPosition, wanted: Iterable[str], free: Iterable[str]) -> PhazedPosition | None:
    """Return the position with the `wanted` cards in the hand, in place of others that nobody has seen, or None if that
    is impossible. `free` are the cards that are `unseen`. If the last play was a draw from the deck, it drew one of
    `wanted`."""
    shown = _SeatHistory(position, position.player_id)
    hidden = list((Counter(position.hand) - Counter(shown.known)).elements())
    needed = list((Counter(wanted) - Counter(shown.known)).elements())
    kept = list((Counter(hidden) - Counter(needed)).elements())
    cards = [*needed, *kept][: len(hidden)]
    drawn = cards[:1] if shown.just_drew else []
    dealt = cards[len(drawn) :]
    impossible = Counter(cards) - Counter([*hidden, *free])
    if len(needed) > len(hidden) or impossible or len(dealt) > DEALT - shown.played_dealt:
        return None
    return position._replace(hand=[*in_order(dealt), *shown.known, *drawn])


class _SeatHistory:
    """What the plays of a hand reveal about a seat's cards. `known` are the cards that it was seen to take and still
    holds, in order. `played_dealt` is how many of the cards that it played must have been dealt to it, because it had
    not yet drawn that many. `just_drew`: its last play was a draw from the deck, which the other two fields ignore."""

    def __init__(self, position: PhazedPosition, seat: int) -> None:
        turns = [plays for player, plays in position.turn_history if player == seat]
        self.just_drew = bool(turns) and position.begun and list(turns[-1]) == [(FROM_DECK, HIDDEN)]
        self.known: list[str] = []
        self.played_dealt = self._owed = 0
        for plays in turns[: len(turns) - self.just_drew]:
            self._follow(plays)

    def _follow(self, plays: Sequence[Play]) -> None:
        for play in plays:
            if play[0] == FROM_DECK:
                self._owed -= 1
            elif play[0] == FROM_PILE:
                self.known.append(play[1])
            for card in put_down(play):
                if card in self.known:
                    self.known.remove(card)
                else:
                    self._owed += 1
        self.played_dealt = max(self.played_dealt, self._owed)


NearMiss: TypeAlias = tuple[PhazedPosition, Play]
Item = TypeVar("Item")


def near_misses(position: PhazedPosition, rng: Random) -> Iterator[NearMiss]:
    """Yield near misses in a position in which the player has drawn; occasionally one of them is legal after all."""
    if not position.begun:
        return
    if position.played:
        free = unseen(position)
        for place in _sample(position.places(), 2, rng):
            yield from _tempting_builds(position, place, free, rng)
            yield from _beside_an_ace(position, place, free)
    elif rng.random() < 0.1:
        yield from _phase_out_of_place(position, unseen(position), rng)


def _phase_out_of_place(position: PhazedPosition, free: Sequence[str], rng: Random) -> Iterator[NearMiss]:
    """Yield the groups of another phase under the number of the phase that is due, or a phase that uses a card more
    often than the hand holds it."""
    due = min(position.phase_status[position.player_id] + 1, LAST_PHASE)
    number = due if rng.random() < 0.5 else rng.choice([*PHASES])
    groups = find_phase(_sample(free, 40, rng), number)
    if groups:
        cards = [card for group in groups for card in group]
        play = (PHASE, (due, groups))
        if holding := with_cards(position, cards, free):
            yield holding, play
        twice = [card for card in cards if cards.count(card) > 1]
        once = with_cards(position, [*dict.fromkeys(cards)], free) if number == due and twice else None
        if once and any(once.hand.count(card) < 2 for card in twice):
            yield once, play


def _tempting_builds(position: PhazedPosition, place: Place, free: Sequence[str], rng: Random) -> Iterator[NearMiss]:
    """Yield plays that put a card where it seems to fit, each with that card taken into the hand."""
    owner, number, index = place
    phase, groups = position.table[owner]
    for wanted in _sample(_tempting_cards(PHASES[phase or 0][number], groups[number], index), 3, rng):
        if wanted in free and (holding := with_cards(position, [wanted], free)):
            yield holding, (BUILD, (wanted, place))


def _beside_an_ace(position: PhazedPosition, place: Place, free: Sequence[str]) -> Iterator[NearMiss]:
    """Yield a play that puts a card in the place of an Ace at a run's end: it would remain a run if the Ace could
    change its value."""
    owner, number, index = place
    phase, groups = position.table[owner]
    run = groups[number]
    if PHASES[phase or 0][number] in RUNS and run[0 if index == 0 else -1] in ACES and len(run) < CYCLE:
        value = run_end(run[1:], at_start=True) if index == 0 else run_end(run[:-1], at_start=False)
        colour = COLOUR[naturals(run)[0]]
        fitting = [card for card in free if VALUE[card] == value and COLOUR[card] == colour]
        if fitting and (holding := with_cards(position, fitting[:1], free)):
            yield holding, (BUILD, (fitting[0], (owner, number, 1 if index == 0 else len(run) - 1)))


def _tempting_cards(kind: int, group: Group, index: int) -> list[str]:
    """Return cards that fit on the group, and cards of the right value or colour that are wrong in another way."""
    if kind in RUNS:
        values = {run_end(group, index == 0)}
    elif kind in ACCUMULATIONS:
        left = NEXT_TOTAL.get(total(group), total(group) + 1) - total(group)
        values = {left, left - 1, left + 1, 1}
    elif kind == SUIT_OF_7:
        return [card for card in PACK if COLOUR[card] == COLOUR[naturals(group)[0]]]
    else:
        values = {VALUE[naturals(group)[0]], VALUE[naturals(group)[0]] + 1}
    return [card for card in PACK if VALUE[card] in values] + sorted(ACES)


def _sample(items: Sequence[Item], count: int, rng: Random) -> list[Item]:
    return rng.sample(items, min(count, len(items)))


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
    """Yield hidden cases of Q3. The title is the play in words, or the reason why it is refused."""
    for position in positions(rng):
        for play in _tried_plays(position, rng):
            kind, case = _phazed_case(position, play, rng)
            if _is_settled(play, kind):
                yield kind, case
        for moved, play in near_misses(position, rng):
            kind, case = _phazed_case(moved, play, rng)
            if _is_settled(play, kind):
                about = _built_on(moved, play)
                yield ("right" if about == LAST_TOTAL and case.expected else kind, about), case


def _is_settled(play: Play, kind: Hashable) -> bool:
    """Whether the seed settles this play: it does not if the last card of the hand leaves an accumulation between
    totals."""
    return play[0] != BUILD or kind != "unfinished"


def _built_on(position: PhazedPosition, play: Play) -> Hashable:
    """Return the type of the group that a card is placed on, or another special property of the play."""
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


def _phazed_case(position: PhazedPosition, play: Play, rng: Random) -> Candidate:
    # the question names the card that was drawn
    args = ((FROM_DECK, rng.choice(unseen(position))) if play == DRAW else play, *position)
    try:
        position.check(play)
    except IllegalPlay as illegal:
        return illegal.rule, Case(args, False, illegal.message)
    return _kind_of_play(position, play), Case(args, True, describe(position.player_id, play))


def _kind_of_play(position: PhazedPosition, play: Play) -> Hashable:
    """Return the kind of a legal play, for the quotas."""
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


def _tried_plays(position: PhazedPosition, rng: Random) -> Iterator[Play]:
    """Yield tempting plays of the right shape. Plays that cannot be legal at that time are tried only rarely."""
    if not position.begun or rng.random() < 0.1:
        yield DRAW
        yield FROM_PILE, position.discard or rng.choice(PACK)
        yield FROM_PILE, rng.choice(PACK)
    if position.begun or rng.random() < 0.1:
        yield DISCARD, _any_card(position, rng)
        yield from _tried_phases(position, rng)
        yield from _tried_builds(position, rng)


def _any_card(position: PhazedPosition, rng: Random) -> str:
    return rng.choice(PACK if rng.random() < 0.15 else position.hand)


def _tried_phases(position: PhazedPosition, rng: Random) -> Iterator[Play]:
    if position.played:
        yield PHASE, (rng.choice([*PHASES]), position.table[position.player_id][1])
        return
    due = position.phase_status[position.player_id] + 1
    number = due if rng.random() < 0.8 else rng.choice([*PHASES])
    groups = find_phase(position.hand, number)
    if groups:
        yield PHASE, (number, groups)
        yield PHASE, (rng.choice([*PHASES]), groups)
        yield from ((PHASE, (number, _spoilt_phase(groups, position, rng))) for _ in range(3))


def _spoilt_phase(groups: list[list[str]], position: PhazedPosition, rng: Random) -> list[list[str]]:
    """Return the groups with a card changed or left out, with two cards swapped, or in reverse order."""
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
            group[index] = _any_card(position, rng)
    return groups


def _tried_builds(position: PhazedPosition, rng: Random) -> Iterator[Play]:
    places = position.places()
    places = rng.sample(places, min(len(places), 3 if position.played else 1))
    if position.played and (play := find_build(position.hand, position.table)):
        yield play
    for place in places:
        owner, number, index = place
        if rng.random() < 0.1 and PHASES[position.table[owner][0] or 0][number] in RUNS:
            place = (owner, number, max(index - 1, 1))
        yield from (
            (BUILD, (card, place))
            for card in dict.fromkeys([_any_card(position, rng), *rng.choices(position.hand, k=3)])
        )
