"""Makes a copy of the interpreter that does not reveal where Python was installed. Jails contain the copy instead of
the original. Our own files lie beside it, already compiled: a jail that compiled them itself would take a sixth longer
to start.

Compiled modules, configuration and shared libraries contain the path where Python was installed, perhaps in somebody's
home. In the copy this path is overwritten, byte for byte. The copy is in memory (tmpfs) if there is room. For a folder
on disk, the kernel remembers every name that was looked up and not found, and this memory counts towards no player's
limit. For a folder in memory, it remembers none. The copy is made once and shared by all jails of a user.
"""

import fcntl
import hashlib
import os
import py_compile
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from sandbox.api import SandboxUnavailable
from sandbox.host.interpreter import HIDDEN, Interpreter

_ROOM: Final = 160 << 20  # bytes that must be free for a copy, which takes some 40 MiB
_LEFT_OUT: Final = (*HIDDEN, "config-*", "*.opt-1.pyc", "*.opt-2.pyc")


@dataclass(frozen=True, slots=True)
class CopyFolder:
    """A folder for copies, and whether it is in memory."""

    folder: Path
    in_memory: bool


def kept(parts: Interpreter) -> Path:
    """Return the folder of the copy, laid out as a jail's root. The copy is created if it does not exist. Other
    Quadrille processes do not remove it while this one lives. Raises SandboxUnavailable."""
    home = _own_folder(place().folder)
    root = home / _fingerprint(parts)
    while not (root in _held and root.exists()):
        if not root.exists():
            _make(parts, root)
        _hold(root)
        _clear_others(home, root)
    return root


def place() -> CopyFolder:
    """Return the folder in which this machine keeps copies. Raises SandboxUnavailable."""
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    in_memory = {where for _, where, kind, *_ in mounts if kind == "tmpfs"}
    for name in _folders():
        if _fits(name):
            return CopyFolder(Path(name), name in in_memory)
    raise SandboxUnavailable(
        "players' copy of Python needs a folder from which programs may be run and that has "
        f"{_ROOM >> 20} MiB of room; name one in TMPDIR, or mount a tmpfs with `exec` on /run/user/{os.geteuid()}"
    )


def _folders() -> Iterator[str]:
    """Yield the folders to try; those that are usually in memory come first."""
    yield from ("/dev/shm", f"/run/user/{os.geteuid()}")  # noqa: S108 - copies lie in a folder of our own in there
    yield os.environ.get("TMPDIR", "/tmp")  # noqa: S108
    yield from ("/var/tmp", os.path.expanduser("~/.cache"))  # noqa: S108


def _fits(folder: str) -> bool:
    if not os.access(folder, os.W_OK | os.X_OK):
        return False
    state = os.statvfs(folder)
    return state.f_bavail * state.f_frsize > _ROOM and not state.f_flag & (os.ST_NOEXEC | os.ST_RDONLY)


def _own_folder(parent: Path) -> Path:
    """Make a folder that nobody else can write to. Raises SandboxUnavailable."""
    folder = parent / f"quadrille-{os.geteuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    state = folder.lstat()
    if state.st_uid != os.geteuid() or state.st_mode & 0o170077 != 0o040000:
        raise SandboxUnavailable(f"{folder} does not belong to this user alone; remove it")
    return folder


@cache  # checking some 2,000 files takes a sixth of a jail's starting time
def _fingerprint(parts: Interpreter) -> str:
    """Return a hash of the sizes and modification times of the interpreter's files and our own. Each process computes
    it once."""
    states = hashlib.sha256(repr((parts.mounts, parts.renamed, parts.guest)).encode())
    for source, _ in (*parts.mounts, *parts.guest):
        for path in sorted(_interpreter_files(source)):
            state = os.stat(path)
            states.update(f"{path} {state.st_size} {state.st_mtime_ns}\n".encode())
    return states.hexdigest()[:16]


def _interpreter_files(source: Path) -> Iterator[str]:
    if source.is_file():
        yield str(source)
    ignored = shutil.ignore_patterns(*_LEFT_OUT)
    for folder, folders, files in os.walk(source):
        left_out = ignored(folder, folders + files)
        folders[:] = [name for name in folders if name not in left_out]
        yield from (os.path.join(folder, name) for name in files if name not in left_out)


def _make(parts: Interpreter, root: Path) -> None:
    part = Path(tempfile.mkdtemp(prefix=f"{root.name}.", dir=root.parent))
    try:
        fill(parts, part)
        for source, target in parts.guest:  # compiled for this version of Python; other versions ignore it
            copied = part / target[1:]
            compiled = copied.parent / "__pycache__" / f"{copied.stem}.{sys.implementation.cache_tag}.pyc"
            compiled.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copied)
            py_compile.compile(str(copied), str(compiled), dfile=target, doraise=True)
        os.chmod(part, 0o755)  # noqa: S103 - what jails see, in a folder of our own
        with suppress(OSError):  # another process was faster
            part.rename(root)
    except OSError as error:
        raise SandboxUnavailable(f"the interpreter cannot be copied to {root.parent}: {error}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


_held: Final[dict[Path, int]] = {}


def _hold(root: Path) -> None:
    """Keep other processes from removing the copy while this process lives. (One of them may have removed it just
    before.)"""
    with suppress(FileNotFoundError):
        opened = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(opened, fcntl.LOCK_SH)
        if root in _held:
            os.close(_held[root])
        _held[root] = opened


def _clear_others(home: Path, root: Path) -> None:
    """Remove copies that no process holds, such as those of an interpreter before an upgrade."""
    for other in home.iterdir():
        if other != root and "." not in other.name:
            with suppress(OSError):
                opened = os.open(other, os.O_RDONLY | os.O_DIRECTORY)
                try:
                    fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(other)
                finally:
                    os.close(opened)


def fill(parts: Interpreter, root: Path) -> None:
    """Copy the interpreter into a folder laid out as a jail's root. Raises OSError."""
    for source, target in parts.mounts:
        copied = root / target[1:]
        copied.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(
                source,
                copied,
                dirs_exist_ok=True,
                ignore=shutil.ignore_patterns(*_LEFT_OUT),
                copy_function=lambda one, other: _copy_file(parts, one, other),
            )
        else:
            _copy_file(parts, str(source), str(copied))


def _copy_file(parts: Interpreter, source: str, target: str) -> None:
    """Copy a file with its paths replaced, keeping size and times. Python uses these to tell whether a compiled module
    is out of date."""
    with open(source, "rb") as file:
        content = file.read()
    for old, new in parts.renamed:
        content = content.replace(old, new)
    with open(target, "wb") as file:
        file.write(content)
    shutil.copystat(source, target)
