"""The events of a grading, from which a report is made: the result of each case, and how a program was built. Plain
data."""

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from grader.comparing.marking import OutputDifference
from sandbox.api import Verdict

LOG = 64 << 10  # characters of a compiler's log that are kept
TEXT = 16 << 10  # characters of an input, an output or a transcript that are kept


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What the compiler says about one place. `kind` is `error` or `warning`. `line` and `column` count from 1, and are
    0 if unknown. `message` is the compiler's, `plain` is the same in words for a beginner ("" for an unknown message),
    and `source` is the line itself."""

    file: str
    line: int
    column: int
    kind: str
    message: str
    plain: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Build:
    """How a program was compiled. `missing` are files that the upload lacks. `replaced` are uploaded files that were
    replaced by those handed out. `log` is everything that the compiler printed, up to `LOG` characters."""

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
    """The result of one run. Texts are shortened to `TEXT` characters; `cut` says whether any was. `transcript` has
    what was printed ("out") and read ("in"), in order, as on a terminal. `where` is the line of a crash, as
    `Deck.cpp:41`. `unstable`: the program did something else when it was run again with the same input. `starved`:
    it tried to read more input than there was. `command` is what the student can type to run this case, with `files`
    beside the program."""

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
    """The result of one case. `call`, `expected` and `got` are texts as Python writes them; `got` is empty if nothing
    was returned. `message` is a sentence for the author, and is empty if the case passed. `output` is what the
    player printed during the call; `flood` says that some of it was not kept. `traceback` and `line` refer to the
    author's own file. `run` is set if the case is a run of a program; `expected`, `got` and `output` are empty then.
    If the function is missing, `meant` is the function in the file that the student probably intended. `why` is what
    the game says about the right answer; it is worded only when the case is shown, as is the title of a case that
    has none."""

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
        """The number of characters that one has to read to understand the case."""
        return len(self.run.input) + len(self.call) if self.run else len(self.call)


class ProgramBuilt(NamedTuple):
    """How the program of a question, which is given by its slug, was built. This event comes before the results of its
    cases."""

    question: str
    build: Build


Event: TypeAlias = CaseResult | ProgramBuilt
