"""Runs what an author wrote for a question: starts the author's files in a jail, says in a sentence what is wrong with
them, and asks `checker.py` whether a player's answer is right.

An author's file may import the modules of the assignment's game, as `game.plays`, and some of Quadrille's own. The jail
is given their source, because it cannot read files. Packages are empty there, since a game's own `__init__` reads
files.

A checker runs in a process of its own for each grading, in a jail that it shares with no student's code. It sees one
question's cases and one player's answers to them.
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
    """A mistake in what an author of questions wrote, never an internal error or a student's mistake. `file` is the
    file's name in the question's folder, `line` is counted from 1 if it is known, `problem` says in sentences what
    happened and what to do, and `traceback`, which may be empty, shows only lines of that file."""

    def __init__(self, file: str, line: int | None, problem: str, traceback: str = "") -> None:
        super().__init__(f"{file}, line {line}: {problem}" if line else f"{file}: {problem}")
        self.file = file
        self.line = line
        self.problem = problem
        self.traceback = traceback


def blame(fault: Fault, file: str, limits: Limits, doing: str = "") -> AuthorError:
    """Turn a fault of an author's file into an AuthorError. `doing` says what the file was doing, as the beginning of a
    sentence."""
    problem = _problem(fault, limits)
    if doing:
        problem = f"{doing}: {problem}"
    elif problem.startswith(("it ", "the ")):
        problem = problem[:1].upper() + problem[1:]
    return AuthorError(file, fault.line, problem, fault.traceback)


def _problem(fault: Fault, limits: Limits) -> str:
    if fault.verdict is Verdict.MLE:
        return f"it needs more than the {limits.memory >> 20} MiB of memory that it may have. Reduce its memory use."
    text = fault.message
    for theirs, ours in _PLAYERS.items():
        text = text.replace(theirs, ours)
    text += "" if text[-1:] in ".?!" else "."
    if fault.verdict is Verdict.TLE:
        return f"{text} Check that it ends; if it does, make it do less work."
    name = fault.traceback.rpartition("\n")[2].partition(":")[0]  # the exception's name, if there was an exception
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
    """The source of a game's modules, by name within its package (`plays`, `bots.builder`). `slug` is the game's, since
    built-in games import their own modules under that name. Without a game both are empty."""

    slug: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)


NO_GAME: Final = GameModules()


def game_modules(game: Game[Any]) -> GameModules:
    """Read from the game's folder the modules that an author's file may import."""
    return GameModules(game.slug, dict(sorted(_texts(game.folder, ""))))


def _texts(folder: Traversable, package: str) -> Iterator[tuple[str, str]]:
    for each in folder.iterdir():
        name, _, kind = each.name.rpartition(".")
        if kind == "py" and name not in _NOT_FOR_AUTHORS:
            yield f"{package}{name}", each.read_text(encoding="utf-8")
        elif not name and each.is_dir() and (each / "__init__.py").is_file():
            yield from _texts(each, f"{package}{kind}.")


def cases_program(cases: SentText, solution: str, modules: GameModules) -> Program:
    """The program of `cases.py`, which may import `solution`. Its functions are those of `driver.CaseMaker`."""
    imported = solution if _SOLUTION.search(cases) else None
    adapter = "_maker = __import__('_authoring').CaseMaker(globals())\n"
    adapter += "quadrille_make, quadrille_take = _maker.make, _maker.take\n"
    return Program(_source(cases), {"cases": (1,)}, _provided(modules, imported), CASES, adapter)


def solution_program(text: str, functions: Mapping[str, tuple[int, ...]], modules: GameModules) -> Program:
    """The program of `solution.py`, with the functions that it must define."""
    return Program(_source(text), functions, _provided(modules, None), SOLUTION)


def checker_program(text: str, modules: GameModules, takes: int = 2) -> Program:
    """The program of `checker.py`. Its `accepts` takes `takes` arguments; `quadrille_accepts_all` takes a list of
    tuples of such arguments."""
    adapter = "def quadrille_accepts_all(pairs):\n    return [accepts(*pair) for pair in pairs]\n"
    return Program(_source(text), {"accepts": (takes,)}, _provided(modules, None), CHECKER, adapter)


def _source(text: str) -> bytes:
    """Encode a file, even if its text is not valid Unicode: Python refuses such a file later, and says why."""
    return text.encode("utf-8", "surrogatepass")


def provided_texts(modules: GameModules) -> dict[str, str]:
    """The source of all modules that can be imported, by full name."""
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
"""What an author's file may use. For these limits, a “game” is everything that the file does for one question."""

FORMAT: Final = 1  # the version of the case set format; if it changes, all case sets are made again
SPOILT: Final = "It changes how our own code works in its jail. Leave Python's and our own modules as they are."
"""The problem reported when a file has altered the driver in its jail, and the driver gave an answer that it never
gives otherwise."""

Heard = Callable[[str, int], None]
"""`heard(stage, count)` is told that `count` cases have been `drawn` or `solved` so far."""


def deaf(_stage: str, _count: int) -> None:
    """Ignore reports of progress."""


@dataclass(frozen=True)
class Authored:
    """What an author wrote for one question, and what is needed to run it. The solution must define `function`, which
    is called with each of the numbers of arguments in `arities` (any number if that is empty) and may take `call_s`
    seconds of computing time per call, like a player's. `seed` is for the generator of cases. `prints`: the
    function's output is compared, not its return value."""

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
        """The name of the case set. It is the same only if everything that the cases depend on is the same."""
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
"""What a checker may use. For these limits, a “game” is one grading of the checker's question."""

LONGEST_REASON: Final = 300


class CheckerProcess:
    """A checker. Its process is started by the first question to it, and only then is `open_sandbox` called for the
    authors' jail. Close it after a grading. `takes`: the number of arguments of `accepts`, which is 3 if the checker
    judges programs' output."""

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
        """Ask `accepts(args, got)`. Raises AuthorError if it fails or gives no valid answer, and SandboxError."""
        return _judgement(got, self.says(tuple(args), got))

    def says(self, *asked: Any) -> bool | str:
        """What `accepts` returns for these arguments: True if they are right, False or a reason if not. Raises
        AuthorError and SandboxError, like a call of the checker."""
        reply = call(self._opened(), "accepts", asked)
        if isinstance(reply, Fault):
            raise blame(reply, CHECKER, self._limits, _call_text(asked))
        return _checked_answer(asked, reply.data)

    def all(self, answers: Sequence[tuple[Sequence[Any], Any]]) -> list[Judgement]:
        """Judge several (args, got) in one call, a few dozen at most. This is many times faster than calls one by
        one."""
        pairs = [(tuple(args), got) for args, got in answers]
        reply = call(self._opened(), "quadrille_accepts_all", (pairs,))
        if isinstance(reply, Fault):  # perhaps only because there are so many answers
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
        """End the checker's process. The next question to the checker starts a new one."""
        self._session = None
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _judgement(got: Any, said: bool | str) -> Judgement:
    return ACCEPTED if said is True else Judgement(Verdict.WA, said or f"Returned {show(got)}, which is not right.")


def _checked_answer(asked: Sequence[Any], said: Any) -> bool | str:
    """Return a checker's answer, shortened and made safe to show. Raises AuthorError if it is not a valid answer."""
    if isinstance(said, bool):
        return said
    if isinstance(said, str) and said.strip():
        reason = visible_line(said.strip())
        return reason if len(reason) <= LONGEST_REASON else f"{reason[: LONGEST_REASON - 1]}…"
    problem = f"it returns {show(said)}; it must return True, False or the reason why not, as a string."
    raise AuthorError(CHECKER, None, f"{_call_text(asked)}: {problem}")


def _call_text(asked: Sequence[Any]) -> str:
    return f"In accepts({', '.join(map(show, asked))})"
