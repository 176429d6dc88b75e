"""Runs the hostile programs of `hostile_programs/` in program jails, and says what is wrong with what became of them.

As a program (`python -m tests.sandbox.programs.program_suite`) it does so as whoever calls it, but for what only keeps
a compiler busy. With the argument `compiled`, it does not compile them but reads them, pickled, from its standard
input.
"""

import ctypes
import fcntl
import hashlib
import os
import pickle
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import Final, TypeVar

from sandbox.api import SandboxError
from sandbox.backends.bubblewrap import BubblewrapPrograms
from sandbox.choose import open_program_sandbox
from sandbox.programs import Command, Ended, ProgramJail, ProgramSandbox, Stop
from tests.sandbox.programs.program_cases import COMPILER, FOLDER, MARKER, PROGRAM, Case, cases

Item, Key, Result = TypeVar("Item"), TypeVar("Key"), TypeVar("Result")
Open = Callable[[], ProgramSandbox]
Programs = Mapping[Path, bytes]

JAILS: Final = 4
_OPTIONS: Final = ("-O1", "-w", "-I.")
_BUILDER: Final = b"""
import subprocess
for line in open("commands"):
    subprocess.run(line.split(), check=True)
"""
_TOOLS: Final = ("gcc", "g++", "python3")
_BUILD: Final = replace(COMPILER, cpu_s=300.0, wall_s=600.0)


@dataclass
class Table:
    """A jail in which attacks run, one after the other, and between them somebody who attacks nobody."""

    sandbox: ProgramSandbox
    programs: Programs
    _jail: ProgramJail | None = field(default=None, repr=False)

    def run(self, case: Case) -> str:
        """What is wrong with what became of it; "" if nothing is."""
        try:
            first = self._run(case)
            wrong = case.wrong(first) or self._next(case, first)
        except SandboxError as error:
            self.close()
            return f"internal error: {error}"
        return f"{wrong}: {_short(first)}" if wrong else ""

    def _next(self, case: Case, first: Ended) -> str:
        """What is wrong with the next run in this jail: the same once more if it came to its end, or the bystander."""
        if first.stop == Stop.EXITED and case.source:
            again = self._run(case)
            return case.wrong(again) or _difference(first, again, case.differs)
        harm = _bystander().wrong(self._run(_bystander()))
        return f"harm to the next ({harm})" if harm else ""

    def _run(self, case: Case) -> Ended:
        self._jail = self._jail or self.sandbox.open()
        return self._jail.run(with_program(case, self.programs))

    def close(self) -> None:
        """End the jail."""
        if self._jail:
            self._jail.close()
            self._jail = None


@cache
def _bystander() -> Case:
    return next(case for case in cases() if case.name == "paced/bystander")


def with_program(case: Case, programs: Programs) -> Command:
    """The command of a case, with the program that it runs."""
    if case.source is None:
        return case.command
    return replace(case.command, files={**case.command.files, PROGRAM: programs[case.source]})


def _difference(first: Ended, again: Ended, excuse: str) -> str:
    same = (first.stdout, first.code, first.kept) == (again.stdout, again.code, again.kept)
    return "" if same or excuse else f"is told something else the next time: {again.stdout!r}"


def _short(ended: Ended) -> str:
    kept = {name: len(content) for name, content in ended.kept.items()}
    return str(replace(ended, stdout=ended.stdout[:400], stderr=ended.stderr[:400], kept=kept, transcript=()))


# Compiling them


def programs_of(open_sandbox: Open, chosen: list[Case]) -> Programs:
    """The programs of these cases, compiled in jails, as students' programs are. One command compiles many: a command
    of its own for each would take half as long again."""
    sources = {case.source: case.options for case in [*chosen, _bystander()] if case.source}
    headers = {_name(path): path.read_bytes() for path in FOLDER.glob("**/*.[ch]")}

    def build(some: Sequence[Path]) -> Command:
        lines = [_line(source, sources[source], number) for number, source in enumerate(some)]
        files = {**headers, **{_name(source): source.read_bytes() for source in some}}
        files |= {"builder.py": _BUILDER, "commands": "\n".join(lines).encode()}
        kept = tuple(map(str, range(len(some))))
        return Command(("python3", "builder.py"), files, kept=kept, tools=_TOOLS, compiles=True, limits=_BUILD)

    def work(sandbox: ProgramSandbox, waiting: Iterator[Sequence[Path]]) -> dict[Path, bytes]:
        found: dict[Path, bytes] = {}
        with sandbox.open() as jail:
            for some in waiting:
                ended = jail.run(build(some))
                assert len(ended.kept) == len(some), ended
                found |= {source: ended.kept[str(number)] for number, source in enumerate(some)}
        return found

    return _shared(open_sandbox, work, [[*sources][first::JAILS] for first in range(JAILS)])


def _name(source: Path) -> str:
    return str(source.relative_to(FOLDER))


def _line(source: Path, options: Sequence[str], number: int) -> str:
    tool = "g++" if source.suffix == ".cpp" else "gcc"
    return " ".join((tool, *_OPTIONS, *options, "-o", str(number), f"./{_name(source)}"))


def kept_programs() -> Programs:
    """The programs of all cases. They are kept in the temporary folder by all that they are made from, so that one test
    process compiles them for all."""
    about = [(str(path), path.read_bytes()) for path in sorted(FOLDER.glob("**/*.*"))]
    compilers = [os.stat(shutil.which(tool) or "/").st_mtime_ns for tool in ("gcc", "g++", "as", "ld")]
    options = [(str(case.source), case.options) for case in cases()]
    key = hashlib.sha256(repr((about, compilers, options, _OPTIONS)).encode()).hexdigest()
    folder = Path(tempfile.gettempdir()) / f"quadrille-programs-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = folder / key
        if not kept.exists():
            fresh = folder / "fresh"
            fresh.write_bytes(pickle.dumps(programs_of(BubblewrapPrograms, cases())))
            fresh.rename(kept)
    programs: Programs = pickle.loads(kept.read_bytes())
    return programs


# Running them


def run_all(open_sandbox: Open, programs: Programs, chosen: list[Case]) -> dict[str, str]:
    """What is wrong with each, by its name; "" if nothing is."""

    def work(sandbox: ProgramSandbox, waiting: Iterator[Case]) -> dict[str, str]:
        with closing(Table(sandbox, programs)) as table:
            return {case.name: table.run(case) for case in waiting}

    with secrets():
        return _shared(open_sandbox, work, chosen)


def _shared(
    open_sandbox: Open, work: Callable[[ProgramSandbox, Iterator[Item]], dict[Key, Result]], items: list[Item]
) -> dict[Key, Result]:
    """What some workers, each with a sandbox, have made of these items together: most of them only wait."""
    waiting: SimpleQueue[Item | None] = SimpleQueue()
    for item in [*items, *[None] * JAILS]:
        waiting.put(item)

    def one(_: int) -> dict[Key, Result]:
        with open_sandbox() as sandbox:
            return work(sandbox, iter(waiting.get, None))  # type: ignore[arg-type]

    with ThreadPoolExecutor(JAILS) as pool:
        return {key: result for part in pool.map(one, range(JAILS)) for key, result in part.items()}


# What they are after

HOST_FILES: Final = ("/tmp/quadrille-hostile/secret", "/dev/shm/quadrille-hostile", "/var/tmp/quadrille-hostile")
TRACES: Final = ("quadrille-hostile-written", "quadrille-hostile-left", "left", "moved")
_IPC_CREAT, _IPC_RMID, _KEY = 0o1000, 0, 0x51484F53


@contextmanager
def secrets() -> Iterator[None]:
    """Put the marker into files of others, into the environment and into shared memory; and listen for callers.

    Several processes may do so at once, of different users; the last one clears away what it can."""
    library = ctypes.CDLL(None, use_errno=True)
    folder = Path(HOST_FILES[0]).parent
    folder.mkdir(exist_ok=True)
    users = os.open(folder, os.O_RDONLY)
    fcntl.flock(users, fcntl.LOCK_SH)
    for name in HOST_FILES:
        with suppress(PermissionError):  # another user's lies there
            Path(name).write_bytes(MARKER + b"\n")
            os.chmod(name, 0o644)
    os.environ["QUADRILLE_HOSTILE"] = MARKER.decode()
    shared = library.shmget(_KEY, len(MARKER), _IPC_CREAT | 0o666)
    with socket.socket(socket.AF_UNIX) as listening:
        with suppress(OSError):  # another process listens
            listening.bind("\0quadrille-hostile")
            listening.listen()
        try:
            yield
        finally:
            del os.environ["QUADRILLE_HOSTILE"]
            with suppress(BlockingIOError, PermissionError):
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
                library.shmctl(shared, _IPC_RMID, None)
                for name in HOST_FILES:
                    Path(name).unlink(missing_ok=True)
            os.close(users)


def traces() -> list[str]:
    """What attacks have left on this machine."""
    folders = ("/", "/tmp", "/dev/shm", "/var/tmp", "/run", "/root")
    return [f"{folder}/{name}" for folder in folders for name in TRACES if os.path.lexists(f"{folder}/{name}")]


def main() -> int:
    """Print what is wrong; the number of it."""
    compiled = sys.argv[1:] == ["compiled"]
    chosen = [case for case in cases() if not case.keeps_a_compiler_busy]  # for every user in the same way
    programs = pickle.load(sys.stdin.buffer) if compiled else programs_of(open_program_sandbox, chosen)
    outcomes = run_all(open_program_sandbox, programs, chosen)
    wrong = [f"{name}: {what}" for name, what in outcomes.items() if what]
    print(f"{len(outcomes)} cases, {len(wrong)} wrong", *wrong, *traces(), sep="\n")
    return len(wrong) + len(traces())


if __name__ == "__main__":
    sys.exit(main())
