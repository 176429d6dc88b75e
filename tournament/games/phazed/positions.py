"""Positions for the hidden cases, from hands between house bots and random players, with phases of every number."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations
from random import Random
from typing import Any, NamedTuple, TypeAlias

from tournament.games.api import IllegalPlay
from tournament.games.cards import COLOUR, VALUE, VALUES
from tournament.games.phazed import rules
from tournament.games.phazed.bots import collector, planner
from tournament.games.phazed.groups import (
    ACCUMULATIONS,
    ACES,
    COLOUR_ACCUMULATION,
    COLOUR_RUN_OF_4,
    CYCLE,
    LAST_PHASE,
    NEXT_TOTAL,
    PHASES,
    RUNS,
    naturals,
    total,
)
from tournament.games.phazed.plays import (
    BUILD,
    DISCARD,
    DRAW,
    FROM_PILE,
    PHASE,
    Play,
    PlayContext,
    has_drawn,
    judge,
    run_end,
)
from tournament.games.phazed.state import SEATS, PhazedState, deal, in_order

Player: TypeAlias = Callable[..., Any]
Place: TypeAlias = tuple[int, int, int]

find_phase: Callable[[list[str], int], list[list[str]] | None] = planner.find_phase
find_build: Callable[[list[str], Any], Play | None] = planner.build


class PhazedPosition(NamedTuple):
    """The arguments of `phazed_is_valid_play`, except its first one, the play."""

    player_id: int
    table: list[tuple[int | None, list[list[str]]]]
    turn_history: list[tuple[int, list[Play]]]
    phase_status: list[int]
    hand: list[str]
    discard: str | None

    @property
    def begun(self) -> bool:
        """Whether the player has drawn in this turn."""
        return has_drawn(self.player_id, self.turn_history)

    @property
    def played(self) -> bool:
        """Whether the player has played a phase in this hand."""
        return self.table[self.player_id][0] is not None

    def check(self, play: Play) -> None:
        """Raise IllegalPlay, with the rule that is broken, unless the play is legal."""
        _, table, _, phase_status, hand, discard = self
        judge(play, PlayContext(self.player_id, table, self.begun, phase_status, hand, discard))

    def is_legal(self, play: Play) -> bool:
        """Whether the rules allow the play."""
        try:
            self.check(play)
        except IllegalPlay:
            return False
        return True

    def phase(self) -> Play | None:
        """Return the phase to play now, if the hand holds it; otherwise None."""
        number = min(self.phase_status[self.player_id] + 1, LAST_PHASE)
        groups = find_phase(self.hand, number)
        return (PHASE, (number, groups)) if groups else None

    def places(self) -> list[tuple[int, int, int]]:
        """Return where cards of the right kind could be added: at both ends of runs and sets, and at the end of
        accumulations."""
        return [
            (owner, number, index)
            for owner, (phase, groups) in enumerate(self.table)
            for number, group in enumerate(groups)
            for index in ((len(group),) if PHASES[phase or 0][number] in ACCUMULATIONS else (0, len(group)))
        ]


def positions(rng: Random) -> Iterator[PhazedPosition]:
    """Yield without end the positions of one hand after another, with a phase and a player drawn by `rng` for each
    seat. In every other hand the draws are arranged so that runs and accumulations are built on; otherwise most hands
    would end before that."""
    while True:
        yield from _hand(rng)
        yield from _growing_hand(rng)


def _hand(rng: Random) -> Iterator[PhazedPosition]:
    players = [rng.choice(_PLAYERS) for _ in SEATS]
    for position, state in _positions_of_hand(rng, [None] * len(SEATS)):
        yield position
        if not _carry_out(state, position, players[position.player_id](position, rng), rng):
            return


def _growing_hand(rng: Random) -> Iterator[PhazedPosition]:
    """Yield the positions of a hand in which every seat can play a phase at once, and the cards drawn fit on one run or
    accumulation."""
    phases = rng.sample([rng.choice([3, 3, 5, 6, 7]), 1, 1, 1], len(SEATS))
    target = phases.index(max(phases)), rng.choice([0, 1]) if max(phases) in (3, 6) else 0
    for position, state in _positions_of_hand(rng, phases):
        there = [place for place in position.places() if place[:2] == target and position.played]
        if not position.begun:
            _draw_luckily(position, state, there, rng)
        elif there and rng.random() < 0.2 * len(position.table[target[0]][1][target[1]]) - 1:
            yield position
        if not _carry_out(state, position, _grow(position, there, rng), rng):
            return


def _positions_of_hand(rng: Random, phases: Sequence[int | None]) -> Iterator[tuple[PhazedPosition, PhazedState]]:
    """Yield the positions of one hand, each with the state to which the next play must be applied."""
    state = _stacked_deal(rng, phases)
    while not state.hand_ends:
        (request,) = rules.requests(state)
        seat, table, history, phase_status, hand, discard = request.args
        groups = [(phase, [list(group) for group in groups]) for phase, groups in table]
        yield PhazedPosition(seat, groups, list(history.items), list(phase_status), list(hand), discard), state


def _carry_out(state: PhazedState, position: PhazedPosition, play: Play | None, rng: Random) -> bool:
    """Carry out the play. Returns False if it is not legal, since a bot may leave itself without a legal play."""
    if play is None or not position.is_legal(play):
        return False
    rules.apply(state, [(position.player_id, rules.parse(state, position.player_id, _mixed(play, rng)))])
    return True


def _mixed(play: Play, rng: Random) -> Play:
    """Return a phase with the cards of its groups in random order; runs and all other plays stay as they are."""
    if play[0] != PHASE:
        return play
    number, groups = play[1]
    kinds = zip(PHASES[number], groups, strict=True)
    return PHASE, (number, [group if kind in RUNS else rng.sample(group, len(group)) for kind, group in kinds])


def _stacked_deal(rng: Random, phases: Sequence[int | None]) -> PhazedState:
    """Return a deal in which every seat can play its phase. Where no phase is given (None), the seat has any phase and
    usually can play it: otherwise seats would spend two thirds of a hand waiting."""
    state = deal(rng, len(SEATS))
    for seat, (hand, phase) in enumerate(zip(state.hands, phases, strict=True)):
        number = phase or rng.choice([0, *range(LAST_PHASE), 2, 5]) + 1
        state.phase_status[seat] = number - 1
        least = rng.choice([2, 8]) if number in (3, 6) else 1  # high cards make short accumulations
        if phase or rng.random() < 0.7:
            pool = rng.sample([*hand, *state.deck], 40)
            if least == 1 and rng.random() < 0.5:  # so few cards that Aces are needed
                pool = pool[:14] + [card for card in pool[14:] if card in ACES]
            pool = [card for card in pool if VALUE[card] >= least]
            _deal_groups_to(hand, state.deck, find_phase(pool, number) or [], rng)
    return state


def _deal_groups_to(hand: list[str], deck: list[str], groups: list[list[str]], rng: Random) -> None:
    """Put the cards of the groups into the hand, which keeps its size and is sorted."""
    wanted = [card for group in groups for card in group]
    if len(wanted) <= len(hand):
        deck += hand
        for card in wanted:
            deck.remove(card)
        rng.shuffle(deck)
        hand[:] = in_order(wanted + [deck.pop() for _ in range(len(hand) - len(wanted))])


def _draw_luckily(position: PhazedPosition, state: PhazedState, there: Sequence[Place], rng: Random) -> None:
    """Move a card that fits at one of those places to the top of the deck, if there is such a card."""
    cards = dict.fromkeys(state.deck)
    wanted = [card for card in cards if next(_growths(position, there, [*position.hand, card], card), None)]
    if wanted:
        index = state.deck.index(rng.choice(wanted))
        state.deck[index], state.deck[-1] = state.deck[-1], state.deck[index]


def _grow(position: PhazedPosition, there: Sequence[Place], rng: Random) -> Play | None:
    """Return the next play of a simple turn: draw, play the phase, build once at one of those places, discard."""
    if not position.begun:
        return DRAW
    if not position.played and (phase := position.phase()):
        return phase
    built = position.turn_history[-1][1][-1][0] == BUILD
    growths = list(_growths(position, there, position.hand))
    if growths and not (built and position.is_legal((DISCARD, position.hand[0]))):
        return rng.choice(growths)
    return DISCARD, rng.choice(position.hand)


def _growths(
    position: PhazedPosition, there: Sequence[Place], hand: list[str], needed: str | None = None
) -> Iterator[Play]:
    """Yield plays that bring an accumulation to its next total with one or two cards of the hand (only the first card
    is played), and single cards for runs. If `needed` is given, it must be among the cards."""
    for owner, number, index in there:
        phase, groups = position.table[owner]
        kind, group = PHASES[phase or 0][number], groups[number]
        colours = {COLOUR[naturals(group)[0]]} if kind in (COLOUR_RUN_OF_4, COLOUR_ACCUMULATION) else {*COLOUR.values()}
        cards = [card for card in hand if COLOUR[card] in colours]
        if kind in RUNS:
            fitting = {"A", VALUES[run_end(group, index == 0) - 1]} if len(group) < CYCLE else {}
            chosen: list[tuple[str, ...]] = [(card,) for card in cards if card[0] in fitting]
        else:
            left = NEXT_TOTAL.get(total(group), 0) - total(group)
            pairs = chain(combinations(cards, 1), combinations(cards, 2))
            chosen = [pair for pair in pairs if sum(VALUE[card] for card in pair) == left]
        yield from ((BUILD, (pair[0], (owner, number, index))) for pair in chosen if needed is None or needed in pair)


def at_random(position: PhazedPosition, rng: Random) -> Play | None:
    """Return a legal play drawn by `rng`; this is the phase whenever the hand holds it."""
    if not position.begun:
        return rng.choice([DRAW, (FROM_PILE, position.discard)])
    if not position.played and (phase := position.phase()):
        return phase
    tries: list[Play] = [(DISCARD, card) for card in rng.sample(position.hand, len(position.hand))]
    if position.played and rng.random() < 0.7:
        builds = [(BUILD, (card, place)) for place in position.places() for card in position.hand]
        # often what the planner would build, so that accumulations are finished
        planned = find_build(position.hand, position.table) if rng.random() < 0.7 else None
        tries = [*filter(None, [planned]), *rng.sample(builds, min(len(builds), 40)), *tries]
    return next(filter(position.is_legal, tries), None)


def _by_bot(player: Player) -> Player:
    return lambda position, rng: player(*position)


_PLAYERS: tuple[Player, ...] = (
    at_random,
    at_random,
    _by_bot(collector.phazed_play),
    _by_bot(planner.phazed_play),
)
