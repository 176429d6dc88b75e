"""Whose turn it is: simulations of one worker over many turns."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournament.work.turns import SHARES, Turns, WorkKind, share

TRIAL, FINAL, PERSONAL, BRACKET, LADDER = WorkKind
SECONDS = st.floats(0.01, 2.0)
FEW = settings(max_examples=30)  # of thousands of turns each
LONGEST = 2.0


def in_order(waiting: set[WorkKind]) -> list[WorkKind]:
    return [kind for kind in WorkKind if kind in waiting]


def simulate(
    waits: Iterable[set[WorkKind]], lasts: Mapping[WorkKind, float], turns: Turns[WorkKind] | None = None
) -> Counter[WorkKind]:
    """The seconds that each kind was played; `waits` has what waits at each turn, and `lasts` how long one takes."""
    turns, played = turns or Turns[WorkKind](), Counter[WorkKind]()
    for waiting in waits:
        kind = turns.next(in_order(waiting))
        turns.charge(kind, lasts[kind], share(kind, waiting))
        played[kind] += lasts[kind]  # type: ignore[assignment]  # seconds
    return played


@FEW
@given(st.fixed_dictionaries(dict.fromkeys(WorkKind, SECONDS)))
def test_a_final_has_at_least_half_of_the_time_whatever_waits(lasts: dict[WorkKind, float]) -> None:
    played = simulate([set(WorkKind)] * 3000, lasts)
    assert played[FINAL] >= 0.5 * played.total() - LONGEST


@FEW
@given(st.fixed_dictionaries(dict.fromkeys(WorkKind, SECONDS)))
def test_beside_ladders_alone_a_final_has_nearly_all_of_it_and_the_ladder_goes_on(lasts: dict[WorkKind, float]) -> None:
    played = simulate([{FINAL, LADDER}] * 5000, lasts)
    assert played[FINAL] >= 0.95 * played.total() - LONGEST
    assert played[LADDER] > 0


@FEW
@given(st.fixed_dictionaries(dict.fromkeys(WorkKind, SECONDS)), st.sets(st.sampled_from(WorkKind), min_size=1))
def test_each_has_its_share_of_the_time_while_it_waits(lasts: dict[WorkKind, float], waiting: set[WorkKind]) -> None:
    played = simulate([waiting] * 3000, lasts)
    parts = sum(share(kind, waiting) for kind in waiting)
    for kind in waiting:
        fair = played.total() * share(kind, waiting) / parts
        assert played[kind] == pytest.approx(fair, abs=LONGEST * len(waiting) + 0.01 * fair)


@given(st.lists(st.sets(st.sampled_from(WorkKind), min_size=1), min_size=1, max_size=300), st.sampled_from(WorkKind))
def test_whatever_waits_has_its_turn_however_the_others_come_and_go(
    others: list[set[WorkKind]], kind: WorkKind
) -> None:
    """All turns take a second here: nobody waits longer than the parts of all others for one of its own."""
    turns, waited = Turns[WorkKind](), 0
    for waiting in others * 3:
        now = waiting | {kind}
        chosen = turns.next(in_order(now))
        turns.charge(chosen, 1.0, share(chosen, now))
        waited = 0 if chosen is kind else waited + 1
        assert waited <= sum(SHARES.values()) + len(WorkKind)


@given(st.sampled_from([TRIAL, PERSONAL, FINAL]), st.integers(1, 200))
def test_who_was_away_waits_for_one_turn_at_most_and_saves_nothing_up(kind: WorkKind, away: int) -> None:
    """A trial, a custom game and a final come next when they come, and have no more than their share after it."""
    turns, lasts = Turns[WorkKind](), dict.fromkeys(WorkKind, 1.0)
    simulate([{LADDER, BRACKET}] * away, lasts, turns)
    first = simulate([{LADDER, BRACKET, kind}] * 2, lasts, turns)
    assert first[kind] >= 1
    others = sum(SHARES[each] for each in (kind, LADDER, BRACKET))
    played = simulate([{LADDER, BRACKET, kind}] * 100, lasts, turns)
    assert played[kind] <= 100 * SHARES[kind] / others + 12


def test_trials_come_first_of_what_begins_to_wait_at_the_same_time() -> None:
    turns, order = Turns[WorkKind](), list[WorkKind]()
    for _ in WorkKind:
        order.append(turns.next(in_order(set(WorkKind) - set(order))))
    assert order == list(WorkKind)


def test_where_nothing_waits_nobody_has_a_turn() -> None:
    with pytest.raises(ValueError, match="empty"):
        Turns[WorkKind]().next(set())


# Between tournaments


@dataclass(frozen=True)
class Waiting:
    """A tournament: how long a block takes, how many were played just before, and how many wait."""

    lasts: float
    former: int
    blocks: int


WAITING = st.builds(Waiting, st.floats(0.1, 60.0), st.integers(0, 3), st.integers(0, 500))
NEW, SHARE, FIRST_BLOCKS = -1, 4, 3


@FEW
@given(st.lists(WAITING, max_size=6), st.floats(0.1, 60.0))
def test_a_new_entry_never_waits_for_the_queues_of_other_tournaments(others: list[Waiting], lasts: float) -> None:
    """Its first three blocks, which have four times the share, are over by a time in which no queue's length occurs."""
    turns, left, clock = Turns[int](), [each.blocks for each in others], 0.0
    for number, each in enumerate(others):
        for _ in range(each.former):
            turns.charge(number, each.lasts, 1)
    played = 0
    while played < FIRST_BLOCKS:
        number = turns.next([NEW, *(number for number, blocks in enumerate(left) if blocks)])
        took, share = (lasts, SHARE) if number == NEW else (others[number].lasts, 1)
        turns.charge(number, took, share)
        clock += took
        if number == NEW:
            played += 1
        else:
            left[number] -= 1
    own = FIRST_BLOCKS * lasts
    assert clock <= own + sum(own / SHARE + 2 * each.lasts for each in others) + 1e-6


def test_tournaments_whose_blocks_take_long_have_no_more_time_than_the_others() -> None:
    """First come, first served, the one with blocks of a minute had 60 of 61 seconds."""
    turns, time, lasts = Turns[int](), Counter[int](), {1: 60, 2: 1}
    for _ in range(2000):
        number = turns.next([1, 2])
        turns.charge(number, lasts[number], 1)
        time[number] += lasts[number]
    assert abs(time[1] - time[2]) <= 60
