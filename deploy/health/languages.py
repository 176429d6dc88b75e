"""The doctor's checks of the languages in which programs can be graded."""

from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path

from grader.programs.needs import troubles
from sandbox.api import SandboxError
from sandbox.choose import open_program_sandbox
from sandbox.host.probe import Finding
from sandbox.selftest import open_tested_programs


@cache
def languages(name: str, runner: Path) -> Sequence[Finding]:
    """Whether programs of each language can be graded on this machine, found out once. None is needed: submissions wait
    for a worker that has theirs."""
    return tuple(_languages(name, runner))


def _languages(name: str, runner: Path) -> Iterator[Finding]:
    try:
        box = open_tested_programs(partial(open_program_sandbox, name, runner))
    except SandboxError as error:
        fix = "only assignments that ask for programs need it; docs/sandbox.md says what it takes"
        yield Finding("programs", False, str(error), fix, needed=False)
        return
    try:
        for language, trouble in troubles(box):
            detail = trouble or f"programs are compiled and run in {box.name}, with {box.version(language.tool)}"
            fix = f"only assignments with programs in {language.title} need it; then restart the grading workers"
            yield Finding(language.title, not trouble, detail, fix if trouble else "", needed=False)
    finally:
        box.close()
