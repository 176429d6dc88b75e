"""Puts the shared libraries of the fork server into fewer mappings and pages (saves 5% of a game and 9% of a start).

A fork copies each mapping; a child asks the kernel for the code that it needs, some pages at a time, and gives all back
when it ends. A library has five mappings: its headers, code and constants, which cannot be written to; what only the
loader may write to; and its data. Here the first three become one, and the last two. The largest, the interpreter, is
then moved into huge pages, a few megabytes in all, which children find in place. Nothing is ever both writable and
executable. If the kernel refuses any of this, everything stays as it was: slower, and just as safe. Standard library
only.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator
from mmap import PAGESIZE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_LOAD, _READ_ONLY_ONCE_LOADED = 1, 0x6474E552  # kinds of segments, and what one allows: elf(5)
_WRITABLE: Final = 2
_READ, _WRITE, _EXECUTE = 1, 2, 4  # mprotect(2)
_CONSTANT: Final = _READ | _EXECUTE
_PRIVATE_MEMORY: Final = 0x22  # mmap(2)
_COLLAPSE: Final = 25  # madvise(2): into a huge page, now
_MOVE_THERE: Final = 3  # mremap(2)
_HUGE: Final = 1 << 21
_HEADER: Final = struct.Struct("32xQ14xHH")  # of a file: where its table of segments is, how long each row, how many


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
    """An entry of the loader's list (`struct link_map`, link.h)."""


_Library._fields_ = (
    ("address", ctypes.c_uint64),
    ("name", ctypes.c_char_p),
    ("dynamic", ctypes.c_void_p),
    ("next", ctypes.POINTER(_Library)),
)

_libc = ctypes.PyDLL(None)
_ADDRESS, _SIZE, _FLAGS = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
_libc.mprotect.argtypes = [_ADDRESS, _SIZE, _FLAGS]
_libc.madvise.argtypes = [_ADDRESS, _SIZE, _FLAGS]
_libc.munmap.argtypes = [_ADDRESS, _SIZE]
_libc.mmap.argtypes = [_ADDRESS, _SIZE, _FLAGS, _FLAGS, ctypes.c_int, ctypes.c_long]
_libc.mremap.argtypes = [_ADDRESS, _SIZE, _SIZE, _FLAGS, _ADDRESS]
_libc.mmap.restype = _libc.mremap.restype = _ADDRESS
_FAILED: Final = _ADDRESS(-1).value


def join() -> None:
    """Make neighbouring parts of each library, which differ only in what is forbidden, one mapping."""
    for start, end, allowed in _parts():
        if end > start:
            _libc.mprotect(start, end - start, allowed)


def use_huge_pages() -> None:
    """Move what is constant, after `join`, into huge pages, wherever one fits."""
    for start, end in _constant():
        for place in range(-(-start // _HUGE) * _HUGE, end - _HUGE + 1, _HUGE):
            copy = _huge_page()
            if copy and not _put(copy, place):
                _libc.munmap(copy, _HUGE)


def _put(copy: int, place: int) -> bool:
    """Replace what lies at a place by a copy, in one step, since it may be the code that is running."""
    ctypes.memmove(copy, place, _HUGE)
    refused = _libc.madvise(copy, _HUGE, _COLLAPSE) or _libc.mprotect(copy, _HUGE, _CONSTANT)
    return not refused and _libc.mremap(copy, _HUGE, _HUGE, _MOVE_THERE, place) == place


def _huge_page() -> int:
    """New memory for a huge page; 0 if there is none."""
    found = _libc.mmap(None, 2 * _HUGE, _READ | _WRITE, _PRIVATE_MEMORY, -1, 0)
    if found == _FAILED:
        return 0
    start: int = -(-found // _HUGE) * _HUGE
    for first, end in ((found, start), (start + _HUGE, found + 2 * _HUGE)):
        if end > first:
            _libc.munmap(first, end - first)
    return start


def _constant() -> Iterator[tuple[int, int]]:
    """The ranges of libraries that cannot be written to."""
    first, last = 0, 0
    for start, end, allowed in _parts():
        if allowed != _CONSTANT:
            continue
        if start != last:
            yield first, last
            first = start
        last = end
    yield first, last


def _parts() -> Iterator[tuple[int, int, int]]:
    """The pages of each part to be joined with its neighbour: from, to, and what will be allowed there."""
    for address, segment in _segments():
        start = (address + segment.address) // PAGESIZE * PAGESIZE
        end = address + segment.address + segment.size
        if segment.kind == _LOAD and not segment.flags & _WRITABLE:
            yield start, -(-end // PAGESIZE) * PAGESIZE, _CONSTANT
        elif segment.kind == _READ_ONLY_ONCE_LOADED:
            yield start, end // PAGESIZE * PAGESIZE, _READ | _WRITE


def _segments() -> Iterator[tuple[int, _Segment]]:
    """The address of each library, with each of its segments. (`dl_iterate_phdr` would leave behind a page that is
    writable and executable, which ctypes needs for callbacks.)"""
    library = ctypes.cast(_libc._handle, ctypes.POINTER(_Library))
    while library:
        address = library.contents.address
        if address:  # else it is a program that lies where it was linked to
            first, size, count = _HEADER.unpack(ctypes.string_at(address, _HEADER.size))
            for number in range(count):
                yield address, _Segment.from_address(address + first + number * size)
        library = library.contents.next
