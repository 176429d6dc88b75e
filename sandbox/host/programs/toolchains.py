"""Finds the files of this machine's toolchains that commands see in a jail, read-only: a compiler's own programs,
headers, start files and libraries, and what a compiled program needs to run. Nothing else from the host is included.
Below `ROOT`, each file has the same path as on the host (`where_is`), because compilers know their own paths.
"""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from sandbox.api import SandboxUnavailable
from sandbox.host import interpreter, python_copy
from sandbox.host.interpreter import shared_libraries
from sandbox.host.seccomp import names
from sandbox.inside.programs.scratch import FOLDER

ROOT: Final = "/tools"  # the folder of a jail that becomes a command's root
TOOLS: Final = ("g++", "gcc", "python3")
LINKED: Final = ("lib", "lib64", "bin")  # links on most machines, such as `/lib` to `usr/lib`
_COMPILERS: Final = {"g++": "cc1plus", "gcc": "cc1"}
_INSTALL: Final = {"g++": "apt-get install g++", "gcc": "apt-get install gcc libc6-dev", "python3": ""}
_HEADERS: Final = "/usr/include"
_RUNTIME: Final = names("""
    libc.so.6 libm.so.6 libmvec.so.1 libstdc++.so.6 libgcc_s.so.1 libpthread.so.0 libdl.so.2 librt.so.1 libasan.so
    libubsan.so
    """)
"""The libraries with which a compiled program may be linked."""
_FOR_LINKING: Final = names("""
    crt1.o Scrt1.o gcrt1.o rcrt1.o crti.o crtn.o libc.so libc.a libc_nonshared.a libm.so libm.a libm-2.36.a
    libmvec.a libmvec.so libpthread.a libdl.a librt.a libutil.a
    """)
_PYTHON_LIBRARIES: Final = "/pylib"


@dataclass(frozen=True, slots=True)
class Toolchain:
    """The files of one tool. `files` are pairs (path on the host, path for the command); a folder stands for everything
    in it. `program` is the path at which the command finds the tool, and `environment` has the variables that it
    needs in addition to the usual ones."""

    program: str
    files: tuple[tuple[str, str], ...]
    environment: tuple[tuple[str, str], ...] = field(default=())


def missing(tool: str) -> str:
    """Return why this tool cannot be used on this machine and how to change that, or "" if it can be used."""
    try:
        find(tool)
    except SandboxUnavailable as error:
        return str(error)
    return ""


@lru_cache
def find(tool: str) -> Toolchain:
    """Return the files of a tool. Raises SandboxUnavailable, with the command that installs it."""
    if tool == "python3":
        return _python()
    if tool not in _COMPILERS:
        raise SandboxUnavailable(f"there is no toolchain {tool!r}, only {', '.join(TOOLS)}")
    driver = shutil.which(tool, path="/usr/bin:/bin:/usr/local/bin")
    if not driver:
        raise SandboxUnavailable(f"{tool} is not installed; `{_INSTALL[tool]}` installs it")
    return _compiler(tool, driver)


@lru_cache
def runtime() -> tuple[tuple[str, str], ...]:
    """Return the loader and the existing libraries that every command sees, in the format of `Toolchain.files`."""
    asked = shutil.which("g++") or shutil.which("gcc")
    found = [path for name in _RUNTIME if (path := _linked_library(asked, name))]
    return tuple(_at_home({*found, *shared_libraries([*found, "/bin/true"])}))


def _compiler(tool: str, driver: str) -> Toolchain:
    own = _ask(driver, "-print-libgcc-file-name")
    passes = [_ask(driver, f"-print-prog-name={name}") for name in (_COMPILERS[tool], "collect2", "as", "ld")]
    passes = [name if os.path.isabs(name) else shutil.which(name) or "" for name in passes]
    lacking = [name for name in passes if not os.path.exists(name)]
    if lacking or not os.path.exists(own) or not os.path.exists(f"{_HEADERS}/stdio.h"):
        raise SandboxUnavailable(f"{tool} is not installed completely; `{_INSTALL[tool]}` completes it")
    folders = {os.path.dirname(own), os.path.dirname(passes[0]), _HEADERS}
    linked = [path for name in _FOR_LINKING if (path := _linked_library(driver, name))]
    programs = [driver, *passes]
    plugins = [str(path) for path in Path(os.path.dirname(passes[0])).glob("liblto_plugin.so")]
    needed = shared_libraries([*programs, *plugins])
    files = {*linked, *needed, *_links_out_of(os.path.dirname(own)), *programs}
    return Toolchain(where_is(driver), tuple(dict.fromkeys([*_at_home(folders), *_at_home(files), *runtime()])))


def _python() -> Toolchain:
    """Return the Python toolchain: the same copy of the interpreter that runs players' functions."""
    parts = interpreter.find()
    copied = python_copy.kept(parts)
    libraries = (copied / interpreter.LIBRARIES[1:]).iterdir()
    files = [(str(copied / interpreter.HOME[1:]), interpreter.HOME)]
    files += [(str(library), f"{_PYTHON_LIBRARIES}/{library.name}") for library in sorted(libraries)]
    environment = {
        "PYTHONHOME": interpreter.HOME,
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "LD_LIBRARY_PATH": _PYTHON_LIBRARIES,
    }
    return Toolchain(interpreter.EXECUTABLE, (*files, *runtime()), tuple(environment.items()))


def launcher_environment() -> tuple[tuple[str, str], ...]:
    """Return the environment of a jail's launcher, which runs with the same Python."""
    return (*find("python3").environment, ("PYTHONPATH", interpreter.GUEST))


def layout(targets: Iterable[str]) -> list[tuple[str, str]]:
    """Return the symlinks that a jail needs for files at these paths below `ROOT`, as (place, target). They are this
    machine's own top-level links, such as /lib, and one link beside `ROOT` for each top-level folder, for commands that
    cannot have a root of their own."""
    own = [(name, os.readlink(f"/{name}")) for name in LINKED if os.path.islink(f"/{name}")]
    tops = {target.split("/")[1] for target in targets} | {name for name, _ in own} | {FOLDER[1:]}
    return [(f"{ROOT}/{name}", leads_to) for name, leads_to in own] + [
        (f"/{name}", f"{ROOT[1:]}/{name}") for name in sorted(tops)
    ]


def told(found: Mapping[str, Toolchain]) -> dict[str, Any]:
    """Encode toolchains as JSON for `heard`, without the paths of their files on the host."""
    tools = {
        name: {"program": tool.program, "files": [target for _, target in tool.files], "environment": tool.environment}
        for name, tool in found.items()
    }
    return {"tools": tools, "visible": [target for _, target in runtime()]}


def heard(told: Mapping[str, Any]) -> tuple[dict[str, Toolchain], tuple[str, ...]]:
    """Decode what `told` returned: the toolchains of a jail, and the files that every command sees there."""
    tools = {}
    for name, tool in told["tools"].items():
        files = tuple(("", target) for target in tool["files"])
        tools[name] = Toolchain(tool["program"], files, tuple((key, value) for key, value in tool["environment"]))
    return tools, tuple(told["visible"])


def where_is(path: str) -> str:
    """Return the path of a file after following the links among its folders."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def _at_home(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    yield from ((source, target) for target, source in sorted({where_is(path): path for path in paths}.items()))


def _linked_library(driver: str | None, name: str) -> str:
    """Return the path of the library or start file that the compiler links under this name, or "" if there is none."""
    path = _ask(driver, f"-print-file-name={name}") if driver else ""
    if not os.path.isabs(path):
        usual = (str(path) for folder in ("/lib", "/usr/lib") for path in Path(folder).glob(f"*-linux-gnu/{name}"))
        return next(usual, "")
    path = os.path.normpath(path)
    return os.path.join(os.path.dirname(path), os.readlink(path)) if _links_elsewhere(path) else path


def _links_elsewhere(path: str) -> bool:
    return os.path.islink(path) and "/" in os.readlink(path)


def _links_out_of(folder: str) -> Iterator[str]:
    """Yield the targets of links in a compiler's own folder, such as its shared libraries."""
    for entry in os.scandir(folder):
        if _links_elsewhere(entry.path) and os.path.exists(entry.path):
            yield os.path.normpath(os.path.join(folder, os.readlink(entry.path)))


def _ask(driver: str, question: str) -> str:
    try:
        done = subprocess.run([driver, question], capture_output=True, text=True, check=True, timeout=60)  # noqa: S603
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxUnavailable(f"{driver} does not work: {error}") from error
    return done.stdout.strip()
