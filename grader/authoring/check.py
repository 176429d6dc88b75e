"""Checks a definition before publication, and finds all of the author's mistakes. All of the author's code runs in the
sandbox. Programs are compiled and run there too, and this also generates the expected outputs of cases.

The first line of an author's own player states the expected results: `# expect: q1=all q2=some q3=none bonus=1.5`. The
player must pass `all`, `some` or `none` of a question's cases, or get the stated number of points. Without this line, a
player in `accepted` must pass all cases of every question, and a player in `wrong` must fail at least one case.
"""

from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Final

from grader.author_code.authored import AuthorError
from grader.author_code.solving import TIGHT, check_solution, draw
from grader.authoring.course_folder.layout import CASES, OUTPUT, SHOWN
from grader.authoring.course_folder.problems import Problem, near
from grader.authoring.papers import make_set, problems_of
from grader.definition.model import Definition
from grader.definition.paper import Paper, authored_of, examples_of, guest_of, paper
from grader.definition.question import FOLDERS, FunctionQuestion, ProgramQuestion, Warnings
from grader.grading.grade import grade
from grader.grading.questioning import SEED
from grader.grading.report import QuestionReport, Report, assemble
from grader.programs.building import build
from grader.programs.grading import ProgramGraded, grade_program
from grader.programs.jails import Jails
from grader.programs.running import command_for, failure_of
from grader.programs.shown import Build, CaseResult, Event
from grader.programs.upload import merge
from sandbox import patterns
from sandbox.api import Fault, Limits, Program, Sandbox, SentText, Verdict
from tournament.games.api import Case

ALSO: Final[Mapping[str, tuple[str, ...]]] = {Verdict.RTE: (Verdict.MLE,), Verdict.TLE: (Verdict.WTLE,)}
"""Other verdicts that are accepted in place of an expected verdict: problem packages do not distinguish them, or the
machine determines which of them a program gets."""

Heard = Callable[[str], None]
"""Called with a description of the current step of the check."""


@dataclass(slots=True)
class Checked:
    """The result of a check: the problems in the files of the assignment's folder, and the new case sets by key.
    `counts` contains the number of hidden cases of each question; `notes` are other findings."""

    problems: list[Problem] = field(default_factory=list)
    case_sets: dict[str, Sequence[Case]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def check_program(question: ProgramQuestion, jails: Jails, heard: Heard) -> Checked:
    """Check a program question. Nothing is run if the question has no solution. Files that its programs share are
    compiled once. Raises SandboxError."""
    found = Checked(counts={question.slug: sum(case.hidden for case in question.cases)})
    if not question.solution:
        return found
    jails = replace(jails, owner=f"author {sha256(question.model_dump_json().encode()).hexdigest()}")
    try:
        graded = ProgramGraded.of(_grading(question, question.solution, jails, f"{question.slug}, solution", heard))
        found.problems += _of_solution(question, graded)
        found.problems += _tight(question, graded)
        if _runs(question, graded.build):  # the other programs include the solution's files
            found.problems += _of_submissions(question, jails, heard)
            found.notes += _of_starter(question, jails, heard)
    except AuthorError as error:
        found.problems += problems_of(question.slug, error)
    return found


def solution_files(question: ProgramQuestion, own: Mapping[str, str]) -> dict[str, bytes]:
    """Return the files of one of the author's programs. Its own files override the solution's files, which override the
    handed-out files."""
    return {path: text.encode() for path, text in {**question.given, **question.solution, **own}.items()}


def _grading(
    question: ProgramQuestion, own: Mapping[str, str], jails: Jails, what: str, heard: Heard
) -> Generator[Event]:
    heard(f"{what}: compiling")
    for done, event in enumerate(grade_program(question, solution_files(question, own), jails)):
        if done:
            heard(f"{what}: {done:,} of {len(question.cases):,} cases run")
        yield event


def _runs(question: ProgramQuestion, build: Build) -> bool:
    """Whether a program with this build result can be run."""
    return build.built and not (build.warnings and question.warnings is Warnings.FAIL)


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
    """Return the compiler's first message as a problem of the file that the message names."""
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
        events, results = _grading(question, own, jails, f"{question.slug}, {name}", heard), list[CaseResult]()
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
    """Return the author's submissions by `VERDICT/NAME`, each with its own files."""
    found: dict[str, dict[str, str]] = {}
    for path, text in question.submissions.items():
        verdict, name, file = path.split("/", 2)
        found.setdefault(f"{verdict}/{name}", {})[file] = text
    return found


def _unmet(verdict: str, question: ProgramQuestion, results: Sequence[CaseResult]) -> str:
    """Say why a program did not meet its expected verdict; "" if it is expected to pass and does."""
    failed = [(each, case) for each, case in zip(results, question.cases, strict=True) if not each.passed]
    told = next((f"it gets {each.verdict} in {case.slug}: {each.message}" for each, case in failed), "")
    if verdict == Verdict.AC:
        return f"It must pass, but {told}" if failed else ""
    if not failed:
        return f"It must get {verdict}, but it passes all {len(results):,} cases: none catches what is wrong with it."
    return f"It must get {verdict} in at least one case, but {told}"


def _of_starter(question: ProgramQuestion, jails: Jails, heard: Heard) -> Iterator[str]:
    if not question.given:
        return
    without = question.model_copy(update={"solution": {}, "required": ()})
    graded = ProgramGraded.of(_grading(without, {}, jails, f"{question.slug}, files handed out", heard))
    start = f"The files handed out by {question.slug}, without any changes,"
    if not graded.build.built:
        yield f"{start} do not compile."
        return
    passed = sum(result.passed for result in graded.results)
    yield f"{start} pass {passed:,} of {len(graded.results):,} cases."


def make_outputs(
    question: ProgramQuestion, slugs: Collection[str], jails: Jails, heard: Heard
) -> tuple[dict[str, str], list[Problem]]:
    """Return the solution's output in these cases, by slug, and a problem for each case in which the solution failed.
    Raises SandboxError."""
    outputs, problems = dict[str, str](), list[Problem]()
    if not question.solution:
        where = f"questions/{question.slug}/{FOLDERS['solution']}"
        return {}, [Problem(where, 0, "There is no solution that could generate the expected output.")]
    heard(f"{question.slug}: compiling the solution")
    merged = merge(question, solution_files(question, {}))
    with jails.programs().open() as jail:
        built = build(question, merged, jails, jail)
        if not built.runs:
            return {}, [unbuilt(question, built.build)]
        for case in question.cases:
            if case.slug not in slugs:
                continue
            heard(f"{question.slug}: {case.slug}")
            ended = jail.run(command_for(question, built.files, case))
            where = f"questions/{question.slug}/{CASES}/{SHOWN[case.hidden]}/{case.slug}{OUTPUT}"
            if failure := failure_of(question, case, ended):
                told = failure.message.replace("Your program", "The solution")
                problems.append(Problem(where, 0, f"The output cannot be generated. {told}"))
                continue
            try:
                outputs[case.slug] = ended.stdout.decode()
            except UnicodeDecodeError:
                problems.append(Problem(where, 0, "The solution's output is not text in UTF-8."))
    return outputs, problems


# Whole definitions and function questions

WORDS: Final = ("all", "some", "none")
ACCEPTED: Final = "accepted/"

_HEADER = patterns.compile(r"#\s*expect\b\s*:?(.*)")
_POINTS = patterns.compile(r"\d{1,4}(?:\.\d{1,2})?")


class ExpectationError(ValueError):
    """The first line of an author's player cannot be understood."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The expected result of a player in each question, by slug: a word or a number of points. If `wrong` is true, the
    player must fail at least one case."""

    by_question: Mapping[str, str]
    wrong: bool


def expectation(path: str, source: SentText, slugs: Collection[str]) -> Expectation:
    """Return the expected results of the player with this path in the questions with these slugs. Raises
    ExpectationError."""
    found = _HEADER.match(source.partition("\n")[0].strip())
    wrong = not path.startswith(ACCEPTED)
    expected = {} if wrong else dict.fromkeys(slugs, "all")
    for part in found[1].replace(",", " ").split() if found else ():
        slug, _, value = part.partition("=")
        if value not in WORDS and not _POINTS.fullmatch(value):
            raise ExpectationError(
                f"“{part}” must be a question and one of all, some, none or its points, e.g. q1=all q2=some q3=1.5."
            )
        if slug not in slugs:
            raise ExpectationError(f"There is no question {slug}. {near(slug, slugs)}")
        expected[slug] = value
    return Expectation(expected, wrong)


def unmet(expected: Expectation, report: Report) -> Iterator[str]:
    """Yield a sentence for each question whose result differs from the expected result."""
    for question in report.questions:
        value = expected.by_question.get(question.slug)
        if value is None or _is_met(value, question):
            continue
        if expected.wrong and question.passed == question.total:
            yield (
                f"It passes all {question.total:,} cases of {question.slug}, and {value} was expected: no case catches "
                f"what is wrong with it. Add one to questions/{question.slug}/cases.py."
            )
        else:
            yield _sentence(value, question)
    if expected.wrong and not expected.by_question and all(each.passed == each.total for each in report.questions):
        yield "It passes every case of every question: no case catches what is wrong with it. Add a case that does."


def _is_met(value: str, question: QuestionReport) -> bool:
    if value in WORDS:
        return value == ("all" if question.passed == question.total else "some" if question.passed else "none")
    return abs(question.points - float(value)) < 0.005


def _sentence(value: str, question: QuestionReport) -> str:
    expected = f"{value} of them" if value in WORDS else f"{value} points"
    got = f"{question.passed:,} of {question.total:,} cases of {question.slug} and gets {question.points:g} points"
    failed = next((case for case in question.cases if not case.passed), None)
    detail = f" The first that fails is {failed.call}: {failed.message}" if failed else ""
    return f"It passes {got}, but {expected} were expected.{detail}"


def check(
    definition: Definition,
    jails: Jails,
    known: Mapping[str, Sequence[Case]] | None = None,
    heard: Heard = lambda what: None,
) -> Checked:
    """Check a definition. Case sets whose keys are in `known` are not generated again. Raises SandboxError."""
    found, hidden = Checked(case_sets=dict(known or {})), dict[str, Sequence[Case]]()
    sandbox = jails.authors()
    for question in definition.questions:
        if not isinstance(question, FunctionQuestion):
            continue
        heard(question.slug)
        key = authored_of(definition, question).key
        try:
            if question.cases and key not in found.case_sets:
                found.case_sets[key] = make_set(definition, question, sandbox)
            else:
                _check_answers(definition, question, sandbox)
            hidden[question.slug] = found.case_sets.get(key, ())
        except AuthorError as error:
            found.problems += _all_problems(definition, question, sandbox, error)
    found.problems += starter_problems(definition, sandbox)
    if not found.problems:
        found.problems += _submission_problems(definition, paper(definition, hidden), sandbox, heard)
    found.counts = {slug: len(cases) for slug, cases in hidden.items()}
    for asked in definition.questions:
        if isinstance(asked, ProgramQuestion):
            program = check_program(asked, jails, heard)
            found.problems += program.problems
            found.counts |= program.counts
            found.notes += program.notes
    found.problems.sort()
    return found


def _check_answers(definition: Definition, question: FunctionQuestion, sandbox: Sandbox) -> None:
    """Compare the solution's answers with the examples. Raises AuthorError and SandboxError."""
    if question.solution:
        agrees = question.comparator.agreement()
        check_solution(sandbox, authored_of(definition, question), examples_of(question), agrees)


def _all_problems(
    definition: Definition, question: FunctionQuestion, sandbox: Sandbox, first: AuthorError
) -> list[Problem]:
    """Return all problems of a question whose cases cannot be generated, so that the author can correct them together:
    the `first` problem, and the problems found when solution and cases are tried separately. Raises SandboxError."""
    problems = {*problems_of(question.slug, first)}
    drawing = bool(question.cases) and not question.has_doctest_cases
    for alone in (_check_answers, _draw_cases) if drawing else (_check_answers,):
        try:
            alone(definition, question, sandbox)
        except AuthorError as error:
            problems.update(problems_of(question.slug, error))
    return sorted(problems)


def _draw_cases(definition: Definition, question: FunctionQuestion, sandbox: Sandbox) -> None:
    """Have `cases.py` yield all arguments. Raises AuthorError and SandboxError."""
    draw(sandbox, authored_of(definition, question))


def starter_problems(definition: Definition, sandbox: Sandbox) -> Iterator[Problem]:
    """Yield the problems of the starter file, which must load and define every function. Raises SandboxError."""
    guest = guest_of(definition)
    for question in definition.functions if definition.starter else ():
        functions = {question.function: question.arities}
        program = Program(definition.starter.encode(), functions, guest.modules, "starter.py", guest.adapter)
        session = sandbox.open(program, Limits(), SEED)
        if not isinstance(session, Fault):
            session.close()
            continue
        yield Problem("starter.py", session.line or 0, f"{question.slug}: {session.message}")
        if session.verdict is not Verdict.MISSING:
            return  # every question would report the same problem


def _submission_problems(definition: Definition, asked: Paper, sandbox: Sandbox, heard: Heard) -> Iterator[Problem]:
    slugs = [question.slug for question in definition.functions]
    for path, source in definition.submissions.items():
        file = f"submissions/{path}"
        heard(file)
        try:
            expected = expectation(path, SentText(source), slugs)
        except ExpectationError as error:
            yield Problem(file, 1, str(error))
            continue
        jails = Jails(lambda: sandbox, lambda: sandbox)
        try:
            report = assemble(asked, grade(asked, source.encode(), jails, filename=path.rpartition("/")[2]))
        except AuthorError as error:
            yield Problem(file, 0, f"It cannot be checked because of a problem in {error.file}: {error.problem}")
            continue
        yield from (Problem(file, 1, sentence) for sentence in unmet(expected, report))
