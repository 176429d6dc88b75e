"""Checks a definition before it is published: everything that is wrong with what its author wrote. Whatever of it runs,
runs in the sandbox.

What an author's own player must get stands in its first line: `# expect: q1=all q2=some q3=none bonus=1.5`. `all`,
`some` or `none` of the question's cases must pass, or it must get that many points. Without such a line, a player in
`accepted` must pass all cases of every question, and one in `wrong` must fail some case."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from grader.author_code.authored import AuthorError
from grader.author_code.solving import check_solution
from grader.authoring.course_folder.problems import Problem, near
from grader.authoring.papers import make_set, problem_of
from grader.authoring.program_check import CheckedProgram, Heard, check_program
from grader.definition.model import Definition
from grader.definition.paper import Paper, authored_of, examples_of, guest_of, paper
from grader.definition.question import FunctionQuestion, ProgramQuestion
from grader.grading.grade import grade
from grader.grading.questioning import SEED
from grader.grading.report import QuestionReport, Report, assemble
from grader.programs.jails import Jails
from sandbox import patterns
from sandbox.api import Fault, Limits, Program, Sandbox, SentText, Verdict
from tournament.games.api import Case

WORDS: Final = ("all", "some", "none")
ACCEPTED: Final = "accepted/"

_HEADER = patterns.compile(r"#\s*expect\b\s*:?(.*)")
_POINTS = patterns.compile(r"\d{1,4}(?:\.\d{1,2})?")


class ExpectationError(ValueError):
    """The first line of an author's player cannot be understood."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What is expected of each question by its slug: a word or a number of points. `wrong`: some case must fail,
    whatever else is expected."""

    by_question: Mapping[str, str]
    wrong: bool


def expectation(path: str, source: SentText, slugs: Collection[str]) -> Expectation:
    """What is expected of the player with that path, in an assignment with those questions. Raises ExpectationError."""
    found = _HEADER.match(source.partition("\n")[0].strip())
    wrong = not path.startswith(ACCEPTED)
    usual = {} if wrong else dict.fromkeys(slugs, "all")
    return Expectation(usual | (dict(_pairs(found[1], slugs)) if found else {}), wrong)


def _pairs(text: str, slugs: Collection[str]) -> Iterator[tuple[str, str]]:
    for part in text.replace(",", " ").split():
        slug, _, value = part.partition("=")
        if value not in WORDS and not _POINTS.fullmatch(value):
            raise ExpectationError(
                f"“{part}” must be a question with all, some, none or points, as in q1=all q2=some q3=1.5."
            )
        if slug not in slugs:
            raise ExpectationError(f"There is no question {slug}. {near(slug, slugs)}")
        yield slug, value


def unmet(expected: Expectation, report: Report) -> Iterator[str]:
    """A sentence for each question that went otherwise than expected."""
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
        yield "It passes every case of every question: no case catches what is wrong with it. Add one that does."


def _is_met(value: str, question: QuestionReport) -> bool:
    if value in WORDS:
        share = "all" if question.passed == question.total else "some" if question.passed else "none"
        return share == value
    return abs(question.points - float(value)) < 0.005


def _sentence(value: str, question: QuestionReport) -> str:
    expected = f"{value} of them" if value in WORDS else f"{value} points"
    got = f"{question.passed:,} of {question.total:,} cases of {question.slug} and gets {question.points:g} points"
    failed = next((case for case in question.cases if not case.passed), None)
    detail = f" The first that fails is {failed.call}: {failed.message}" if failed else ""
    return f"It passes {got}, but {expected} was expected.{detail}"


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found: the problems, in the files of the assignment's folder, and the case sets that were made, by
    their keys. `counts` has the number of hidden cases of each question. `warnings` keep nothing from being published,
    and `notes` are sentences that are worth knowing."""

    problems: Sequence[Problem]
    case_sets: Mapping[str, Sequence[Case]]
    counts: Mapping[str, int]
    warnings: Sequence[Problem] = ()
    notes: Sequence[str] = ()


def check(
    definition: Definition,
    jails: Jails,
    known: Mapping[str, Sequence[Case]] | None = None,
    heard: Heard = lambda what: None,
) -> Checked:
    """Check a definition. `known` case sets, by their keys, are not made again. Raises SandboxError."""
    functions, programs = _check_functions(definition, jails.authors(), known, heard), CheckedProgram()
    counts = dict(functions.counts)
    for question in definition.questions:
        if isinstance(question, ProgramQuestion):
            found = check_program(question, jails, heard)
            programs.problems += found.problems
            programs.warnings += found.warnings
            programs.notes += found.notes
            counts[question.slug] = sum(case.hidden for case in question.cases)
    problems = sorted([*functions.problems, *programs.problems])
    return Checked(problems, functions.case_sets, counts, programs.warnings, programs.notes)


def _check_functions(
    definition: Definition, sandbox: Sandbox, known: Mapping[str, Sequence[Case]] | None, heard: Heard
) -> Checked:
    problems: list[Problem] = []
    sets: dict[str, Sequence[Case]] = dict(known or {})
    hidden: dict[str, Sequence[Case]] = {}
    for question in definition.questions:
        if not isinstance(question, FunctionQuestion):
            continue
        heard(question.slug)
        try:
            key = authored_of(definition, question).key
            if question.cases and key not in sets:
                sets[key] = make_set(definition, question, sandbox)
            elif question.solution:
                agrees = question.comparator.agreement()
                check_solution(sandbox, authored_of(definition, question), examples_of(question), agrees)
            hidden[question.slug] = sets.get(key, ())
        except AuthorError as error:
            problems.append(problem_of(question.slug, error))
    problems += starter_problems(definition, sandbox)
    if not problems:
        problems += _submission_problems(definition, paper(definition, hidden), sandbox, heard)
    counts = {slug: len(cases) for slug, cases in hidden.items()}
    return Checked(sorted(problems), sets, counts)


def starter_problems(definition: Definition, sandbox: Sandbox) -> Iterator[Problem]:
    """What is wrong with the starter file: it must load, and define every function. Raises SandboxError."""
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
            return  # it is the same for every question


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
            yield Problem(file, 0, f"It cannot be judged, because of {error.file}: {error.problem}")
            continue
        yield from (Problem(file, 1, sentence) for sentence in unmet(expected, report))
