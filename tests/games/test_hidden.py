"""The hidden cases: positions that a game can reach, and nothing refused but by the words of the assignment."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import pytest

from grader.authoring.course_folder.course import builtin
from grader.definition.question import FunctionQuestion
from tests.games.bo import reach as bo_reach
from tests.games.hidden import hidden
from tests.games.kotc import reach as kotc_reach
from tests.games.phazed import reach as phazed_reach
from tests.games.ruled_out import RULED_OUT
from tests.games.uno import reach as uno_reach
from tests.papers import whole_paper
from tournament.games.api import Case, IllegalPlay
from tournament.games.bo import plays as bo_plays
from tournament.games.cards import PACK
from tournament.games.go import huxxy
from tournament.games.phazed import plays as phazed_plays
from tournament.games.phazed.positions import PhazedPosition
from tournament.games.uno.pack import PACK as UNO_PACK
from tournament.play.games import GAMES

paper_of = cache(whole_paper)
HIDDEN = [(slug, each.slug) for slug in GAMES for each in builtin(slug).questions if each.cases]


def flat(value: Any) -> Iterator[str]:
    """The texts in nested lists and tuples."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from flat(part)


def in_bo(args: Any) -> Iterator[str]:
    _, _, hand, stockpiles, *piles = args
    return flat([hand, stockpiles, piles])


def in_phazed(args: Any) -> Iterator[str]:
    _, _, table, _, _, hand, discard = args
    return flat([hand, discard, [groups for _, groups in table]])


def in_kotc(args: Any) -> Iterator[str]:
    """An Eight on top may count as of another suit than its own."""
    hand, discard, pile, _ = args
    return flat([hand, pile, [] if discard[0] == "8" else discard])


def in_uno(args: Any) -> Iterator[str]:
    _, hand, top, _, _, _, history = args
    return flat([hand, [what for _, action, what in history if action == "play"] or top])


SIGHT: dict[tuple[str, str], tuple[Sequence[str], Callable[[Any], Iterator[str]]]] = {
    ("bo", "q1"): (PACK * 2, flat),
    ("bo", "q2"): (PACK * 2, lambda args: flat(args[:2])),
    ("bo", "q3"): (PACK * 2, in_bo),
    ("phazed", "q1"): (PACK * 2, flat),
    ("phazed", "q2"): (PACK * 2, flat),
    ("phazed", "q3"): (PACK * 2, in_phazed),
    ("phazed", "q4"): (PACK * 2, flat),
    ("go", "q1"): (PACK * 2, flat),
    ("go", "q2"): (PACK, flat),
    ("go", "bonus"): (PACK, flat),
    ("kotc", "q1"): (PACK, in_kotc),
    ("kotc", "q2"): (PACK, in_kotc),
    ("uno", "q1"): (UNO_PACK, lambda args: flat(args[:2])),
    ("uno", "q2"): (UNO_PACK, flat),
    ("uno", "q3"): (UNO_PACK, flat),
    ("uno", "q4"): (UNO_PACK, in_uno),
    ("uno", "q5"): (UNO_PACK, in_uno),
}
"""For each question the cards that there are, and those that lie before the player's eyes in a case."""

FEWER = {("phazed", "q4"): 200, ("go", "bonus"): 100, ("uno", "q5"): 300}
"""Of all other questions there are a thousand hidden cases or more."""

REACH: dict[tuple[str, str], Callable[[Case], None]] = {
    ("bo", "q3"): lambda case: bo_reach.check_reachable(case.args[1:]),
    ("phazed", "q3"): lambda case: phazed_reach.check_reachable(case.args[1:]),
    ("kotc", "q1"): lambda case: kotc_reach.check_reachable(case.args),
    ("kotc", "q2"): lambda case: kotc_reach.check_reachable(case.args),
    ("uno", "q4"): lambda case: uno_reach.check_reachable(case.args),
    ("uno", "q5"): lambda case: uno_reach.check_reachable(case.args),
}


def question_of(slug: str, question: str) -> FunctionQuestion:
    return next(each for each in builtin(slug).questions if each.slug == question)


def cases_of(slug: str, question: str) -> list[Case]:
    return hidden(slug, question_of(slug, question))


@pytest.mark.parametrize(("slug", "question"), HIDDEN)
def test_hidden_cases_are_calls_that_the_function_takes(slug: str, question: str) -> None:
    assert {len(case.args) for case in cases_of(slug, question)} == set(question_of(slug, question).arities)


@pytest.mark.parametrize(("slug", "question"), HIDDEN)
def test_hidden_cases_are_many(slug: str, question: str) -> None:
    assert len(cases_of(slug, question)) >= FEWER.get((slug, question), 1000)


@pytest.mark.parametrize(("slug", "question"), HIDDEN)
def test_no_call_comes_twice_among_examples_and_hidden_cases(slug: str, question: str) -> None:
    calls = Counter(check.call for check in paper_of(slug).checks[question])
    assert max(calls.values()) == 1


@pytest.mark.parametrize(("slug", "question"), HIDDEN)
def test_no_card_comes_more_often_than_it_exists(slug: str, question: str) -> None:
    assert (slug, question) in SIGHT, f"say in SIGHT of {__file__} which cards a case of {slug} {question} shows"
    pack, sight = SIGHT[slug, question]
    there = Counter(pack)
    for case in cases_of(slug, question):
        assert not Counter(sight(case.args)) - there, case.args


@pytest.mark.parametrize(("slug", "question"), REACH)
def test_every_position_can_be_reached(slug: str, question: str) -> None:
    for case in cases_of(slug, question):
        REACH[slug, question](case)


def broken_in_bo(args: Any) -> None:
    play, player, hand, stockpiles, discards, builds = args
    bo_plays.judge(bo_plays.check_shape(play), player, hand, stockpiles[player][0], discards, builds)


def broken_in_phazed(args: Any) -> None:
    play, *position = args
    PhazedPosition(*position).check(phazed_plays.check_shape(play))


def broken_in_go(args: Any) -> None:
    for group in args[0]:
        huxxy.judge(group)


BROKEN: dict[tuple[str, str], Callable[[Any], None]] = {
    ("bo", "q3"): broken_in_bo,
    ("phazed", "q3"): broken_in_phazed,
    ("go", "q1"): broken_in_go,
}


@pytest.mark.parametrize(("slug", "question"), RULED_OUT)
def test_what_is_refused_is_ruled_out_by_the_assignments_own_words(slug: str, question: str) -> None:
    rules = {broken(slug, question, case) for case in cases_of(slug, question) if case.expected in (0, False)}
    assert rules == set(RULED_OUT[slug, question])


def broken(slug: str, question: str, case: Case) -> str:
    """The rule that the case breaks."""
    with pytest.raises(IllegalPlay) as caught:
        BROKEN[slug, question](case.args)
    return caught.value.rule


def test_no_case_rests_on_leaving_an_accumulation_with_the_last_card() -> None:
    for case in cases_of("phazed", "q3"):
        (kind, _), hand = case.args[0], case.args[5]
        if kind == 4 and len(hand) == 1 and not case.expected:
            assert broken("phazed", "q3", case) != "unfinished"


def test_a_phase_has_groups() -> None:
    assert all(groups and all(groups) for (groups,) in (case.args for case in cases_of("phazed", "q2")))
