"""Checks a program question before it is published: the author's solution and further programs, and the files that are
handed out, are compiled and run in the jail. Makes the expected outputs of cases from the solution, too."""

from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Final

from grader.author_code.authored import AuthorError
from grader.author_code.solving import TIGHT
from grader.authoring.course_folder.layout import CASES, FOLDERS, OUTPUT, SHOWN
from grader.authoring.course_folder.problems import Problem
from grader.authoring.papers import problem_of
from grader.definition.question import ProgramCase, ProgramQuestion, Warnings
from grader.programs.building import build
from grader.programs.grading import ProgramGraded, grade_program
from grader.programs.jails import Jails
from grader.programs.running import command_for, failure_of
from grader.programs.shown import Build, CaseResult, Event
from grader.programs.upload import merge
from sandbox.api import Verdict
from sandbox.programs import Ended

ALSO: Final[Mapping[str, tuple[str, ...]]] = {Verdict.RTE: (Verdict.MLE,), Verdict.TLE: (Verdict.WTLE,)}
"""Which verdicts count as another one, too: problem packages have one word for both, and of a program that asks for too
much memory, the machine decides how it ends."""

Heard = Callable[[str], None]
"""Is told what is being checked."""


@dataclass(slots=True)
class CheckedProgram:
    """What the check of a question found: `problems` keep it from being published, `warnings` do not, and `notes` are
    sentences about what is neither."""

    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check_program(question: ProgramQuestion, jails: Jails, heard: Heard) -> CheckedProgram:
    """Check a question; one without a solution is not run. What its author's programs have in common is compiled once.
    Raises SandboxError."""
    found = CheckedProgram()
    if not question.solution:
        return found
    jails = replace(jails, owner=f"author {sha256(question.model_dump_json().encode()).hexdigest()}")
    try:
        graded = ProgramGraded.of(_events(question, question.solution, jails, f"{question.slug}, solution", heard))
        found.problems += _of_solution(question, graded)
        found.problems += _tight(question, graded)
        if not found.problems:
            found.problems += _of_submissions(question, jails, heard)
            found.notes += _of_starter(question, jails, heard)
    except AuthorError as error:
        found.problems.append(problem_of(question.slug, error))
    return found


def solution_files(question: ProgramQuestion, own: Mapping[str, str]) -> dict[str, bytes]:
    """The files of a program of the author's: its own over those of the solution and those handed out."""
    return {path: text.encode() for path, text in {**question.given, **question.solution, **own}.items()}


def _events(
    question: ProgramQuestion, own: Mapping[str, str], jails: Jails, what: str, heard: Heard
) -> Generator[Event]:
    """Grade a program of the author's."""
    heard(f"{what}: compiling")
    for done, event in enumerate(grade_program(question, solution_files(question, own), jails)):
        if done:
            heard(f"{what}: {done:,} of {len(question.cases):,} cases run")
        yield event


def _of_solution(question: ProgramQuestion, graded: ProgramGraded) -> Iterator[Problem]:
    folder = f"questions/{question.slug}"
    if not graded.build.built:
        yield unbuilt(question, graded.build)
        return
    if graded.build.warnings and question.warnings is not Warnings.ALLOW:
        yield unbuilt(question, graded.build, "The compiler gives a warning about the solution")
        return
    for result, case in zip(graded.results, question.cases, strict=True):
        if not result.passed:
            line = result.run.difference.line if result.run and result.run.difference else 0
            where = f"{folder}/{CASES}/{SHOWN[case.hidden]}/{case.slug}{OUTPUT}"
            yield Problem(where, line, f"The solution does not pass this case ({result.verdict}): {result.message}")


def unbuilt(question: ProgramQuestion, build: Build, what: str = "The solution cannot be built") -> Problem:
    """The first thing that the compiler says, at its file."""
    folder = f"questions/{question.slug}"
    if build.missing:
        return Problem(f"{folder}/{FOLDERS['solution']}", 0, f"The solution has no {', '.join(build.missing)}.")
    first = next((each for each in build.diagnostics if each.file), None)
    if first is None:
        told = next((each.message for each in build.diagnostics), build.log[:300])
        return Problem(f"{folder}/{FOLDERS['solution']}", 0, f"{what}: {told}")
    tree = FOLDERS["solution" if first.file in question.solution else "given"]
    return Problem(f"{folder}/{tree}/{first.file}", first.line, f"{what}: {first.message}")


def _tight(question: ProgramQuestion, graded: ProgramGraded) -> Iterator[Problem]:
    timed = zip(graded.results, question.cases, strict=True)
    slowest, case = max(timed, key=lambda each: each[0].cpu_ms, default=(None, None))
    if slowest and case and slowest.passed and slowest.cpu_ms / 1000 > question.cpu_s * TIGHT:
        took_s = slowest.cpu_ms / 1000
        told = f"The solution takes {took_s:.2g} s of the {question.cpu_s:g} s that a run may take, in the case"
        advice = "Raise cpu_s, or make the case smaller: students' programs are slower."
        yield Problem(f"questions/{question.slug}/{CASES}", 0, f"{told} {case.slug}. {advice}")


def _of_submissions(question: ProgramQuestion, jails: Jails, heard: Heard) -> Iterator[Problem]:
    for name, own in programs_of(question).items():
        verdict = name.partition("/")[0]
        events, results = _events(question, own, jails, f"{question.slug}, {name}", heard), list[CaseResult]()
        with closing(events):
            for event in events:
                if isinstance(event, CaseResult):
                    results.append(event)
                    if verdict != Verdict.AC and event.verdict in (verdict, *ALSO.get(verdict, ())):
                        break
            else:
                if told := _unmet(verdict, question, results):
                    yield Problem(f"questions/{question.slug}/{FOLDERS['submissions']}/{name}", 0, told)


def programs_of(question: ProgramQuestion) -> dict[str, dict[str, str]]:
    """The author's further programs by `VERDICT/NAME`, each with its own files."""
    found: dict[str, dict[str, str]] = {}
    for path, text in question.submissions.items():
        verdict, name, file = path.split("/", 2)
        found.setdefault(f"{verdict}/{name}", {})[file] = text
    return found


def _unmet(verdict: str, question: ProgramQuestion, results: Sequence[CaseResult]) -> str:
    """Why a program that never got its verdict is not as its author thought; "" for one that is to pass and does."""
    failed = [(each, case) for each, case in zip(results, question.cases, strict=True) if not each.passed]
    told = next((f"it gets {each.verdict} in {case.slug}: {each.message}" for each, case in failed), "")
    if verdict == Verdict.AC:
        return f"It must pass, but {told}" if failed else ""
    if not failed:
        return f"It must get {verdict}, but it passes all {len(results):,} cases: none catches what is wrong with it."
    return f"It must get {verdict} in some case, but {told}"


def _of_starter(question: ProgramQuestion, jails: Jails, heard: Heard) -> Iterator[str]:
    """How the files do as they are handed out."""
    if not question.given:
        return
    without = question.model_copy(update={"solution": {}, "required": ()})
    graded = ProgramGraded.of(_events(without, {}, jails, f"{question.slug}, files handed out", heard))
    start = f"The files that {question.slug} hands out, as they are,"
    if not graded.build.built:
        yield f"{start} do not compile."
        return
    passed = sum(result.passed for result in graded.results)
    yield f"{start} pass {passed:,} of {len(graded.results):,} cases."


@dataclass(slots=True)
class MadeOutputs:
    """The outputs by the slugs of the cases, and why there is none for others."""

    outputs: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def make_outputs(
    question: ProgramQuestion, slugs: Collection[str], jails: Jails, heard: Callable[[str], None]
) -> MadeOutputs:
    """What the solution prints in these cases. Raises SandboxError."""
    made = MadeOutputs()
    if not question.solution:
        where = f"questions/{question.slug}/{FOLDERS['solution']}"
        made.problems.append(Problem(where, 0, "There is no solution that could print what is expected."))
        return made
    heard(f"{question.slug}: compiling the solution")
    merged = merge(question, solution_files(question, {}))
    with jails.programs().open() as jail:
        built = build(question, merged, jails, jail)
        if not built.runs:
            made.problems.append(unbuilt(question, built.build))
            return made
        for case in question.cases:
            if case.slug in slugs:
                heard(f"{question.slug}: {case.slug}")
                _take(made, question, case, jail.run(command_for(question, built.files, case)))
    return made


def _take(made: MadeOutputs, question: ProgramQuestion, case: ProgramCase, ended: Ended) -> None:
    failure = failure_of(question, case, ended)
    where = f"questions/{question.slug}/{CASES}/{SHOWN[case.hidden]}/{case.slug}{OUTPUT}"
    try:
        if failure is None:
            made.outputs[case.slug] = ended.stdout.decode()
        else:
            told = failure.message.replace("Your program", "The solution")
            made.problems.append(Problem(where, 0, f"The output cannot be made. {told}"))
    except UnicodeDecodeError:
        made.problems.append(Problem(where, 0, "What the solution prints is not text in UTF-8."))
