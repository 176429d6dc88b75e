"""An author's checker: what it may say, and that its own failures are the author's."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from grader.author_code.authored import CHECKER_LIMITS, AuthorError, CheckerProcess
from sandbox.api import Sandbox, SandboxError, Verdict

SHORT = replace(CHECKER_LIMITS, load_s=0.5, call_s=0.2, game_s=0.5, memory=128 << 20)


def checker(sandbox: Sandbox, body: str) -> CheckerProcess:
    return CheckerProcess(lambda: sandbox, f"def accepts(args, got):\n    {body}\n", limits=SHORT)


ANSWERS = [
    ("return True", "AC", ""),
    ("return got == sum(args)", "AC", ""),
    ("return got == 7", "WA", "Returned 3, which is not right."),
    ("return f'{got} is odd'", "WA", "3 is odd"),
    ("return 'two\\nlines \\x1b[2J'", "WA", r"two\nlines \x1b[2J"),
    ("return 'long ' * 1000", "WA", ("long " * 60)[:299] + "…"),
    ("return type(args) is tuple and type(got) is int", "AC", ""),
    ("print('x' * 10**6)\n    return True", "AC", ""),
]


@pytest.mark.parametrize(("body", "verdict", "message"), ANSWERS)
def test_what_a_checker_may_answer(sandbox: Sandbox, body: str, verdict: str, message: str) -> None:
    with checker(sandbox, body) as ask:
        judgement = ask((1, 2), 3)
    assert (judgement.verdict, judgement.message) == (verdict, message)


def test_several_answers_are_checked_at_once(sandbox: Sandbox) -> None:
    bodies = ["return got == sum(args) or f'{got} is wrong'", "import time\n    time.sleep(0.15)\n    return True"]
    answers = [((1, 2), 3), ((1, 2), 4), ([5], 5)]
    with checker(sandbox, bodies[0]) as ask:
        assert ask.all(answers) == [ask(*each) for each in answers]
    with checker(sandbox, bodies[1]) as slow:
        assert {each.verdict for each in slow.all(answers * 2)} == {"AC"}
    with (
        checker(sandbox, "return 1 / (got - 4)") as fails,
        pytest.raises(AuthorError, match=r"In accepts\(\(1, 2\), 3\)"),
    ):
        fails.all(answers)


MISTAKES = [
    ("pass", "In accepts((1, 2), 3): it returns None; it must return True, False or the reason why not"),
    ("return 1", "it returns 1; it must return"),
    ("return ' '", "it returns ' '; it must return"),
    ("return [True]", "it returns [True]; it must return"),
    ("return 1 / 0", "it raised ZeroDivisionError on line 2"),
    ("while True:\n        pass", "took more than the 0.2 s"),
    ("return [0] * 10**9", "128 MiB of memory"),
    ("open('/etc/passwd')", "An author's file runs in a jail"),
    ("import socket\n    socket.socket()", "use the network"),
    ("import os\n    os.fork()", "An author's file runs in a jail"),
    ("import solution", "imports solution"),
    ("import os\n    os.kill(1, 9)", ""),
]


@pytest.mark.parametrize(("body", "problem"), MISTAKES)
def test_its_failures_are_the_author_s(sandbox: Sandbox, body: str, problem: str) -> None:
    with checker(sandbox, body) as ask, pytest.raises(AuthorError) as raised:
        ask((1, 2), 3)
    assert raised.value.file == "checker.py"
    assert problem in raised.value.problem


@pytest.mark.parametrize("text", ["", "accepts = 3\n", "def accepts(got):\n    return True\n", "def", "1 / 0\n"])
def test_one_that_cannot_be_loaded_is_the_author_s_too(sandbox: Sandbox, text: str) -> None:
    with CheckerProcess(lambda: sandbox, text) as ask, pytest.raises(AuthorError, match=r"^checker\.py"):
        ask((), None)


def test_our_own_failure_stays_ours() -> None:
    def broken() -> Sandbox:
        raise SandboxError("no jail")

    with CheckerProcess(broken, "") as ask, pytest.raises(SandboxError, match="no jail"):
        ask((), None)


def test_no_jail_is_opened_for_a_checker_that_is_not_asked() -> None:
    opened: list[Any] = []
    with CheckerProcess(lambda: opened.append(1) or pytest.fail("opened"), ""):
        pass
    assert not opened


@pytest.fixture
def remembering(sandbox: Sandbox) -> Iterator[CheckerProcess]:
    text = "seen = []\ndef accepts(args, got):\n    seen.append(got)\n    return str(seen)\n"
    with CheckerProcess(lambda: sandbox, text) as ask:
        yield ask


def test_each_grading_has_a_checker_of_its_own(remembering: CheckerProcess) -> None:
    assert [remembering((), "a").message, remembering((), "b").message] == ["['a']", "['a', 'b']"]
    remembering.close()
    assert remembering((), "c").message == "['c']"
    assert remembering((), "c").verdict is Verdict.WA
