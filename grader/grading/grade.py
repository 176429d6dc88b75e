"""Grades a submission: asks the player the questions of a paper (see `grader.grading.questioning`), grades programs
(see `grader.programs.grading`), and creates the report.

Instead of failed hidden cases, the report shows twins, so that students cannot collect the graded cases. If the
question's settings allow this, the smallest failing case itself is shown. Twins and this case run in a separate
process, so that the answers shown reveal nothing about other hidden cases.

Twins come from the same generator with another seed, which is derived from a secret, the question and the player's
file. A file therefore gets the same twins each time it is graded, while other files can get different twins. The cases
tried in the search do not depend on which cases are graded; otherwise, if a question has few cases, the player would
learn all graded cases. For the same reason there are only four outcomes, so that a file reveals at most two bits. Three
cases are chosen, as different as possible. All three are shown if none of them is graded; otherwise one of the first
two is shown, or none.
"""

from collections.abc import Callable, Collection, Generator, Hashable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files as resources
from operator import itemgetter
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from grader.author_code.authored import Authored
from grader.author_code.solving import Solution, draw_some
from grader.definition.paper import Paper, check_of
from grader.definition.question import Shows
from grader.grading.causes import cause_key
from grader.grading.questioning import SEED, Questioning, program_for
from grader.grading.report import QuestionReport, Report, Sought, assemble
from grader.programs.grading import grade_program
from grader.programs.jails import MAX_TIMEOUTS, TIMEOUTS, Jails, Spent
from grader.programs.shown import CaseResult, Event
from sandbox.api import Fault, Program, Sandbox, SandboxError, Verdict, call
from tournament.games.api import Case
from tournament.games.judges import key
from tournament.work.tally import SANDBOX_STARTS

MOST_S: Final = 10.0  # seconds that a player may use in the search for a question's twins
ONLY_AFTER_OTHERS: Final = (
    "When called first, your function gives the right answer here. It fails after other calls: does it keep data from "
    "one call to the next?"
)

_EVERYWHERE: Final = {Verdict.MISSING, Verdict.SYNTAX, Verdict.NOT_RUN}
"""Verdicts whose messages need no example case."""


def _with_twins(
    report: QuestionReport, paper: Paper, source: bytes, jails: Jails, filename: str, unloadable: Fault | None
) -> QuestionReport:
    """Return the report with the cases that are shown instead of failed hidden cases. `unloadable` is the reason why
    the player cannot be loaded, if any."""
    failed = next((case for case in report.cases if case.hidden and case.failed), None)
    question = next((each for each in paper.functions if each.slug == report.slug), None)
    if failed is None or question is None or report.shows not in (Shows.TWIN, Shows.SMALLEST):
        return report
    limits = replace(jails.limits, grading_s=min(MOST_S, jails.limits.grading_s))
    spent, found = Spent(limits, unloadable=unloadable), dict[str, CaseResult]()
    program = program_for(question, paper, source, filename)
    with closing(Questioning(question, paper, program, jails, spent)) as player:
        if report.shows is Shows.SMALLEST:
            check = next(each for each in paper.checks[question.slug] if each.hidden and each.call == failed.call)
            alone = player.answer(check)
            told = alone if alone.failed else replace(alone, verdict=failed.verdict, message=ONLY_AFTER_OTHERS)
            return replace(report, twin=told)
        if failed.verdict in _EVERYWHERE or not question.cases or question.has_doctest_cases:
            return report

        def cause(candidate: Case) -> Hashable:
            result = player.answer(check_of(question, candidate, hidden=True))
            if not result.failed:
                return None
            found[key(candidate.args)] = result
            return cause_key(report, result)

        def goes_on() -> bool:
            late = sum(each.verdict in TIMEOUTS for each in found.values())
            return spent.used_s < limits.grading_s and late < MAX_TIMEOUTS

        origin = (jails.secret, question.slug, source)
        drawn = Drawn(jails.authors(), paper.authored[question.slug], origin, goes_on)
        seen, sought = twins(drawn, paper.asked[question.slug], cause)
    shown = [found[key(each.args)] for each in seen]
    return replace(report, twin=next(iter(shown), None), more_twins=shown[1:], sought=sought)


FAILED: Final = 9  # failed cases, graded or not, that end the search
SHOWN: Final = 3


class Drawn(NamedTuple):
    """The source of twins. The seed is derived from `origin`: the secret, the question's slug, and the player's file.
    `goes_on()` returns whether there is time to try another case."""

    sandbox: Sandbox
    authored: Authored
    origin: tuple[str, str, bytes]
    goes_on: Callable[[], bool]


def twins(
    drawn: Drawn, graded: Collection[str], cause: Callable[[Case], Hashable]
) -> tuple[Sequence[Case], Sought | Literal[""]]:
    """Find at most `SHOWN` twins that the player also fails, or the reason why there are none. `graded` contains the
    `judges.key(args)` of each case that counts or is shown anyway, because these cases cannot be twins.
    `cause(case)` runs a case in the player's own jail, and returns the cause of its failure, or None if it passes.
    Raises AuthorError and SandboxError."""
    failed, whole = _failing_cases(drawn, cause)
    by_cause = dict[Hashable, list[Case]]()
    for case, why in failed:
        by_cause.setdefault(why, []).append(case)
    ranked = sorted(((rank, case) for each in by_cause.values() for rank, case in enumerate(each)), key=itemgetter(0))
    chosen = [case for _, case in ranked][:SHOWN]
    free = [case for case in chosen if key(case.args) not in graded]
    if len(free) == len(chosen):
        return chosen, "" if chosen else Sought.NONE_FAILS if whole else Sought.TOO_LONG
    return (free[:1], "") if free and free[0] is not chosen[-1] else ((), Sought.GRADED)


def _failing_cases(drawn: Drawn, cause: Callable[[Case], Hashable]) -> tuple[list[tuple[Case, Hashable]], bool]:
    """Return the first `FAILED` different cases that the player fails, each with the cause, and whether all cases that
    can be drawn were tried."""
    sandbox, authored, (secret, slug, source), goes_on = drawn
    seed = sha256(repr((secret, slug, sha256(source).hexdigest())).encode()).hexdigest()
    failed, tried = list[tuple[Case, Hashable]](), set[str]()
    candidates = draw_some(sandbox, replace(authored, seed=f"quadrille twin {seed}"))
    with closing(candidates), Solution(sandbox, authored) as solution:
        while len(failed) < FAILED and goes_on():
            try:
                case = next(candidates)
            except StopIteration as end:
                return failed, end.value
            if (args := key(case.args)) in tried:
                continue
            tried.add(args)
            case = replace(case, expected=solution.answer(case))
            if (why := cause(case)) is not None:
                failed.append((case, why))
    return failed, False


def full_report(
    paper: Paper,
    source: bytes,
    jails: Jails,
    heard: Callable[[CaseResult], None] = lambda result: None,
    filename: str = "player.py",
    files: Mapping[str, bytes] = MappingProxyType({}),
) -> Report:
    """Grade a player and the programs in `files`, and return the report. `heard` is called with each result as soon as
    it is known. Tracebacks show the player's file as `filename`. Raises AuthorError and SandboxError."""
    events, spent = list[Event](), Spent(jails.limits)
    gradings = [grade_program(question, files, jails) for question in paper.programs]
    for each in (grade(paper, source, jails, filename, spent), *gradings):
        with closing(each) as grading:
            for event in grading:
                if isinstance(event, CaseResult):
                    heard(event)
                events.append(event)
    notes = advice(source, jails) if source or not paper.programs else {}
    at_lines = [found for lines in notes.values() for found in lines]
    report = assemble(paper, events, [*notes])
    questions = [_with_twins(each, paper, source, jails, filename, spent.unloadable) for each in report.questions]
    return replace(report, line_notes=at_lines, questions=questions)


def grade(
    paper: Paper, source: bytes, jails: Jails, filename: str = "player.py", spent: Spent | None = None
) -> Generator[CaseResult]:
    """Yield the result of each call as soon as it is known. The visible cases of all questions come first, so that
    their results do not depend on hidden cases. Questions and their cases run in order; the questions take turns
    only if the player answers nothing. A file that cannot be loaded is started only once, and every case then fails
    for that reason. The cost is added to `spent`. Raises AuthorError and SandboxError."""
    spent = spent or Spent(jails.limits)
    questions = [
        Questioning(question, paper, program_for(question, paper, source, filename), jails, spent)
        for question in paper.functions
    ]
    for hidden in (False, True):
        for each in questions:
            each.deal(hidden)
        for tries in range(MAX_TIMEOUTS + 2):
            for each in questions:
                yield from each.results(tries)


def advice(source: bytes, jails: Jails) -> dict[str, list[tuple[int, str]]]:
    """Return notes on a player's source, each with line numbers and shorter notes for these lines. The result is empty
    if the source is not Python. Raises SandboxError."""
    linter = resources("grader.grading").joinpath("lint.py").read_bytes()
    players = jails.players()
    SANDBOX_STARTS.labels(players.name).inc()
    session = players.open(Program(linter, {"lint": (1,)}, filename="lint.py"), jails.limits, SEED)
    if isinstance(session, Fault):
        raise SandboxError(f"our own linter failed to load: {session.message}")
    try:
        reply = call(session, "lint", (source.decode("utf-8", "replace"),))
    finally:
        session.close()
    if isinstance(reply, Fault):
        return {}
    return {str(note): [(int(line), str(text)) for line, text in lines.items()] for note, lines in reply.data}
