"""Whether the languages work on this machine: a small program of each is built and run, as students' are."""

from collections.abc import Iterator

from grader.definition.programs import ProgramCase, ProgramQuestion
from grader.languages import LANGUAGES
from grader.languages.language import Language
from grader.programs.grading import grade_program
from grader.programs.jails import ProgramJails
from sandbox.api import Sandbox, SandboxError
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
        graded = grade_program(question, files, ProgramJails(programs, _no_author))
    except SandboxError as error:
        return f"its self-test failed: {error}"
    (result,) = graded.results
    log = graded.build.log.strip()
    return "" if result.passed else f"its self-test gets {result.verdict.value}: {log or result.message}"


def _no_author() -> Sandbox:
    raise SandboxError("a self-test has no author's program")
