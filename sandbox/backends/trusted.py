"""A backend without a jail: the player runs in this process. The backend is for house bots, and for students on their
own machines.

It keeps the guarantees of `api.py` (fresh copies, plain data, the same verdicts, its own randomness), but there is no
wall: never open a file here that somebody else wrote.
"""

import builtins
import itertools
import marshal
import signal
import sys
import warnings
from _thread import interrupt_main
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from itertools import islice
from threading import Timer, get_ident, main_thread
from time import monotonic, thread_time
from types import CodeType, ModuleType
from typing import Any, Final

from sandbox.api import (
    Answer,
    Fault,
    Limits,
    Log,
    Program,
    RefusedProgram,
    Reply,
    Sandbox,
    SentBytes,
    Session,
    Value,
    Verdict,
    call,
)
from sandbox.host import fault_messages
from sandbox.host.codec import MAX_QUESTIONS, Malformed, decode, decode_question
from sandbox.inside.proc import queued_s
from sandbox.inside.randomness import RandomModule
from sandbox.inside.refused_modules import ModuleRefusal
from sandbox.inside.reports import COMPILE_ERRORS, Missing, exception_report, frames, missing_report, syntax_report
from sandbox.inside.wire import MARSHAL, TICK_S, LogCopy, Unsendable, encode, load

_serial = itertools.count(1)


class _Stopped(BaseException):
    """Raised when a question ends the session. Not an Exception, so that a player's `except Exception` does not catch
    it."""


class OutOfTime(BaseException):
    """Raised when a call is out of time. Not an Exception, so that a player's `except Exception` does not catch it."""

    def __init__(self, slept: bool) -> None:
        super().__init__()
        self.slept = slept


class ThreadAlarm:
    """Replaces `signal.setitimer` on Windows, which lacks it (on students' own machines). It interrupts code that
    computes, but does not wake code that sleeps."""

    def __init__(self) -> None:
        self._timer = Timer(0, interrupt_main)

    def __call__(self, seconds: float) -> None:
        self._timer.cancel()
        if seconds:
            self._timer = Timer(seconds, interrupt_main, (ALARM,))
            self._timer.daemon = True
            self._timer.start()


ALARM: Final = getattr(signal, "SIGALRM", signal.SIGTERM)
_ring_in: Callable[[float], object] = (
    partial(signal.setitimer, signal.ITIMER_REAL) if hasattr(signal, "setitimer") else ThreadAlarm()
)


class CallTimer:
    """Raises OutOfTime, in the main thread only, when the CPU limit or the wall-clock guard is reached. Until then it
    ticks regularly. The time between two ticks counts as one tick, so pauses of this process are not charged."""

    def __init__(self) -> None:
        self._limit = self._wall = self._start = self._ticked = 0.0
        self._set = False
        self._waited = 0.0  # counted in ticks
        self._queued: float | None = None  # how long this thread had queued for a processor at the first tick

    def prepare(self) -> None:
        """Install the signal handler. (Doing it for each call would take longer than the rest of the call.)"""
        if get_ident() == main_thread().ident:
            signal.signal(ALARM, self._tick)

    def set(self, start: float, limit: float, wall: float) -> bool:
        """Start the timer. Returns False outside the main thread, since no other thread receives signals. `start`: the
        thread's CPU time, in seconds."""
        if get_ident() != main_thread().ident:
            return False
        self._set, self._start, self._limit, self._wall = True, start, limit, wall
        self._ticked, self._waited, self._queued = monotonic(), 0.0, None
        _ring_in(min(TICK_S, limit))
        return True

    def stop(self) -> float:
        """Stop the timer and return the seconds since `set`, counted in ticks."""
        self._set = False
        _ring_in(0)
        self._count()
        return self._waited

    def _count(self) -> None:
        now = monotonic()
        self._waited += min(now - self._ticked, TICK_S)
        self._ticked = now

    def _tick(self, number: int, frame: object) -> None:
        if not self._set:  # the signal arrived after the timer was stopped
            return
        self._count()
        queued = queued_s("thread-self")
        if self._queued is None:
            self._queued = queued
        spent = thread_time() - self._start
        left = min(self._limit - spent, self._wall - self._waited + queued - self._queued)
        if left <= 0:
            raise OutOfTime(slept=spent < self._limit)
        _ring_in(min(TICK_S, max(left, 0.001)))


_TIMER: Final = CallTimer()


class TrustedSandbox(Sandbox):
    """A `Sandbox` without a jail."""

    name = "trusted"
    check: Callable[[Sandbox], None] | None = None

    def start(self, program: Program, limits: Limits, seed: int) -> "TrustedSession | RefusedProgram":
        if len(program.source) > limits.source:
            return RefusedProgram(fault_messages.too_long(limits))
        _TIMER.prepare()
        return TrustedSession(program, limits, seed)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


class TrustedSession:
    """One player in a module of its own; also its own `Starting`, since there is nothing to wait for."""

    def __init__(self, program: Program, limits: Limits, seed: int) -> None:
        self._program = program
        self._described = fault_messages.SourceFile(SentBytes(program.source), program.filename)
        self._limits = limits
        self._fault: Fault | None = None
        self._used = 0.0
        self._waited = 0.0  # wall-clock seconds
        self._queued = queued_s("thread-self")  # queueing time of this thread at the start
        self._printed: list[str] = []
        self._room = limits.output
        self._ask: Answer | None = None
        self._called = False
        self._asked = 0  # questions asked in this call
        # How a question ended the session, even if the player catches the exception
        self._stop: Fault | BaseException | None = None
        # By the log's identity: the log, its copy, the number of items copied, and the last item copied.
        self._logs: dict[int, tuple[Log, LogCopy, int, Any]] = {}
        self._call: tuple[str, list[Any]] = "", []
        self._module = ModuleType(f"player_{next(_serial)}")
        randomness = RandomModule()
        randomness.start(seed)
        self._own: dict[str, ModuleType] = {"random": randomness, "_quadrille": ModuleType("_quadrille")}
        vars(self._own["_quadrille"]).update(ask=self._question, Missing=Missing)
        self._builtins = {**vars(builtins), "__import__": self._import, "print": self._print, "input": _no_input}

    def wait(self) -> Session | Fault:
        if fault := self._load():
            self.close()
        return fault or self

    def _load(self) -> Fault | None:
        try:
            code = _compiled_source(self._program.source, self._program.filename)
        except COMPILE_ERRORS as error:
            return self._reported(syntax_report(error))
        outcome = self._guarded("Loading your file", self._limits.load_s, lambda: self._execute(code))
        if isinstance(outcome, Fault):
            return outcome
        missing = missing_report(vars(self._module), dict(self._program.functions))
        return self._reported(missing) if missing else None

    def _execute(self, code: CodeType) -> str:
        for name, source in self._program.modules.items():
            self._own[name] = ModuleType(name)
            self._run(self._own[name], _compiled_source(source.encode(), f"<{name}>"))
        sys.modules[self._module.__name__] = self._module  # dataclasses look up their own module there
        self._run(self._module, code)
        exec(_compiled_source(self._program.adapter.encode(), "<adapter>"), vars(self._module))  # noqa: S102 - the game's own
        return "null"

    def _run(self, module: ModuleType, code: CodeType) -> None:
        vars(module).update(__builtins__=self._builtins, __file__=code.co_filename)
        exec(code, vars(module))  # noqa: S102 - the player's code

    def _import(self, name: str, *rest: Any, **more: Any) -> ModuleType:
        if name in self._own:
            return self._own[name]
        package = name.partition(".")[0]
        if package not in sys.stdlib_module_names:  # in a jail, too, only the standard library is installed
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)
        for refused in (package, name):
            ModuleRefusal.find_spec(refused)
        return builtins.__import__(name, *rest, **more)

    def _print(
        self, *values: object, sep: str | None = " ", end: str | None = "\n", file: Any = None, flush: bool = False
    ) -> None:
        if file not in (None, sys.stdout, sys.stderr):
            builtins.print(*values, sep=sep, end=end, file=file, flush=flush)
            return
        text = (" " if sep is None else sep).join(map(str, values)) + ("\n" if end is None else end)
        if self._room > 0:
            self._printed.append(text[: self._room])
        self._room -= len(text.encode("utf-8", "backslashreplace"))

    def _question(self, name: str, *args: Any) -> Any:
        if not self._called:
            raise RuntimeError("this can only be used while the game calls one of your functions")
        body = encode([name, *args]).encode()
        if self._stop is None:
            started = monotonic()
            try:
                return self._answered(body)
            except (OutOfTime, _Stopped):
                raise
            except Malformed as error:
                self._stop = fault_messages.malformed(str(error))
            except BaseException as error:  # noqa: BLE001 - the game's own error, which `finish` raises again
                self._stop = error
            finally:
                self._waited -= monotonic() - started
        raise _Stopped

    def _answered(self, body: bytes) -> Any:
        if not self._ask:
            raise Malformed(fault_messages.NOT_ASKED_FOR)
        if len(body) > self._limits.reply:
            raise Malformed(fault_messages.too_much_at_once(self._limits.reply))
        self._asked += 1
        if self._asked > MAX_QUESTIONS:
            self._stop = fault_messages.too_many_questions(self._call[0])
            raise _Stopped
        return _fresh_copy(self._ask(*decode_question(body)))

    def begin(self, function: str, args: Sequence[Any]) -> None:
        if not self._fault:
            logs = [(place, self._log(log)) for place, log in enumerate(args) if type(log) is Log]
            copies = _fresh_copy([None if type(value) is Log else value for value in args] if logs else [*args])
            for place, items in logs:
                copies[place] = items
            self._call = function, copies

    def _log(self, log: Log) -> list[Any]:
        _, copied, count, last = self._logs.get(id(log), (log, LogCopy(), 0, None))
        kept = log.still(count, last)
        self._logs[id(log)] = (log, copied, len(log.items), log.items[-1] if log.items else None)
        return copied.fresh(kept, _fresh_copy(log.items[kept:]) if kept < len(log.items) else [])

    def finish(self, answer: Answer | None = None) -> Reply:
        if self._fault:
            return self._fault
        name, args = self._call
        function: Callable[..., Any] = vars(self._module)[name]
        self._ask, self._called, self._asked = answer, True, 0
        outcome = self._guarded(name, self._limits.call_s, lambda: encode(function(*args)))
        if isinstance(self._stop, Fault):
            return self._end(self._stop)
        if self._stop:
            self._fault = Fault(Verdict.ILLEGAL, f"{name} asked something that was refused.")
            raise self._stop
        return outcome

    def calls(self, function: str, arguments: Iterable[Sequence[Any]]) -> Sequence[Reply]:
        return [call(self, function, each) for each in islice(arguments, 1)]

    def _guarded(self, phase: str, limit: float, run: Callable[[], str]) -> Reply:
        """Call `run` and charge its CPU time. Returns the data that it encoded, or the fault that it caused."""
        start = thread_time()
        try:
            body = self._timed(start, limit, run)
            if len(body) > self._limits.reply:
                raise Unsendable(f"{len(body):,} bytes of data; the limit is {self._limits.reply:,}")
            data = decode(body)
        except OutOfTime as out:
            fault = self._out_of_time(phase, limit, thread_time() - start, out.slept)
            running = [(line, name, times) for line, name, times in frames(out.__traceback__, self._program.filename)]
            return self._end(fault_messages.located(fault, running, self._described))
        except (Malformed, Unsendable) as error:
            return self._end(fault_messages.malformed(str(error)))
        except KeyboardInterrupt:
            raise  # Ctrl-C: it is unknown whether the player raised it or a person pressed the keys
        except BaseException as error:  # noqa: BLE001 - the player's own error, of any kind
            return self._reported(exception_report(error, self._program.filename))
        spent = thread_time() - start
        self._used += spent
        if spent > limit or self._used > self._limits.game_s:
            return self._out_of_time(phase, limit, spent, slept=False)
        game_wall = self._limits.game_s * self._limits.wall_factor
        if self._waited > game_wall and self.waited_s > game_wall:
            return self._end(fault_messages.out_of_patience(fault_messages.WHOLE_GAME, game_wall, self._used))
        return Value(data, spent)

    def _timed(self, start: float, limit: float, run: Callable[[], str]) -> bytes:
        # The time left for the whole game shortens the CPU limit but not the wall-clock limit: a busy machine is not
        # the player's fault.
        rings = _TIMER.set(start, min(limit, self._limits.game_s - self._used), limit * self._limits.wall_factor)
        started = monotonic()
        try:
            return run().encode()
        finally:
            self._waited += _TIMER.stop() if rings else monotonic() - started

    def _out_of_time(self, phase: str, limit: float, spent: float, slept: bool) -> Fault:
        if slept:
            return self._end(fault_messages.out_of_patience(phase, limit * self._limits.wall_factor, spent))
        if self._used + spent >= self._limits.game_s:
            phase, limit = fault_messages.WHOLE_GAME, self._limits.game_s
        return self._end(fault_messages.out_of_time(phase, limit, spent))

    def _reported(self, report: dict[str, Any]) -> Fault:
        return self._end(fault_messages.from_report(decode(encode(report).encode()), self._described, self._limits))

    def _end(self, fault: Fault) -> Fault:
        self._fault = fault
        return fault

    @property
    def waited_s(self) -> float:
        return max(self._used, self._waited - (queued_s("thread-self") - self._queued))

    def output(self) -> tuple[str, bool]:
        return "".join(self._printed), self._room < 0

    def close(self) -> None:
        self._fault = self._fault or Fault(Verdict.EXIT, "The player has been dismissed.")
        sys.modules.pop(self._module.__name__, None)


def _fresh_copy(data: Any) -> Any:
    """Return a copy that shares nothing mutable, with interned strings, as a jailed player would get it."""
    return load(marshal.dumps(data, MARSHAL))


@lru_cache(maxsize=64)
def _compiled_source(source: bytes, filename: str) -> CodeType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(source, filename, "exec", dont_inherit=True)


def _no_input(prompt: object = "", /) -> str:
    raise EOFError("EOF when reading a line")
