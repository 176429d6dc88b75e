"""Every module of the standard library can be imported by a player, or is refused by its name, with the reason."""

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from sandbox.api import Fault, Limits, Program, Sandbox, Value, Verdict, call
from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.backends.trusted import TrustedSandbox
from sandbox.host.codec import decode
from sandbox.host.fault_messages import SourceFile, from_report
from sandbox.inside.refused_modules import REFUSED
from sandbox.inside.wire import encode
from tests.sandbox.host.test_interpreter import interpreters

pytestmark = pytest.mark.full

ALL = r"""
import json, os, sys, sysconfig
from pathlib import Path

LEFT_OUT = {"test", "tests", "idlelib", "ensurepip", "turtledemo", "site-packages", "dist-packages",
            "sitecustomize", "__pycache__"}
library = Path(sysconfig.get_path("stdlib"))
found = set(sys.stdlib_module_names)
for path in library.rglob("*.py"):
    *folders, file = path.relative_to(library).with_suffix("").parts
    names = folders if file == "__init__" else [*folders, file]
    if not LEFT_OUT & set(names) and file != "__main__" and all(name.isidentifier() for name in names):
        found.add(".".join(names))
print(json.dumps(sorted(found)))
"""

IMPORTS = b"""
import importlib

def f(names):
    failed = []
    for name in names:
        try:
            importlib.import_module(name)
        except Exception as error:
            failed.append((name, type(error).__name__, getattr(error, 'name', ''), str(error)))
    return failed
"""
COMMON = """
    abc array asyncio bisect collections collections.abc concurrent.futures copy csv ctypes dataclasses datetime
    decimal enum fractions functools getpass gzip hashlib heapq http importlib.resources inspect io itertools json
    locale logging math multiprocessing operator os os.path pathlib pickle platform pprint pydoc queue random re
    shutil socket statistics string struct subprocess sys sysconfig tempfile textwrap threading time timeit trace
    traceback types typing unittest.mock urllib uuid venv warnings weakref xml.etree.ElementTree zipfile zoneinfo
"""
LIMITS = Limits(call_s=60.0, game_s=60.0, memory=1 << 30, wall_factor=10.0)


def tried(sandbox: BubblewrapSandbox, names: list[str]) -> list[tuple[str, str, str, str]]:
    """Which of the modules a player could not import, and what it was told."""
    session = sandbox.open(Program(IMPORTS, {"f": (1,)}), LIMITS, 1)
    assert not isinstance(session, Fault), session
    reply = call(session, "f", (names,))
    assert isinstance(reply, Value), (reply, session.output()[0][-200:])
    session.close()
    return [(name, kind, module, text) for name, kind, module, text in reply.data]


@pytest.mark.parametrize("python", interpreters())
def test_each_module_imports_or_is_refused_with_the_reason(python: str) -> None:
    done = subprocess.run([python or sys.executable, "-I", "-c", ALL], capture_output=True, text=True, check=True)
    names = {*json.loads(done.stdout), *COMMON.split()}
    refused = {name for name in REFUSED if "." not in name or name in names}
    with BubblewrapSandbox(python) as sandbox:
        failed = tried(sandbox, sorted(names | refused))
    assert len(names) > 600
    assert {name for name, *_ in failed} >= refused
    assert not {name for name, *_ in failed} & {*COMMON.split()}
    for name, _, module, text in failed:
        assert text == f"{module} cannot be used here: {REFUSED.get(module)}", name


SENTENCES = [
    ("ssl", "Your program imports ssl on line 1, which cannot be used here: players have no network."),
    ("sqlite3.dbapi2", "Your program imports sqlite3 on line 1, which cannot be used here: "
     "players cannot keep files, so they cannot use databases."),
    ("curses", "Your program imports curses on line 1, which cannot be used here: players have no terminal."),
    ("msvcrt", "Your program imports msvcrt on line 1, which cannot be used here: it is for Windows only."),
    ("os.paths", "Your program raised ModuleNotFoundError on line 1: \"No module named 'os.paths'; "
     "'os' is not a package\""),
]  # fmt: skip


@pytest.mark.parametrize(("module", "sentence"), SENTENCES)
@pytest.mark.parametrize("backend", [BubblewrapSandbox, TrustedSandbox])
def test_the_sentence(backend: Callable[[], Sandbox], module: str, sentence: str) -> None:
    with backend() as sandbox:
        fault = sandbox.open(Program(f"import {module}".encode()), Limits(), 1)
    assert isinstance(fault, Fault)
    assert (fault.verdict, fault.message.rstrip(".")) == (Verdict.RTE, sentence.rstrip("."))


INNOCENT = """
import getpass, os, pathlib, platform, site, subprocess, sysconfig, tempfile, uuid, webbrowser, zoneinfo
ASK = [
    getpass.getuser, pathlib.Path.home, tempfile.gettempdir, uuid.uuid1, platform.platform, platform.processor,
    site.getusersitepackages, lambda: zoneinfo.ZoneInfo("Europe/Berlin"), lambda: webbrowser.open("/"),
]
def f():
    for ask in ASK:
        try:
            ask()
        except (OSError, RuntimeError, ImportError, KeyError):
            pass
    return [os.path.expanduser("~"), os.path.expanduser("~root"), len(sysconfig.get_paths()) > 5]
"""


def test_what_modules_do_on_their_own_harms_no_player() -> None:
    with BubblewrapSandbox() as sandbox:
        session = sandbox.open(Program(INNOCENT.encode(), {"f": (0,)}), Limits(), 1)
        assert not isinstance(session, Fault), session
        reply = call(session, "f", ())
        session.close()
    assert isinstance(reply, Value), reply
    assert reply.data == ["~", "~root", True]


def test_a_module_that_this_python_lacks_is_named() -> None:
    report = {"kind": "exception", "type": "ModuleNotFoundError", "module": "lib2to3", "frames": [[1, "<module>", 1]]}
    body = encode({**report, "text": "No module named 'lib2to3'"}).encode()
    assert from_report(decode(body), SourceFile(b"import lib2to3", "player.py"), Limits()).message == (
        "Your program imports lib2to3 on line 1, a part of the standard library that is not installed here."
    )
