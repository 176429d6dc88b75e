"""Jails that lack one layer each, and what must be said about each of them before a player is in it.

As a program (`python -m tests.sandbox.wall.mutations PYTHON`) it opens all of bubblewrap's, as whoever calls it.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sandbox.api import Sandbox, SandboxError
from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.choose import self_test
from sandbox.host.interpreter import GUEST

SOURCES = Path(__file__).parents[3] / "sandbox" / "inside"


@dataclass(frozen=True)
class Mutation:
    """A jail without a layer, and a regular expression for what must be said about it."""

    said: str
    guest: str = ""  # run at the end of the guest's file
    file: str = "lockdown"
    command: tuple[str, str] = ("", "")  # words of bubblewrap's command line, and those in their place
    options: Mapping[str, Any] = field(default_factory=dict)  # of a container, instead of ours
    only: str = ""  # the user who has this layer to lose: root or another

    def applies(self) -> bool:
        """Whether the layer is there for whoever runs this."""
        return self.only in ("", "another" if os.geteuid() else "root")

    def mutated(self, folder: Path) -> Path:
        """A copy of the guest's file, mutated."""
        source = (SOURCES / f"{self.file}.py").read_text()
        code, main, rest = source.partition('\nif __name__ == "__main__":')
        copy = folder / f"{self.file}.py"
        copy.write_text(f"{code}\n{self.guest}\n{main}{rest}")
        copy.chmod(0o644)
        return copy


LACKING_A_CALL = """
_calls = Lock.calls
Lock.calls = lambda *given: (call for call in _calls(*given) if {0} != call[:len({0})])
"""
FEWER_FILTERS = "under [0-9] system call filters instead of [0-9]"

LIMITS = {
    "RLIMIT_AS": "address space",
    "RLIMIT_CPU": "cpu time",
    "RLIMIT_FSIZE": "file size",
    "RLIMIT_NOFILE": "open files",
    "RLIMIT_NPROC": "processes",
}

GUESTS = {
    "fork server's filter": Mutation(FEWER_FILTERS, "Filter.install = lambda self: None"),
    "child's filter": Mutation(FEWER_FILTERS, LACKING_A_CALL.format("(_NUMBERS['prctl'], _SET_SECCOMP)")),
    "child's namespaces": Mutation(
        "no pid namespace.*no user namespace", "_CLONE[NAMESPACES | PARENT] = system_call('clone', PARENT | _SIGCHLD)"
    ),
    "child's process namespace": Mutation(
        "no pid namespace", "_CLONE[NAMESPACES | PARENT] = system_call('clone', PARENT | _NEWUSER | _NEWIPC | _SIGCHLD)"
    ),
    "child's IPC namespace": Mutation(
        "no ipc namespace", "_CLONE[NAMESPACES | PARENT] = system_call('clone', PARENT | _NEWUSER | _NEWPID | _SIGCHLD)"
    ),
    "word about namespaces": Mutation("no namespaces of their own", "_nesting_works = lambda: False", "guest"),
    "child's capset": Mutation("has capabilities .CapPrm", LACKING_A_CALL.format("(_NUMBERS['capset'],)")),
    "child's process group": Mutation("no process group of its own", LACKING_A_CALL.format("(_NUMBERS['setpgid'],)")),
    **{
        f"child's {name}": Mutation(
            f"its limit of {what} is not", LACKING_A_CALL.format(f"(_NUMBERS['prlimit64'], 0, resource.{name})")
        )
        for name, what in LIMITS.items()
    },
    "family's limits": Mutation("its limit of core file size is not 0", "limit_family = lambda: None"),
    "first seal": Mutation("not sealed", "import fcntl\nfcntl.F_SEAL_SEAL = 0"),
    "second seal": Mutation("not sealed", "import fcntl\nfcntl.F_SEAL_SHRINK = 0"),
    "third seal": Mutation("not sealed", "import fcntl\nfcntl.F_SEAL_GROW = 0"),
    "not dumpable": Mutation("dumpable", "hide_from_ptrace = lambda: call(system_call('prctl', _SET_DUMPABLE, 1))"),
}
"""Without something that the guest does, wherever it runs."""

BUBBLEWRAPS = {
    **GUESTS,
    "change of user": Mutation("its Uid is 0", "become = lambda uid: 0", only="root"),
    "change of user alone": Mutation("its Uid is 0", "os.setresuid = lambda *ids: None", only="root"),
    "change of group": Mutation("its Gid is 0", "os.setresgid = lambda *ids: None", only="root"),
    "end of other groups": Mutation(
        "groups besides its own .7", "_set = os.setgroups\nos.setgroups = lambda none: _set([7])", only="root"
    ),
    "end of inheritable capabilities": Mutation(
        "has capabilities .CapInh", "_GIVE_UP = system_call('setpgid')", only="root"
    ),
    "end of the bounding set": Mutation("has capabilities .CapBnd", "_DROP_FROM_BOUNDING_SET = 23", only="root"),
    "hiding from ptrace": Mutation("dumpable", "hide_from_ptrace = lambda: None", only="another"),
    "--cap-drop ALL": Mutation("more capabilities than it needs", command=("--cap-drop ALL", ""), only="root"),
    "--remount-ro /": Mutation("(^|: )/ is not mounted read-only", command=("--remount-ro / ", "")),
    "--ro-bind": Mutation("(^|: )/[a-z]+ is not mounted read-only", command=("--ro-bind", "--bind")),
    "--unshare-pid": Mutation("no pid namespace", command=("--unshare-pid", "")),
    "--unshare-ipc": Mutation("no ipc namespace", command=("--unshare-ipc", "")),
    "--unshare-uts": Mutation(
        "no uts namespace",
        command=("--unshare-uts --unshare-cgroup-try --die-with-parent --hostname quadrille", "--die-with-parent"),
    ),
    "--unshare-net": Mutation("no net namespace", command=("--unshare-net", "")),
}

DOCKERS = {
    **GUESTS,
    "child's namespaces": replace(GUESTS["child's namespaces"], said="chroot: Operation not permitted"),
    "user": Mutation("its Uid is 0", options={"user": "0:0"}),
    "cap_drop": Mutation("has capabilities .CapBnd", options={"cap_drop": []}),
    "read_only": Mutation("(^|: )/ is not mounted read-only", options={"read_only": False}),
    "seccomp": Mutation(FEWER_FILTERS, options={"security_opt": ["no-new-privileges", "seccomp=unconfined"]}),
    "process namespace": Mutation("no pid namespace", options={"pid_mode": "host"}),
    "IPC namespace": Mutation("no ipc namespace", options={"ipc_mode": "host"}),
    "network namespace": Mutation("no net namespace", options={"network_mode": "host"}),
    "host name": Mutation("no uts namespace", options={"uts_mode": "host", "hostname": None, "domainname": None}),
}


class MutatedBubblewrap(BubblewrapSandbox):
    """A jail without a layer."""

    def __init__(self, mutation: Mutation, folder: Path, python: str = "") -> None:
        self._mutation = mutation
        self._file = mutation.mutated(folder)
        super().__init__(python)

    def _command(self, control: int) -> Sequence[str]:
        command = [*super()._command(control)]
        end = command.index("--remount-ro")
        command[end:end] = ["--ro-bind", str(self._file), f"{GUEST}/sandbox/inside/{self._mutation.file}.py"]
        words, others = (text.replace(" ", "\0") for text in self._mutation.command)
        line = "\0".join(command)
        assert words in line
        return [word for word in line.replace(words, others, 1).split("\0") if word]


def refusal(open_: Callable[[], Sandbox]) -> str:
    """Why a sandbox does not open, or fails its self-test; "" if it does neither."""
    try:
        sandbox = open_()
    except SandboxError as error:
        return str(error)
    try:
        self_test(sandbox)
    except SandboxError as error:
        return str(error)
    finally:
        sandbox.close()
    return ""


def refusals(python: str = "") -> dict[str, str]:
    """What is said about each of bubblewrap's jails that applies, by the name of its mutation."""

    def said(mutation: Mutation) -> str:
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            return refusal(lambda: MutatedBubblewrap(mutation, Path(folder), python))

    chosen = {name: mutation for name, mutation in BUBBLEWRAPS.items() if mutation.applies()}
    with ThreadPoolExecutor(4) as pool:
        return dict(zip(chosen, pool.map(said, chosen.values()), strict=True))


def main(python: str) -> None:
    """Print what is said about each jail, a line for each."""
    for name, said in refusals(python).items():
        print(name, said, sep=": ")


if __name__ == "__main__":
    main(sys.argv[1])
