"""A player that is asked many cases at once has the report that it would have if it were asked one by one."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from grader.authoring.course_folder.course import builtin
from grader.definition.paper import Check, Paper, paper
from grader.definition.question import Shows
from grader.grading.grade import full_report
from grader.grading.questioning import Answered, Asking
from grader.grading.report import QuestionReport
from grader.programs.jails import Jails
from sandbox.api import Program, Sandbox
from tests.grader.grading.test_grade import first
from tests.papers import hidden_cases, with_questions

Q1 = builtin("bo").questions[0].model_copy(update={"call_s": 0.3, "shows": Shows.ALL})
ALL = paper(with_questions(builtin("bo"), Q1), hidden_cases("bo"))
SOME = paper(with_questions(builtin("bo"), Q1), {question: each[::4] for question, each in hidden_cases("bo").items()})

PLAYERS = {
    "right or wrong by its state": "return n % 3 == 0",
    "raises": "return True if n % 100 else 1 / 0",
    "dies": "return os._exit(3) if n == 200 else n % 2 == 0",
    "crashes in C": "return ctypes.string_at(0) if n == 200 else n % 2 == 0",
    "loops": "return [None for _ in iter(int, 1)] if n == 200 else n % 2 == 0",
    "is slow once": "time.sleep(.28 if n == 200 else 0)\n    return n % 2 == 0",
    "opens a socket": "return socket.socket() if n == 200 else n % 2 == 0",
    "takes too much memory": "return bytearray(1 << 40) if n == 200 else n % 2 == 0",
    "prints in one case": "print(n) if n == 200 else 0\n    return n % 2 == 0",
    "prints and raises": "return 1 / print(n) if n == 200 else n % 2 == 0",
    "writes to the channel": "return os.write(3, b'V') if n == 200 else n % 2 == 0",
    "returns what cannot be sent": "return object() if n == 200 else n % 2 == 0",
    "returns too much": "return 'x' * 100_000 if n == 200 else n % 2 == 0",
    "returns much": "return ('x' * 30_000, n)",
    "draws lots": "return random.random() < .5",
}


def report(sandbox: Sandbox, body: str, asked: Paper = SOME) -> QuestionReport:
    imports = "import ctypes, os, random, socket, time\nprint('hello')\nn = 0\n"
    source = f"{imports}def {Q1.function}(*args):\n    global n\n    n += 1\n    {body}\n"
    found = first(full_report(asked, source.encode(), Jails(lambda: sandbox, lambda: sandbox)))
    return replace(found, cases=[replace(case, cpu_ms=0.0) for case in found.cases])


def singly(self: Asking, checks: Iterable[Check]) -> list[Answered]:
    return []


@pytest.mark.parametrize("what", PLAYERS)
def test_the_report_is_that_of_single_calls(what: str, sandbox: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    several = report(sandbox, PLAYERS[what])
    monkeypatch.setattr(Asking, "put_several", singly)
    assert report(sandbox, PLAYERS[what]) == several


def test_most_cases_are_asked_at_once(sandbox: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    put_several = Asking.put_several

    def counted(self: Asking, checks: Iterable[Check]) -> list[Answered]:
        answered = put_several(self, checks)
        asked.append(len(answered))
        return answered

    monkeypatch.setattr(Asking, "put_several", counted)
    total = report(sandbox, PLAYERS["draws lots"], ALL).total
    assert sum(asked) > 0.9 * total


WITHOUT_STATE = {
    "raises always": "raise ValueError(args)",
    "prints and raises": "print(args)\n    raise ValueError",
    "raises for most cards": "return {'2': True, '3': False}[args[0][0]]",
    "returns what cannot be sent": "return object()",
    "calls itself": "return {NAME}(*args)",
    "ends": "exit()",
    "cannot be hashed": "return {args: 1}",
}


@pytest.mark.full
@pytest.mark.parametrize("what", WITHOUT_STATE)
def test_exceptions_that_change_nothing_need_no_fresh_process(
    what: str, sandbox: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = f"def {Q1.function}(*args):\n    {WITHOUT_STATE[what].replace('{NAME}', Q1.function)}\n"
    opened, starts = sandbox.open, []

    def graded(lasting: bool) -> QuestionReport:
        def counted(program: Program, *rest: Any) -> Any:
            starts.append(lasting)
            return opened(replace(program, lasting=lasting), *rest)

        monkeypatch.setattr(sandbox, "open", counted)
        found = first(full_report(SOME, source.encode(), Jails(lambda: sandbox, lambda: sandbox)))
        return replace(found, cases=[replace(case, cpu_ms=0.0) for case in found.cases])

    apart, together = graded(False), graded(True)
    assert apart == together
    assert starts.count(False) > apart.total / 2 > 10 > starts.count(True)
