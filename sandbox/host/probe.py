"""Finds out what this machine offers to the sandbox and what it lacks, and names the commands that fix that."""

import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from sandbox.api import SandboxUnavailable
from sandbox.host import python_copy
from sandbox.host.seccomp import MACHINES
from sandbox.inside.lockdown import landlock_version

UNPRIVILEGED: Final = 65534  # the user and group of jails that root starts
_LANDLOCK_WANTED: Final = 6  # landlock versions: 6 for signals and abstract sockets, 4 for connections, 1 for files


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    name: str
    works: bool
    detail: str
    fix: str = ""  # the command that fixes it
    needed: bool = True  # whether student code runs only with it; the other findings strengthen the wall


def probe() -> Iterator[Finding]:
    """Check everything that matters to the sandbox, in the order in which to fix it."""
    system, release, processor = platform.system(), platform.release(), platform.machine()
    works = system == "Linux" and _release_version(release) >= (5, 10)
    yield Finding("Linux", works, f"{system} {release} (5.10 or later is needed)")
    known = ", ".join(MACHINES)
    yield Finding("processor", processor in MACHINES, f"{processor} (the system call filter knows {known})")
    yield _bubblewrap()
    yield from _user_namespaces()
    told = bool(_kernel_value(Path("/proc/self/schedstat")))
    detail = "/proc/self/schedstat tells how long a process queues for a processor"
    yield Finding("scheduler statistics", told, detail if told else f"no {detail}", needed=False)
    version = landlock_version()
    detail = f"landlock version {version} (from {_LANDLOCK_WANTED} on everything here is used)"
    yield Finding("landlock", version >= _LANDLOCK_WANTED, detail, needed=False)
    yield _library_copy()


def missing() -> str:
    """Return what is needed but missing, in one line, with the commands that fix it, or "" if nothing is missing."""
    return "; ".join(
        f"{finding.detail}" + (f", which `{finding.fix}` fixes" if finding.fix else "")
        for finding in probe()
        if finding.needed and not finding.works
    )


def _release_version(release: str) -> tuple[int, ...]:
    major, _, rest = release.partition(".")
    minor = rest.partition(".")[0]
    return (int(major), int(minor)) if major.isdigit() and minor.isdigit() else (0, 0)


def _bubblewrap() -> Finding:
    found = shutil.which("bwrap")
    if not found:
        return Finding("bubblewrap", False, "bubblewrap is not installed", "apt-get install bubblewrap")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout  # noqa: S603
    return Finding("bubblewrap", True, version.strip() or found)


_SWITCHES: Final = (
    # setting, the values that forbid namespaces, the command that allows them
    ("kernel.unprivileged_userns_clone", ("0",), "sysctl -w kernel.unprivileged_userns_clone=1"),
    ("user.max_user_namespaces", ("0",), "sysctl -w user.max_user_namespaces=15000"),
    (
        "kernel.apparmor_restrict_unprivileged_userns",
        ("1",),
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)


def _user_namespaces() -> Iterator[Finding]:
    """Check user namespaces. Ordinary users need them to make jails; root does not, but players in its jails get
    namespaces of their own where possible."""
    needed = os.geteuid() != 0
    for setting, forbidding, fix in _SWITCHES:
        value = _kernel_value(Path("/proc/sys", *setting.split(".")))
        if value in forbidding:
            yield Finding("user namespaces", False, f"{setting} is {value}", fix, needed)
            return
    yield Finding("user namespaces", True, "allowed", needed=needed)


@cache
def nesting_works() -> bool:
    """Whether a process of an ordinary user can have namespaces of its own here; False if that cannot be tried."""
    if not all(finding.works for finding in _user_namespaces()):
        return False
    user, others = (UNPRIVILEGED, ()) if os.geteuid() == 0 else (None, None)
    command = ["unshare", "--user", "--pid", "--ipc", "--fork", "true"]
    try:
        done = subprocess.run(  # noqa: S603
            command, capture_output=True, check=False, cwd="/", user=user, group=user, extra_groups=others
        )
    except OSError:
        return False
    return done.returncode == 0


def _library_copy() -> Finding:
    try:
        place = python_copy.place()
    except SandboxUnavailable as error:
        return Finding("library", False, str(error))
    if place.in_memory:
        return Finding("library", True, f"players see a copy of Python in memory, in {place.folder}", needed=False)
    detail = (
        f"there is no room in memory for players' copy of Python: it is in {place.folder}, and the kernel keeps each "
        "name that a player looks up there in vain, in memory that is charged to nobody"
    )
    return Finding("library", False, detail, "mount -o remount,exec,size=50% /dev/shm", needed=False)


def _kernel_value(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
