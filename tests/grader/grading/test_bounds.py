"""What grading a submission may cost: crashes, time-outs and the budget; and that a case that was not run says so."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from grader.authoring.course_folder.course import builtin
from grader.definition.paper import Paper, paper
from grader.definition.question import Shows
from grader.grading import questioning
from grader.grading.grade import full_report
from grader.grading.report import QuestionReport, Report
from grader.programs.jails import Jails
from sandbox.api import Answer, Fault, Limits, Program, Reply, Sandbox, Session, Verdict
from tests.grader.grading.test_grade import first
from tests.papers import examples_only, hidden_cases, with_questions
from tournament.play.games import GAMES

Q1, Q2 = (each.model_copy(update={"call_s": 0.2, "shows": Shows.ALL}) for each in builtin("bo").questions[:2])
EXAMPLES = examples_only("bo", Q1)
COMPUTES = "def compute(s):\n    t = time.process_time()\n    while time.process_time() - t < s:\n        pass\n"
COMPUTING = (4, 5)  # the lines of its loop
NO_ANSWER = "Your player did not answer any call in time, so the other cases were not run."


@cache
def quick() -> Paper:
    return paper(with_questions(builtin("bo"), Q1), {Q1.slug: hidden_cases("bo")[Q1.slug][::3]})


def player(*lines: str, at_import: str = "") -> bytes:
    body = "\n".join(f"    {line}" for line in lines)
    return f"import time\n{COMPUTES}{at_import}\ndef {Q1.function}(card, pile):\n{body}\n".encode()


def question(sandbox: Any, source: bytes, limits: Limits | None = None, asked: Paper | None = None) -> QuestionReport:
    return first(
        full_report(asked or quick(), source, Jails(lambda: sandbox, lambda: sandbox, limits=limits or Limits()))
    )


def test_every_case_is_run_however_many_crash(sandbox: Sandbox) -> None:
    report = question(sandbox, player("return 1 / 0 if card[0] in 'A23' else True"))
    crashes = sum(check.case.args[0][0] in "A23" for check in quick().checks[Q1.slug])
    assert crashes > 50
    assert report.verdicts["RTE"] == crashes
    assert (report.run, report.stopped) == (report.total, "")


def test_three_cases_out_of_time_end_a_question_and_say_the_line(sandbox: Sandbox) -> None:
    report = question(sandbox, player("if card[0] == 'Q':", "    compute(9)", "return True"))
    assert report.verdicts["TLE"] == 3
    assert report.run == report.total - report.verdicts["NOT_RUN"] > 3
    assert report.stopped == "3 cases in this question ran out of time, so the other cases were not run."
    assert {case.line in COMPUTING for case in report.cases if case.verdict is Verdict.TLE} == {True}


def test_what_was_not_run_stands_after_all_that_failed_and_is_not_out_of_time(sandbox: Sandbox) -> None:
    report = question(sandbox, player("compute(9)"))
    assert report.verdicts == {"TLE": 3, "NOT_RUN": report.total - 3}
    assert [case.verdict for case in report.cases] == [Verdict.TLE] * 3 + [Verdict.NOT_RUN] * (report.total - 3)
    assert {case.message for case in report.cases[3:]} == {report.stopped}
    assert (report.passed, report.points) == (0, 0.0)


def test_a_player_that_is_slow_but_right_passes_whatever_it_did_before(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questioning, "PROBE_S", 0.03)
    source = player("compute(9 if card == '2S' else .07)", "return card in ('2S', '3C', 'AH')")
    report = question(sandbox, source, asked=EXAMPLES)
    assert report.verdicts == {"TLE": 1, "AC": report.total - 1}


def test_the_budget_is_the_submissions_and_the_report_says_how_many_cases_ran(sandbox: Sandbox) -> None:
    two = paper(with_questions(builtin("bo"), Q1, Q2), hidden_cases("bo"))
    source = (
        player("compute(.02)", "return True") + f"def {Q2.function}(*cards): return {Q1.function}(*cards)\n".encode()
    )
    report = full_report(two, source, Jails(lambda: sandbox, lambda: sandbox, limits=Limits(grading_s=0.4)))
    one, other = report.questions
    assert 10 <= one.run <= 20
    assert other.run == sum(not check.hidden for check in two.checks[Q2.slug]), "all visible cases come first"
    said = "The questions have used up their total time of 0.4 s, so the other cases were not run."
    assert [one.stopped, other.stopped] == [said, said]
    assert "TLE" not in one.verdicts


def test_loading_counts_into_the_budget(sandbox: Sandbox) -> None:
    source = player("return next(CALLS) / 0", at_import="CALLS = iter(range(1, 9999))\ntime.sleep(.04)")
    report = question(sandbox, source, Limits(grading_s=0.4))
    assert 5 <= report.verdicts["RTE"] == report.run <= 20


ALIKE = f"{{each * {(1 << 61) - 1} for each in range(1, 2700)}}"
"""Numbers of which a set takes quadratic time: they have the same hash."""


def test_what_this_side_computes_to_read_and_compare_answers_counts_into_the_budget(sandbox: Sandbox) -> None:
    report = question(sandbox, player("return ALIKE", at_import=f"ALIKE = {ALIKE}"), Limits(grading_s=0.4))
    assert report.verdicts["TYPE"] == report.run < report.total / 2
    assert report.stopped.startswith("The questions have used up their total time of 0.4 s")


class Recorder:
    """A sandbox that writes down the limits of all calls that came to nothing."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.name = sandbox.name
        self.lost_s: list[float] = []
        self._sandbox = sandbox

    def open(self, program: Program, limits: Limits, seed: int) -> Session | Fault:
        session = self._sandbox.open(program, limits, seed)
        return session if isinstance(session, Fault) else Recorded(session, limits, self.lost_s)


class Recorded:
    """Its sessions."""

    def __init__(self, session: Session, limits: Limits, lost_s: list[float]) -> None:
        self._session = session
        self._limits = limits
        self._lost_s = lost_s
        self.begin, self.calls, self.output, self.close = session.begin, session.calls, session.output, session.close

    def finish(self, answer: Answer | None = None) -> Reply:
        reply = self._session.finish(answer)
        if isinstance(reply, Fault):
            self._lost_s.append(self._limits.call_s)
        return reply

    @property
    def waited_s(self) -> float:
        return self._session.waited_s


SCALE = 40
BOUND_S = 15.0
LOOP = "while True:\n            pass\n"


@pytest.mark.slow
@pytest.mark.parametrize("slug", GAMES)
def test_a_player_that_always_loops_has_its_report_soon(
    slug: str, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PROBE_S", "LOST_S"):
        monkeypatch.setattr(questioning, name, getattr(questioning, name) / SCALE)
    scaled = [each.model_copy(update={"call_s": each.call_s / SCALE}) for each in builtin(slug).questions]
    recorder, asked = Recorder(sandbox), examples_only(slug, *scaled)
    report = full_report(
        asked,
        looping([each.function for each in scaled], bool(scaled[0].method)),
        Jails(lambda: recorder, lambda: sandbox),
    )  # type: ignore[arg-type]
    assert sum(recorder.lost_s) * SCALE < BOUND_S
    assert_said_where(report)


def looping(functions: Sequence[str], method: bool) -> bytes:
    if method:
        return f"import kotc\nclass Bot(kotc.KOTCBot):\n    def play(self, discard):\n        {LOOP}".encode()
    return "".join(f"if True:\n    def {each}(*cards):\n        {LOOP}" for each in functions).encode()


def assert_said_where(report: Report) -> None:
    tried = [each for each in report.questions if each.run]
    assert len(tried) >= len(report.questions) - 2, "as many as the time allows, each in full"
    for each in report.questions:
        cases = each.cases[: each.run]
        assert {case.verdict for case in cases} <= {Verdict.TLE}
        assert all(case.line and "while True" in case.traceback for case in cases)
        assert each.verdicts.get("NOT_RUN", 0) == each.total - each.run


class Noisy(Recorder):
    """A sandbox beside busy neighbours: so many first calls do not end within their limit."""

    def __init__(self, sandbox: Sandbox, calls: int) -> None:
        super().__init__(sandbox)
        self.calls = calls

    def open(self, program: Program, limits: Limits, seed: int) -> Session | Fault:
        session = super().open(program, limits, seed)
        if self.calls and not isinstance(session, Fault):
            self.calls -= 1
            session.finish = lambda answer=None: Fault(Verdict.TLE, "Too slow.", cpu_s=limits.call_s)  # type: ignore[method-assign]
        return session


@pytest.mark.parametrize(("late", "verdicts"), [(1, {"AC"}), (2, {"TLE", "AC"})])
def test_a_call_that_was_late_is_tried_once_more_alone_before_it_is_charged(
    late: int, verdicts: set[str], sandbox: Sandbox
) -> None:
    report = question(Noisy(sandbox, late), player("return card in ('2S', '3C', 'AH')"), asked=EXAMPLES)
    assert set(report.verdicts) == verdicts
    assert report.verdicts.get("TLE", 0) == late - 1


def test_a_call_that_needs_more_than_its_limit_again_is_charged(sandbox: Sandbox) -> None:
    report = question(
        sandbox, player("compute(.28 if card == '2S' else 0)", "return card in ('2S', '3C', 'AH')"), asked=EXAMPLES
    )
    assert report.verdicts == {"TLE": 1, "AC": report.total - 1}


def test_a_player_that_loops_is_tried_again_once_in_a_question(sandbox: Sandbox) -> None:
    recorder = Recorder(sandbox)
    assert question(recorder, player("if card[0] == 'Q':", "    compute(9)", "return True")).verdicts["TLE"] == 3
    assert sorted(recorder.lost_s) == [0.2, 0.2, 0.2, 0.4]
