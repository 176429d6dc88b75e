"""The events of a grading, from which a report is made: how each case went, and how a program was built. Plain data."""

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from grader.comparing.marking import OutputDifference
from sandbox.api import Verdict

LOG = 64 << 10  # characters of a compiler's log that are kept
TEXT = 16 << 10  # characters of an input, an output or a transcript that are kept


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What the compiler says about one place. `kind` is `error` or `warning`; `line` and `column` count from 1, 0 where
    they are unknown. `message` is the compiler's, `plain` the same for a beginner ("" where we have no words for it),
    and `source` the line itself."""

    file: str
    line: int
    column: int
    kind: str
    message: str
    plain: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Build:
    """How a program was compiled. `missing`: files that the upload lacks; `replaced`: uploaded files instead of which
    those handed out were used. `log` is everything that the compiler printed, up to `LOG` characters."""

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
    """How one run went. Texts are shortened to `TEXT` characters, `cut` says whether one was. `transcript` has what was
    printed ("out") and read ("in"), in order, as on a terminal. `where` is the line of a crash, as `Deck.cpp:41`.
    `unstable`: run again with the same input, it printed something else. `starved`: it wanted to read more than there
    was. `command` is what the student can type to run this case, with `files` beside the program."""

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
    """How one case went. `call`, `expected` and `got` are texts as Python writes them; `got` is empty if nothing was
    returned. `message` is a sentence for the author, empty if the case passed. `output` is what the player printed
    during the call; `flood` says that some of it was not kept. `traceback` and `line` refer to the author's own file.
    `run` has more of a case that is a program's run; `expected`, `got` and `output` are empty then. `meant` is the
    function of the file that is probably meant to be the one that is missing. `why`: what the game says of the right
    answer; it is worded when the case is shown, as the title is where the case has none."""

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
        """Whether it was run and did not pass."""
        return self.verdict not in (Verdict.AC, Verdict.NOT_RUN)

    @property
    def length(self) -> int:
        """How much there is to read before the case is understood, in characters."""
        return len(self.run.input) + len(self.call) if self.run else len(self.call)


class ProgramBuilt(NamedTuple):
    """How the program of a question, by its slug, was built. It comes before the results of its cases."""

    question: str
    build: Build


Event: TypeAlias = CaseResult | ProgramBuilt
