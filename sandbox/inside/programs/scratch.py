"""The scratch folder of a command, which the keeper creates, fills, reads back and wipes. Links are never followed."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable, Mapping
from contextlib import suppress

from sandbox.inside import lockdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

FOLDER: Final = "/scratch"
NOT_THERE: Final = -1
LENGTH: Final = struct.Struct("=q")  # before each kept file; NOT_THERE if it is missing or too long

_NOSUID_NODEV: Final = 2 | 4
_RESOLVE: Final = 0x04 | 0x08 | 0x01  # NO_SYMLINKS, BENEATH, NO_XDEV


def mount(folder: str, size: int, files: int) -> None:
    """Mount a file system in memory at this folder, for at most `size` bytes and `files` files. Raises OSError."""
    kind, place = (ctypes.create_string_buffer(text.encode()) for text in ("tmpfs", folder))
    options = ctypes.create_string_buffer(f"size={size},nr_inodes={files + 1},mode=0755".encode())
    at = [ctypes.addressof(each) for each in (kind, place, kind)]
    lockdown.call(lockdown.system_call("mount", *at, _NOSUID_NODEV, ctypes.addressof(options)))


def fill(folder: str, files: Mapping[str, bytes], executable: Iterable[str]) -> None:
    """Write the files that the command starts with. Raises OSError."""
    for name, content in files.items():
        path = f"{folder}/{name}"
        if "/" in name:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o755 if name in executable else 0o644)
        with open(file, "wb", buffering=0) as opened:
            left = memoryview(content)
            while left:
                left = left[opened.write(left) :]


def kept(folder: str, names: Iterable[str], most: int) -> bytes:
    """Return the content of the named files, each preceded by its length; at most `most` bytes of content."""
    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    parts = []
    try:
        for name in names:
            content = _kept_content(top, name, most)
            most -= len(content or b"")
            parts.append(LENGTH.pack(NOT_THERE if content is None else len(content)) + (content or b""))
    finally:
        os.close(top)
    return b"".join(parts)


def _kept_content(top: int, name: str, most: int) -> bytes | None:
    how = struct.pack("=QQQ", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY, 0, _RESOLVE)
    path, asked = ctypes.create_string_buffer(os.fsencode(name)), ctypes.create_string_buffer(how)
    opening = lockdown.system_call("openat2", top, ctypes.addressof(path), ctypes.addressof(asked), len(how))
    try:
        file = lockdown.call(opening)
    except OSError:  # the file is missing, a link, or unreadable
        return None
    try:
        state = os.fstat(file)
        if not stat.S_ISREG(state.st_mode) or state.st_size > most:
            return None
        with open(file, "rb", buffering=0, closefd=False) as opened:
            return opened.readall()
    finally:
        os.close(file)


def wipe(folder: str) -> None:
    """Remove everything in a folder, however deep it is nested. Nothing else may change the folder meanwhile."""
    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        count = 0
        while names := os.listdir(top):
            for name in names:
                count = _remove_entry(top, name, count)
    finally:
        os.close(top)


def _remove_entry(top: int, name: str, count: int) -> int:
    """Remove the named entry. A folder's content is first moved up, under numbered names. Returns the last number."""
    try:
        os.unlink(name, dir_fd=top)
        return count
    except (IsADirectoryError, PermissionError):
        with suppress(OSError):
            os.chmod(name, 0o700, dir_fd=top)
    inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
    try:
        for each in os.listdir(inner):
            count += 1
            os.rename(each, f"moved up {count} {os.urandom(8).hex()}", src_dir_fd=inner, dst_dir_fd=top)
    finally:
        os.close(inner)
    os.rmdir(name, dir_fd=top)
    return count
