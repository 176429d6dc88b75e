"""What is tried once more, whether it is a call of a function or a run of a program."""

import pytest

from grader.programs.jails import AGAIN, MAX_TIMEOUTS, Patience

LIMIT_S = 2.0


@pytest.mark.parametrize(
    ("took_s", "again", "tries", "charged", "loops"),
    [
        ((1.0,), True, [1.0], 1.0, False),
        ((None, 1.5), True, [1.0, AGAIN], 1.5, False),
        ((None, 3.0), True, [1.0, AGAIN], None, False),
        ((None, None), True, [1.0, AGAIN], None, True),
        ((None, 1.5), False, [1.0], None, False),
    ],
    ids=["in time", "late once", "too slow, but no loop", "a loop", "not to be tried again"],
)
def test_what_is_out_of_time_is_tried_once_more(
    took_s: tuple[float | None, ...], again: bool, tries: list[float], charged: float | None, loops: bool
) -> None:
    tried: list[float] = []
    patience = Patience()

    def attempt(times: float) -> float | None:
        tried.append(times)
        return took_s[len(tried) - 1]

    assert patience.tried(attempt, lambda each: each, LIMIT_S, again) == charged
    assert (tried, patience.loops) == (tries, loops)


def test_what_loops_is_not_tried_again() -> None:
    tried: list[float] = []
    Patience(loops=True).tried(tried.append, lambda _: None, LIMIT_S)
    assert tried == [1.0]


def test_three_cases_out_of_time_end_a_question() -> None:
    assert [bool(Patience(timeouts=count).ended) for count in range(MAX_TIMEOUTS + 1)] == [False] * 3 + [True]
