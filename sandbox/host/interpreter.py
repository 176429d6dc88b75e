"""Finds the files of a Python interpreter that go into a jail: the executable, the standard library, and the shared
libraries that both need. Nothing else from the host is included.

In the jail, everything lies at fixed places, so that no path of the host is visible: `/py` (PYTHONHOME), `/lib` (every
shared library, in one folder) and the guest's own files.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import sandbox
from sandbox.api import SandboxUnavailable

HOME: Final = "/py"
EXECUTABLE: Final = "/py/bin/python3"
LIBRARIES: Final = "/lib"
GUEST: Final = "/guest"
ROOT: Final = "/players"
"""The folder of a container image that becomes the players' root; it holds the interpreter and nothing else."""
PACKAGE: Final = Path(sandbox.__path__[0])
INSIDE: Final = tuple(sorted(PACKAGE.glob("inside/*.py")))  # our files for a jail of players
PROGRAMS: Final = (*INSIDE, *sorted(PACKAGE.glob("inside/programs/*.py")))  # our files for a jail of programs
HIDDEN: Final = ("site-packages", "dist-packages", "ensurepip", "idlelib", "test")  # folders of the standard library
_UNUSED_EXTENSIONS: Final = (
    *("_tkinter", "_curses", "readline", "_dbm", "_gdbm", "_ssl", "_sqlite3", "nis", "_crypt", "_test", "_xx", "xx"),
    *("ossaudiodev", "spwd"),
)
"""Prefixes of the names of extension modules that are left out. (Prefixes instead of patterns, since the base image
lacks the package that `sandbox.patterns` needs.)"""

_ASK: Final = """
import json, sys, sysconfig
stdlib, dynload = sysconfig.get_path("stdlib"), sysconfig.get_config_var("DESTSHARED")
print(json.dumps([sys.version_info[:2], stdlib, dynload, sys.platlibdir, sys.base_prefix]))
"""
_USUAL: Final = ("/usr/local",)  # files can contain this prefix for other reasons


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python interpreter, and where its parts are in the jail."""

    mounts: tuple[tuple[Path, str], ...]  # (on the host, in the jail)
    renamed: tuple[tuple[bytes, bytes], ...]  # paths on the host, and equally long ones for the jail
    guest: tuple[tuple[Path, str], ...]  # our own files, in the format of `mounts`
    readable: tuple[str, ...]  # folders in the jail that a player may read


COMMAND: Final = (EXECUTABLE, "-s", "-S", "-P", "-B", "-m", "sandbox.inside.guest")
"""The command that runs in the jail, with ENVIRONMENT; the number of the control socket is appended."""
ENVIRONMENT: Final = {
    "PYTHONHOME": HOME,
    "PYTHONPATH": GUEST,
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "LD_LIBRARY_PATH": LIBRARIES,
    "LD_BIND_NOW": "1",
}
"""The whole environment. The hash seed is the same for every player, since it cannot change once the fork server has
started. Sets of strings therefore always iterate in the same order."""


@lru_cache(maxsize=4)
def find(executable: str = "") -> Interpreter:
    """Find the parts of the given interpreter; "" is the interpreter that runs this program (the base of a virtual
    environment). Raises SandboxUnavailable if they cannot be found."""
    python = Path(executable or getattr(sys, "_base_executable", sys.executable)).resolve()
    (major, minor), stdlib, dynload, platlibdir, prefix = json.loads(_output_of([str(python), "-I", "-S", "-c", _ASK]))
    inside = f"{HOME}/{platlibdir}/python{major}.{minor}"
    mounts = [(python, EXECUTABLE), (Path(stdlib), inside)]
    if Path(dynload).parent != Path(stdlib):
        mounts.append((Path(dynload), f"{inside}/lib-dynload"))
    extensions = sorted(
        str(path) for path in Path(dynload).glob("*.so") if not path.name.startswith(_UNUSED_EXTENSIONS)
    )
    libraries = shared_libraries([str(python), *extensions])
    if not libraries:
        raise SandboxUnavailable(f"the shared libraries of {python} cannot be listed with ldd")
    mounts += [(Path(library), _library_inside(library)) for library in libraries]
    guest = tuple(own_files(INSIDE))
    telling = prefix not in _USUAL and len(Path(prefix).parts) > len(("/", "usr"))
    renamed = [(stdlib, inside), *([(prefix, HOME)] if telling else [])]
    padded = [_as_long(old, new) for old, new in renamed if len(old) >= len(new)]
    return Interpreter(tuple(mounts), (*_shared_ends(padded), *padded), guest, (inside, LIBRARIES))


def own_files(files: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Yield these files of Quadrille with their paths in a jail, in the format of `Interpreter.guest`."""
    for file in (PACKAGE / "__init__.py", *files):
        yield file, f"{GUEST}/sandbox/{file.relative_to(PACKAGE)}"


def _as_long(old: str, new: str) -> tuple[bytes, bytes]:
    """Return a path and its replacement, padded with slashes to the same length."""
    top, _, rest = new[1:].partition("/")
    return old.encode(), f"/{top}".ljust(len(old) - len(rest), "/").encode() + rest.encode()


def _shared_ends(renamed: Sequence[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    """Yield further replacements for a folder named after a version of Python. Linkers merge strings with a common
    ending: if a string ends with the path, the version at its end may also serve as a string of its own, so it must
    keep its position.
    """
    for old, new in renamed:
        folder, _, version = old.rpartition(b"/")
        if b"." in version and all(part.isdigit() for part in version.split(b".")):
            yield old + b"\0", new[: len(folder)] + b"/" + version + b"\0"


def _library_inside(library: str) -> str:
    """Return the path of a library in the jail. All libraries share one folder, except the loader, which must be where
    the executable expects it."""
    name = Path(library).name
    return library if name.startswith("ld-linux") else f"{LIBRARIES}/{name}"


def shared_libraries(files: Sequence[str]) -> list[str]:
    """Return the shared libraries that these programs and libraries need, and the loader. Raises SandboxUnavailable."""
    lines = (line.strip().partition(" (0x") for line in _output_of(["ldd", *files]).splitlines())
    paths = {left.rpartition(" => ")[2] for left, found, _ in lines if found}
    return sorted(path for path in paths if path.startswith("/"))


def _output_of(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout  # noqa: S603
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxUnavailable(f"looking for the parts of the Python interpreter failed: {error}") from error
