"""The interface through which everything else runs untrusted Python.

A `Sandbox` is one jail, owned by one worker process. `Sandbox.open` starts one player in a process of its own and
returns a `Session`, or a `Fault` if the player failed to load. A session serves one seat of one game, or one question.
Closing it ends the process.

Two kinds of errors are kept apart. A `Fault` is the player's mistake; it is returned. A `SandboxError` is an internal
error; it is raised, and never returned as the player's fault.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NewType, Protocol, Self, TypeAlias

from sandbox.verdicts import Verdict as Verdict

SentBytes = NewType("SentBytes", bytes)
SentText = NewType("SentText", str)
"""Text that a student or an instructor sent, or that their program printed. A function that takes such text runs in a
reader (`sandbox.readers`) or takes time proportional to its length. `tests/grader/test_linear_time.py` finds all such
functions."""


class SandboxError(Exception):
    """An internal error: the jail died, or the host ran out of some resource. It is never charged to a student."""


class SandboxUnavailable(SandboxError):
    """No sandbox works on this machine; the message says what is missing and how to fix it."""


MARGIN: Final = 1.5  # the factor by which games extend the limits on computing time


@dataclass(frozen=True, slots=True)
class Limits:
    """The resources that a player may use. Times are seconds of CPU time unless stated otherwise; sizes are bytes."""

    load_s: float = 2.0
    call_s: float = 4.0
    game_s: float = 60.0
    wall_factor: float = 3.0  # wall-clock limit, as a multiple of each time above, against players that sleep
    memory: int = 256 << 20
    output: int = 64 << 10
    reply: int = 64 << 10
    source: int = 256 << 10
    grading_s: float = 60.0  # wall-clock time for all questions of an assignment, loading included

    def for_games(self) -> "Limits":
        """Return these limits with a margin for busy machines, where computing takes up to 50% longer. Games need the
        margin because they repeat no call: a second process would know what the first one drew."""
        load_s, call_s, game_s = (each * MARGIN for each in (self.load_s, self.call_s, self.game_s))
        return replace(self, load_s=load_s, call_s=call_s, game_s=game_s, wall_factor=self.wall_factor / MARGIN)


@dataclass(frozen=True, slots=True)
class Program:
    """A player's file and what is expected of it.

    `functions` maps each function that will be called to the numbers of positional arguments it must accept. `modules`
    maps the names of extra modules that the player may import to their source (King of the Cards' `kotc`). They are the
    game's own code, never a player's: a jail runs them once for all its players, on the players' side of the wall. They
    may use `_quadrille.ask` only during a call, not while they load. `adapter`, for games whose players are not
    functions (King of the Cards' class), is source that runs in the player's own namespace after the file. It defines
    the functions, or raises `_quadrille.Missing` with a sentence for a beginner if the file lacks what they need.
    `lasting`: the session may continue after a `harmless` fault.
    """

    source: bytes
    functions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    modules: Mapping[str, str] = field(default_factory=dict)
    filename: str = "player.py"
    adapter: str = ""
    lasting: bool = False


@dataclass(frozen=True, slots=True)
class Value:
    """What a call returned: plain data (None, bool, int, float, str, list, tuple, dict, set), its types preserved."""

    data: Any
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Fault:
    """What the player did wrong. `message` is one sentence for a beginner. `traceback` shows only frames of the
    player's own file; `line` is a line number in that file, if known. `meant` is the function in the file that was
    probably meant to be the missing one. `harmless`: the exception left the player as it was after loading, so the
    session continues like a new one, without output."""

    verdict: Verdict
    message: str
    traceback: str = ""
    line: int | None = None
    cpu_s: float = 0.0
    meant: str = ""
    harmless: bool = field(default=False, compare=False)


Reply: TypeAlias = Value | Fault

Answer: TypeAlias = Callable[[str, Sequence[Any]], Any]
"""Answers a question that the player asks during a call: `answer(name, args) -> plain data`."""


class Log:
    """A list that grows at its end and is given to a player in full at each call. It must be a top-level argument of
    the call. Items never change, but the last one may be replaced. A session sends only the changes since it last sent
    this object. The player gets a fresh list each time, so changes that it made to earlier lists are lost.
    """

    __slots__ = ("items",)

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self.items: list[Any] = list(items)

    def append(self, item: Any) -> None:
        """Add one item; it must not change afterwards."""
        self.items.append(item)

    def replace_last(self, item: Any) -> None:
        """Replace the last item, such as a turn that has grown by a play."""
        self.items[-1] = item

    def still(self, count: int, last: Any) -> int:
        """Return how many of the first `count` items are unchanged: all, or all but one if the last of these is no
        longer `last`."""
        return count - 1 if count and self.items[count - 1] is not last else count


class Session(Protocol):
    """One player in one process. `begin` and `finish` are separate so that several players can think at once."""

    def begin(self, function: str, args: Sequence[Any]) -> None:
        """Send the call. If the player has died, `finish` reports it."""

    def finish(self, answer: Answer | None = None) -> Reply:
        """Wait for the reply within the limits, and answer the player's questions until then. After a `Fault` that is
        not `harmless` the session is dead, and every further call returns the same fault. Raises SandboxError if the
        jail failed."""

    def calls(self, function: str, arguments: Iterable[Sequence[Any]]) -> Sequence[Reply]:
        """Make several calls in sequence, in few messages, which is several times as fast as single calls. No argument
        may be a log. Returns the replies to the first calls, at least one. Single calls would return the same, except
        that here `cpu_s` is only accurate to a few milliseconds. Only the last reply can be a `Fault` that is not
        `harmless`.

        Returns an empty sequence after an event that only single calls can attribute, such as a death or a time-out.
        The session is then dead, but no call is blamed: repeat all calls one by one in a new session. Raises
        SandboxError.
        """

    @property
    def waited_s(self) -> float:
        """Seconds spent waiting for the player, loading included, but not while it queued for a processor."""

    def output(self) -> tuple[str, bool]:
        """Return what the player has printed so far, and whether it printed more than is kept (OLE)."""

    def close(self) -> None:
        """Kill the process if it lives, and release everything. May be called twice."""


class Starting(Protocol):
    """A player that is being loaded, perhaps at the same time as others."""

    def wait(self) -> Session | Fault:
        """Wait until the player is loaded. Returns its session, or the fault that prevented loading. Raises
        SandboxError if the jail failed."""

    def close(self) -> None:
        """Close the session, even if `wait` was not called. May be called twice."""


@dataclass(frozen=True, slots=True)
class RefusedProgram:
    """A `Starting` for a program that was refused before any process started."""

    fault: Fault

    def wait(self) -> Fault:
        return self.fault

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


class Sandbox(Protocol):
    """One jail. `check`, if set, is called with the sandbox whenever a new jail has replaced a dead one; it raises
    SandboxError if the new jail must not be used."""

    name: str
    check: "Callable[[Sandbox], None] | None"

    def start(self, program: Program, limits: Limits, seed: int) -> Starting:
        """Start a player without waiting for it; `seed` is for its `random`. Raises SandboxError if the jail failed."""

    def open(self, program: Program, limits: Limits, seed: int) -> Session | Fault:
        """Start a player and wait for it. Raises SandboxError if the jail failed."""
        return self.start(program, limits, seed).wait()

    def close(self) -> None:
        """End the jail and every process in it. May be called twice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def call(session: Session, function: str, args: Sequence[Any], answer: Answer | None = None) -> Reply:
    """Begin and finish one call."""
    session.begin(function, args)
    return session.finish(answer)
