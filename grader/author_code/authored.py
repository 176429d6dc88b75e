"""Runs the files of a question's author in a jail, explains in a sentence what is wrong with them, and asks
`checker.py` whether a player's answer is right.

An author's file can import the modules of the assignment's game, such as `game.plays`, and some of Quadrille's own. The
jail receives their source, because it cannot read files. The `__init__` modules are empty there, since a game's own
`__init__` reads files.

For each grading, a checker runs in a process of its own, in a jail without students' code. It sees one question's cases
and one player's answers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final, Self

from grader.comparing.judging import ACCEPTED, Judgement
from sandbox import patterns
from sandbox.api import Fault, Limits, Program, Sandbox, SentText, Session, Verdict, call
from sandbox.visible import visible_line
from tournament.games.api import Game
from tournament.games.text import show

_OF_FILES: Final = ("FileNotFoundError", "PermissionError", "NotADirectoryError", "IsADirectoryError", "OSError")
_PLAYERS: Final = {
    "Your program ": "it ",
    "Your file ": "the file ",
    "Your function ": "the function ",
    "that a player may not do": "that it may not do",
    "Loading your file": "loading it",
    "quadrille_make": "cases(rng)",
    "only the standard library is": "only the standard library and the assignment's game (as game) are",
    "the game waiting": "us waiting",
}
"""The sandbox's phrases for the author of a player, each with its replacement for the author of a question."""


class AuthorError(Exception):
    """A mistake in a file of a question's author, never an internal error or a student's mistake. `file` is the file's
    name in the question's folder. `line` counts from 1, and is None if unknown. `problem` says in sentences what
    happened and what to do. `traceback` can be empty, and shows only lines of that file. `more` are other mistakes in
    that file: their lines, and what they are."""

    more: Sequence[tuple[int | None, str]] = ()

    def __init__(self, file: str, line: int | None, problem: str, traceback: str = "") -> None:
        super().__init__(f"{file}, line {line}: {problem}" if line else f"{file}: {problem}")
        self.file = file
        self.line = line
        self.problem = problem
        self.traceback = traceback

    @property
    def mistakes(self) -> Sequence[tuple[int | None, str]]:
        """The line and the problem of this mistake and of all others in the file."""
        return [(self.line, self.problem), *self.more]


def blame(fault: Fault, file: str, limits: Limits, doing: str = "") -> AuthorError:
    """Turn a fault of an author's file into an AuthorError. `doing` is the beginning of a sentence and says what the
    file was doing."""
    problem = _problem(fault, limits)
    if doing:
        problem = f"{doing}: {problem}"
    elif problem.startswith(("it ", "the ")):
        problem = problem[:1].upper() + problem[1:]
    return AuthorError(file, fault.line, problem, fault.traceback)


def _problem(fault: Fault, limits: Limits) -> str:
    if fault.verdict is Verdict.MLE:
        return f"it needs more than the {limits.memory >> 20} MiB of memory that it may have. Reduce its memory use."
    text = fault.message.replace(f": line {fault.line}: ", ": ", 1)  # AuthorError says the line
    for theirs, ours in _PLAYERS.items():
        text = text.replace(theirs, ours)
    text += "" if text[-1:] in ".?!" else "."
    if fault.verdict is Verdict.TLE:
        return f"{text} Check that it ends. If it does, make it do less work."
    name = fault.traceback.rpartition("\n")[2].partition(":")[0]  # the name of the exception, if any
    if fault.verdict is Verdict.BLOCKED or name in _OF_FILES:
        jail = "An author's file runs in a jail, without a network, other files or other programs."
        return f"{text} {jail} It must contain everything that it needs."
    return text


_SHARED: Final = {
    "sandbox": ("api", "verdicts", "visible"),
    "tournament.games": ("api", "cards", "judges", "quotas", "text"),
}
_NOT_FOR_AUTHORS: Final = ("__init__", "starter", "questions")
_SOLUTION: Final = patterns.compile(r"(?m)^\s*(?:import|from)\s+solution\b")

CASES: Final = "cases.py"
SOLUTION: Final = "solution.py"
CHECKER: Final = "checker.py"


@dataclass(frozen=True)
class GameModules:
    """The source of a game's modules, by name within the game's package (`plays`, `bots.builder`). `slug` is the game's
    slug, which occurs in the imports of built-in games. Both are empty if the assignment has no game."""

    slug: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)


NO_GAME: Final = GameModules()


def game_modules(game: Game[Any]) -> GameModules:
    """Read, from the game's folder, the modules that an author's file can import."""
    return GameModules(game.slug, dict(sorted(_texts(game.folder, ""))))


def _texts(folder: Traversable, package: str) -> Iterator[tuple[str, str]]:
    for each in folder.iterdir():
        name, _, kind = each.name.rpartition(".")
        if kind == "py" and name not in _NOT_FOR_AUTHORS:
            yield f"{package}{name}", each.read_text(encoding="utf-8")
        elif not name and each.is_dir() and (each / "__init__.py").is_file():
            yield from _texts(each, f"{package}{kind}.")


def cases_program(cases: SentText, solution: str, modules: GameModules) -> Program:
    """Return the program that runs `cases.py`, which may import `solution`. The program's functions are those of
    `driver.CaseMaker`."""
    imported = solution if _SOLUTION.search(cases) else None
    adapter = "_maker = __import__('_authoring').CaseMaker(globals())\n"
    adapter += "quadrille_make, quadrille_take = _maker.make, _maker.take\n"
    return Program(_source(cases), {"cases": (1,)}, _provided(modules, imported), CASES, adapter)


def solution_program(text: str, functions: Mapping[str, tuple[int, ...]], modules: GameModules) -> Program:
    """Return the program that runs `solution.py`, which must define these functions."""
    return Program(_source(text), functions, _provided(modules, None), SOLUTION)


def checker_program(text: str, modules: GameModules, takes: int = 2) -> Program:
    """Return the program that runs `checker.py`. Its function `accepts` takes `takes` arguments;
    `quadrille_accepts_all` takes a list of tuples, each with the arguments of one call of `accepts`."""
    adapter = "def quadrille_accepts_all(pairs):\n    return [accepts(*pair) for pair in pairs]\n"
    return Program(_source(text), {"accepts": (takes,)}, _provided(modules, None), CHECKER, adapter)


def _source(text: str) -> bytes:
    """Encode a file, even if its text is not valid Unicode; Python rejects the file later and says why."""
    return text.encode("utf-8", "surrogatepass")


def provided_texts(modules: GameModules) -> dict[str, str]:
    """Return the source of all modules that can be imported, by full name."""
    return {f"game.{name}": text for name, text in modules.texts.items()} | _shared_texts()


def _provided(modules: GameModules, solution: str | None) -> dict[str, str]:
    texts = provided_texts(modules) | ({} if solution is None else {"solution": solution})
    return {"_authoring": _driver(tuple(texts.items()), modules.slug)}


@lru_cache(maxsize=16)
def _driver(texts: tuple[tuple[str, str], ...], slug: str) -> str:
    text = files("grader.author_code").joinpath("driver.py").read_text(encoding="utf-8")
    return f"{text}\n\nprovide({dict(texts)!r}, {slug!r})\n"


@lru_cache(maxsize=1)
def _shared_texts() -> dict[str, str]:
    return {
        f"{package}.{name}": files(package).joinpath(f"{name}.py").read_text(encoding="utf-8")
        for package, names in _SHARED.items()
        for name in names
    }


LIMITS: Final = Limits(load_s=5.0, call_s=20.0, game_s=20.0, wall_factor=2.0, memory=512 << 20, reply=160 << 10)
"""The limits of an author's file. Here a “game” is everything that the file does for one question."""

FORMAT: Final = 1  # the version of the case set format; changing it regenerates all case sets
SPOILT: Final = (
    "It changes how Quadrille's own code works in the sandbox. Do not modify the modules of Python or Quadrille."
)
"""The problem reported when the driver's answer shows that a file has altered the driver in its jail."""

Heard = Callable[[str, int], None]
"""`heard(stage, count)` receives the number of cases that have been `drawn` or `solved` so far."""


def deaf(_stage: str, _count: int) -> None:
    """Ignore reports of progress."""


@dataclass(frozen=True)
class Authored:
    """An author's code for one question, and the settings for running it. The solution must define `function`.
    `arities` lists the allowed numbers of arguments (empty: any number). A call may use `call_s` seconds of CPU
    time, as in a player. `seed` seeds the generator of cases. If `prints` is true, the function's output is compared
    instead of its return value."""

    cases: str
    solution: str
    function: str
    arities: tuple[int, ...]
    seed: str
    modules: GameModules = NO_GAME
    call_s: float = 1.0
    prints: bool = False
    limits: Limits = LIMITS

    @property
    def key(self) -> str:
        """The name of the case set: a hash of everything that the cases depend on."""
        made_by = (self.cases, self.solution, self.function, self.arities, self.seed, self.prints)
        parts = (FORMAT, made_by, self.modules.slug, sorted(provided_texts(self.modules).items()))
        return sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()


@contextmanager
def loaded(sandbox: Sandbox, program: Program, limits: Limits, seed: int = 1) -> Iterator[Session]:
    """Load an author's file in a process of its own. Raises AuthorError if it cannot be loaded, and SandboxError."""
    session = sandbox.open(program, limits, seed)
    if isinstance(session, Fault):
        raise blame(session, program.filename, limits)
    try:
        yield session
    finally:
        session.close()


CHECKER_LIMITS: Final = Limits(load_s=5.0, call_s=2.0, game_s=60.0)
"""The limits of a checker. Here a “game” is one grading of the checker's question."""

LONGEST_REASON: Final = 300


class CheckerProcess:
    """The process of a checker, started on first use. `open_sandbox`, which opens the authors' jail, is called only
    then. Close the process after a grading. `takes` is the number of arguments of `accepts`: 3 if the checker judges
    programs' output."""

    def __init__(
        self,
        open_sandbox: Callable[[], Sandbox],
        text: str,
        modules: GameModules = NO_GAME,
        limits: Limits = CHECKER_LIMITS,
        takes: int = 2,
    ) -> None:
        self._open_sandbox = open_sandbox
        self._program = checker_program(text, modules, takes)
        self._limits = limits
        self._stack = ExitStack()
        self._session: Session | None = None

    def __call__(self, args: Sequence[Any], got: Any) -> Judgement:
        """Call `accepts(args, got)`. Raises AuthorError if the call fails or returns an invalid answer, and
        SandboxError."""
        return _judgement(got, self.says(tuple(args), got))

    def says(self, *asked: Any) -> bool | str:
        """Return what `accepts` returns for these arguments: True if the answer is right; otherwise False or a reason.
        Raises AuthorError and SandboxError, as `__call__` does."""
        reply = call(self._opened(), "accepts", asked)
        if isinstance(reply, Fault):
            raise blame(reply, CHECKER, self._limits, _call_text(asked))
        return _checked_answer(asked, reply.data)

    def all(self, answers: Sequence[tuple[Sequence[Any], Any]]) -> list[Judgement]:
        """Judge several (args, got) pairs, a few dozen at most, in one call. This is many times faster than separate
        calls."""
        pairs = [(tuple(args), got) for args, got in answers]
        reply = call(self._opened(), "quadrille_accepts_all", (pairs,))
        if isinstance(reply, Fault):  # perhaps one call was too long for so many answers
            self.close()
            return [self(*pair) for pair in pairs]
        if not isinstance(reply.data, list) or len(reply.data) != len(pairs):
            raise AuthorError(CHECKER, None, SPOILT)
        return [_judgement(pair[1], _checked_answer(pair, said)) for pair, said in zip(pairs, reply.data, strict=True)]

    def _opened(self) -> Session:
        if self._session is None:
            self._session = self._stack.enter_context(loaded(self._open_sandbox(), self._program, self._limits))
        return self._session

    def close(self) -> None:
        """End the checker's process. The next call starts a new process."""
        self._session = None
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _judgement(got: Any, said: bool | str) -> Judgement:
    return ACCEPTED if said is True else Judgement(Verdict.WA, said or f"Returned {show(got)}, which is not right.")


def _checked_answer(asked: Sequence[Any], said: Any) -> bool | str:
    """Return a checker's answer, shortened and made safe to show. Raises AuthorError if the answer is invalid."""
    if isinstance(said, bool):
        return said
    if isinstance(said, str) and said.strip():
        reason = visible_line(said.strip())
        return reason if len(reason) <= LONGEST_REASON else f"{reason[: LONGEST_REASON - 1]}…"
    problem = f"it returns {show(said)}; it must return True, False or the reason why not, as a string."
    raise AuthorError(CHECKER, None, f"{_call_text(asked)}: {problem}")


def _call_text(asked: Sequence[Any]) -> str:
    return f"In accepts({', '.join(map(show, asked))})"
