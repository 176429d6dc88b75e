"""The shared libraries of the fork server, in fewer mappings: a fork copies each one, and the end of a child frees it.

A library comes in five: its headers, its code and its constants, none of which can be written to; then what only the
loader may write to, and its data. Here the first three become one, and the last two. Nothing becomes writable and
executable at once. Inside the box; standard library only.
"""

import ctypes
from collections.abc import Iterator
from mmap import PAGESIZE
from typing import Final

_LOAD, _READ_ONLY_ONCE_LOADED = 1, 0x6474E552  # kinds of segments, and what one allows: elf(5)
_WRITABLE: Final = 2
_READ, _WRITE, _EXECUTE = 1, 2, 4  # mprotect(2)


class _Segment(ctypes.Structure):
    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("offset", ctypes.c_uint64),
        ("address", ctypes.c_uint64),
        ("physical", ctypes.c_uint64),
        ("in_file", ctypes.c_uint64),
        ("size", ctypes.c_uint64),
        ("alignment", ctypes.c_uint64),
    )


class _Library(ctypes.Structure):
    _fields_ = (
        ("address", ctypes.c_uint64),
        ("name", ctypes.c_char_p),
        ("segments", ctypes.POINTER(_Segment)),
        ("count", ctypes.c_uint16),
    )


_Visitor = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Library), ctypes.c_size_t, ctypes.c_void_p)

_libc = ctypes.PyDLL(None)
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def join() -> None:
    """Where the kernel refuses, a library stays as it is: slower, and no less safe."""
    for start, end, allowed in _parts():
        if end > start:
            _libc.mprotect(start, end - start, allowed)


def _parts() -> Iterator[tuple[int, int, int]]:
    """The pages of each part that is to be like its neighbour: from, to, and what shall be allowed there."""
    for library in _libraries():
        for segment in library.segments[: library.count]:
            start = (library.address + segment.address) // PAGESIZE * PAGESIZE
            end = library.address + segment.address + segment.size
            if segment.kind == _LOAD and not segment.flags & _WRITABLE:
                yield start, -(-end // PAGESIZE) * PAGESIZE, _READ | _EXECUTE
            elif segment.kind == _READ_ONLY_ONCE_LOADED:
                yield start, end // PAGESIZE * PAGESIZE, _READ | _WRITE


def _libraries() -> list[_Library]:
    found = []

    def keep(library: "ctypes._Pointer[_Library]", _size: int, _data: int) -> int:
        found.append(_Library.from_buffer_copy(library.contents))
        return 0

    _libc.dl_iterate_phdr(_Visitor(keep), None)
    return found
