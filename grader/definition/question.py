"""The questions of an assignment as data: what all questions have in common; function questions; and program questions,
with their files, how the program is compiled and run, and what it must print."""

import keyword
from collections.abc import Iterator, Mapping
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Final, Literal, Self, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator

from grader.comparing.comparators import Comparator, Exact
from grader.comparing.outputs import OutputComparatorModel, SameLines, SameNumbers, SameText, SameTokens
from grader.languages import LANGUAGES
from sandbox import patterns

SLUG: Final = patterns.compile(r"[a-z0-9][a-z0-9-]{0,39}")
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=40)]  # the same in two messages
SLUG_RULE: Final = "up to 40 lowercase letters, digits and hyphens"
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Text = Annotated[
    str,
    StringConstraints(max_length=256 << 10),
    AfterValidator(lambda text: text.replace("\r\n", "\n").replace("\r", "\n")),  # browsers send \r\n
]


class DefinitionModel(BaseModel):
    """A part of a definition. It is immutable."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Gate(StrEnum):
    """How much of a question must pass before a player may enter."""

    NONE = "none"
    EXAMPLES = "examples"  # the visible cases
    ALL = "all"


class Shows(StrEnum):
    """What a student sees of the hidden cases that fail. All but `NUMBER` also show the verdicts."""

    ALL = "all"  # the shortest of them, as many as a report keeps
    SMALLEST = "smallest"  # the shortest one
    TWIN = "twin"  # a case of the same kind that is not graded and fails too
    VERDICTS = "verdicts"  # how many failed, and with which verdicts
    NUMBER = "number"  # only how many did not pass


class Question(DefinitionModel):
    """The fields of every question. A question that is not `visible` is not shown or graded."""

    slug: Slug = Field(title="short name")
    title: Title
    text: Text = ""
    points: float = Field(default=1.0, ge=0, le=1000, allow_inf_nan=False)
    gate: Gate = Field(Gate.EXAMPLES, title="what must pass to enter")
    visible: bool = True
    shows: Shows = Field(Shows.TWIN, title="what students see when a case fails")


class FunctionQuestion(Question):
    """A function that the student writes, and how it is checked. `parameters` are the names of its parameters in order.
    `arities` are the numbers of arguments with which it is called; by default, all parameters are given. `method` is
    what the student writes instead, if an adapter makes the function from it (see
    `tournament.games.api.Guest.adapter`). `cases` is the source of `cases.py`, or a doctest text like `examples`.
    `call_s` is in seconds of CPU time."""

    function: str
    parameters: tuple[str, ...] = ()
    arities: tuple[Annotated[int, Field(ge=0, le=50)], ...] = Field((), title="numbers of arguments")
    method: str = Field("", title="what the student writes")
    examples: Text = ""
    cases: Text = Field("", title="hidden cases")
    solution: Text = ""
    comparator: Comparator = Exact()
    call_s: float = Field(default=1.0, gt=0, le=30, title="time limit")

    @field_validator("function")
    @classmethod
    def _is_a_name(cls, name: str) -> str:
        if not name.isidentifier() or keyword.iskeyword(name):
            raise ValueError(f"{name!r} cannot be the name of a Python function.")
        return name

    @model_validator(mode="after")
    def _knows_its_arguments(self) -> "FunctionQuestion":
        if not self.arities:
            object.__setattr__(self, "arities", (len(self.parameters),))
        return self

    @property
    def has_doctest_cases(self) -> bool:
        """Whether the hidden cases are written out like the examples, instead of being made by a program."""
        return self.cases.lstrip().startswith(">>>")

    @property
    def written(self) -> str:
        """The name of what the student writes."""
        return self.method or self.function


def label(slug: str) -> str:
    """The name of a question on pages: `Q3A`, `Bonus question`."""
    return slug.upper() if slug[1:2].isdigit() else f"{slug.capitalize()} question"


CASES: Final = 200  # the most cases of a question
CASES_SIZE: Final = 8 << 20  # the most characters of all files, inputs and outputs of a question


_PATH: Final = patterns.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+ /-]*")
LEFT_ALONE: Final = (".", "__pycache__", "__MACOSX")  # a course folder ignores names that begin like this
_F_OPTIONS: Final = (
    *("exceptions", "rtti", "strict-aliasing", "inline", "builtin", "fast-math", "wrapv", "trapv", "permissive"),
    *("omit-frame-pointer", "signed-char", "unsigned-char", "short-enums", "common", "openmp-simd", "concepts"),
    *("char8_t", "coroutines", "modules-ts", "unroll-loops", "elide-constructors", "threadsafe-statics"),
)
_OPTIONS: Final = patterns.compile(
    r"-std=[a-z0-9+:]{1,20}|-pedantic(-errors)?|-ansi|-w|-pthread|-O[0-3sg]?|-Ofast|-g[0-3]?"
    r"|-W[a-z0-9+-]*(=[a-z0-9-]{1,40})?"
    r"|-[DU][A-Za-z_][A-Za-z0-9_]*(=[A-Za-z0-9_+.\"-]*)?"
    rf"|-f(no-)?({'|'.join(map(patterns.escape, _F_OPTIONS))})|-fmax-errors=[0-9]{{1,3}}|-ftemplate-depth=[0-9]{{1,4}}"
    r"|-fconstexpr-(depth|loop-limit|ops-limit)=[0-9]{1,9}"
    r"|-l(m|pthread|rt|stdc\+\+fs)"
    r"|-I[A-Za-z0-9_][A-Za-z0-9_./-]*|-I\."
)
"""The options that a question may add to a compiler's command. They only say how a program is compiled: none of them
names a file, loads code into the compiler or starts other programs."""


def _wrong_options(options: tuple[str, ...], compiled: bool) -> str:
    """Why the options cannot be used, as a sentence; "" if they can."""
    if options and not compiled:
        return "options are for a compiler, and a program in this language is not compiled."
    refused = (each for each in options if not _OPTIONS.fullmatch(each) or (each.startswith("-I") and ".." in each))
    if (wrong := next(refused, None)) is None:
        return ""
    return (
        f"the compiler option {wrong!r} is not allowed. Options may choose the standard (-std=), warnings (-W), "
        "optimization (-O), definitions (-D), folders of the program's own (-I) and libraries (-lm, -pthread)."
    )


def _relative(path: str) -> str:
    """Accept only a relative path in portable, normalized form. Raises ValueError."""
    parts = PurePosixPath(path).parts
    if not _PATH.fullmatch(path) or path != "/".join(parts) or ".." in parts:
        told = "is not a path within a folder, such as cards/Deck.cpp. Use letters from a to z, digits, and . _ + -"
        raise ValueError(f"{path!r} {told}")
    if any(part.startswith(LEFT_ALONE) or part.endswith(".pyc") for part in parts):
        raise ValueError(f"{path!r} is the name of a hidden file. Give it another name.")
    return path


def _without_clashes(files: Mapping[str, str]) -> Mapping[str, str]:
    """Refuse a file that is also the folder of another. Raises ValueError."""
    folders = {str(folder) for path in files for folder in PurePosixPath(path).parents}
    if clash := next((path for path in files if path in folders), None):
        raise ValueError(f"{clash!r} cannot be both a file and a folder.")
    return files


ProgramPath = Annotated[str, StringConstraints(max_length=200), AfterValidator(_relative)]
"""The relative path of a file, with slashes."""

Pattern = Annotated[str, StringConstraints(min_length=1, max_length=200)]
"""A path of files that students write or change; it may contain `*` and `?`."""

Files = Annotated[Mapping[ProgramPath, Text], AfterValidator(_without_clashes)]
"""The texts of files by their paths."""

if TYPE_CHECKING:
    LanguageSlug = str
else:
    LanguageSlug = Literal[tuple(LANGUAGES)]


class Warnings(StrEnum):
    """What a compiler warning costs."""

    ALLOW = "allow"  # nothing: warnings are only shown
    COST = "cost"  # `warning_points` each
    FAIL = "fail"  # the question: nothing is run


class OutputChecker(OutputComparatorModel):
    """The author's `checker.py`, whose `accepts(input, expected, printed)` returns True, False, or the reason for a
    refusal."""

    chosen = "accepted by a checker of your own: accepts(input, expected, printed)"

    kind: Literal["checker"] = "checker"
    source: Text


class Validator(OutputComparatorModel):
    """A program of the author's in the format of problem packages (Kattis, ICPC). It is run as `validator INPUT ANSWER
    FEEDBACK_FOLDER FLAGS…`, reads what was printed, and exits with 42 (right) or 43 (wrong)."""

    chosen = "accepted by a validator program of your own, as in problem packages"

    kind: Literal["validator"] = "validator"
    language: LanguageSlug
    files: Files
    flags: tuple[str, ...] = ()


OutputComparator = Annotated[
    SameText | SameLines | SameTokens | SameNumbers | OutputChecker | Validator, Field(discriminator="kind")
]
"""Any way to compare what was printed with what is expected."""

COMPARATORS: Final[Mapping[str, type[OutputComparatorModel]]] = {
    each.model_fields["kind"].default: each for each in get_args(get_args(OutputComparator)[0])
}
"""Comparators of output by the names that authors write."""


class ProgramCase(DefinitionModel):
    """One run of a program. With these arguments, this standard input and these files beside it, the program must print
    `output`, exit with `exit_code` (None: any) and leave the files `leaves`. Students see a case that is not
    `hidden`."""

    slug: Slug
    title: Title
    hidden: bool = Field(True, title="hidden from students")
    arguments: tuple[str, ...] = ()
    input: Annotated[str, StringConstraints(max_length=2 << 20)] = ""
    output: Annotated[str, StringConstraints(max_length=2 << 20)] = Field("", title="expected output")
    exit_code: int | None = Field(default=0, ge=0, le=255, title="exit code")
    files: Files = Field(default_factory=dict)
    leaves: Files = Field(default_factory=dict)


class ProgramQuestion(Question):
    """A program that the student writes. `given` are the files handed out. Students may change those that match a
    pattern in `editable`; the others replace whatever is uploaded under their names. An upload must not contain
    files that are neither given nor editable. It must contain the files in `required`, which by default are all
    files that are given and editable. `options` are added to the compiler's command. `main` is the file that is run
    if the language is not compiled. `cpu_s` (seconds of CPU time), `memory_mib` and `output_kib` are the limits of
    one run. `solution` has the files of the author's solution, which replace those given. `submissions` are other
    programs of the author's, by the verdict that they must get: `WA/off_by_one/Deck.cpp`; a file that such a program
    lacks is taken from the solution. Students never see these paths. The visible cases come first, and both kinds
    are ordered by slug."""

    language: LanguageSlug
    shows: Shows = Field(Shows.VERDICTS, title="what students see when a case fails")
    given: Files = Field(default_factory=dict)
    editable: tuple[Pattern, ...] = Field(("*",), title="files that students write or change")
    required: tuple[ProgramPath, ...] = Field((), title="files that an upload must contain")
    options: tuple[Annotated[str, StringConstraints(min_length=1, max_length=200)], ...] = ()
    main: str = Field("", title="file that is run")
    warnings: Warnings = Field(Warnings.ALLOW, title="effect of a compiler warning")
    warning_points: float = Field(
        default=0.0, ge=0, le=1000, allow_inf_nan=False, title="points that each warning costs"
    )
    cases: tuple[ProgramCase, ...] = Field(default=(), max_length=CASES)
    comparator: OutputComparator = SameLines()
    cpu_s: float = Field(default=2.0, gt=0, le=60, title="seconds of computing")
    memory_mib: int = Field(default=256, ge=16, le=2048, title="memory of a run")
    output_kib: int = Field(default=1024, ge=1, le=16384, title="output of a run")
    solution: Files = Field(default_factory=dict)
    submissions: Files = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        slugs = [case.slug for case in self.cases]
        if twice := next((slug for slug in slugs if slugs.count(slug) > 1), None):
            raise ValueError(f"Two cases of {self.slug!r} are called {twice!r}.")
        if foreign := next((path for path in self.required if not self.may_edit(path)), None):
            raise ValueError(f"{foreign!r} is required of the student, but no pattern in editable matches it.")
        if wrong := _wrong_options(self.options, LANGUAGES[self.language].compiled):
            raise ValueError(f"{self.slug}: {wrong}")
        if sum(map(len, self._texts())) > CASES_SIZE:
            raise ValueError(f"All files and cases of {self.slug!r} together may have {CASES_SIZE >> 20} MiB.")
        if self.shows is Shows.TWIN:
            raise ValueError(f"No twins of cases are created for {self.slug!r}: choose another value of shows.")
        ordered = tuple(sorted(self.cases, key=lambda case: (case.hidden, case.slug)))
        object.__setattr__(self, "cases", ordered)
        return self

    def may_edit(self, path: str) -> bool:
        """Whether a student may change the file, or add it."""
        return any(fnmatchcase(path, pattern) for pattern in self.editable)

    @property
    def asked_for(self) -> tuple[str, ...]:
        """The files that an upload must contain."""
        return self.required or tuple(sorted(path for path in self.given if self.may_edit(path)))

    @property
    def locked(self) -> dict[str, str]:
        """The files handed out that replace a student's own files of the same names."""
        return {path: text for path, text in self.given.items() if not self.may_edit(path)}

    def _texts(self) -> Iterator[str]:
        for files in (self.given, self.solution, self.submissions):
            yield from files.values()
        for case in self.cases:
            yield from (case.input, case.output, *case.files.values(), *case.leaves.values())
        if isinstance(self.comparator, OutputChecker):
            yield self.comparator.source
        elif isinstance(self.comparator, Validator):
            yield from self.comparator.files.values()


FOLDERS: Final[Mapping[str, str]] = {"given": "files", "solution": "solution", "submissions": "submissions"}
"""The fields of a program question that are stored as folders of files, with the names of the folders."""


def usual_title(slug: str) -> str:
    """The title of a case without a title of its own: `03-red-skip` is “Red skip”."""
    words = slug.lstrip("0123456789-").replace("-", " ").strip() or slug
    return words[:1].upper() + words[1:]
