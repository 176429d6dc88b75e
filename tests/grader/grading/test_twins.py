"""What a student sees of the hidden cases that fail; and the other ways in which an answer can be right."""

from ast import literal_eval
from dataclasses import replace
from typing import Any

import pytest

from grader.author_code import solving
from grader.authoring.papers import make_paper
from grader.comparing.comparators import Checker, Floats, Printed
from grader.definition.model import Definition
from grader.definition.paper import paper
from grader.definition.question import FunctionQuestion, Shows
from grader.grading import grade
from grader.grading.grade import Drawn, full_report, twins
from grader.grading.report import Report, Sought, for_student, trim
from grader.programs.jails import Jails
from sandbox.api import Sandbox, Verdict
from tournament.games.api import Case
from tournament.games.judges import key

CASES = "def cases(rng):\n    for _ in range(40):\n        yield (rng.randrange(10_000),)\n"
DOUBLE = FunctionQuestion(
    slug="q1",
    title="Twice as much",
    function="double",
    parameters=("n",),
    examples=">>> double(2)\n4\n",
    cases=CASES,
    solution="def double(n):\n    return 2 * n\n",
)
THREE = Case((3,), 6)
RIGHT = b"def double(n):\n    return n + n\n"
WRONG = b"def double(n):\n    return 2 * n if n < 5000 else 0\n"


def definition(**changed: Any) -> Definition:
    return Definition(title="Numbers", questions=(DOUBLE.model_copy(update=changed),))


def graded(sandbox: Sandbox, asked: Definition, source: bytes, secret: str = "") -> Report:
    jails = Jails(lambda: sandbox, lambda: sandbox, secret=secret)
    return trim(full_report(make_paper(asked, sandbox), source, jails))


def calls(report: Report) -> list[str]:
    """The hidden calls in a report."""
    return [case.call for case in report.questions[0].cases if case.hidden]


@pytest.mark.parametrize(("shows", "shown"), [(Shows.ALL, 20), (Shows.SMALLEST, 1), (Shows.TWIN, 3), (Shows.NUMBER, 0)])
def test_what_a_student_sees_of_failing_hidden_cases_is_a_setting(sandbox: Sandbox, shows: Shows, shown: int) -> None:
    report = graded(sandbox, definition(shows=shows), WRONG)
    (question,) = for_student(report).questions
    assert 10 < question.total - question.passed < 30
    assert min(shown, question.total - question.passed) == len(calls(for_student(report)))
    assert len(calls(report)) >= 10, "an instructor sees them all"


def test_a_twin_is_not_graded_fails_too_and_is_the_same_for_the_same_file(sandbox: Sandbox) -> None:
    report, again, other = (graded(sandbox, definition(), source, "a") for source in (WRONG, WRONG, WRONG + b"\n"))
    elsewhere = graded(sandbox, definition(), WRONG, "another secret")
    twins = [case for case in for_student(report).questions[0].cases if case.hidden]
    assert [(each.verdict, each.got) for each in twins] == [(Verdict.WA, "0")] * 3
    graded_calls = {check.call for check in make_paper(definition(), sandbox).checks["q1"]}
    assert graded_calls.isdisjoint(calls(for_student(report)))
    assert calls(for_student(again)) == calls(for_student(report)) != calls(for_student(other))
    assert calls(for_student(elsewhere)) != calls(for_student(report))


@pytest.mark.parametrize("source", [RIGHT, b"def dubble(n):\n    return 2 * n\n", b"def double(n:\n"])
def test_a_player_that_fails_no_case_or_every_case_for_one_reason_has_no_twin(sandbox: Sandbox, source: bytes) -> None:
    assert graded(sandbox, definition(), source).questions[0].twin is None


def test_a_file_out_of_time_is_loaded_twice_and_no_more_for_its_twin(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, starts = sandbox.open, list[Any]()

    def counted(program: Any, limits: Any, seed: int) -> Any:
        starts.append(program.source)
        return opened(program, replace(limits, load_s=0.2) if program.source == source else limits, seed)

    source = b"while True: pass\n"
    monkeypatch.setattr(sandbox, "open", counted)
    question = graded(sandbox, definition(), source).questions[0]
    assert starts.count(source) == 2
    assert question.verdicts == {"TLE": question.total}
    assert question.twin
    assert question.twin.message == question.cases[0].message


def test_a_case_that_crashes_or_loops_has_a_twin_that_does_too(sandbox: Sandbox) -> None:
    source = b"def double(n):\n    while n > 9000: pass\n    return 1 // 0 if n > 5000 else 2 * n\n"
    twin = graded(sandbox, definition(call_s=0.1), source).questions[0].twin
    assert twin
    assert twin.verdict in (Verdict.RTE, Verdict.TLE)


FEW = "def cases(rng):\n    for _ in range(400):\n        yield (rng.randrange(1000, 1060),)\n"
KNOWS = b"""\
ASKED = []
def double(n):
    ASKED.append(n)
    return 2 * n if n < 1000 or len(ASKED) < 20 else tuple(ASKED)
"""


def test_which_cases_are_asked_for_a_twin_does_not_tell_which_are_graded(sandbox: Sandbox) -> None:
    seen = []
    for graded_ones in (range(1000, 1060, 2), range(1001, 1060, 2)):
        asked = paper(definition(cases=FEW), {"q1": [Case((n,), 2 * n, "") for n in graded_ones]})
        report = full_report(asked, KNOWS, Jails(lambda: sandbox, lambda: sandbox, secret="any"))
        twin = report.questions[0].twin
        seen.append(literal_eval(twin.got) if twin else ())
    shorter, longer = sorted(seen, key=len)
    assert len(shorter) >= 20
    assert longer[: len(shorter)] == shorter


LATE = """\
def cases(rng):
    yield from ((rng.randrange(5000),) for _ in range(1500))
    yield from ((rng.randrange(7000, 10_000),) for _ in range(100))
"""


def test_the_whole_generator_is_searched(sandbox: Sandbox) -> None:
    (question,) = graded(sandbox, definition(cases=LATE), WRONG).questions
    assert question.passed / question.total > 0.9
    assert len(question.twins) == 3


def test_the_search_ends_in_time(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "MOST_DRAWN_S", 0.0)
    monkeypatch.setattr(grade, "MOST_S", 0.0)
    (question,) = graded(sandbox, definition(cases=LATE), WRONG).questions
    assert (question.twins, question.sought) == ([], Sought.TOO_LONG)


DIFFERENT = b"""\
def double(n):
    if n % 10 == 1:
        return [][n]
    if n % 10 == 2:
        return str(2 * n)
    return 0 if n % 10 < 7 else 2 * n
"""


def test_twins_are_as_different_as_possible(sandbox: Sandbox) -> None:
    many = definition(cases=CASES.replace("40", "400"))
    (question,) = graded(sandbox, many, DIFFERENT, "any").questions
    assert len({each.verdict for each in question.twins}) >= 2


def one_of_each(case: Case) -> str | None:
    return "fails" if case.args[0] > 4 else None


ORDER = "def cases(rng):\n    for n in range(1000):\n        yield (n,)\n"
OUTCOMES = [
    ([], [5, 6, 7], ""),
    ([6], [5], ""),
    ([7], [5], ""),
    ([5], [6], ""),
    ([5, 7], [6], ""),
    ([5, 6], [], Sought.GRADED),
    ([5, 6, 7], [], Sought.GRADED),
]


@pytest.mark.parametrize(("graded_ones", "shown", "sought"), OUTCOMES)
def test_the_search_for_twins_has_four_outcomes_and_shows_no_graded_case(
    sandbox: Sandbox, graded_ones: list[int], shown: list[int], sought: str
) -> None:
    authored = make_paper(definition(cases=ORDER), sandbox).authored["q1"]
    drawn = Drawn(sandbox, authored, ("", "q1", b""), lambda: True)
    found, why = twins(drawn, {key((n,)) for n in graded_ones}, one_of_each)
    assert ([case.args[0] for case in found], why) == (shown, sought)


def test_that_no_similar_case_fails_is_said_only_where_it_is_true(sandbox: Sandbox) -> None:
    once = b"KEPT = []\ndef double(n):\n    KEPT.append(n)\n    return 0 if n == 3 else 2 * n\n"
    asked = paper(
        definition(cases="def cases(rng):\n    for n in range(4, 90):\n        yield (n,)\n"), {"q1": [THREE]}
    )
    jails = Jails(lambda: sandbox, lambda: sandbox)
    assert full_report(asked, once, jails).questions[0].sought is Sought.NONE_FAILS


def test_doctest_cases_have_no_twin(sandbox: Sandbox) -> None:
    cases = ">>> double(7000)\n14000\n>>> double(7001)\n14002\n"
    report = graded(sandbox, definition(cases=cases, solution=""), WRONG)
    assert report.questions[0].passed == 1
    assert calls(for_student(report)) == []


THIRD = {"solution": "def double(n):\n    return n / 3\n", "examples": ">>> double(3)\n1.0\n"}
PRINTED = {
    "solution": "def double(n):\n    print(n)\n    print(2 * n)\n",
    "examples": ">>> double(2)\n2\n4\n",
    "comparator": Printed(),
}
EVEN = Checker(source="def accepts(args, got):\n    return got % 2 == 0 or f'{got} is odd'\n")


@pytest.mark.parametrize(
    ("changed", "source", "passes"),
    [
        (THIRD | {"comparator": Floats()}, b"def double(n):\n    return n * (1 / 3)\n", True),
        (THIRD, b"def double(n):\n    return n * (1 / 3)\n", False),
        (THIRD | {"comparator": Floats(absolute=0.1)}, b"def double(n):\n    return n / 3 + 0.2\n", False),
        (PRINTED, b"print('hello')\ndef double(n):\n    print(n, '\\n', 2 * n, sep='', end=' \\n\\n')\n", True),
        (PRINTED, b"def double(n):\n    return n, 2 * n\n", False),
        (PRINTED, b"def double(n):\n    print(n)\n    print(2 * n)\n    print('x' * 50_000)\n", False),
        ({"comparator": EVEN}, b"def double(n):\n    return 4 * n\n", True),
        ({"comparator": EVEN}, b"def double(n):\n    return 1\n", False),
    ],
)
def test_a_comparator_says_what_is_right(
    sandbox: Sandbox, changed: dict[str, Any], source: bytes, passes: bool
) -> None:
    (question,) = graded(sandbox, definition(**changed, shows=Shows.NUMBER), source).questions
    assert (question.passed == question.total) is passes
    assert question.total == 41


def test_much_output_in_many_cases_is_no_flood_where_output_is_the_answer(sandbox: Sandbox) -> None:
    long = {"solution": "def double(n):\n    print('x' * 5000)\n", "examples": "", "comparator": Printed()}
    (question,) = graded(sandbox, definition(**long), b"def double(n):\n    print('x' * 5000)\n").questions
    assert question.passed == question.total == 40


def test_the_reason_of_a_checker_is_shown(sandbox: Sandbox) -> None:
    report = graded(sandbox, definition(comparator=EVEN, shows=Shows.ALL), b"def double(n):\n    return 1\n")
    assert {case.message for case in report.questions[0].cases} == {"1 is odd"}
