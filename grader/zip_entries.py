"""Finds the dangerous and the unreadable entries of a zip. Nothing is unpacked to the disk here, but the paths of the
entries may become those of files later."""

import stat
import zlib
from typing import Final
from zipfile import BadZipFile, ZipInfo

DAMAGED: Final = (BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError)
"""What reading a zip raises that is damaged, or packed in an unusual way."""

LONGEST_PATH: Final = 200
_ENCRYPTED, _UTF_8 = 0x1, 0x800


def leads_out(path: str, folder: str) -> str:
    """Why a path does not stay in its folder; "" if it does. `folder`: what to make a zip of instead."""
    if path.startswith("/") or path[1:2] == ":":
        return f"Its name is absolute. Make a zip of {folder}."
    return f"Its name leads out of the folder by “..”. Make a zip of {folder}." if ".." in path.split("/") else ""


def too_long(path: str) -> str:
    """That a path is too long; "" if it is not."""
    return f"Its name has more than {LONGEST_PATH} characters. Rename it." if len(path) > LONGEST_PATH else ""


def not_plain(entry: ZipInfo) -> str:
    """Why an entry is not a plain file; "" if it is one."""
    if is_link(entry):
        return "It is a link to another file. Put a copy of the file in its place."
    plain = stat.S_IFMT(entry.external_attr >> 16) in (0, stat.S_IFREG)
    return "" if plain else "It is not a plain file. Leave it out."


def is_link(entry: ZipInfo) -> bool:
    """Whether it is a symbolic link, whose content is the path that it leads to."""
    return stat.S_ISLNK(entry.external_attr >> 16)


def encrypted(entry: ZipInfo) -> str:
    """That an entry is encrypted, and what to do; "" if it is not."""
    return "It is encrypted. Make a zip without a password." if entry.flag_bits & _ENCRYPTED else ""


def has_clear_name(entry: ZipInfo) -> bool:
    """Whether the encoding of its name is known: it is ASCII, or says that it is UTF-8."""
    return entry.orig_filename.isascii() or bool(entry.flag_bits & _UTF_8)
