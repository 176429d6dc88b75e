"""Each layer is looked at from outside: a jail that lacks one is refused before it gets a player, and the layer named.

(In Docker: `test_docker.py`.)
"""

import fcntl
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.api import Limits, Program, SandboxError, SandboxUnavailable
from sandbox.choose import open_tested
from sandbox.host.inspection import ProcessStatus, Promise, of_child, of_jail
from sandbox.host.jail import LAYERS
from sandbox.host.jailed_session import JailedSession
from tests.sandbox.wall.mutations import BUBBLEWRAPS, MutatedBubblewrap, Mutation, refusals
from tests.sandbox.wall.test_hostile import ROOT, SYSTEM_PYTHON, needs_another_user


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    return refusals()


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name, mutation in BUBBLEWRAPS.items() if mutation.applies()])
def test_a_jail_without_a_layer_is_refused(said: dict[str, str], name: str) -> None:
    assert re.search(BUBBLEWRAPS[name].said, said[name]), said[name]


@pytest.mark.full
def test_the_same_as_an_ordinary_user() -> None:
    command = [*needs_another_user(), SYSTEM_PYTHON, "-B", "-m", "tests.sandbox.wall.mutations", SYSTEM_PYTHON]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    said = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    assert len(said) > 10
    assert [name for name, why in said.items() if not re.search(BUBBLEWRAPS[name].said, f": {why}")] == []


def test_a_worker_is_out_of_service_without_a_layer(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="not sealed"):
        open_tested(lambda: MutatedBubblewrap(BUBBLEWRAPS["third seal"], tmp_path))


GREETED = """
_greeted = PlayerRuntime.greeted
PlayerRuntime.greeted = lambda player: _greeted(player) and os.write(1, b"greeted")
"""
SOLITARY = """
from sandbox.inside.lockdown import _NUMBERS, Lock
_calls = Lock.calls
Lock.calls = lambda *given: (call for call in _calls(*given) if call[0] != _NUMBERS["setpgid"])
"""


@pytest.mark.parametrize("greeted", [True, False])
def test_a_child_that_is_not_as_promised_never_gets_its_file(tmp_path: Path, greeted: bool) -> None:
    with MutatedBubblewrap(Mutation("", GREETED + SOLITARY * (not greeted), "player"), tmp_path) as sandbox:
        session = sandbox.start(Program(b""), Limits(), 1)
        assert isinstance(session, JailedSession)
        if greeted:
            assert session.wait() is session
        else:
            with pytest.raises(SandboxError, match="a player's process is not as promised: it has no process group"):
                session.load()
            assert sandbox.jail.dead
        session.process.kill()
        assert session.process.printed()[0] == b"greeted" * greeted
        session.process.close()


def test_groups_of_an_ordinary_worker_are_no_fault() -> None:
    """In a user namespace nobody can leave them."""
    program = "from tests.sandbox.wall.mutations import *; print([refusal(BubblewrapSandbox)])"
    command = [*needs_another_user(groups="7,8"), SYSTEM_PYTHON, "-B", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "['']\n"


# The rules themselves, also for what this machine may lack

STATUS = {
    "Uid": "9\t9\t9\t9", "Gid": "9\t9\t9\t9", "Groups": " ", "NSpid": "70\t2", "NSpgid": "60\t0",
    "CapInh": "0" * 16, "CapPrm": "0" * 16, "CapEff": "0" * 16, "CapBnd": "0" * 16, "CapAmb": "0" * 16,
    "NoNewPrivs": "1", "Seccomp": "2", "Seccomp_filters": "1",
}  # fmt: skip
CHILD = {**STATUS, "NSpid": "80\t3", "NSpgid": "80\t3", "Seccomp_filters": "2"}
NESTED = {**CHILD, "NSpid": "80\t3\t1", "NSpgid": "80\t3\t1", "CapBnd": "00000000ffffffff"}
ROOTS = "         0          0 4294967295\n"
PROMISE = Promise(LAYERS, uid=None, gid=None, filters=0, writable=("/proc/",))


def seen(status: dict[str, str], owner: int = 0, links: str = "", uid_map: str = ROOTS) -> ProcessStatus:
    text = "".join(f"{name}:\t{value}\n" for name, value in status.items())
    return ProcessStatus((text.encode(), owner, links.split() or [""] * 6, uid_map.encode()))


@pytest.fixture
def output() -> Iterator[int]:
    file = os.memfd_create("output", os.MFD_ALLOW_SEALING)
    fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
    yield file
    os.close(file)


IN_FLAT_JAILS = [
    ({}, {}, []),
    ({"Groups": "9 "}, {}, []),
    ({"Groups": "4 9 27 "}, {}, ["it is in groups besides its own (4, 27)"]),
    ({"Uid": "9\t9\t8\t9"}, {}, ["its Uid is 8, 9"]),
    ({"Gid": "9\t9\t9\t0"}, {}, ["its Gid is 0, 9"]),
    ({"CapBnd": "00000000000000c0"}, {}, ["it has capabilities (CapBnd is 00000000000000c0)"]),
    ({"CapAmb": "0000000000000001"}, {}, ["it has capabilities (CapAmb is 0000000000000001)"]),
    ({"NoNewPrivs": "0"}, {}, ["it can gain privileges (no_new_privs is not set)"]),
    ({"Seccomp_filters": "3"}, {}, ["it is under 3 system call filters instead of 2"]),
    ({}, {"owner": 9}, ["others of its user can look into it (it is dumpable)"]),
    ({}, {"uid_map": ""}, ["it has a user namespace of its own"]),
    ({"NSpid": "80\t3\t1", "NSpgid": "80\t3\t1"}, {}, ["it has a pid namespace of its own"]),
]


@pytest.mark.parametrize(("status", "shown", "wrong"), IN_FLAT_JAILS)
def test_a_child_without_namespaces(
    status: dict[str, str], shown: dict[str, int | str], wrong: list[str], output: int
) -> None:
    child = seen({**CHILD, **status}, **shown)  # type: ignore[arg-type]
    assert [*of_child(child, seen(STATUS), output, False, PROMISE)] == wrong


IN_NESTED_JAILS = [
    ("", "", "", []),
    ("", "", ROOTS, ["it has no user namespace of its own"]),
    ("user:1 ipc:1", "user:2 ipc:2", "", []),
    ("user:1 ipc:1", "user:2 ipc:1", "", ["it has no ipc namespace of its own"]),
    ("user:1 ipc:1", "user:1 ipc:2", "", ["it has no user namespace of its own"]),
    ("user:1 ipc:1", "", "", []),
    ("user:1 ipc:1", "", ROOTS, ["it has no user namespace of its own"]),
]


@pytest.mark.parametrize(("servers", "childs", "uid_map", "wrong"), IN_NESTED_JAILS)
def test_a_child_with_namespaces(servers: str, childs: str, uid_map: str, wrong: list[str], output: int) -> None:
    child, server = seen(NESTED, links=childs, uid_map=uid_map), seen(STATUS, links=servers)
    assert [*of_child(child, server, output, True, PROMISE)] == wrong


MOUNTS = b"""\
1 0 0:1 / / ro,nosuid,relatime - overlay overlay rw,lowerdir=/x
2 1 0:2 / /proc rw,nosuid - proc proc rw
3 1 0:3 / /proc/sys rw,nosuid - proc proc rw
"""


def test_what_may_be_written_to() -> None:
    ours, server = seen(STATUS), seen(STATUS)
    assert [*of_jail(server, ours, MOUNTS, False, 0, PROMISE)] == []
    mounts = MOUNTS + b"4 1 0:4 / /process rw - ext4 /dev/sda rw\n5 1 0:5 / /a ro - tmpfs tmpfs rw\n"
    assert [*of_jail(server, ours, mounts, False, 0, PROMISE)] == ["/process is not mounted read-only"]
