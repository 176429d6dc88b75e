"""The events of a grading, from which a report is assembled: the result of each case, and the build of each program.
All of these are plain data."""

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from grader.comparing.marking import OutputDifference
from sandbox.api import Verdict

LOG = 64 << 10  # characters kept of a compiler's log
TEXT = 16 << 10  # characters kept of an input, an output or a transcript


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A compiler's message about one place. `kind` is `error` or `warning`. `line` and `column` count from 1, and are 0
    if unknown. `message` is the compiler's text, `plain` explains it to beginners ("" for an unknown message), and
    `source` is the line itself."""

    file: str
    line: int
    column: int
    kind: str
    message: str
    plain: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Build:
    """How a program was compiled. `missing` lists the files that the upload lacks. `replaced` lists the uploaded files
    that were replaced by handed-out files. `log` is the compiler's output, up to `LOG` characters."""

    built: bool
    command: str
    diagnostics: list[Diagnostic] = field(default_factory=list)
    errors: int = 0
    warnings: int = 0
    missing: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    log: str = ""
    cpu_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Run:
    """The result of one run. Texts are shortened to `TEXT` characters; `cut` says whether any text was shortened.
    `transcript` contains the printed ("out") and read ("in") texts, in order, as on a terminal. `where` is the line
    of a crash, as `Deck.cpp:41`. `unstable` is true if a second run with the same input had another result.
    `starved` is true if the program tried to read more input than was available. `command` is the command with which
    the student can run this case, with `files` in the program's folder."""

    command: str
    input: str = ""
    arguments: list[str] = field(default_factory=list)
    exit_code: int | None = None
    difference: OutputDifference | None = None
    transcript: list[tuple[str, str]] = field(default_factory=list)
    errors: str = ""  # standard error
    where: str = ""
    unstable: bool = False
    starved: bool = False
    memory_mib: float = 0.0
    cut: bool = False
    files: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The result of one case. `call`, `expected` and `got` are Python source; `got` is empty if nothing was returned.
    `message` is a sentence for the student, and is empty if the case passed. `output` is the player's output during
    the call; `flood` is true if a part of it was not kept. `traceback` and `line` refer to the student's own file.
    `run` is set if the case is a run of a program; `expected`, `got` and `output` are then empty. If the function is
    missing, `meant` is the function in the file that the student probably intended. `why` is the game's explanation
    of the right answer; it is added only when the case is shown, and so is a missing title."""

    question: str
    title: str
    call: str
    expected: str
    got: str
    verdict: Verdict
    message: str
    cpu_ms: float
    hidden: bool
    output: str = ""
    flood: bool = False
    traceback: str = ""
    line: int | None = None
    run: Run | None = None
    meant: str = ""
    why: str = ""

    @property
    def passed(self) -> bool:
        """Whether the case counts as passed."""
        return self.verdict is Verdict.AC

    @property
    def failed(self) -> bool:
        """Whether the case was run and did not pass."""
        return self.verdict not in (Verdict.AC, Verdict.NOT_RUN)

    @property
    def length(self) -> int:
        """The number of characters that a student must read to understand the case."""
        return len(self.run.input) + len(self.call) if self.run else len(self.call)


class ProgramBuilt(NamedTuple):
    """The build of a question's program. This event comes before the results of the question's cases. `question` is the
    slug."""

    question: str
    build: Build


Event: TypeAlias = CaseResult | ProgramBuilt
