"""Positions for the hidden cases: out of hands between house bots and random players, at every stage of a game."""

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple, TypeAlias

from tournament.games.api import IllegalPlay
from tournament.games.cards import COLOUR, PACK, VALUE, VALUES
from tournament.games.phazed import rules
from tournament.games.phazed.bots import collector, planner
from tournament.games.phazed.building import run_end
from tournament.games.phazed.groups import (
    ACCUMULATIONS,
    ACES,
    COLOUR_ACCUMULATION,
    CYCLE,
    LAST_PHASE,
    NEXT_TOTAL,
    PHASES,
    RUNS,
    TOTALS,
    naturals,
    total,
)
from tournament.games.phazed.plays import has_drawn, judge
from tournament.games.phazed.shape import BUILD, DISCARD, DRAW, FROM_PILE, PHASE, Play
from tournament.games.phazed.state import SEATS, State, deal

Player: TypeAlias = Callable[..., Any]

find_phase: Callable[[list[str], int], list[list[str]] | None] = planner.find_phase
find_build: Callable[[list[str], Any], Play | None] = planner.build


class Position(NamedTuple):
    """The arguments of `phazed_is_valid_play` after the play."""

    player_id: int
    table: list[tuple[int | None, list[list[str]]]]
    turn_history: list[tuple[int, list[Play]]]
    phase_status: list[int]
    hand: list[str]
    discard: str | None

    @property
    def begun(self) -> bool:
        """Whether the player has drawn."""
        return has_drawn(self.player_id, self.turn_history)

    @property
    def played(self) -> bool:
        """Whether the player has played a phase in this hand."""
        return self.table[self.player_id][0] is not None

    def check(self, play: Play) -> None:
        """Raise IllegalPlay with the rule that the play breaks."""
        judge(play, self.player_id, self.table, self.begun, self.phase_status, self.hand, self.discard)

    def is_legal(self, play: Play) -> bool:
        """Whether the rules allow the play."""
        try:
            self.check(play)
        except IllegalPlay:
            return False
        return True

    def phase(self) -> Play | None:
        """The phase to be played now, if the hand holds it."""
        number = min(self.phase_status[self.player_id] + 1, LAST_PHASE)
        groups = find_phase(self.hand, number)
        return (PHASE, (number, groups)) if groups else None

    def places(self) -> list[tuple[int, int, int]]:
        """Where cards of the right kind could go: both ends of runs, any index of sets, the end of accumulations."""
        return [
            (owner, number, index)
            for owner, (phase, groups) in enumerate(self.table)
            for number, group in enumerate(groups)
            for index in _indices(PHASES[phase or 0][number], len(group))
        ]


def _indices(kind: int, length: int) -> tuple[int, ...]:
    if kind in RUNS:
        return (0, length)
    return (length,) if kind > max(RUNS) else (0, length // 2, length)


def positions(rng: Random) -> Iterator[Position]:
    """Endless: the positions of hand after hand, each seat at a phase and with a player drawn by `rng`, and bent ones.

    What most hands end too soon for is seen in bent positions: long runs and accumulations.
    """
    while True:
        for position in _hand(rng):
            yield position
            if position.begun and position.played:
                yield from _bend(position, rng)


def _hand(rng: Random) -> Iterator[Position]:
    """One hand. A random player may leave itself without a legal play; then the hand is over too."""
    players = [rng.choice(_PLAYERS) for _ in SEATS]
    state = _stacked_deal(rng)
    while not state.hand_ends:
        (request,) = rules.requests(state)
        seat, table, history, phase_status, hand, discard = request.args
        groups = [(phase, [list(group) for group in groups]) for phase, groups in table]
        position = Position(seat, groups, list(history.items), list(phase_status), list(hand), discard)
        yield position
        play = players[seat](position, rng)
        if play is None or not position.is_legal(play):
            return
        rules.apply(state, [(seat, rules.parse(state, seat, _mixed(play, rng)))])


def _mixed(play: Play, rng: Random) -> Play:
    """A phase with the cards of its groups in any order, Aces first too; runs stay as they are. Other plays too."""
    if play[0] != PHASE:
        return play
    number, groups = play[1]
    kinds = zip(PHASES[number], groups, strict=True)
    return PHASE, (number, [group if kind in RUNS else rng.sample(group, len(group)) for kind, group in kinds])


def _stacked_deal(rng: Random) -> State:
    """A hand with every seat at some phase, which most are dealt ready: two thirds of a hand would else be waiting."""
    state = deal(rng, len(SEATS))
    for seat, hand in enumerate(state.hands):
        state.phase_status[seat] = rng.choice([0, *range(LAST_PHASE), 2, 5])
        number = state.phase_status[seat] + 1
        least = rng.choice([2, 8]) if number in (3, 6) else 1  # high cards make short accumulations
        if rng.random() < 0.7:
            pool = rng.sample([*hand, *state.deck], 40)
            if least == 1 and rng.random() < 0.5:  # so few cards that Aces must help
                pool = pool[:14] + [card for card in pool[14:] if card in ACES]
            pool = [card for card in pool if VALUE[card] >= least]
            _exchange(hand, state.deck, find_phase(pool, number) or [], rng)
    return state


def _exchange(hand: list[str], deck: list[str], groups: list[list[str]], rng: Random) -> None:
    """Put the cards of the groups into the hand, which stays as long as it was."""
    wanted = [card for group in groups for card in group]
    if len(wanted) <= len(hand):
        deck += hand
        for card in wanted:
            deck.remove(card)
        rng.shuffle(deck)
        hand[:] = wanted + [deck.pop() for _ in range(len(hand) - len(wanted))]


def unseen(position: Position) -> list[str]:
    """The cards that are neither in the hand nor on the table."""
    seen = Counter([*position.hand, *(card for _, groups in position.table for group in groups for card in group)])
    return list((Counter([*PACK, *PACK]) - seen).elements())


def _bend(position: Position, rng: Random) -> Iterator[Position]:
    """The position with one run or accumulation grown by cards that nobody has seen yet."""
    cards = unseen(position)
    rng.shuffle(cards)
    for owner, (phase, groups) in enumerate(position.table):
        for number, kind in enumerate(PHASES[phase] if phase else ()):
            grown = None
            if kind in RUNS:
                grown = _grow_run(groups[number], rng.randint(0, CYCLE - 1), cards)
            elif kind in ACCUMULATIONS:
                grown = _grow_accumulation(groups[number], kind, rng.choice(TOTALS), cards)
            if grown:
                table = list(position.table)
                table[owner] = (phase, [*groups[:number], grown, *groups[number + 1 :]])
                yield position._replace(table=table)


def _grow_run(run: list[str], cards: int, unseen: list[str]) -> list[str]:
    """The run with up to so many cards more at its end, an Ace where no card of the colour is found at once."""
    grown = list(run)
    for _ in range(min(cards, CYCLE - len(run))):
        value = VALUES[run_end(grown, at_start=False) - 1]
        fitting = [card for card in unseen if card[0] in ("A", value) and COLOUR[card] == COLOUR[naturals(run)[0]]]
        if not fitting:
            break
        grown.append(fitting[0])
        unseen.remove(fitting[0])
    return grown


def _grow_accumulation(group: list[str], kind: int, limit: int, unseen: list[str]) -> list[str] | None:
    """The accumulation brought to that total; None if it is unfinished or that did not come out."""
    grown, reached = list(group), total(group)
    colours = {COLOUR[group[0]]} if kind == COLOUR_ACCUMULATION else {"red", "black"}
    for card in unseen if reached in TOTALS else ():
        if COLOUR[card] in colours and reached + VALUE[card] <= NEXT_TOTAL.get(reached, 0) and reached < limit:
            grown.append(card)
            reached += VALUE[card]
    return grown if reached in TOTALS and reached > total(group) else None


def at_random(position: Position, rng: Random) -> Play | None:
    """A legal play drawn by `rng`; the phase whenever there is one."""
    if not position.begun:
        return rng.choice([DRAW, (FROM_PILE, position.discard)])
    if not position.played and (phase := position.phase()):
        return phase
    tries: list[Play] = [(DISCARD, card) for card in rng.sample(position.hand, len(position.hand))]
    if position.played and rng.random() < 0.7:
        builds = [(BUILD, (card, place)) for place in position.places() for card in position.hand]
        tries = [*filter(None, [_planned(position, rng)]), *rng.sample(builds, min(len(builds), 40)), *tries]
    return next(filter(position.is_legal, tries), None)


def _planned(position: Position, rng: Random) -> Play | None:
    """Often what the planner would build, so that accumulations are finished."""
    return find_build(position.hand, position.table) if rng.random() < 0.7 else None


def _bot(player: Player) -> Player:
    return lambda position, rng: player(*position)


_PLAYERS: tuple[Player, ...] = (at_random, at_random, _bot(collector.phazed_play), _bot(planner.phazed_play))
