"""No layer around programs is decoration: with it taken away, an attack gets what it came for.

Where two layers guard the same thing, both are taken away together: each alone still holds.
"""

import os
import socket
import subprocess
from collections.abc import Iterator

import pytest

from sandbox.api import SandboxError
from sandbox.backends.bubblewrap import BubblewrapPrograms
from sandbox.host.programs.launcher import PROGRAM_LAYERS, settings
from sandbox.programs import ProgramJail, Stop
from tests.sandbox.programs.test_programs import LIMITS, built, python
from tests.sandbox.wall.test_hostile import SYSTEM_PYTHON, needs_another_user

ATTACKS = {
    # prints "got it" if it works
    "runs another program": "import os; os.execv('/py/bin/python3', ['python3', '-c', 'print(\"got it\")'])",
    "forks": "import os\nif os.fork(): os.wait()\nelse: os.write(1, b'got it\\n'); os._exit(0)",
    "opens a socket": "import socket; socket.socket(socket.AF_UNIX); print('got it')",
    "reaches the host": "import socket; socket.create_connection(('127.0.0.1', {port}), 1); print('got it')",
    "sees the launcher": "open('/guest/sandbox/inside/programs/launcher.py'); print('got it')",
    "reads the compiler": "open('/usr/bin/as', 'rb').read(1); print('got it')",
    "counts processes": "import os; assert os.getppid() > 1; print('got it')",
    "dumps core": "import resource; assert resource.getrlimit(resource.RLIMIT_CORE)[1]; print('got it')",
    "opens a thousand files": "x = [open('main.py') for _ in range(1000)]; print('got it')",
    "raises its limits": "import resource as r; r.setrlimit(r.RLIMIT_NOFILE, (9, 9)); print('got it')",
}

GETS_THROUGH = [
    ("seccomp", "opens a socket"),
    ("seccomp", "raises its limits"),
    ("seccomp rlimits", "forks"),
    ("seccomp", "runs another program"),
    ("landlock", "reads the compiler"),
    ("namespaces", "counts processes"),
    ("namespaces landlock", "sees the launcher"),
    ("rlimits", "dumps core"),
    ("rlimits", "opens a thousand files"),
    ("seccomp network landlock", "reaches the host"),
]


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def attack(jail: ProgramJail, name: str, port: int) -> bool:
    """Whether an attack worked: a fork also has if the host saw its two processes before one of them could print."""
    ended = python(jail, ATTACKS[name].replace("{port}", str(port)))
    return ended.stdout == b"got it\n" or ended.stop is Stop.PROCESSES


def test_with_every_layer_no_attack_works(port: int) -> None:
    with BubblewrapPrograms() as sandbox, sandbox.open() as jail:
        assert [name for name in ATTACKS if attack(jail, name, port)] == []


@pytest.mark.full
@pytest.mark.parametrize(("removed", "name"), GETS_THROUGH)
def test_without_a_layer_an_attack_works(port: int, removed: str, name: str) -> None:
    with BubblewrapPrograms(PROGRAM_LAYERS - set(removed.split())) as sandbox, sandbox.open() as jail:
        assert attack(jail, name, port)


ONE_AT_A_TIME = sorted({(layer, name) for removed, name in GETS_THROUGH if " " in removed for layer in removed.split()})


@pytest.mark.parametrize(("layer", "name"), ONE_AT_A_TIME)
def test_each_of_several_layers_holds_alone(port: int, layer: str, name: str) -> None:
    with BubblewrapPrograms(PROGRAM_LAYERS - {layer}) as sandbox, sandbox.open() as jail:
        assert not attack(jail, name, port)


GREEDY = """
#include <cstdlib>
#include <cstring>
#include <cstdio>
int main() { for (int i = 0; i < 500; i++) std::memset(std::malloc(1 << 20), 1, 1 << 20); std::puts("got it"); }
"""


@pytest.mark.parametrize(
    "layers",
    [PROGRAM_LAYERS, PROGRAM_LAYERS - {"memory"}, PROGRAM_LAYERS - {"namespaces"}],
    ids=["", "no group", "flat"],
)
def test_memory_is_limited_with_and_without_a_control_group(layers: frozenset[str]) -> None:
    with BubblewrapPrograms(layers) as sandbox, sandbox.open() as jail:
        ended = built(jail, GREEDY)
    assert b"got it" not in ended.stdout
    assert ended.stop in (Stop.MEMORY, Stop.SIGNALLED)
    assert ended.memory < 2 * LIMITS.memory


def test_a_run_cannot_start_a_second_program_not_even_itself() -> None:
    source = '#include <unistd.h>\nint main(int n, char** v) { execv("./main", v); execl("main", "x", nullptr); }'
    with BubblewrapPrograms() as sandbox, sandbox.open() as jail:
        ended = built(jail, source)
    assert ended.stop is Stop.BLOCKED
    assert b"killed at the forbidden system call execve" in ended.stderr


@pytest.mark.full
def test_an_ordinary_user_has_the_same_jail() -> None:
    script = (
        "from sandbox.backends.bubblewrap import BubblewrapPrograms as B\n"
        "from sandbox.choose import self_test_programs as t\n"
        "with B() as s: t(s); print('passed')"
    )
    command = [*needs_another_user(), SYSTEM_PYTHON, "-B", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "passed\n", done.stderr


LACKING = [
    ("--unshare-ipc", "it has no ipc namespace of its own"),
    ("--unshare-net", "it has no net namespace of its own"),
    ("--remount-ro /", "/ is not mounted read-only"),
]


@pytest.mark.parametrize(("word", "said"), LACKING)
def test_a_jail_that_lacks_a_layer_is_refused(monkeypatch: pytest.MonkeyPatch, word: str, said: str) -> None:
    whole = BubblewrapPrograms._command

    def without(self: BubblewrapPrograms, control: int) -> list[str]:
        words = [*whole(self, control)]
        place = words.index(word.split()[0])
        return words[:place] + words[place + len(word.split()) :]

    monkeypatch.setattr(BubblewrapPrograms, "_command", without)
    with pytest.raises(SandboxError, match=said):
        BubblewrapPrograms()


def test_a_launcher_that_stays_root_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid():
        pytest.skip("an ordinary user's launcher is never root")
    monkeypatch.setattr(
        "sandbox.backends.bubblewrap.settings", lambda layers, uid, naming: settings(layers, None, naming)
    )
    with pytest.raises(SandboxError, match=r"its Uid is 0.*it has capabilities"):
        BubblewrapPrograms()
