"""Which files are accepted, and what is said of the others."""

import ast
import io
import zipfile
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.store.uploads import LARGEST, EmptyFile, NotText, NotUtf8, OldLineEnds, TooLarge, UploadError, check_upload

ACCEPTED = {
    "a program": b"def play():\n    return 1\n",
    "with a byte order mark": b"\xef\xbb\xbfx = 1\n",
    "Windows line ends": b"x = 1\r\ny = 2\r\n",
    "non-ASCII text": "name = 'Zoë' # ♠\n".encode(),
    "no Python at all": b"Dear Sir or Madam,\n",
    "no functions": b"x = 1\n",
    "says UTF-8": b"#!python\n# -*- coding: UTF-8 -*-\n",
    "says utf8": b"# vim: set fileencoding=utf8 :\r\n",
    "says utf_8 after a byte order mark": b"\xef\xbb\xbf# coding: utf_8\n",
    "says it where Python does not look": b"x = 1\n# coding: latin-1\n",
    "says it on line 3": b"\n\n# coding: latin-1\n",
    "speaks of coding": b"# my coding style: none\n# encoding: utf-8\n",
    "a dictionary": b'{"cells": 1}\n',
    "as large as may be": b"#" * LARGEST,
    "names like signs of other files": b"MZ = 1\nGIF8 = 2\n",
}


@pytest.mark.parametrize("source", ACCEPTED.values(), ids=ACCEPTED)
def test_text_is_accepted(source: bytes) -> None:
    check_upload(source)


def zipped(name: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, "x" * 100)
    return buffer.getvalue()


REFUSED = {
    "empty": (b"", EmptyFile, "Your file is empty."),
    "white space": (b" \n\t\r\n", EmptyFile, "Your file is empty."),
    "only a byte order mark": (b"\xef\xbb\xbf\n", EmptyFile, "Your file is empty."),
    "300 KiB": (b"#" * (300 << 10), TooLarge, "Your file is 300 KiB; the limit is 256 KiB."),
    "one byte too many": (b"#" * (LARGEST + 1), TooLarge, "Your file is 257 KiB; the limit is 256 KiB."),
    "ZIP": (zipped("player.py"), NotText, "This looks like a ZIP archive, not like a Python file."),
    "docx": (zipped("word/document.xml"), NotText, "This looks like a Word document"),
    "xlsx": (zipped("xl/workbook.xml"), NotText, "This looks like an Excel workbook"),
    "old Word": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0", NotText, "an old Word or Excel document"),
    "PDF": (b"%PDF-1.7\n%\xe2\xe3", NotText, "a PDF document"),
    "RTF": (b"{\\rtf1\\ansi import random}", NotText, "a rich-text (RTF) document"),
    "ELF": (b"\x7fELF\x02\x01\x01\0", NotText, "a program for Linux"),
    "Windows program": (b"MZ\x90\0\x03\0", NotText, "a binary file"),
    "pyc": (b"\xa7\x0d\x0d\x0a\0\0\0\0", NotText, "compiled Python (.pyc)"),
    "PNG": (b"\x89PNG\r\n\x1a\n", NotText, "a picture (PNG)"),
    "notebook": (b'{\n "cells": [],\n "nbformat": 4\n}\n', NotText, "a Jupyter notebook"),
    "web page": (b"\n<!DOCTYPE html>\n<html>", NotText, "a web page"),
    "NUL byte": (b"# fine\nx = 1\0\n", NotText, "Line 2 of your file has a NUL character"),
    "carriage return": (
        b"# fine\r\n# x\rprint()\r\n",
        OldLineEnds,
        "Line 2 of your file has a carriage return",
    ),
    "carriage returns": (b"x = 1\ry = 2\r", OldLineEnds, "Save the file with LF or CRLF line endings"),
    "a carriage return at the end": (b"x = 1\n\r", OldLineEnds, "Line 2 of your file has a carriage return"),
    "two carriage returns": (b"x = 1\r\r\n", OldLineEnds, "Line 1 of your file has a carriage return"),
    "says latin-1": (b"# coding: latin-1\nx = 1\n", NotUtf8, "Line 1 of your file says that the file is not in UTF-8"),
    "says escapes": (b"#!python\n# -*- coding: unicode_escape -*-\n# \\nx=1", NotUtf8, "Line 2 of your file says that"),
    "says utf-7": (
        b"\n#vim:fileencoding=utf-7\n# +AAo-x",
        NotUtf8,
        "Line 2 of your file says that the file is not in UTF-8",
    ),
    "says ascii": (b"\x0c # coding=ascii\n", NotUtf8, "delete that comment"),
    "says nonsense": (b"# coding: nonsense\n", NotUtf8, "Line 1 of your file says that the file is not in UTF-8"),
    "a byte order mark says otherwise": (b"\xef\xbb\xbf# coding: cp1252\n", NotUtf8, "Line 1 of your file says"),
    "UTF-16": ("x = 1\n".encode("utf-16"), NotUtf8, "Your file is saved as UTF-16"),
    "Latin-1": (b"# fine\nname = 'Zo\xeb'\n", NotUtf8, "the byte 0xEB at position 11 of line 2 is not valid"),
    "Windows-1252": (b"say(\x93hello\x94)\n", NotUtf8, "the byte 0x93 at position 5 of line 1 is not valid"),
}


@pytest.mark.parametrize(("source", "kind", "message"), REFUSED.values(), ids=REFUSED)
def test_the_rest_is_refused_with_a_clear_message(source: bytes, kind: type[UploadError], message: str) -> None:
    with pytest.raises(UploadError) as raised:
        check_upload(source)
    assert type(raised.value) is kind
    assert message in str(raised.value)


@given(st.binary(max_size=200))
def test_any_bytes_are_accepted_as_text_or_refused(source: bytes) -> None:
    refusal = refused(source)
    assert refusal is None or refusal.endswith((".", "?", ")."))
    assert refusal is not None or source.decode()


PIECES = (
    *(b"# ", b"coding:", b"coding=", b" ", b"utf-8", b"utf-7", b"cp1252", b"\r", b"\n", b"\x0c"),
    *(b"x = '\xc3\xa9'", b"\xef\xbb\xbf", b"\\n", b"+AAo-"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_python_reads_what_is_accepted_as_people_do(pieces: list[bytes]) -> None:
    source = b"".join(pieces)
    if refused(source) is None:
        read = partial(compile, filename="player.py", mode="exec", flags=ast.PyCF_ONLY_AST)
        try:
            expected = ast.dump(read(source.decode("utf-8-sig").replace("\r\n", "\n")))
        except SyntaxError:
            return
        assert ast.dump(read(source)) == expected


def refused(source: bytes) -> str | None:
    try:
        check_upload(source)
    except UploadError as refusal:
        return str(refusal)
    return None
