"""Phazed as the referee plays it: the functions that the contract of a game requires.

Source: seed 001_6b98dfbde5aac69e; RULES.md, "Phazed", settles what the seed leaves open. README.md beside this file
explains the rules.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import partial
from random import Random
from textwrap import indent
from typing import Any

from tournament.games.api import (
    AtHome,
    Composition,
    Guest,
    IllegalPlay,
    Offer,
    Offered,
    Questions,
    Request,
    Result,
    one_of,
)
from tournament.games.cards import COLOUR, VALUE, symbol
from tournament.games.phazed.groups import (
    ACCUMULATIONS,
    ACES,
    COLOUR_ACCUMULATION,
    CYCLE,
    KIND_NAMES,
    LAST_PHASE,
    NEXT_TOTAL,
    PHASES,
    RUNS,
    TOTALS,
    Group,
    is_group,
    symbols,
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
    PlayContext,
    check_shape,
    is_unfinished,
    judge,
    put_down,
)
from tournament.games.phazed.state import DISQUALIFIED, OUT, SEATS, PhazedState, end_hand, end_turn

PLAY = "phazed_play"
guest = Guest({PLAY: (6,)})


def requests(state: PhazedState) -> Sequence[Request]:
    """Return the request to the seat on turn to play. The arguments are the state's own lists: copy or send them before
    `apply`."""
    if state.ended:
        return ()
    seat = state.seat
    top = state.pile[-1] if state.pile else None
    return (Request(seat, PLAY, (seat, state.table, state.history, state.phase_status, state.hands[seat], top)),)


def parse(state: PhazedState, seat: int, raw: Any) -> Play:
    """Return the play, with its groups as new lists, after checking its shape and its legality."""
    play = check_shape(raw)
    top = state.pile[-1] if state.pile else None
    judge(play, PlayContext(seat, state.table, state.begun, state.phase_status, state.hands[seat], top))
    return play


def decode(data: Any) -> Any:
    """Turn lists back into tuples, except the groups of a phase. Values that are not plays are left for `parse` to
    refuse."""
    if not isinstance(data, list):
        return data
    if len(data) == 2 and data[0] == PHASE and isinstance(data[1], list):
        return PHASE, tuple(data[1])
    return tuple([decode(part) for part in data])


def apply(state: PhazedState, plays: Sequence[tuple[int, Play]]) -> None:
    """Carry out the play and what follows without a choice: the end of the turn, the hand or the game."""
    ((seat, play),) = plays
    _note_play(state, seat, play)
    _move_cards(state, seat, play)
    if not state.hands[seat]:
        end_hand(state, OUT)
    elif play[0] == DISCARD:
        end_turn(state)


def _note_play(state: PhazedState, seat: int, play: Play) -> None:
    """Add the play to the history. As a turn grows, it is replaced instead of changed, so that data handed out earlier
    stays the same."""
    state.last = (seat, play)
    shown = (FROM_DECK, HIDDEN) if play[0] == FROM_DECK else play
    if state.begun:
        state.history.replace_last((seat, [*state.history.items[-1][1], shown]))
    else:
        state.history.append((seat, [shown]))
        state.begun = True


def _move_cards(state: PhazedState, seat: int, play: Play) -> None:
    kind, content = play
    hand = state.hands[seat]
    if kind in (FROM_DECK, FROM_PILE):
        state.drawn = (state.deck if kind == FROM_DECK else state.pile).pop()
        hand.append(state.drawn)
    for card in put_down(play):
        hand.remove(card)
    if kind == PHASE:
        number, groups = content
        state.table[seat] = number, [list(group) for group in groups]
        state.phase_status[seat] = number
    elif kind == BUILD:
        card, (owner, group, index) = content
        state.table[owner][1][group].insert(index, card)
    elif kind == DISCARD:
        state.pile.append(content)


def disqualify(state: PhazedState, seat: int) -> None:
    state.ended, state.offender = DISQUALIFIED, seat


def result(state: PhazedState) -> Result:
    """Return the result: players who completed all phases come first; then fewer penalty points are better, and equal
    players share a place. Points are the negated penalty points. After a disqualification nobody is first, and the
    offender has the last place and the lowest points of all."""
    if state.ended is None:
        raise ValueError("the game is still running")
    points = tuple([-float(score) for score in state.scores])
    if state.offender is not None:
        points = tuple([min(points) if seat == state.offender else points[seat] for seat in SEATS])
        return Result(state.ended, tuple([3 if seat == state.offender else 2 for seat in SEATS]), points)
    ranks = [(achieved != LAST_PHASE, score) for achieved, score in zip(state.phase_status, state.scores, strict=True)]
    return Result(state.ended, tuple([sorted(ranks).index(rank) + 1 for rank in ranks]), points)


def cards(state: PhazedState) -> list[str]:
    on_table = [group for _, groups in state.table for group in groups]
    return [card for pile in (state.deck, state.pile, *state.hands, *on_table) for card in pile]


def redeal(state: PhazedState, seat: int, rng: Random) -> PhazedState:
    """Shuffle the cards that are hidden from the seat. Cards that others were seen to take from the discard pile and
    still hold stay in their hands."""
    other = deepcopy(state)
    hidden = {player: hand for player, hand in enumerate(other.hands) if player != seat}
    unseen = other.deck
    for player, hand in hidden.items():
        known = _seen_taken(state, player)
        unseen += (Counter(hand) - known).elements()
        hand[:] = known.elements()
    rng.shuffle(unseen)
    for player, hand in hidden.items():
        hand += [unseen.pop() for _ in range(len(state.hands[player]) - len(hand))]
    return other


def _seen_taken(state: PhazedState, player: int) -> Counter[str]:
    """Return the cards of a hand that everybody knows: taken from the discard pile and not put down since."""
    seen: Counter[str] = Counter()
    for play in [play for who, plays in state.history.items if who == player for play in plays]:
        if play[0] == FROM_PILE:
            seen[play[1]] += 1
        seen -= Counter(put_down(play))
    return seen


def choices(state: PhazedState, seat: int) -> Sequence[Offered]:
    """Return offers of where to draw a card; after the draw, of the phase, cards to place on groups, and cards to
    discard."""
    if not state.begun:
        found = [Offer("Draw from the deck", DRAW, "Nobody else sees the card.")]
        if state.pile:
            top = state.pile[-1]
            found.append(Offer(f"Take {symbol(top)} from the discard pile", (FROM_PILE, top), "Everybody sees it."))
        return found
    hand = list(dict.fromkeys(state.hands[seat]))
    discards = [Offer(f"Discard {symbol(card)}", (DISCARD, card), "This ends your turn.", "Discard") for card in hand]
    return [*_offered_phase(state, seat), *_offered_builds(state, seat, hand), *_legal_offers(state, seat, discards)]


def _legal_offers(state: PhazedState, seat: int, found: Sequence[Offer]) -> Iterator[Offer]:
    for choice in found:
        try:
            parse(state, seat, choice.play)
        except IllegalPlay:
            continue
        yield choice


# The phase


def _offered_phase(state: PhazedState, seat: int) -> Iterator[Composition]:
    number = state.phase_status[seat] + 1
    if state.table[seat][0] is None and number <= LAST_PHASE:
        kinds = PHASES[number]
        parts = [
            f"{'Second' if index else 'First'} group" if len(kinds) > 1 else "The group" for index in range(len(kinds))
        ]
        order = " A run is put in order for you." if set(kinds) & set(RUNS) else ""
        why = f"It needs {' and '.join(KIND_NAMES[kind] for kind in kinds)}. Choose the cards.{order}"
        yield Composition(f"Play phase {number}", state.hands[seat], parts, partial(_laid_down, number), why)


def _laid_down(number: int, parts: Sequence[Sequence[str]]) -> Play:
    return PHASE, (number, [_in_order(group, kind) for group, kind in zip(parts, PHASES[number], strict=True)])


def _in_order(group: Sequence[str], kind: int) -> list[str]:
    """Return the cards of a run in order, with Aces in the gaps and then at its end; unchanged if they are not a
    run."""
    if kind not in RUNS:
        return list(group)
    for start in range(CYCLE):
        natural = {(VALUE[card] - 2 - start) % CYCLE: card for card in group if card not in ACES}
        aces = [card for card in group if card in ACES]
        if len(natural) + len(aces) != len(group):  # two cards have the same value
            break
        run: list[Any] = [natural.get(place) or (aces.pop() if aces else None) for place in range(len(group))]
        if None not in run and is_group(run, kind):
            return run
    return list(group)


# Cards on groups


def _offered_builds(state: PhazedState, seat: int, hand: Sequence[str]) -> Iterator[Offer]:
    """Yield offers of cards to place, except those that lead into a dead end: an accumulation once begun must be
    finished from the hand."""
    if state.table[seat][0] is None:
        return
    groups = [
        (owner, number, PHASES[phase or 0][number], group)
        for owner, (phase, laid) in enumerate(state.table)
        for number, group in enumerate(laid)
    ]
    begun = [each for each in groups if each[2] in ACCUMULATIONS and is_unfinished(each[3])]
    for owner, number, kind, group in begun or groups:
        whose = "your" if owner == seat else f"player {owner}’s"
        for index in (0, len(group)) if kind in RUNS else (len(group),):
            end = f", {'at its end' if index else 'before it'}" if kind in RUNS else ""
            found = [
                Offer(
                    f"Place {symbol(card)} on {whose} group {number}{end}",
                    (BUILD, (card, (owner, number, index))),
                    f"{symbols(group)} is {KIND_NAMES[kind]}.",
                    f"Place on {whose} group {number}",
                )
                for card in hand
                if kind not in ACCUMULATIONS or _can_finish([*group, card], kind, state.hands[seat])
            ]
            yield from _legal_offers(state, seat, found)


def _can_finish(group: Group, kind: int, hand: Sequence[str]) -> bool:
    """Whether cards of the hand, without the last card of the group, can bring an accumulation to its next total."""
    if total(group) in TOTALS or total(group) > TOTALS[-1]:
        return True
    missing = NEXT_TOTAL[total(group)] - total(group)
    left = list(hand)
    left.remove(group[-1])
    sums = {0}
    for card in left:
        if kind != COLOUR_ACCUMULATION or COLOUR[card] == COLOUR[group[0]]:
            sums |= {each + VALUE[card] for each in sums}
    return missing in sums


_PLAIN = """\
result = tuple(result) if type(result) is list else result
if type(result) is tuple and result[:1] == (1,):
    result = (1, None)  # a draw from the deck: its content is not looked at
"""
_PHASE = """\
if type(result) is tuple and result[:1] == (3,):
    # Which groups make a phase is for you to know: of them, this test checks only what this position says itself.
    number, groups = result[1]
    self.assertEqual(number, {number})
    held = {hand}
    for card in [card for group in groups for card in group]:
        self.assertIn(card, held)
        held.remove(card)
else:
{others}"""


def check_at_home(state: PhazedState, request: Request, questions: Questions) -> str:
    """Return a check that the answer is one of the possible draws, builds or discards; phases are too many to list."""
    seat = request.seat
    if not state.begun:
        return _PLAIN + one_of([DRAW, *((FROM_PILE, card) for card in state.pile[-1:])])
    others = one_of(list(_possible(state, seat)))
    achieved = state.phase_status[seat]
    if state.table[seat][0] is not None or achieved == LAST_PHASE:
        return _PLAIN + others
    return _PLAIN + _PHASE.format(number=achieved + 1, hand=state.hands[seat], others=indent(others, " " * 4))


def _possible(state: PhazedState, seat: int) -> Iterator[Play]:
    """Yield the builds and discards that are possible after a draw."""
    hand = state.hands[seat]
    context = PlayContext(seat, state.table, True, state.phase_status, hand, None)
    for play in _builds_and_discards(state, dict.fromkeys(hand)):
        try:
            judge(play, context)
        except IllegalPlay:
            continue
        yield play


def _builds_and_discards(state: PhazedState, cards: dict[str, None]) -> Iterator[Play]:
    for card in cards:
        yield DISCARD, card
        for owner, (_, groups) in enumerate(state.table):
            for number, group in enumerate(groups):
                for index in range(len(group) + 1):
                    yield BUILD, (card, (owner, number, index))


at_home = AtHome(check_at_home)
