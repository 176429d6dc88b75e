"""Runs the hostile programs of `hostile_programs/` in program jails, and says what is wrong with what became of them.

As a program (`python -m tests.sandbox.program_suite`) it does so as whoever calls it.
"""

import ctypes
import os
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final

from sandbox.api import SandboxError
from sandbox.choose import open_program_sandbox
from sandbox.programs import Command, Ended, ProgramJail, ProgramSandbox, Stop
from tests.sandbox.program_cases import COMPILER, FOLDER, MARKER, PROGRAM, Case, cases

Open = Callable[[], ProgramSandbox]
Programs = Mapping[Path, bytes]

JAILS: Final = 4
_BYSTANDER: Final = "paced/bystander"
_OPTIONS: Final = ("-O1", "-w", "-I.")


@dataclass
class Table:
    """A jail in which attacks run, one after the other, and after each of them somebody who attacks nobody."""

    sandbox: ProgramSandbox
    programs: Programs
    _jail: ProgramJail | None = field(default=None, repr=False)

    def run(self, case: Case) -> str:
        """What is wrong with what became of it; "" if nothing is. What comes to its end is run again."""
        try:
            first = self._run(case)
            wrong = case.wrong(first)
            if first.stop == Stop.EXITED and not wrong and case.source:
                again = self._run(case)
                wrong = case.wrong(again) or _difference(first, again, case.differs)
            bystander = next(one for one in cases() if one.name == _BYSTANDER)
            harm = bystander.wrong(self._run(bystander))
        except SandboxError as error:
            self.close()
            return f"internal error: {error}"
        return f"{wrong}: {_short(first)}" if wrong else f"harm to the next: {harm}" if harm else ""

    def _run(self, case: Case) -> Ended:
        self._jail = self._jail or self.sandbox.open()
        return self._jail.run(with_program(case, self.programs))

    def close(self) -> None:
        """End the jail."""
        if self._jail:
            self._jail.close()
            self._jail = None


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


def built(sandbox: ProgramSandbox, chosen: list[Case]) -> Programs:
    """The programs of these cases, compiled in jails, as students' programs are."""
    headers = {str(path.relative_to(FOLDER)): path.read_bytes() for path in FOLDER.glob("**/*.[ch]")}

    def build(case: Case) -> bytes:
        assert case.source
        name = str(case.source.relative_to(FOLDER))
        tool = "g++" if name.endswith(".cpp") else "gcc"
        words = (tool, *_OPTIONS, *case.options, "-o", PROGRAM, f"./{name}")
        files = {**headers, name: case.source.read_bytes()}
        with sandbox.open() as jail:
            ended = jail.run(Command(words, files, kept=(PROGRAM,), tools=(tool,), compiles=True, limits=COMPILER))
        assert PROGRAM in ended.kept, (case.name, ended)
        return ended.kept[PROGRAM]

    needed = {
        case.source: case for case in [*chosen, *cases()] if case.source and (case in chosen or case.name == _BYSTANDER)
    }
    with ThreadPoolExecutor(JAILS) as pool:
        return dict(zip(needed, pool.map(build, needed.values()), strict=True))


# Running them


def run_all(open_sandbox: Open, programs: Programs, chosen: list[Case]) -> dict[str, str]:
    """What is wrong with each, by its name. Some jails share the cases, since many of those only wait."""
    waiting: SimpleQueue[Case] = SimpleQueue()
    for case in chosen:
        waiting.put(case)

    def work() -> dict[str, str]:
        outcomes = {}
        with open_sandbox() as sandbox:
            table = Table(sandbox, programs)
            while True:
                try:
                    case = waiting.get_nowait()
                except Empty:
                    table.close()
                    return outcomes
                outcomes[case.name] = table.run(case)

    with secrets(), ThreadPoolExecutor(JAILS) as pool:
        parts = [pool.submit(work) for _ in range(JAILS)]
    return {name: wrong for part in parts for name, wrong in part.result().items()}


# What they are after

HOST_FILES: Final = ("/tmp/quadrille-hostile/secret", "/dev/shm/quadrille-hostile", "/var/tmp/quadrille-hostile")
TRACES: Final = ("quadrille-hostile-written", "quadrille-hostile-left", "left", "moved")
_IPC_CREAT, _IPC_RMID, _KEY = 0o1000, 0, 0x51484F53


@contextmanager
def secrets() -> Iterator[None]:
    """Put the marker into files of others, into the environment and into shared memory; and listen for callers."""
    library = ctypes.CDLL(None, use_errno=True)
    Path(HOST_FILES[0]).parent.mkdir(exist_ok=True)
    for name in HOST_FILES:
        Path(name).write_bytes(MARKER + b"\n")
        os.chmod(name, 0o644)
    os.environ["QUADRILLE_HOSTILE"] = MARKER.decode()
    shared = library.shmget(_KEY, len(MARKER), _IPC_CREAT | 0o666)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("\0quadrille-hostile")
        listening.listen()
        try:
            yield
        finally:
            library.shmctl(shared, _IPC_RMID, None)
            del os.environ["QUADRILLE_HOSTILE"]
            for name in HOST_FILES:
                Path(name).unlink(missing_ok=True)
            Path(HOST_FILES[0]).parent.rmdir()


def traces() -> list[str]:
    """What attacks have left on this machine."""
    folders = ("/", "/tmp", "/dev/shm", "/var/tmp", "/run", "/root")
    return [f"{folder}/{name}" for folder in folders for name in TRACES if os.path.lexists(f"{folder}/{name}")]


def main() -> int:
    """Print what is wrong; the number of it."""
    with open_program_sandbox() as sandbox:
        programs = built(sandbox, cases())
    outcomes = run_all(open_program_sandbox, programs, cases())
    wrong = [f"{name}: {what}" for name, what in outcomes.items() if what]
    print(f"{len(outcomes)} cases, {len(wrong)} wrong", *wrong, *traces(), sep="\n")
    return len(wrong) + len(traces())


if __name__ == "__main__":
    sys.exit(main())
