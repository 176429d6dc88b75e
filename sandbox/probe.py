"""What this machine offers to the sandbox, what it lacks, and the command that mends it."""

import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sandbox.lockdown import landlock_version
from sandbox.seccomp import MACHINES

_LANDLOCK_WANTED: Final = 6  # signals and abstract sockets; 4: connections; 1: files


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked for. `needed`: without it no student code runs; the rest strengthens the wall."""

    name: str
    works: bool
    detail: str
    mend: str = ""
    needed: bool = True


def probe() -> list[Finding]:
    """Everything that matters here, in the order in which to mend it."""
    return [_linux(), _processor(), _bubblewrap(), *_user_namespaces(), _clocks(), _landlock()]


def missing() -> str:
    """What is needed and lacking, in one line, with what mends it; "" if nothing is."""
    return "; ".join(
        f"{finding.detail}" + (f", which `{finding.mend}` mends" if finding.mend else "")
        for finding in probe()
        if finding.needed and not finding.works
    )


def _linux() -> Finding:
    works = platform.system() == "Linux" and _version() >= (5, 10)
    return Finding("Linux", works, f"{platform.system()} {platform.release()} (5.10 or later is needed)")


def _version() -> tuple[int, ...]:
    major, _, rest = platform.release().partition(".")
    minor = rest.partition(".")[0]
    return (int(major), int(minor)) if major.isdigit() and minor.isdigit() else (0, 0)


def _processor() -> Finding:
    name = platform.machine()
    known = ", ".join(MACHINES)
    return Finding("processor", name in MACHINES, f"{name} (the system call filter knows {known})")


def _bubblewrap() -> Finding:
    found = shutil.which("bwrap")
    if not found:
        return Finding("bubblewrap", False, "bubblewrap is not installed", "apt-get install bubblewrap")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout  # noqa: S603
    return Finding("bubblewrap", True, version.strip() or found)


_SWITCHES: Final = (
    # setting, the values that forbid, the command that allows
    ("kernel.unprivileged_userns_clone", ("0",), "sysctl -w kernel.unprivileged_userns_clone=1"),
    ("user.max_user_namespaces", ("0",), "sysctl -w user.max_user_namespaces=15000"),
    (
        "kernel.apparmor_restrict_unprivileged_userns",
        ("1",),
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)


def _user_namespaces() -> Iterator[Finding]:
    """Ordinary users make jails in user namespaces; root needs none, but its players get their own where they can."""
    needed = os.geteuid() != 0
    for setting, forbidding, mend in _SWITCHES:
        value = _read(Path("/proc/sys", *setting.split(".")))
        if value in forbidding:
            yield Finding("user namespaces", False, f"{setting} is {value}", mend, needed)
            return
    yield Finding("user namespaces", True, "allowed", needed=needed)


def _clocks() -> Finding:
    works = bool(_read(Path("/proc/self/schedstat")))
    detail = "/proc/self/schedstat tells how long a process queues for a processor"
    return Finding("scheduler statistics", works, detail if works else f"no {detail}", needed=False)


def _landlock() -> Finding:
    version = landlock_version()
    detail = f"landlock version {version} (from {_LANDLOCK_WANTED} on everything here is used)"
    return Finding("landlock", version >= _LANDLOCK_WANTED, detail, needed=False)


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
