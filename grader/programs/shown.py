"""What a report keeps of a program: how it was built, and how its runs differ from what was expected. Plain data."""

from dataclasses import dataclass, field

LOG = 64 << 10
"""Characters of a compiler's log that are kept."""

TEXT = 16 << 10
"""Characters of an input, an output or a transcript that are kept."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What the compiler says of one place. `kind` is `error` or `warning`; `line` and `column` count from 1, 0 where
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
class OutputDifference:
    """The first line that differs. `line` counts from 1 in what was printed, `column` (from 0) is that of the first
    differing character in `printed`. `expected` and `printed` are the lines, None where there is none; they have a line
    end only if that is the difference. `before` are the lines above, which agree. The marks are the ranges of
    characters that differ, from the first to the one after the last. Lines too long are shortened around the
    difference."""

    line: int
    column: int
    expected: str | None
    printed: str | None
    before: list[str] = field(default_factory=list)
    expected_marks: list[tuple[int, int]] = field(default_factory=list)
    printed_marks: list[tuple[int, int]] = field(default_factory=list)


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
