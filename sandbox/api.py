"""The port through which everything else runs untrusted Python.

A `Sandbox` is one jail, owned by one worker process. `Sandbox.open` starts one player in a process of its own and
answers a `Session`, or the `Fault` with which the player failed to load. A session lives for one seat of one game (or
for one question), then it is closed and the process is dead.

Whatever goes wrong is one of two things: a `Fault` is the player's and is a value; a `SandboxError` is ours and is
raised. No fault of ours is ever returned as the player's.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, Self, TypeAlias


class Verdict(StrEnum):
    """One ladder of verdicts for questions and for games."""

    AC = "AC"  # accepted
    WA = "WA"  # wrong value
    TYPE = "TYPE"  # wrong type
    ILLEGAL = "ILLEGAL"  # a play that the rules refuse
    MALFORMED = "MALFORMED"  # a reply that is not data
    RTE = "RTE"  # exception
    TLE = "TLE"  # out of CPU time
    WTLE = "WTLE"  # out of wall-clock time while hardly using the CPU
    MLE = "MLE"  # out of memory
    OLE = "OLE"  # printed more than is kept; a flag, the game goes on
    EXIT = "EXIT"  # the process died
    MISSING = "MISSING"  # no such function, or one that takes other arguments
    SYNTAX = "SYNTAX"  # not a Python program
    BLOCKED = "BLOCKED"  # killed at a forbidden system call
    NOT_RUN = "NOT_RUN"  # a case that was left out; nobody knows how it would have gone
    IE = "IE"  # ours: retried, and never charged to a student


class SandboxError(Exception):
    """Our own fault: the jail died, the host is out of something. Never charged to a student."""


class SandboxUnavailable(SandboxError):
    """No sandbox works on this machine; the message says what is missing and what mends it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a player may use. Times are seconds of CPU time if nothing else is said, sizes are bytes."""

    load_s: float = 2.0
    call_s: float = 4.0
    game_s: float = 60.0
    wall_factor: float = 3.0  # wall-clock guard above each of the times, the game's too, against sleepers
    memory: int = 256 << 20
    output: int = 64 << 10
    reply: int = 64 << 10
    source: int = 256 << 10
    grading_s: float = 60.0  # on the wall clock: all questions of an assignment together, loading included


@dataclass(frozen=True, slots=True)
class Program:
    """A player's file and what is expected of it.

    `functions` maps each function that will be called to the numbers of positional arguments it must accept.
    `modules` maps the names of extra modules that the player may import to their source (King of the Cards' `kotc`);
    they are the game's own code, never a player's: a jail runs them once for all its players, on their side of the
    wall. They use `_quadrille.ask` when they are called, and not before. `adapter` is source executed in the player's
    own namespace after the file, where a game's players are no functions (King of the Cards' class): it makes the
    functions. It raises `_quadrille.Missing` with a sentence for a beginner if the file lacks what it needs.
    """

    source: bytes
    functions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    modules: Mapping[str, str] = field(default_factory=dict)
    filename: str = "player.py"
    adapter: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """What a call returned: plain data (None, bool, int, float, str, list, tuple, dict, set), types kept."""

    data: Any
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Fault:
    """What the player did wrong. `message` is one sentence for a beginner; `traceback` shows only frames of the
    player's own file; `line` is the line of that file, where one is known."""

    verdict: Verdict
    message: str
    traceback: str = ""
    line: int | None = None
    cpu_s: float = 0.0


Reply: TypeAlias = Value | Fault

Answer: TypeAlias = Callable[[str, Sequence[Any]], Any]
"""Answers a question that the player's side raises while it answers a call: `answer(name, args) -> plain data`."""


class Log:
    """A list that grows at its end and that a player is handed, whole, again and again.

    Only as a top-level argument of a call. Items never change, but the last may be replaced by another. A session sends
    what is new since it last sent this very object; the player gets a fresh list each time, and whatever it does to the
    lists within it is undone before the next.
    """

    __slots__ = ("items",)

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self.items: list[Any] = list(items)

    def append(self, item: Any) -> None:
        """Add one item; it must not change afterwards."""
        self.items.append(item)

    def replace_last(self, item: Any) -> None:
        """Put another item in the place of the last one, such as a turn that has grown by a play."""
        self.items[-1] = item

    def still(self, count: int, last: Any) -> int:
        """How many of the first `count` items, the last of which was `last`, still stand: all, or all but that one."""
        return count - 1 if count and self.items[count - 1] is not last else count


class Session(Protocol):
    """One player in one process. `begin` and `finish` are apart so that several players can think at once."""

    def begin(self, function: str, args: Sequence[Any]) -> None:
        """Send the call. A player that died meanwhile is reported by `finish`."""

    def finish(self, answer: Answer | None = None) -> Reply:
        """Wait for the reply within the limits, answering questions raised meanwhile. After a `Fault` the session is
        dead and every further call gives the same fault. Raises SandboxError when the jail failed."""

    @property
    def waited_s(self) -> float:
        """How long the player was waited for so far, loading included, in seconds: computing and sleeping, but not the
        time in which it queued for a processor."""

    def output(self) -> tuple[str, bool]:
        """What the player has printed so far, and whether it printed more than is kept (OLE)."""

    def close(self) -> None:
        """Kill the process if it lives, and release everything. May be called twice."""


class Starting(Protocol):
    """A player that is being loaded, perhaps at the same time as others."""

    def wait(self) -> Session | Fault:
        """The loaded player, or the fault with which it failed. Raises SandboxError when the jail failed."""

    def close(self) -> None:
        """Close the session, whether it was waited for or not. May be called twice."""


@dataclass(frozen=True, slots=True)
class RefusedProgram:
    """A `Starting` that failed before anything was started."""

    fault: Fault

    def wait(self) -> Fault:
        return self.fault

    def close(self) -> None:
        """There is nothing to release."""


class Sandbox(Protocol):
    """One jail.

    `check`, if there is one, is called with the sandbox whenever a new jail has taken the place of a dead one, and
    raises SandboxError if that must not be used."""

    name: str
    check: "Callable[[Sandbox], None] | None"

    def start(self, program: Program, limits: Limits, seed: int) -> Starting:
        """Start a player, whose `random` `seed` fixes, without waiting. Raises SandboxError when the jail failed."""

    def open(self, program: Program, limits: Limits, seed: int) -> Session | Fault:
        """Start a player and wait for it. Raises SandboxError when the jail failed."""

    def close(self) -> None:
        """End the jail and every process in it. May be called twice."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...


def call(session: Session, function: str, args: Sequence[Any], answer: Answer | None = None) -> Reply:
    """Begin and finish one call."""
    session.begin(function, args)
    return session.finish(answer)


def close_all(sessions: Iterable[Session]) -> None:
    """Close each session, even if closing one of them fails."""
    failure: SandboxError | None = None
    for session in sessions:
        try:
            session.close()
        except SandboxError as error:
            failure = error
    if failure:
        raise failure
