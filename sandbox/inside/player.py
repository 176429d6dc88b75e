"""One player's process, once it is locked down: loads the file, then answers calls.

Nothing here is secret, and nothing here is trusted once the player runs: the player's code shares this interpreter and
can do anything to it, but can only spoil its own answers.
"""

from __future__ import annotations

import _sitebuiltins
import _socket as socket
import builtins
import gc
import io
import marshal
import mmap
import os
import resource
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import CodeType, FrameType, ModuleType

from sandbox.inside.module_state import ModuleState
from sandbox.inside.randomness import RandomModule
from sandbox.inside.refused_modules import REFUSED, ModuleRefusal
from sandbox.inside.reports import (
    COMPILE_ERRORS,
    TEXT,
    Missing,
    exception_report,
    is_out_of_memory,
    missing_report,
    release,
    syntax_report,
)
from sandbox.inside.wire import (
    CODE,
    COMPILED,
    EXIT_BROKEN,
    EXIT_MEMORY,
    FAULT,
    NONCE_END,
    PARTLY,
    QUESTION,
    RAISED,
    READY,
    ROOM,
    SHORT_S,
    VALUE,
    VALUES,
    WHERE,
    LogCopy,
    Unsendable,
    encode,
    load,
    load_call,
    receive_long,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, NoReturn

_RESERVE: Final = 2 << 20  # memory set aside for reporting that memory ran out
_MOST_ROOM: Final = 1 << 20  # MiB
_RETIRED_S: Final = 60  # the fork server kills the process long before

_FATAL: Final = {
    "socket.__new__": "socket.socket",
    "socket.getaddrinfo": "socket.getaddrinfo",
    "socket.gethostbyname": "socket.gethostbyname",
    "os.exec": "os.exec",
}
"""Python's audit events before calls that make the filter kill the process, each with the name under which students
know the call."""

RANDOM: Final = RandomModule()
BRIDGE: Final = ModuleType("_quadrille")


def set_stage() -> None:
    """Set up what a player finds in `sys`. The fork server does this once, because it takes half a millisecond."""
    for name in [name for name in sys.modules if name.partition(".")[0] in ("sandbox", "__main__") or name in REFUSED]:
        del sys.modules[name]
    sys.meta_path.insert(0, ModuleRefusal)
    sys.modules.update({"random": RANDOM, "_quadrille": BRIDGE})
    for name in ("exit", "quit"):  # the module `site` would have added these
        setattr(builtins, name, _sitebuiltins.Quitter(name, "Ctrl-D (i.e. EOF)"))
    output = PlayerOutput()
    output.text = sys.stdout = io.TextIOWrapper(output, "utf-8", "backslashreplace", write_through=True)
    sys.stderr = sys.__stdout__ = sys.__stderr__ = sys.stdout  # type: ignore[misc]


def run(player: PlayerRuntime) -> NoReturn:
    """Wait for the player's program, load it and serve its calls until the host hangs up."""
    try:
        if not player.greeted():
            os._exit(0)  # this child is not needed
        if player.filtered and player.program["watched"]:
            sys.addaudithook(player.watch)
        if player.load():
            player.serve()
            time.sleep(_RETIRED_S)
            os._exit(0)
    except MemoryError:
        os._exit(EXIT_MEMORY)
    finally:
        os._exit(EXIT_BROKEN)  # none of the player's code may run at exit


class PlayerOutput(io.RawIOBase):
    """Standard output. Output that no longer fits is dropped without the player noticing. From then on a `print` of any
    length costs next to nothing, because other players have to wait for a player that prints."""

    text: io.TextIOWrapper

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        with suppress(OSError):  # full, or closed by the player
            if os.write(1, data) == len(data):
                return len(data)
        vars(self.text)["write"] = len
        with suppress(OSError):  # the kernel writes nothing if not all of it fits
            room, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
            os.write(1, memoryview(data)[: room - os.lseek(1, 0, os.SEEK_CUR)])
        return len(data)


class PlayerRuntime:
    """The player's namespace and its channel to the host. The fork server creates it before there is a player."""

    def __init__(self, channel: socket.socket, filtered: bool) -> None:
        """`filtered`: whether the system call filter is installed."""
        self.channel = channel
        self.filtered = filtered
        self.called = False
        self.module = ModuleType("player")
        self.modules: dict[str, ModuleType] = {}  # the game's own
        self.logs: dict[int, LogCopy] = {}
        self.state: ModuleState | None = None  # the state after loading, if the process may outlast an exception
        self.room = 0  # the memory that was available after loading, in MiB
        self.reserve = _reserve()

    def build_bridge(self) -> None:
        """Connect `_quadrille` with this player."""
        vars(BRIDGE).update(ask=self._ask, Missing=Missing)

    def greeted(self) -> bool:
        """Wait for the host's first frame, which contains the player. Returns False if the host has hung up."""
        greeting = receive_long(self.channel)
        if greeting:
            self.nonce, self.seed, program = marshal.loads(greeting)  # noqa: S302 - from the host
            self.program: dict[str, Any] = marshal.loads(program)  # noqa: S302 - from the host
        return bool(greeting)

    def load(self) -> bool:
        """Compile, execute and check the file. If that fails, tell the host and return False."""
        try:
            codes = self._codes()
        except COMPILE_ERRORS as error:
            self._send(FAULT, syntax_report(error))
            return False
        self._prepare()
        try:
            sys.modules.update(self.modules, __main__=self.module, player=self.module)
            for code in codes:
                exec(code, vars(self.module))  # noqa: S102 - the player's code
            missing = missing_report(vars(self.module), self.program["functions"])
            if self.program["lasting"]:
                self.state, self.room = ModuleState(self.module, RANDOM, codes), _room()
        except BaseException as error:  # noqa: BLE001 - the player's own error, of any kind
            self._report(error)
            return False
        self._send(FAULT if missing else READY, missing)
        return not missing

    def _codes(self) -> tuple[CodeType, CodeType]:
        """Return the code of the player's file, and of the game's adapter. A child that has compiled a file sends the
        code to the host and ends, so that players cannot tell whether their file was known before."""
        if self.program["code"]:
            cached: tuple[CodeType, CodeType] = marshal.loads(self.program["code"])  # noqa: S302
            return cached
        codes = self.compiled()
        blob = marshal.dumps(codes)
        if len(blob) > CODE:
            self.channel.send(COMPILED + self.nonce)
            return codes
        self.channel.send(COMPILED + self.nonce + blob)
        self.channel.recv(1)  # until the host hangs up
        os._exit(0)

    def compiled(self) -> tuple[CodeType, CodeType]:
        """Compile the player's file and the adapter."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return (
                compile(self.program["source"], self.program["filename"], "exec", dont_inherit=True),
                compile(self.program["adapter"], "<adapter>", "exec", dont_inherit=True),
            )

    def _prepare(self) -> None:
        RANDOM.start(self.seed)
        filename, source = self.program["filename"], self.program["source"]
        sys.argv[:] = [filename]
        vars(self.module).update(__file__=filename, __loader__=_ShownSource(source))

    def serve(self) -> None:
        """Answer calls until the host hangs up."""
        channel, receive, clock = self.channel, receive_long, time.monotonic
        self.called = True
        while True:
            frame = receive(channel)
            if not frame:
                return
            self.nonce, function, arguments, logs = load_call(frame)
            if logs is None:
                self._answer_several(function, arguments, clock)
                continue
            for place, key, kept, added in logs:
                arguments[place] = self.logs.setdefault(key, LogCopy()).fresh(kept, added)
            self._answer(function, arguments)
            arguments = None

    def _answer(self, function: str, arguments: list[Any]) -> None:
        """Answer one call. The call depth must be the same as in `_answer_several`; otherwise a player's recursion
        would reach its limit at another depth."""
        try:
            body = encode(vars(self.module)[function](*arguments)).encode()
            if len(body) > self.program["reply"]:
                raise Unsendable(f"{len(body):,} bytes of data; the limit is {self.program['reply']:,}")
        except BaseException as error:  # noqa: BLE001 - the player's own error, of any kind
            self._report(error)
        else:
            self.channel.send(VALUE + self.nonce + body)

    def _answer_several(self, function: str, calls: list[bytes], clock: Callable[[], float]) -> None:
        """Answer the first one or more of these calls in one frame. Stop at a fault that leaves a trace."""
        space, largest, bodies, faults = vars(self.module), self.program["reply"], list[str](), list[int]()
        room, end = ROOM - 2, clock() + SHORT_S
        for arguments in calls:
            try:
                body = encode(space[function](*load(arguments)))
                if len(body) > largest:
                    raise Unsendable(f"{len(body):,} bytes of data; the limit is {largest:,}")
            except BaseException as error:  # noqa: BLE001 - the player's own error, of any kind
                tag, report = self._weighed(error)
                if tag == FAULT:
                    self._send_several(PARTLY, faults, bodies)
                    self._send(tag, report)
                    return
                faults.append(len(bodies))
                body = encode(report)
            bodies.append(body)
            room -= len(body) + 1
            if room < 0 or clock() > end:
                break
        self._send_several(VALUES, faults, bodies)

    def _send_several(self, tag: bytes, faults: list[int], bodies: list[str]) -> None:
        self.channel.send(tag + self.nonce + f"[{faults},[{','.join(bodies)}]]".encode())

    def _ask(self, name: str, *arguments: Any) -> Any:
        """Ask the host a question during a call."""
        if not self.called:
            raise RuntimeError("this can only be used while the game calls one of your functions")
        self.channel.send(QUESTION + self.nonce + encode([name, *arguments]).encode())
        frame = receive_long(self.channel)
        if not frame:
            os._exit(0)
        self.nonce, answer = load(frame, NONCE_END)
        return answer

    def watch(self, event: str, _arguments: tuple[Any, ...]) -> None:
        """Report the line of a call for which the filter is about to kill the player, since the kernel does not report
        it. The message helps students who did not know that the call is forbidden. Code that avoids this report is
        still stopped by the filter."""
        reuses = event == "socket.__new__" and sys._getframe(1).f_locals.get("fileno", 0) is not None  # no system call
        if event in _FATAL and not reuses:
            self._send(FAULT, {"kind": "blocked", "call": _FATAL[event], "frames": self._own_frames(sys._getframe())})
            os._exit(EXIT_BROKEN)

    def tell_where(self, _number: int, frame: FrameType | None) -> None:
        """Handle the signal that the fork server sends when the player is out of time, just before the player is
        killed."""
        self._send(WHERE, {"frames": self._own_frames(frame)})

    def _own_frames(self, frame: FrameType | None) -> list[list[Any]]:
        """Return the running calls of the player's own file, the innermost last."""
        found: list[list[Any]] = []
        while frame and len(found) < 20:
            if frame.f_code.co_filename == self.program["filename"]:
                found.append([frame.f_lineno, frame.f_code.co_name[:100], 1])
            frame = frame.f_back
        return found[::-1]

    def _report(self, error: BaseException) -> None:
        self._send(*self._weighed(error))

    def _weighed(self, error: BaseException) -> tuple[bytes, dict[str, Any]]:
        """Return the tag and the report for an exception. The tag RAISED means that the player is like new, FAULT that
        it is not."""
        self.reserve.close()
        if is_out_of_memory(error):  # make room for the report
            release(error.__traceback__)
            gc.collect()
        if type(error) is Unsendable:
            report: dict[str, Any] = {"kind": "unsendable", "text": str(error)[:TEXT]}
        else:
            report = exception_report(error, self.program["filename"])
        if not (self.state and self.state.ends_quietly):
            release(error.__traceback__)
        if self._is_like_new(is_out_of_memory(error)):
            self.reserve = _reserve()
            return RAISED, report
        return FAULT, report

    def _is_like_new(self, lacked_memory: bool) -> bool:
        """Whether the player is certainly as it was after loading, or has been put back to that state."""
        try:
            restored = self.state is not None and self.state.is_restored()
            return restored and not (lacked_memory and not _has_room(self.room - 1))
        except MemoryError:
            return False

    def _send(self, tag: bytes, body: Mapping[str, Any] | None) -> None:
        text = encode(body).encode() if body else b""
        self.channel.send(tag + self.nonce + text)


def _reserve() -> mmap.mmap:
    """Reserve address space. It takes no memory until it is written to. Without the flags, other children would share
    it."""
    return mmap.mmap(-1, _RESERVE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def _room() -> int:
    """Return how much more memory this process can get, in MiB."""
    least, most = 0, min(resource.getrlimit(resource.RLIMIT_AS)[0] >> 20, _MOST_ROOM)
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if _has_room(middle) else (least, middle - 1)
    return least


def _has_room(size: int) -> bool:
    try:
        mmap.mmap(-1, max(1, size << 20), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except OSError:
        return False
    return True


class _ShownSource:
    """Gives `linecache.lazycache` the lines of the player's file, for tracebacks that the player prints."""

    def __init__(self, source: bytes) -> None:
        self._source = source

    def get_source(self, _name: str) -> str:
        return self._source.decode("utf-8", "replace")
