"""The program inside a jail: a fork server that never runs a player's code, and children that each run one player.

Started as `python -m sandbox.inside.guest FD`, where FD is the control socket to the host. The host sends the settings,
then requests, which the guest answers in turn:

- `("template", number)`, then `(names, {name: source})`, the modules of the standard library and of the game to load:
  makes a template, a process from which to fork children (`template.py`). Answers with its pid and a descriptor of it.
  Template 0, which loads nothing more, always exists;
- `("forget", number)`: ends that template; no answer;
- `("open", number, count, memory, cpu_s, output, send_s)`: makes that many children of that template, locked down under
  those limits, without players yet. Answers with their pids, and descriptors of each process, of the channel to it and
  of the file for its output;
- `("reap", pid)`: answers how that child ended (a wait status). The host asks only if the child is dead or was killed;
- `("bury", pid)`: kills that child, and collects it when it is gone; no answer;
- `("retire", pid)`: does the same as `bury` after the next request, or after a few milliseconds without a request; no
  answer. (If the child were buried at once, the next player's start would take a third longer.)
- `("look", pid)`, `("limits", pid)` and `("mounts", pid)`: answers what the kernel reports about that child, or about
  `"self"`, for a host that cannot see it (`proc.py`);
- `("where", pid)`: has that child report on its channel which lines of the player's file it is executing; no answer;
- `("clocks", pid)`: answers its CPU time and scheduling, for a host that cannot see it. Every host sends this request
  while it waits for a slow player: a paused jail does not answer, and no time is charged until it does.

A child locks itself down, says so on its channel, and waits there for its player. From then on it talks with the host
on this channel only (`player.py`). The host keeps a few children waiting, so that starting a player takes no longer
than loading it. A fork copies little. But each page that the child or the fork server writes to afterwards costs a
fault and a copy, and Python writes to every object that it looks at, to count references. This is most of the cost of
starting a child. So everything that can be done once for all children is done before the first fork, and children are
forked four at a time.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` only adds enumerations
import _socket as socket  # `socket` adds half a megabyte that every fork would copy
import array
import fcntl
import marshal
import os
import resource
import select
import sys
import time
from collections.abc import Callable
from contextlib import closing

from sandbox.inside import lockdown, proc, template
from sandbox.inside.lockdown import CHANNEL, DESCRIPTORS
from sandbox.inside.player import BRIDGE, PlayerRuntime, set_stage
from sandbox.inside.proc import clocks, cpu_clock
from sandbox.inside.wire import CHUNK, MARSHAL, NONCE, TICK_S, receive_long, send_long, timeval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, NoReturn

_REQUEST: Final = 4096
_COLLECT_MS: Final = 5
_REHEARSALS: Final = 12  # forks after which Python no longer adapts the template's code
_SEALS: Final = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW


class ForkServer:
    """Makes children and looks after them."""

    def __init__(self, control: socket.socket, settings: dict[str, Any]) -> None:
        self.control = control
        self.retired: list[int] = []  # children to be killed
        self.dying: list[int] = []  # children killed by the host, to be collected when they are gone
        layers = frozenset(settings["layers"])
        self.started_with = 0 if settings["uid"] is None else lockdown.become(settings["uid"])
        lockdown.hide_from_ptrace()
        lockdown.no_new_privileges()
        namespaces = lockdown.NAMESPACES if "namespaces" in layers and _nesting_works() else 0
        self.landlock = lockdown.landlock_version()
        rules = -1
        if self.landlock and "landlock" in layers:
            rules = lockdown.landlock_rules(self.landlock, settings["readable"])
        root = settings["root"] if "root" in layers else ""
        filters = settings["filters"] if "seccomp" in layers else []
        self.lock = lockdown.Lock(rules, filters, namespaces, "rlimits" in layers, root)
        self.player = PlayerRuntime(control, filtered=bool(filters))
        self.player.build_bridge()
        signal.signal(signal.SIGXCPU, self.player.tell_where)  # for the children, which inherit it
        # By number: the template's pid, and the channel to it
        self.templates: dict[int, tuple[int, socket.socket]] = {}

    def serve(self) -> NoReturn:
        """Answer requests until the host hangs up."""
        self._begin()
        nested = bool(self.lock.namespaces)
        hello = {"nested": nested, "landlock": self.landlock, "started_with": self.started_with}
        self._answer_with_handles(hello, [os.getpid(), self.templates[0][0]])
        requested = select.poll()
        requested.register(self.control, select.POLLIN)
        while True:
            while (self.retired or self.dying) and not requested.poll(_COLLECT_MS):
                self._kill_retired()
                self._collect()
            request = self.control.recv(_REQUEST)
            if not request:
                os._exit(0)
            kind, *arguments = marshal.loads(request)  # noqa: S302 - from the host
            if kind == "open":
                self._open(*arguments)
            elif kind == "template":
                self._make_template(*arguments)
            elif kind == "forget":
                self._forget(*arguments)
            elif kind in _TOLD:
                self.control.send(marshal.dumps((kind, _TOLD[kind](*arguments)), MARSHAL))
            elif kind == "where":
                os.kill(arguments[0], signal.SIGXCPU)
            elif kind == "retire":
                self.retired += arguments
            else:
                self._kill(*arguments)
            if kind != "retire":
                self._kill_retired()
            self._collect()

    def _answer(self, answer: Any, descriptors: list[int]) -> None:
        self.control.sendmsg([marshal.dumps(answer, MARSHAL)], [_rights(descriptors)])

    def _answer_with_handles(self, answer: Any, pids: list[int]) -> None:
        handles = [os.pidfd_open(pid) for pid in pids]
        self._answer(answer, handles)
        for handle in handles:
            os.close(handle)

    def _kill_retired(self) -> None:
        for pid in self.retired:
            self._kill(pid)
        self.retired.clear()

    def _kill(self, pid: int) -> None:
        os.kill(pid, signal.SIGKILL)
        self.dying.append(pid)

    def _collect(self) -> None:
        self.dying = [pid for pid in self.dying if os.waitpid(pid, os.WNOHANG)[0] == 0]

    def _begin(self) -> None:
        """Fork the first template, before anything else happens in this process."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        calls = [lockdown.system_call("dup3", theirs.fileno(), CHANNEL)]
        calls += [lockdown.system_call("close_range", each.fileno(), each.fileno()) for each in (ours, theirs)]
        pid = lockdown.fork(0, calls)
        if pid == 0:
            template.serve(self.control, self.lock, self.player)
        theirs.close()
        self.templates[0] = pid, ours
        for _ in range(_REHEARSALS):
            ends, printed = _channel(0), _output_file(1)
            self.dying += _forked_pids(ours, [(template.order(1 << 40, 1, 1), [ends[1], printed])])
            for descriptor in (*ends, printed):
                os.close(descriptor)

    def _make_template(self, number: int) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        [pid] = _forked_pids(self.templates[0][1], [(template.ANOTHER, [theirs.fileno()])])
        theirs.close()
        self.templates[number] = pid, ours
        send_long(ours, receive_long(self.control))
        self._answer_with_handles(("template", pid), [pid])

    def _forget(self, number: int) -> None:
        pid, channel = self.templates.pop(number)
        channel.close()
        self._kill(pid)

    def _open(self, number: int, count: int, memory: int, cpu_s: int, output: int, send_s: float) -> None:
        """Have children forked, one right after the other, because any work between two forks causes pages to be
        copied."""
        pairs = [_channel(send_s) for _ in range(count)]
        outputs = [_output_file(output) for _ in range(count)]
        order = template.order(memory, cpu_s, output)
        orders = [(order, [ours, printed]) for (_, ours), printed in zip(pairs, outputs, strict=True)]
        pids = _forked_pids(self.templates[number][1], orders)
        given = [
            descriptor
            for pid, (theirs, _), printed in zip(pids, pairs, outputs, strict=True)
            for descriptor in (os.pidfd_open(pid), theirs, printed)
        ]
        self._answer(("children", pids), given)
        for descriptor in (*given, *(ours for _, ours in pairs)):
            os.close(descriptor)


_TOLD: Final[dict[str, Callable[..., Any]]] = {
    "reap": lambda pid: os.waitpid(pid, 0)[1],
    "clocks": lambda pid: clocks(pid, time.clock_gettime(cpu_clock(pid))),
    "look": proc.look,
    "limits": proc.limits,
    "mounts": proc.mounts,
}
"""What the host may ask about a child."""


def _forked_pids(channel: socket.socket, orders: list[tuple[bytes, list[int]]]) -> list[int]:
    """Give a template orders, each with its descriptors, and return the new pids. Raises ChildProcessError."""
    for order, descriptors in orders:
        channel.sendmsg([order], [_rights(descriptors)])
    answers = [channel.recv(_REQUEST) for _ in orders]
    for answer in answers:
        if len(answer) != template.PID.size:
            raise ChildProcessError(f"a template cannot fork: {answer!r}")
    return [template.PID.unpack(answer)[0] for answer in answers]


def _rights(descriptors: list[int]) -> tuple[int, int, array.array[int]]:
    return socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors)


def _channel(send_s: float) -> tuple[int, int]:
    """Create a channel. Returns the host's end and the child's."""
    theirs, ours = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, timeval(TICK_S))
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, timeval(send_s))
    return theirs.detach(), ours.detach()


def _output_file(size: int) -> int:
    """Create a file of fixed size in memory. Returns its descriptor."""
    file = os.memfd_create("output", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    os.ftruncate(file, size)
    fcntl.fcntl(file, fcntl.F_ADD_SEALS, _SEALS)
    return file


def _nesting_works() -> bool:
    """Whether a child can have namespaces of its own here: inside a container it often cannot."""
    try:
        pid = lockdown.fork(lockdown.NAMESPACES)
    except OSError:
        return False
    if pid == 0:
        os._exit(0)
    return os.waitpid(pid, 0)[1] == 0


_SOURCE: Final = b"""
import random
import _quadrille

def play(hand, log):
    _quadrille.ask("draw", 1)
    return [(1, hand[0]), None, True, "2C", {}]
"""
_REHEARSED_GAMES: Final = 12  # Python adapts code after eight runs
_REHEARSED_CALLS: Final = 3


def rehearse() -> None:
    """Play a few games with a player of our own before the first fork, and leave nothing behind. All that Python looks
    up, creates or adapts when code first runs is then done once for all children, in pages that they share. This saves
    8% of a start."""
    before = {*sys.modules}
    code = b""
    for _ in range(_REHEARSED_GAMES):
        code = _play_rehearsal(code)
    for name in {*sys.modules} - before:
        del sys.modules[name]
    vars(BRIDGE).clear()
    sys.argv.clear()


def _play_rehearsal(code: bytes) -> bytes:
    """Play one game with both ends of the channel in this process; without `code`, only compile the player. Returns the
    compiled code."""
    nonce = bytes(NONCE)
    host, guest = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with closing(host), closing(guest):
        host.send(marshal.dumps((nonce, 1, marshal.dumps(_rehearsed_program(code), MARSHAL)), MARSHAL))
        for number in range(_REHEARSED_CALLS):
            call = (nonce, "play", [["2C", "KH"], None], [(1, 0, number, [(number, ("2C", [1]))])])
            host.send(marshal.dumps(call, MARSHAL))
            host.send(marshal.dumps((nonce, "2C"), MARSHAL))
            # A single call, since the number of calls answered together depends on timing
            packed = marshal.dumps([["2C", "KH"], None], MARSHAL)
            host.send(marshal.dumps((nonce, "play", [packed], None), MARSHAL))
            host.send(marshal.dumps((nonce, "2C"), MARSHAL))
        host.shutdown(socket.SHUT_WR)
        player = PlayerRuntime(guest, filtered=False)
        player.build_bridge()
        player.greeted()
        if not code:
            return marshal.dumps(player.compiled())
        player.load()
        player.serve()
        return code


def _rehearsed_program(code: bytes) -> dict[str, Any]:
    return {
        "source": _SOURCE,
        "filename": "player.py",
        "functions": {"play": (2,)},
        "adapter": "",
        "reply": CHUNK,
        "code": code,
        "watched": False,
        "lasting": False,
    }


def main() -> NoReturn:
    """Take the settings and serve."""
    os.dup2(int(sys.argv[1]), CHANNEL)
    highest, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.closerange(CHANNEL + 1, highest if highest > 0 else 1 << 20)
    # From here on no descriptor can have a higher number than the descriptors that a child closes.
    most = min(DESCRIPTORS, highest) if highest > 0 else DESCRIPTORS
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, CHANNEL)
    settings = marshal.loads(control.recv(1 << 16))  # noqa: S302 - from the host
    os.environ.clear()
    sys.path[:] = [folder for folder in sys.path if folder != settings["guest"]]
    template.load_modules(template.PRELOADED)
    set_stage()
    rehearse()
    server = ForkServer(control, settings)
    template.settle()
    server.serve()


if __name__ == "__main__":
    main()
