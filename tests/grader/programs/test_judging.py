"""Judging output by an author's own checker or validator, in jails."""

from collections.abc import Iterator

import pytest

from grader.author_code.authored import AuthorError
from grader.comparing.outputs import OutputJudgement, SameTokens
from grader.definition.question import OutputChecker, OutputComparator, ProgramCase, ProgramQuestion, Validator
from grader.programs.jails import Jails
from grader.programs.running import REFUSED, Judging
from sandbox.api import Sandbox
from sandbox.choose import open_program_sandbox
from sandbox.programs import ProgramLimits, ProgramSandbox

SEEN = ProgramCase(slug="01-two", title="Two", hidden=False, input="2\n", output="4\n")
HIDDEN = SEEN.model_copy(update={"hidden": True})


@pytest.fixture(scope="module")
def programs() -> Iterator[ProgramSandbox]:
    with open_program_sandbox() as opened:
        yield opened


@pytest.fixture
def jails(programs: ProgramSandbox, sandbox: Sandbox) -> Jails:
    return Jails(programs=lambda: programs, authors=lambda: sandbox)


def judged(jails: Jails, comparator: OutputComparator, printed: bytes, case: ProgramCase = SEEN) -> OutputJudgement:
    question = ProgramQuestion(slug="q1", title="One", language="cpp17", comparator=comparator, cases=(case,))
    with Judging(question, jails) as judging:
        return judging.judge(case, printed)


def checker(body: str) -> OutputChecker:
    return OutputChecker(source=f"def accepts(given, expected, printed):\n    {body}\n")


def validator(*body: str, flags: tuple[str, ...] = ()) -> Validator:
    lines = ("import sys", "given, answer, folder = sys.argv[1:4]", "printed = sys.stdin.read()", *body)
    return Validator(language="python3", files={"validate.py": "\n".join(lines)}, flags=flags)


CHECKED = [
    ("return given == '2\\n' and expected == '4\\n'", b"", True, ""),
    ("return int(printed) == int(expected)", b" 4", True, ""),
    ("return printed == expected", b"5", False, REFUSED),
    ("return printed == expected or f'{printed!r} is odd'", b"\xff\x1b", False, r"'\ufffd\x1b' is odd"),
]


@pytest.mark.parametrize(("body", "printed", "right", "message"), CHECKED)
def test_a_checker_sees_input_answer_and_output(
    jails: Jails, body: str, printed: bytes, right: bool, message: str
) -> None:
    found = judged(jails, checker(body), printed)
    assert found.right == right
    assert found.message == message.replace("\\ufffd", "\ufffd")


@pytest.mark.parametrize("body", ["return 1 / 0", "return None", "import os; os.fork()"])
def test_a_checker_s_failure_is_its_author_s(jails: Jails, body: str) -> None:
    with pytest.raises(AuthorError, match=r"checker\.py"):
        judged(jails, checker(body), b"")


TEAM, JUDGE = (
    "open(folder + '{}message.txt', 'w').write('{}')".format(*each)
    for each in (("team", "Too low"), ("judge", "4, not 5"))
)
VALIDATED = [
    (("sys.exit(42 if int(printed) == 2 * int(open(given).read()) else 43)",), b"4", OutputJudgement(True)),
    (("sys.exit(42 if printed == open(answer).read() else 43)",), b"5", OutputJudgement(False, REFUSED)),
    ((TEAM, JUDGE, "sys.exit(43)"), b"", OutputJudgement(False, "Too low")),
    ((JUDGE, "sys.exit(43)"), b"", OutputJudgement(False, "4, not 5")),
]


@pytest.mark.parametrize(("body", "printed", "judgement"), VALIDATED)
def test_a_validator_answers_with_its_exit_code(
    jails: Jails, body: tuple[str, ...], printed: bytes, judgement: OutputJudgement
) -> None:
    assert judged(jails, validator(*body), printed) == judgement


def test_what_a_validator_tells_judges_is_not_shown_with_a_hidden_case(jails: Jails) -> None:
    assert judged(jails, validator(JUDGE, "sys.exit(43)"), b"", HIDDEN).message == REFUSED
    assert judged(jails, validator(TEAM, "sys.exit(43)"), b"", HIDDEN).message == "Too low"


def test_a_validator_gets_its_flags(jails: Jails) -> None:
    body = "sys.exit(42 if sys.argv[4:] == ['case_sensitive', '1e-6'] else 43)"
    assert judged(jails, validator(body, flags=("case_sensitive", "1e-6")), b"").right


@pytest.mark.parametrize(
    ("body", "words"), [("sys.exit(0)", "exit code 0"), ("1 / 0", "ZeroDivisionError"), ("while True: pass", "stopped")]
)
def test_a_validator_s_failure_is_its_author_s(
    jails: Jails, body: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.programs.running.VALIDATOR_LIMITS", ProgramLimits(cpu_s=0.5, memory=1 << 28))
    with pytest.raises(AuthorError, match=words) as raised:
        judged(jails, validator(body), b"")
    assert raised.value.file == "validator"
    assert "01-two" in raised.value.problem


@pytest.mark.slow
def test_a_validator_is_compiled(jails: Jails) -> None:
    text = "#include <iostream>\nint main() { int n; return std::cin >> n && n == 4 ? 42 : 43; }\n"
    assert judged(jails, Validator(language="cpp17", files={"v.cpp": text}), b"4\n").right
    with pytest.raises(AuthorError, match="does not compile"):
        judged(jails, Validator(language="cpp17", files={"v.cpp": "int main() {"}), b"4\n")


def test_other_comparators_need_no_jail(jails: Jails) -> None:
    assert judged(jails, SameTokens(), b"4").right
    assert judged(jails, SameTokens(), b"5").difference
