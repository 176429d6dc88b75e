"""What a worker must have to grade the submissions of an assignment, and what a worker has."""

import logging
from collections.abc import Callable, Iterable

from grader.definition.model import Definition
from grader.programs.languages import LANGUAGES
from sandbox.api import SandboxUnavailable
from sandbox.programs import ProgramSandbox

log = logging.getLogger(__name__)


def needs_of(definition: Definition) -> str:
    """The languages of its programs, in order, with a space between: `c11 cpp17`; "" where it asks for none."""
    return " ".join(sorted({each.language for each in definition.programs}))


def offered(programs: Callable[[], ProgramSandbox]) -> frozenset[str]:
    """The languages whose programs can be built and run here; none, with a warning, where no jail for them opens."""
    try:
        box = programs()
    except SandboxUnavailable as error:
        log.warning("this worker grades no programs: %s", error)
        return frozenset()
    return frozenset(slug for slug, language in LANGUAGES.items() if not box.missing(language.tool))


def titles(languages: Iterable[str]) -> str:
    """The names of languages in a sentence: `C11 and C++17`; "" for none."""
    names = sorted(LANGUAGES[each].title if each in LANGUAGES else each for each in languages)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
