"""A jail shows the interpreter, its standard library and nothing else, whichever interpreter it is."""

import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.api import Fault, Limits, Program, Value, call
from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.host import interpreter
from sandbox.host.jail import LAYERS

OLDEST = "import sys; print(sys.version_info >= (3, 11))"

LOOKS_AROUND = b"""
import os

def f():
    found = []
    for folder, folders, files in os.walk("/"):
        found += [os.path.join(folder, name) for name in files]
    return [sorted(os.listdir("/")), [name for name in found if "site-packages" in name or "dist-packages" in name],
            [name for name in found if not name.startswith(("/py/", "/lib", "/guest/sandbox/"))]]
"""

IMPORTS = b"""
import bisect, collections, ctypes, dataclasses, datetime, decimal, enum, fractions, functools, hashlib, heapq
import itertools, json, math, operator, pickle, queue, random, re, statistics, string, struct, threading, time, typing
import unittest, uuid, zlib, asyncio, logging, copy, csv, pprint, textwrap, traceback, abc, array, contextlib, doctest

def f():
    return [str(decimal.Decimal(1) / 7)[:6], hashlib.sha256(b"x").hexdigest()[:4], zlib.crc32(b"x")]
"""


def interpreters() -> list[str]:
    """This one, and the system's if it is another and new enough."""
    system = Path("/usr/bin/python3")
    if not system.exists() or system.resolve() == Path(sys._base_executable).resolve():  # type: ignore[attr-defined]
        return [""]
    answer = subprocess.run([str(system), "-c", OLDEST], capture_output=True, text=True, check=False)
    return ["", str(system)] if answer.stdout.strip() == "True" else [""]


@pytest.mark.parametrize("python", interpreters())
def test_nothing_of_the_host_is_visible(python: str) -> None:
    with BubblewrapSandbox(python, LAYERS - {"landlock"}) as sandbox:
        assert sandbox.open(Program(b"1/0"), Limits(), 1) is not None
        session = sandbox.open(Program(LOOKS_AROUND, {"f": (0,)}), Limits(reply=128 << 10), 1)
        assert not isinstance(session, Fault), session
        reply = call(session, "f", ())
        session.close()
    assert isinstance(reply, Value), reply
    roots, packages, others = reply.data
    assert set(roots) <= {"py", "lib", "lib64", "guest"}
    assert packages == []
    assert others == []


@pytest.mark.parametrize("python", interpreters())
def test_the_standard_library_can_be_imported(python: str) -> None:
    with BubblewrapSandbox(python) as sandbox:
        session = sandbox.open(Program(IMPORTS, {"f": (0,)}), Limits(), 1)
        assert not isinstance(session, Fault), session
        reply = call(session, "f", ())
        session.close()
    assert isinstance(reply, Value), reply
    assert reply.data == ["0.1428", "2d71", 2363233923]


def test_guest_files_import_only_the_standard_library_and_each_other() -> None:
    program = (
        "import sys; import sandbox.inside.guest; print(*sorted(n for n in sys.modules if n.startswith('sandbox.')))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3]
    )
    assert set(done.stdout.split()) <= {
        "sandbox.inside",
        *(f"sandbox.inside.{file.stem}" for file in interpreter.INSIDE),
    }
