"""What an author wrote for a question: starting its files in a jail, saying in a sentence what is wrong with them, and
asking `checker.py` whether what a player returned is right.

An author's file may import the modules of the assignment's game, as `game.plays`, and some of ours. It gets their
texts: no file is read in the jail, and packages are empty there, since a game's own `__init__` reads files.

A checker runs in a process of its own for each grading, in a jail that no student's code shares: it sees one question's
cases and one player's answers to them.
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
"""How the sandbox speaks to the author of a player, and what that is here."""


class AuthorError(Exception):
    """A mistake in what an author of questions wrote: never ours, never a student's. `file` is its name in the
    question's folder, `line` is counted from 1 if it is known, `problem` says in sentences what happened and what to
    do, and `traceback` shows only lines of that file; it may be empty."""

    def __init__(self, file: str, line: int | None, problem: str, traceback: str = "") -> None:
        super().__init__(f"{file}, line {line}: {problem}" if line else f"{file}: {problem}")
        self.file = file
        self.line = line
        self.problem = problem
        self.traceback = traceback


def blame(fault: Fault, file: str, limits: Limits, doing: str = "") -> AuthorError:
    """The error of an author whose file ended with this fault. `doing`: what it was doing, to begin a sentence with."""
    problem = _problem(fault, limits)
    if doing:
        problem = f"{doing}: {problem}"
    elif problem.startswith(("it ", "the ")):
        problem = problem[:1].upper() + problem[1:]
    return AuthorError(file, fault.line, problem, fault.traceback)


def _problem(fault: Fault, limits: Limits) -> str:
    if fault.verdict is Verdict.MLE:
        return f"it needs more than the {limits.memory >> 20} MiB of memory that it may have. Make it keep less."
    text = fault.message
    for theirs, ours in _PLAYERS.items():
        text = text.replace(theirs, ours)
    text += "" if text[-1:] in ".?!" else "."
    if fault.verdict is Verdict.TLE:
        return f"{text} Does it end? Otherwise make it do less work."
    name = fault.traceback.rpartition("\n")[2].partition(":")[0]  # of the exception, if it was one
    if fault.verdict is Verdict.BLOCKED or name in _OF_FILES:
        jail = "An author's file runs in a jail, without network, other files and other programs"
        return f"{text} {jail}: write what it needs into it."
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
    """The texts of a game's modules, by name within its package (`plays`, `bots.builder`), and its slug, under which
    built-in games import their own modules. Without a game both are empty."""

    slug: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)


NO_GAME: Final = GameModules()


def game_modules(game: Game[Any]) -> GameModules:
    """What an author's file may import of a game; its folder is read."""
    return GameModules(game.slug, dict(sorted(_texts(game.folder, ""))))


def _texts(folder: Traversable, package: str) -> Iterator[tuple[str, str]]:
    for each in folder.iterdir():
        name, _, kind = each.name.rpartition(".")
        if kind == "py" and name not in _NOT_FOR_AUTHORS:
            yield f"{package}{name}", each.read_text(encoding="utf-8")
        elif not name and each.is_dir() and (each / "__init__.py").is_file():
            yield from _texts(each, f"{package}{kind}.")


def cases_program(cases: SentText, solution: str, modules: GameModules) -> Program:
    """The program of `cases.py`, which may import `solution`; its functions are those of `driver.CaseMaker`."""
    imported = solution if _SOLUTION.search(cases) else None
    adapter = "_maker = __import__('_authoring').CaseMaker(globals())\n"
    adapter += "quadrille_make, quadrille_take = _maker.make, _maker.take\n"
    return Program(_source(cases), {"cases": (1,)}, _provided(modules, imported), CASES, adapter)


def solution_program(text: str, functions: Mapping[str, tuple[int, ...]], modules: GameModules) -> Program:
    """The program of `solution.py`, with the functions that it must have."""
    return Program(_source(text), functions, _provided(modules, None), SOLUTION)


def checker_program(text: str, modules: GameModules, takes: int = 2) -> Program:
    """The program of `checker.py`: `accepts` takes so many arguments, `quadrille_accepts_all` a list
    of such argument tuples."""
    adapter = "def quadrille_accepts_all(pairs):\n    return [accepts(*pair) for pair in pairs]\n"
    return Program(_source(text), {"accepts": (takes,)}, _provided(modules, None), CHECKER, adapter)


def _source(text: str) -> bytes:
    """The text as bytes; if it is not valid text, Python refuses it later, with a reason."""
    return text.encode("utf-8", "surrogatepass")


def provided_texts(modules: GameModules) -> dict[str, str]:
    """All modules that can be imported, by full name."""
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
"""What an author's file may use. A game is all that it does for one question."""

FORMAT: Final = 1  # the version of the format of case sets; another one makes all of them again
SPOILT: Final = "It changes how our own code works in its jail. Leave Python's and our own modules as they are."
"""The problem of a file that makes our driver answer what it never would."""

Heard = Callable[[str, int], None]
"""`heard(stage, count)`: that many cases have been `drawn` or `solved` by now."""


def deaf(_stage: str, _count: int) -> None:
    """Report progress to nobody."""


@dataclass(frozen=True)
class Authored:
    """What an author wrote for one question, and what it takes to run it. The solution must define `function`, called
    with as many arguments as `arities` say (any number if that is empty), for at most `call_s` seconds of computing
    time each, like a player. `seed` is the generator's. `prints`: its output is compared, not what it returns."""

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
        """The name of the case set: the same only if everything that the cases depend on is."""
        made_by = (self.cases, self.solution, self.function, self.arities, self.seed, self.prints)
        parts = (FORMAT, made_by, self.modules.slug, sorted(provided_texts(self.modules).items()))
        return sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()


@contextmanager
def loaded(sandbox: Sandbox, program: Program, limits: Limits, seed: int = 1) -> Iterator[Session]:
    """An author's file in a process of its own. Raises AuthorError if it cannot be loaded, and SandboxError."""
    session = sandbox.open(program, limits, seed)
    if isinstance(session, Fault):
        raise blame(session, program.filename, limits)
    try:
        yield session
    finally:
        session.close()


CHECKER_LIMITS: Final = Limits(load_s=5.0, call_s=2.0, game_s=60.0)
"""What a checker may use. A game is one grading of its question."""

LONGEST_REASON: Final = 300


class CheckerProcess:
    """A checker, started when it is first asked: only then `open_sandbox` gives the jail of authors. Close it after a
    grading. `takes`: how many arguments `accepts` has, 3 in a checker of what programs print."""

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
        """What `accepts(args, got)` says. Raises AuthorError if it fails or gives no valid answer, and SandboxError."""
        return _judgement(got, self.says(tuple(args), got))

    def says(self, *asked: Any) -> bool | str:
        """What `accepts` returns for these arguments: whether they are right, or why not. Raises what a call raises."""
        reply = call(self._opened(), "accepts", asked)
        if isinstance(reply, Fault):
            raise blame(reply, CHECKER, self._limits, _call_text(asked))
        return _checked_answer(asked, reply.data)

    def all(self, answers: Sequence[tuple[Sequence[Any], Any]]) -> list[Judgement]:
        """The same for several (args, got) at once, a few dozen of them, which is many times faster."""
        pairs = [(tuple(args), got) for args, got in answers]
        reply = call(self._opened(), "quadrille_accepts_all", (pairs,))
        if isinstance(reply, Fault):  # perhaps only because they are so many
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
        """End its process. It may be asked again, and then starts again."""
        self._session = None
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _judgement(got: Any, said: bool | str) -> Judgement:
    return ACCEPTED if said is True else Judgement(Verdict.WA, said or f"Returned {show(got)}, which is not right.")


def _checked_answer(asked: Sequence[Any], said: Any) -> bool | str:
    """An answer of a checker, safe and short. Raises AuthorError for anything else."""
    if isinstance(said, bool):
        return said
    if isinstance(said, str) and said.strip():
        reason = visible_line(said.strip())
        return reason if len(reason) <= LONGEST_REASON else f"{reason[: LONGEST_REASON - 1]}…"
    problem = f"it returns {show(said)}; it must return True, False or the reason why not, as a string."
    raise AuthorError(CHECKER, None, f"{_call_text(asked)}: {problem}")


def _call_text(asked: Sequence[Any]) -> str:
    return f"In accepts({', '.join(map(show, asked))})"
