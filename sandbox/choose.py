"""Chooses this machine's sandbox, and attacks it with a short form of the hostile suite before it is used. Where no
sandbox works, student code is refused, never run without a jail."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from sandbox.api import Fault, Limits, Program, Sandbox, SandboxError, SandboxUnavailable, call
from sandbox.backends import BACKENDS
from sandbox.backends.bubblewrap import BubblewrapPrograms, BubblewrapSandbox
from sandbox.backends.docker import FOLDER, DockerPrograms, DockerSandbox
from sandbox.programs import Command, Ended, ProgramLimits, ProgramSandbox, Stop

Kind = TypeVar("Kind", Sandbox, ProgramSandbox)


def open_sandbox(name: str = "auto", runner: Path = Path(FOLDER), niceness: int = 0) -> Sandbox:
    """Start the named backend, or with "auto" the first jail that works. `runner`: the runner's folder, for Docker.
    `niceness` applies to bubblewrap's jail; containers have a CPU share of their own (see `container/recipe.py`).

    "auto" never chooses `trusted`, which is not a jail and must be named. Raises SandboxUnavailable, which says what is
    missing and how to fix it.
    """
    backends: dict[str, Callable[[], Sandbox]] = {
        **BACKENDS,
        "bubblewrap": partial(BubblewrapSandbox, niceness=niceness),
        "docker": partial(DockerSandbox, runner),
    }
    if name != "auto":
        if name not in BACKENDS:
            raise SandboxUnavailable(f"there is no sandbox {name!r}, only {', '.join(BACKENDS)}")
        return backends[name]()
    return _first_that_works({name: backends[name] for name in BACKENDS if name != "trusted"})


def open_program_sandbox(name: str = "auto", runner: Path = Path(FOLDER), niceness: int = 0) -> ProgramSandbox:
    """Start a sandbox for programs, chosen as by `open_sandbox`, but never `trusted`. Raises SandboxUnavailable."""
    backends: dict[str, Callable[[], ProgramSandbox]] = {
        "bubblewrap": partial(BubblewrapPrograms, niceness=niceness),
        "docker": partial(DockerPrograms, runner),
    }
    if name == "auto":
        return _first_that_works(backends)
    if name not in backends:
        raise SandboxUnavailable(f"programs cannot be run in the sandbox {name!r}, only in {', '.join(backends)}")
    return backends[name]()


def _first_that_works(backends: Mapping[str, Callable[[], Kind]]) -> Kind:
    reasons = []
    for name, start in backends.items():
        try:
            return start()
        except SandboxError as error:
            reasons.append(f"{name}: {error}")
    raise SandboxUnavailable("no sandbox works on this machine, so no student code is run. " + "; ".join(reasons))


_LIMITS: Final = Limits(load_s=1.0, call_s=0.2, game_s=2.0, wall_factor=60.0, memory=96 << 20)
"""The wall-clock limit is long because no attack sleeps, and on a busy machine one second of computing takes many
seconds."""

_ATTACKS: Final = (
    # what the function does, its body, and the verdict that it must get; OK: the game continues
    ("answers", "return card", "OK"),
    ("computes for ever", "while True: pass", "TLE"),
    ("takes too much memory", "return len(bytearray(1 << 30))", "MLE"),
    ("ends its process", "import os; os._exit(0)", "EXIT"),
    ("opens a socket", "import socket; socket.socket()", "BLOCKED"),
    ("starts a program", "import os; os.execv('/bin/sh', ['sh'])", "BLOCKED"),
    ("looks into a process", "import ctypes; ctypes.CDLL(None).ptrace(16, 2, 0, 0)", "BLOCKED"),
    ("sends garbage", "import os; os.write(3, b'garbage')", "MALFORMED"),
    ("reads the host's users", "return open('/etc/passwd').read()", "RTE"),
    ("reads its environment", "return open('/proc/self/environ').read()", "RTE"),
    ("lists the root folder", "import os; return os.listdir('/')", "RTE"),
    ("writes a file", "return open('written', 'w').name", "RTE"),
    ("forks", "import os; return os.fork()", "RTE"),
    ("starts a thread", "import threading; threading.Thread(target=print).start()", "RTE"),
    ("kills its neighbours", "import os; os.kill(-1, 9)", "RTE"),
)


def self_test(sandbox: Sandbox) -> None:
    """Attack the sandbox for about half a second. Raises SandboxError, which names the attack that got through."""
    co_player = sandbox.open(_attacking_player("return card"), _LIMITS, 1)
    if isinstance(co_player, Fault):
        raise SandboxError(f"the sandbox fails its self-test: a harmless player gets {co_player.verdict}")
    outcomes = [(what, _attack_outcome(sandbox, body), expected) for what, body, expected in _ATTACKS]
    wrong = [f"a player that {what} gets {got} instead of {ok}" for what, got, ok in outcomes if got != ok]
    alive = call(co_player, "play", ("2C",))
    co_player.close()
    if isinstance(alive, Fault):
        wrong.append(f"a co-player was harmed: {alive.message}")
    if wrong:
        raise SandboxError("the sandbox fails its self-test: " + "; ".join(wrong))


def open_tested(open_: Callable[[], Sandbox]) -> Sandbox:
    """Open a sandbox, test it, and test each jail that replaces a dead one. Raises SandboxUnavailable: student code
    must not run behind an incomplete wall."""
    sandbox = _tested(open_, self_test)
    sandbox.check = self_test
    return sandbox


def open_tested_programs(open_: Callable[[], ProgramSandbox]) -> ProgramSandbox:
    """Open a sandbox for programs and test it. Raises SandboxUnavailable."""
    return _tested(open_, self_test_programs)


def _tested(open_: Callable[[], Kind], test: Callable[[Kind], None]) -> Kind:
    with ExitStack() as stack:
        try:
            sandbox = open_()
            stack.callback(sandbox.close)
            test(sandbox)
        except SandboxUnavailable:
            raise
        except SandboxError as error:
            raise SandboxUnavailable(str(error)) from error
        stack.pop_all()  # keep the sandbox open
    return sandbox


def _attack_outcome(sandbox: Sandbox, body: str) -> str:
    session = sandbox.open(_attacking_player(body), _LIMITS, 1)
    if isinstance(session, Fault):
        return session.verdict
    try:
        reply = call(session, "play", ("2C",))
    finally:
        session.close()
    if isinstance(reply, Fault):
        return reply.verdict
    return "OK" if reply.data == "2C" else f"the answer {str(reply.data)[:50]!r}"


def _attacking_player(body: str) -> Program:
    return Program(f"def play(card):\n    {body}\n".encode(), {"play": (1,)})


_PROGRAM_ATTACKS: Final = (
    # what the program does, its body in Python, and how it must end
    ("answers", "print(input())", ("hello",)),
    ("computes for ever", "while True: pass", (Stop.CPU,)),
    ("takes too much memory", "x = [bytearray(1 << 20) for _ in range(1 << 12)]", (Stop.MEMORY,)),
    ("prints for ever", "while True: print('x' * 9999)", (Stop.OUTPUT,)),
    ("opens a socket", "import socket; socket.socket()", (Stop.BLOCKED,)),
    ("starts a program", "import os; os.execv('/py/bin/python3', ['python3'])", (Stop.BLOCKED,)),
    ("looks into a process", "import ctypes; ctypes.CDLL(None).ptrace(16, 1, 0, 0)", (Stop.BLOCKED,)),
    ("forks", "import os; os.fork(); print(input())", ("PermissionError",)),
    ("kills its neighbours", "import os; os.kill(-1, 9); print(input())", ("PermissionError",)),
    ("reads the host's users", "print(open('/etc/passwd').read())", ("FileNotFoundError", "PermissionError")),
    ("reads its environment", "print(open('/proc/self/environ').read())", ("FileNotFoundError", "PermissionError")),
    ("writes outside its folder", "open('/written', 'w').write('x'); print(input())", ("PermissionError", "OSError")),
    ("finds what an earlier one wrote", "print(open('kept').read())", ("FileNotFoundError", "PermissionError")),
    ("fills its folder", "open('kept', 'w').write('x' * (2 << 20)); print(input())", ("OSError",)),
)
_PROGRAM_LIMITS: Final = ProgramLimits(cpu_s=0.3, wall_s=20.0, memory=64 << 20, scratch=1 << 20)


def self_test_programs(sandbox: ProgramSandbox) -> None:
    """Attack the sandbox for programs for about half a second. Raises SandboxError, which names the attack that got
    through."""
    wrong = []
    with sandbox.open() as jail:
        for what, body, expected in _PROGRAM_ATTACKS:
            files = {"main.py": body.encode()}
            command = Command(("python3", "main.py"), files, stdin=b"hello", tools=("python3",), limits=_PROGRAM_LIMITS)
            got = _ending(jail.run(command))
            if got not in expected:
                wrong.append(f"a program that {what} gets {got} instead of {expected[0]}")
    if wrong:
        raise SandboxError("the sandbox for programs fails its self-test: " + "; ".join(wrong))


def _ending(ended: Ended) -> str:
    """Return how the command ended: what it printed, the exception that it raised, or why it was stopped."""
    if ended.stop is not Stop.EXITED:
        return ended.stop
    said = ended.stdout if ended.code == 0 else ended.stderr.rstrip().rpartition(b"\n")[2].partition(b":")[0]
    return said.decode(errors="replace").strip()[:50]
