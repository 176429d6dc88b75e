"""Grades a submission: puts the questions of a paper to the player (see `grader.grading.questioning`), has its programs
graded (see `grader.programs.grading`), and reports.

Instead of a hidden case that a player fails, its twin is shown, so that the graded cases cannot be collected; or the
case itself, where the question shows it. Either runs in a process of its own, so that the answer that is shown says
nothing about other hidden cases.

A twin comes from the same generator with another seed. The seed is derived from a secret, the question and the player's
file, so that the same file gets the same twin whenever it is graded, and other files may get others. Which cases a
player is asked in the search does not depend on which are graded: otherwise, where there are few cases, it would learn
all of the graded ones.
"""

from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files as resources
from itertools import islice
from types import MappingProxyType
from typing import Final

from grader.author_code.authored import Authored
from grader.author_code.solving import Solution, draw_some
from grader.definition.paper import Paper, check_of
from grader.definition.question import Shows
from grader.grading.questioning import SEED, Questioning, program_for
from grader.grading.report import QuestionReport, Report, assemble
from grader.programs.grading import grade_program
from grader.programs.jails import MAX_TIMEOUTS, Jails, Spent
from grader.programs.shown import CaseResult, Event
from sandbox.api import Fault, Program, Sandbox, SandboxError, Verdict, call
from tournament.games.api import Case
from tournament.games.judges import key
from tournament.work.tally import SANDBOX_STARTS

MOST_S: Final = 10.0  # what the search for one twin may cost the player, in seconds
ONLY_AFTER_OTHERS: Final = (
    "Called first, your function gives the right answer here. It fails after other calls: does it keep something from "
    "one call to the next?"
)

_EVERYWHERE: Final = {Verdict.MISSING, Verdict.SYNTAX, Verdict.NOT_RUN}
"""Verdicts for which no case is needed: the message says it all."""


def _twin(
    report: QuestionReport, paper: Paper, source: bytes, jails: Jails, filename: str, unloadable: Fault | None
) -> CaseResult | None:
    """What is shown instead of the smallest hidden case that failed. `unloadable`: why the player cannot be loaded."""
    failed = next((case for case in report.cases if case.hidden and case.failed), None)
    question = next((each for each in paper.functions if each.slug == report.slug), None)
    if failed is None or question is None or report.shows not in (Shows.TWIN, Shows.SMALLEST):
        return None
    spent, found = Spent(jails.limits, unloadable=unloadable), dict[str, CaseResult]()
    program = program_for(question, paper, source, filename)
    with closing(Questioning(question, paper, program, jails, spent)) as player:
        if report.shows is Shows.SMALLEST:
            check = next(each for each in paper.checks[question.slug] if each.hidden and each.call == failed.call)
            alone = player.answer(check)
            return alone if alone.failed else replace(alone, verdict=failed.verdict, message=ONLY_AFTER_OTHERS)
        if failed.verdict in _EVERYWHERE or not question.cases or question.has_doctest_cases:
            return None

        def fails(candidate: Case) -> bool:
            if spent.used_s > MOST_S:
                return False
            result = player.answer(check_of(question, candidate, hidden=True))
            return found.setdefault(key(candidate.args), result).failed

        author, origin = paper.authored[question.slug], (jails.secret, question.slug, source)
        seen = twin(jails.authors(), author, origin, paper.asked[question.slug], fails)
    return found[key(seen.args)] if seen else None


TRIES: Final = 200
FAILED: Final = 3  # after so many cases that the player fails, graded or not, no more is asked


def twin(
    sandbox: Sandbox,
    authored: Authored,
    origin: tuple[str, str, bytes],
    graded: Collection[str],
    fails: Callable[[Case], bool],
) -> Case | None:
    """A case that the player also fails: the first of at most `FAILED` among `TRIES`; None if all of them are graded.
    `origin` is what the other seed follows from: the secret, the question's slug, and the player's file. `graded` has
    the `judges.key(args)` of each case that counts or is shown anyway: those are no twins. `fails(case)` puts a case to
    the player, in the player's own jail. Raises AuthorError and SandboxError."""
    secret, slug, source = origin
    seed = sha256(repr((secret, slug, sha256(source).hexdigest())).encode()).hexdigest()
    candidates = draw_some(sandbox, replace(authored, seed=f"quadrille twin {seed}"), TRIES)
    with closing(candidates) as drawn, Solution(sandbox, authored) as solution:
        asked = (replace(case, expected=solution.answer(case)) for case in drawn)
        failed = [*islice(filter(fails, asked), FAILED)]
    return next((case for case in failed if key(case.args) not in graded), None)


def full_report(
    paper: Paper,
    source: bytes,
    jails: Jails,
    heard: Callable[[CaseResult], None] = lambda result: None,
    filename: str = "player.py",
    files: Mapping[str, bytes] = MappingProxyType({}),
) -> Report:
    """Grade a player and the programs that `files` make, and report on them. `heard` is called with each result as soon
    as it is known; tracebacks call the player's file `filename`. Raises AuthorError and SandboxError."""
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
    twins = [_twin(each, paper, source, jails, filename, spent.unloadable) for each in report.questions]
    questions = [replace(each, twin=twin) for each, twin in zip(report.questions, twins, strict=True)]
    return replace(report, line_notes=at_lines, questions=questions)


def grade(
    paper: Paper, source: bytes, jails: Jails, filename: str = "player.py", spent: Spent | None = None
) -> Generator[CaseResult]:
    """Yield the result of each call as soon as it is known. The visible cases of all questions come first, so that they
    do not depend on hidden ones. The cases of a question come in order; the questions too, unless the player answers
    nothing and they take turns. A file that cannot be loaded is started only once: every case then fails for that
    reason. `spent` notes what it has cost. Raises AuthorError and SandboxError."""
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
    """Notes on a player's source, with lines and what to say there; none if it is not Python. Raises SandboxError."""
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
