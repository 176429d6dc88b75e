"""What a worker must have to grade the submissions of an assignment, and what a worker has."""

import logging
from collections.abc import Callable, Iterable

from grader.definition.model import Definition
from grader.languages import LANGUAGES
from grader.programs.language_test import troubles
from sandbox.api import SandboxUnavailable
from sandbox.programs import ProgramSandbox

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
