"""What a worker must have to grade the submissions of an assignment, and what it has.

Whether a language works on a machine is tried: a small program is built and run, as students' are.
"""

import logging
from collections.abc import Callable, Iterable, Iterator

from grader.definition.model import Definition
from grader.definition.question import ProgramCase, ProgramQuestion
from grader.languages import LANGUAGES
from grader.languages.language import Language
from grader.programs.grading import ProgramGraded, grade_program
from grader.programs.jails import Jails
from sandbox.api import SandboxError, SandboxUnavailable
from sandbox.programs import ProgramSandbox

WORD = "works"


def troubles(programs: ProgramSandbox) -> Iterator[tuple[Language, str]]:
    """Each language, and why its programs cannot be graded here, as a sentence; "" if they can be."""
    for language in LANGUAGES.values():
        yield language, programs.missing(language.tool) or _trouble(language, programs)


def _trouble(language: Language, programs: ProgramSandbox) -> str:
    files = {path: text.encode() for path, text in language.self_test.items()}
    case = ProgramCase(slug="word", title="A word is printed", input=f"{WORD}\n", output=f"{WORD}\n")
    usual = {"slug": "self-test", "title": "Self-test", "cpu_s": 10.0, "warnings": "fail"}
    question = ProgramQuestion.model_validate({**usual, "language": language.slug, "cases": (case,)})
    try:
        graded = ProgramGraded.of(grade_program(question, files, Jails(programs=lambda: programs)))
    except SandboxError as error:
        return f"its self-test failed: {error}"
    (result,) = graded.results
    log = graded.build.log.strip()
    return "" if result.passed else f"its self-test gets {result.verdict.value}: {log or result.message}"


log = logging.getLogger(__name__)


def needs_of(definition: Definition) -> str:
    """The languages of its programs, in order, with a space between: `c11 cpp17`; "" where it asks for none."""
    return " ".join(sorted({each.language for each in definition.programs}))


def offered(programs: Callable[[], ProgramSandbox]) -> frozenset[str]:
    """The languages whose self-test passes here; none, with a warning, where no jail for programs opens."""
    try:
        box = programs()
    except SandboxUnavailable as error:
        log.warning("this worker grades no programs: %s", error)
        return frozenset()
    works = set()
    for language, trouble in troubles(box):
        if trouble:
            log.warning("this worker grades no programs in %s: %s", language.title, trouble)
        else:
            works.add(language.slug)
    return frozenset(works)


def titles(languages: Iterable[str]) -> str:
    """The names of languages in a sentence: `C11 and C++17`; "" for none."""
    names = sorted(LANGUAGES[each].title if each in LANGUAGES else each for each in languages)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
