"""A short form of the hostile suite, run when a worker starts: a sandbox that fails it must not take work."""

from collections.abc import Callable
from typing import Final

from sandbox.api import Fault, Limits, Program, Sandbox, SandboxError, SandboxUnavailable, call
from sandbox.programs import Command, Ended, ProgramLimits, ProgramSandbox, Stop

_LIMITS: Final = Limits(load_s=1.0, call_s=0.2, game_s=2.0, wall_factor=60.0, memory=96 << 20)
"""None of the attacks sleeps, so the wall clock may be patient: on a busy machine a second of computing takes many."""

_ATTACKS: Final = (
    # what the function does, its body, and the verdict that it must get; OK: the game goes on
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
    """Check in about half a second that the wall stands. Raises SandboxError, which says what got through."""
    co_player = sandbox.open(_program("return card"), _LIMITS, 1)
    if isinstance(co_player, Fault):
        raise SandboxError(f"the sandbox fails its self-test: a harmless player gets {co_player.verdict}")
    outcomes = [(what, _outcome(sandbox, body), expected) for what, body, expected in _ATTACKS]
    wrong = [f"a player that {what} gets {got} instead of {ok}" for what, got, ok in outcomes if got != ok]
    alive = call(co_player, "play", ("2C",))
    co_player.close()
    if isinstance(alive, Fault):
        wrong.append(f"a co-player was harmed: {alive.message}")
    if wrong:
        raise SandboxError("the sandbox fails its self-test: " + "; ".join(wrong))


def open_tested(open_sandbox: Callable[[], Sandbox]) -> Sandbox:
    """Open a sandbox and test it; each jail that replaces a dead one is tested too.

    Raises SandboxUnavailable: without a complete wall no student's code may run."""
    sandbox: Sandbox | None = None
    try:
        sandbox = open_sandbox()
        self_test(sandbox)
    except SandboxError as error:
        if sandbox:
            sandbox.close()
        if isinstance(error, SandboxUnavailable):
            raise
        raise SandboxUnavailable(str(error)) from error
    sandbox.check = self_test
    return sandbox


def _outcome(sandbox: Sandbox, body: str) -> str:
    session = sandbox.open(_program(body), _LIMITS, 1)
    if isinstance(session, Fault):
        return session.verdict
    try:
        reply = call(session, "play", ("2C",))
    finally:
        session.close()
    if isinstance(reply, Fault):
        return reply.verdict
    return "OK" if reply.data == "2C" else f"the answer {str(reply.data)[:50]!r}"


def _program(body: str) -> Program:
    return Program(f"def play(card):\n    {body}\n".encode(), {"play": (1,)})


_PROGRAM_ATTACKS: Final = (
    # what the program does, its body in Python, and how it must end
    ("answers", "print(input())", ("hello",)),
    ("computes for ever", "while True: pass", (Stop.CPU,)),
    ("takes too much memory", "x = [bytearray(1 << 20) for _ in range(1 << 12)]", (Stop.MEMORY,)),
    ("prints for ever", "while True: print('x' * 9999)", (Stop.OUTPUT,)),
    ("opens a socket", "import socket; socket.socket()", (Stop.BLOCKED,)),
    (
        "starts a program",
        "import os; os.execv('/py/bin/python3', ['python3'])",
        (Stop.BLOCKED,),
    ),
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
    """Check in about half a second that the wall around programs stands. Raises SandboxError, which says what got
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
    """How it ended: what it printed, the exception that it met, or why it was stopped."""
    if ended.stop is not Stop.EXITED:
        return ended.stop
    said = ended.stdout if ended.code == 0 else ended.stderr.rstrip().rpartition(b"\n")[2].partition(b":")[0]
    return said.decode(errors="replace").strip()[:50]


def open_tested_programs(open_sandbox: Callable[[], ProgramSandbox]) -> ProgramSandbox:
    """Open a sandbox for programs and test it. Raises SandboxUnavailable."""
    sandbox = open_sandbox()
    try:
        self_test_programs(sandbox)
    except SandboxError as error:
        sandbox.close()
        raise SandboxUnavailable(str(error)) from error
    return sandbox
