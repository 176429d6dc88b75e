"""Turns a problem package into a program question, and lists what was taken from the package and what was left out.
Also chooses the comparator, derives a time limit if the package has none, and writes the question as files of a
course folder."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from grader.authoring.course_folder.course import ASSIGNMENTS, CourseFolder, assignments_of, read_course
from grader.authoring.course_folder.files import gathered
from grader.authoring.course_folder.layout import SETTINGS
from grader.authoring.course_folder.problems import CourseError, Problem, TomlFile
from grader.authoring.course_folder.writing import write_assignment
from grader.authoring.problem_packages.contents import (
    VERDICTS,
    PackageContents,
    PackageProgram,
    program_of,
    programs_in,
)
from grader.authoring.problem_packages.package import Metadata, PackageError, ProblemPackage
from grader.authoring.problem_packages.statement import origin
from grader.comparing.outputs import SameNumbers, SameText, SameTokens
from grader.definition.model import Definition
from grader.definition.question import OutputComparator, ProgramQuestion, Validator
from grader.languages import LANGUAGES
from grader.programs.grading import ProgramGraded, grade_program
from grader.programs.jails import Jails
from sandbox import patterns
from sandbox.api import Verdict
from tournament.store.validation import by_field

USUAL_S: Final = 2.0
MOST_S: Final = 60.0
MOST_MEMORY_MIB: Final = 2048
MOST_OUTPUT_KIB: Final = 16384

_OF_SCORES: Final = patterns.compile(
    r"(?i)\b(?:test[ -]?(?:case )?groups?|sub-?tasks?|scoring|(?:your|full|total|partial) (?:scores?|credit|points)"
    r"|[0-9]+ points?|points? (?:for|per|if))\b|\|\s*(?:points?|scores?)\s*\|"
)
"""Matches text about points as a score, but not about points in a plane."""


@dataclass(frozen=True, slots=True)
class ImportedProblem:
    """A problem converted to a question. `taken` lists what was taken from the package; `left_out` lists what was left
    out, and why."""

    question: ProgramQuestion
    taken: tuple[str, ...]
    left_out: tuple[str, ...]


def to_question(
    contents: PackageContents, slug: str, language: str = "", slowest_s: float | None = None
) -> ImportedProblem:
    """Convert a problem to a question in a language, by default the language of most accepted submissions. `slowest_s`
    is the time of the slowest accepted submission, from which the time limit is derived if the package has none.
    Raises PackageError."""
    language = _allowed_language(contents, language)
    limits = contents.metadata.limits
    limit_s = _limit_s(contents, slowest_s)
    main = main_file(slug, language)
    solution, submissions = _judges_programs(contents, language, main)
    further = {path for _, each in contents.expected(language) for path in each.with_main(main)} - {main}
    try:
        question = ProgramQuestion(
            slug=slug,
            title=contents.statement.title or slug,
            text=_question_text(contents, main),
            language=language,
            editable=(main, *sorted(further)),
            required=(main,),
            options=LANGUAGES[language].package_options,
            main="" if LANGUAGES[language].compiled else main,
            cases=contents.cases.cases,
            comparator=read_comparator(contents.package, contents.metadata, contents.cases.flags),
            cpu_s=limit_s,
            memory_mib=min(limits.memory, MOST_MEMORY_MIB),
            output_kib=min(limits.output << 10, MOST_OUTPUT_KIB),
            solution=solution,
            submissions=submissions,
        )
    except ValidationError as error:
        raise PackageError(" ".join(dict.fromkeys(by_field(error).values()))) from None
    left_out = [*_time_limit(contents, limit_s, slowest_s), *_left_out_of(contents, question)]
    return ImportedProblem(question, tuple(_taken_over(contents, question)), tuple(left_out))


def _allowed_language(contents: PackageContents, language: str) -> str:
    """Return the requested language, or else the usual language. Raises PackageError for a language that the package
    forbids."""
    if not contents.allowed:
        named = ", ".join(contents.metadata.languages)
        raise PackageError(f"It allows only languages that are not offered here: {named}.")
    if language not in ("", *contents.allowed):
        raise PackageError(f"The problem may not be solved in {LANGUAGES[language].title}: problem.yaml says so.")
    return language or contents.language


def main_file(slug: str, language: str) -> str:
    """Return the name of the file that students upload. It contains the slug, because one upload contains the files for
    all problems of an assignment."""
    return f"{slug}{LANGUAGES[language].sources[0]}"


def _judges_programs(contents: PackageContents, language: str, main: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the files of the solution, which is the accepted submission with the fewest files, and the files of the
    other submissions, in folders by verdict and name."""
    offered = contents.expected(language)
    accepted = [each for verdict, each in offered if verdict is Verdict.AC]
    solution = min(accepted, key=lambda each: len(each.files), default=None)
    own = solution.with_main(main) if solution else {}
    lacking = dict.fromkeys(own, "")  # prevents missing files of a submission from being taken from the solution
    found: dict[str, str] = {}
    for verdict, each in offered:
        if each is not solution:
            folder = _free(f"{verdict}/{each.name}", found)
            found |= {f"{folder}/{path}": text for path, text in {**lacking, **each.with_main(main)}.items()}
    return own, found


def _free(folder: str, taken: dict[str, str]) -> str:
    """Return the folder's name, with a number appended if the name is taken."""
    number = 1
    while any(path.startswith(f"{folder}{'' if number == 1 else number}/") for path in taken):
        number += 1
    return folder if number == 1 else f"{folder}{number}"


def _question_text(contents: PackageContents, main: str) -> str:
    """Return the text for students: the statement, what to upload, and the origin of the problem."""
    statement = _without_scores(contents)[0]
    task = f"Write a program that reads standard input and prints. Upload it as `{main}`."
    source = origin(contents.metadata)
    return "\n\n".join(part.strip() for part in (statement, task, source) if part.strip()) + "\n"


def _without_scores(contents: PackageContents) -> tuple[str, list[str]]:
    """Return the statement without its paragraphs about scores, and the removed paragraphs. Cases have no scores of
    their own in Quadrille."""
    text = contents.statement.text
    if not _is_scored(contents):
        return text, []
    blocks = [(block, "```" not in block and _OF_SCORES.search(block)) for block in text.split("\n\n")]
    return "\n\n".join(block for block, of_scores in blocks if not of_scores), [each for each, found in blocks if found]


def _is_scored(contents: PackageContents) -> bool:
    return contents.cases.scored or "scoring" in contents.metadata.type


def _taken_over(contents: PackageContents, question: ProgramQuestion) -> Iterator[str]:
    hidden = sum(case.hidden for case in question.cases)
    yield f"{len(question.cases) - hidden} visible and {hidden} hidden cases"
    output = question.output_kib >> 10
    yield f"limits of {question.cpu_s:g} s, {question.memory_mib} MiB of memory and {output} MiB of output"
    chosen = question.comparator.model_dump(exclude={"kind", "files"}, exclude_defaults=True)
    named = ", ".join(f"{name} = {value}" for name, value in chosen.items())
    yield f"the comparator {question.comparator.kind}{f' with {named}' if named else ''}"
    others = len({tuple(path.split("/")[:2]) for path in question.submissions})
    yield f"{others + bool(question.solution)} of the {len(contents.programs)} programs in submissions"


def _limit_s(contents: PackageContents, slowest_s: float | None) -> float:
    """Return the time limit in seconds; a whole number if it is derived from the slowest accepted submission."""
    computed = USUAL_S if slowest_s is None else max(1, math.ceil(round(slowest_s * contents.metadata.time_factor, 6)))
    return min(contents.metadata.limits.time_limit or computed, MOST_S)


def _time_limit(contents: PackageContents, limit_s: float, slowest_s: float | None) -> Iterator[str]:
    """Yield a sentence about how the time limit was chosen if the package has none."""
    if contents.metadata.limits.time_limit is not None:
        return
    if slowest_s is None:
        yield f"the time limit: the package has none, so it is {USUAL_S:g} s; change cpu_s if the check says so"
        return
    product = f"{contents.metadata.time_factor:g} × {slowest_s:g} s"
    how = "rounded up to whole seconds" if limit_s < MOST_S else "but at most that"
    took = f"The slowest accepted submission took {slowest_s:g} s, so the limit is {limit_s:g} s: {product}, {how}"
    yield f"the time limit: the package has none. {took}"


def _left_out_of(contents: PackageContents, question: ProgramQuestion) -> Iterator[str]:
    limits = contents.metadata.limits
    for what, wanted, most, unit in (
        ("time limit", limits.time_limit or 0, MOST_S, "s"),
        ("memory limit", limits.memory, MOST_MEMORY_MIB, "MiB"),
        ("output limit", limits.output, MOST_OUTPUT_KIB >> 10, "MiB"),
    ):
        if wanted > most:
            yield f"the {what} of {wanted:g} {unit}: the most is {most:g} {unit}"
    if _is_scored(contents):
        yield "the scores of groups of cases: each case counts the same"
    for block in _without_scores(contents)[1]:
        shown = " ".join(block.split())
        yield f"of the statement, as it may promise other points; if it is true, put it back into text.md: “{shown}”"
    yield from contents.statement.left_out
    attached = [path for path in contents.package.sizes if path.startswith("attachments/")]
    yield from (f"{path}: hand it out yourself, in the question's folder files" for path in attached)
    for folder, program in contents.programs:
        if reason := _why_left_out(folder, program, question.language):
            yield f"{program.path}: {reason}"


def _why_left_out(folder: str, program: PackageProgram, language: str) -> str:
    if not program.language:
        return "its language is not offered"
    if folder not in VERDICTS:
        return f"the folder {folder} does not name one verdict"
    if program.language != language:
        return f"the question asks for {LANGUAGES[language].title}; --language {program.language} would take it over"
    return ""


GENEROUS_S: Final = 20.0  # seconds of CPU time that an accepted submission may use in one case


def time_accepted(
    contents: PackageContents, jails: Jails, heard: Callable[[str], None]
) -> tuple[float | None, tuple[str, ...]]:
    """Run the accepted submissions in all offered languages, and call `heard` with the path of each. Returns the CPU
    seconds of the slowest case (None if no submission passes) and a sentence about each submission that fails.
    Raises SandboxError, PackageError, and AuthorError if a validator does not work."""
    slowest: float | None = None
    failed = []
    for program in contents.accepted:
        heard(program.path)
        question = to_question(contents, "timed", program.language).question
        files = {path: text.encode() for path, text in program.with_main(question.required[0]).items()}
        question = question.model_copy(update={"cpu_s": GENEROUS_S})
        results = ProgramGraded.of(grade_program(question, files, jails)).results
        for result, case in zip(results, question.cases, strict=True):
            if not result.passed:
                failed.append(f"{program.path}: it is said to be right, but gets {result.verdict} in {case.slug}")
                break
        else:
            slowest = max(slowest or 0.0, *(result.cpu_ms / 1000 for result in results))
    return None if slowest is None else math.ceil(slowest * 100) / 100, tuple(failed)


_TABLE: Final = b"[[questions]]"


def with_question(
    files: Mapping[str, bytes], course: CourseFolder, assignment: str, question: ProgramQuestion
) -> dict[str, bytes]:
    """Return the files to add or change in order to add a question to a course. `course` was read from `files`. The
    assignment is created if it does not exist. Raises CourseError if the question already exists or cannot be added."""
    made = write_assignment(Definition(title=question.title, questions=(question,)), course.zone, course.defaults)
    former = assignments_of(files).get(assignment, {})
    folder = f"questions/{question.slug}"
    if any(path.startswith(f"{folder}/") for path in former):
        told = (
            "There is already a question of this name. Remove it first, or choose another assignment by --assignment."
        )
        raise CourseError([Problem(f"{ASSIGNMENTS}/{assignment}/{folder}", 0, told)])
    if SETTINGS in former:
        # Raises CourseError if the existing file is invalid
        _ = TomlFile(f"{ASSIGNMENTS}/{assignment}/{SETTINGS}", former[SETTINGS])
        made[SETTINGS] = former[SETTINGS].rstrip() + b"\n\n" + made[SETTINGS][made[SETTINGS].index(_TABLE) :]
    fresh = {f"{ASSIGNMENTS}/{assignment}/{path}": content for path, content in made.items()}
    together = gathered({**files, **fresh}.items())  # raises CourseError if the folder becomes too large
    after = read_course(together, course.settings.slug if course.settings else "")
    if problems := [each for each in after.problems if each not in course.problems]:
        raise CourseError(problems)
    return fresh


VALIDATORS: Final = ("output_validators", "output_validator")
"""The names of the output validator's folder, in the older and the newer format."""

_TOLERANCES: Final = {
    "float_tolerance": ("relative", "absolute"),
    "float_relative_tolerance": ("relative",),
    "float_absolute_tolerance": ("absolute",),
}


def read_comparator(package: ProblemPackage, metadata: Metadata, flags: Sequence[str]) -> OutputComparator:
    """Return the comparator for a package; `flags` are the validator flags of its cases. Raises PackageError."""
    flags = (*metadata.validator_flags, *flags)
    own = metadata.validation[:1] == ("custom",)
    newer = not metadata.is_legacy and bool(package.under(VALIDATORS[1]))
    return _validator(package, flags) if own or newer else default_validator(flags)


def default_validator(flags: Sequence[str]) -> OutputComparator:
    """Return the comparator that is equivalent to the default validator with these flags. Raises PackageError."""
    chosen: dict[str, Any] = {"case_sensitive": False}
    given = list(flags)
    while given:
        flag = given.pop(0)
        if flag in _TOLERANCES:
            value = _tolerance(flag, given.pop(0) if given else "")
            chosen |= dict.fromkeys(_TOLERANCES[flag], value)
        elif flag in ("case_sensitive", "space_change_sensitive"):
            chosen[flag] = True
        else:
            raise PackageError(f"The default validator has no flag {flag!r}. Correct the flags in problem.yaml.")
    if "relative" in chosen or "absolute" in chosen:
        return SameNumbers(**({"relative": 0.0} | chosen))
    if "space_change_sensitive" not in chosen:
        return SameTokens(**chosen)
    return SameText() if chosen["case_sensitive"] else SameNumbers(relative=0.0, **chosen)


def _tolerance(flag: str, given: str) -> float:
    with suppress(ValueError):
        if 0 <= (value := float(given)) < 1:
            return value
    raise PackageError(f"The validator flag {flag} needs a number from 0 to below 1 behind it, and has {given!r}.")


def _validator(package: ProblemPackage, flags: Sequence[str]) -> Validator:
    folder = next((each for each in VALIDATORS if package.under(each)), VALIDATORS[0])
    inside = package.under(folder)
    is_one = any(path.count("/") == 1 for path in inside)  # the folder itself is one program
    found = [program_of(package, folder, inside)] if is_one else programs_in(package, folder)
    if not found:
        raise PackageError(f"It asks for an output validator of its own, and {folder} has none.")
    if len(found) > 1:
        names = ", ".join(each.path for each in found)
        raise PackageError(f"It has several output validators, and a question has one: {names}.")
    if not found[0].language:
        raise PackageError(f"The output validator {found[0].path} is not a program in a language that is offered here.")
    return Validator(language=found[0].language, files=found[0].files, flags=tuple(flags))
