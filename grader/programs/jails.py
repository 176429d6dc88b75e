"""Where a grading runs what, and what others must know of it meanwhile."""

from collections.abc import Callable
from dataclasses import dataclass

from grader.programs.objects import ObjectStore
from sandbox.api import Sandbox
from sandbox.programs import ProgramSandbox


def _silent(_: str) -> None:
    """Nobody waits."""


@dataclass(frozen=True, slots=True)
class ProgramJails:
    """`programs` makes the jails in which students' programs are compiled and run, and authors' validators; `authors`
    opens the sandbox for authors' Python. `objects` keeps what was compiled; None: nothing is kept. `owner`: whose
    objects may be used again; "": only those of files handed out. `working` is called before each command with what
    students may read of it, so that a lease can be renewed; what it raises ends the grading."""

    programs: ProgramSandbox
    authors: Callable[[], Sandbox]
    objects: ObjectStore | None = None
    owner: str = ""
    working: Callable[[str], None] = _silent
