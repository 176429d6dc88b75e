"""Whether this machine can grade programs, language by language."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from grader.programs.language_test import troubles
from sandbox.api import SandboxError
from sandbox.choose import open_program_sandbox
from sandbox.host.probe import Finding
from sandbox.selftest import open_tested_programs


def languages(name: str, runner: Path) -> Iterator[Finding]:
    """Whether the sandbox for programs opens and passes its self-test, and the self-test of each language in it.
    Nothing of this is needed for players, so it is never fatal."""
    try:
        opened = open_tested_programs(partial(open_program_sandbox, name, runner))
    except SandboxError as error:
        yield Finding(
            "programs", False, f"no programs are graded here: {error}", "fix what is needed below", needed=False
        )
        return
    with closing(opened):
        for language, trouble in troubles(opened):
            detail = trouble or f"programs are built and run in {opened.name}"
            fix = f"until then, programs in {language.title} wait for another worker. Install what is missing"
            yield Finding(language.title, not trouble, detail, "" if not trouble else fix, needed=False)
