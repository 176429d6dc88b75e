"""The copy of the interpreter that players see: it names no host, it is made once, and names sought in it in vain cost
the host no memory."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.api import Fault, Limits, Program, SandboxUnavailable, Session, call
from sandbox.backends import bubblewrap
from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.host import interpreter, probe, python_copy
from sandbox.host.interpreter import Interpreter
from sandbox.host.python_copy import CopyFolder
from tests.sandbox.wall.suite import Case, Table, cases, still_green


@pytest.fixture
def parts() -> Interpreter:
    return interpreter.find()


@pytest.fixture
def small(tmp_path: Path, parts: Interpreter) -> Interpreter:
    """An interpreter of one file, installed in somebody's home."""
    home = tmp_path / "home of anna"
    home.mkdir()
    (home / "library.pyc").write_bytes(b"made in " + bytes(home) + b"/lib")
    return replace(parts, mounts=((home, "/py/lib"),), renamed=(interpreter._as_long(str(home), "/py"),))


@pytest.fixture
def on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr("sandbox.host.python_copy.place", lambda: CopyFolder(tmp_path, False))
    folder = tmp_path / f"quadrille-{os.geteuid()}"
    yield folder
    shutil.rmtree(folder, ignore_errors=True)  # pytest would keep it, and it is large


def test_nothing_in_the_copy_says_where_python_was_installed(parts: Interpreter) -> None:
    told = [old for old, _ in parts.renamed]
    assert told
    for path in python_copy.kept(parts).rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert not [old for old in told if old in content], path


def test_a_path_is_overwritten_by_one_as_long(on_disk: Path, small: Interpreter) -> None:
    [(old, new)] = small.renamed
    assert len(old) == len(new)
    assert os.path.normpath(new) == b"/py"
    source, _ = small.mounts[0]
    copied = python_copy.kept(small) / "py/lib/library.pyc"
    assert copied.read_bytes() == b"made in " + new + b"/lib"
    assert copied.stat().st_mtime_ns == (source / "library.pyc").stat().st_mtime_ns


def test_our_own_files_lie_beside_it_compiled(on_disk: Path, small: Interpreter) -> None:
    root = python_copy.kept(small)
    for source, target in small.guest:
        copied = root / target[1:]
        assert copied.read_bytes() == source.read_bytes()
        (compiled,) = copied.parent.glob(f"__pycache__/{copied.stem}.*.pyc")
        assert target.encode() in compiled.read_bytes()
        assert os.fsencode(source) not in compiled.read_bytes()


@pytest.mark.parametrize(
    ("old", "new"), [("/usr/lib/python3.11", "/py/lib/python3.11"), ("/opt/x", "/py"), ("/py", "/py")]
)
def test_a_path_keeps_its_length_and_gets_the_meaning_of_the_other(old: str, new: str) -> None:
    before, after = interpreter._as_long(old, new)
    assert before == old.encode()
    assert len(after) == len(old)
    assert os.path.normpath(after) == new.encode()


def test_otherwise_a_player_would_be_told_the_host_s_name(monkeypatch: pytest.MonkeyPatch) -> None:
    without = bubblewrap.ISOLATION.replace("--hostname quadrille", "")
    monkeypatch.setattr("sandbox.backends.bubblewrap.ISOLATION", without)
    with BubblewrapSandbox() as sandbox:
        assert still_green(sandbox, "where_python_came_from") == []


def test_a_copy_is_made_once_and_again_by_who_starts_after_a_change(on_disk: Path, small: Interpreter) -> None:
    first = python_copy.kept(small)
    (small.mounts[0][0] / "library.pyc").write_bytes(b"another")
    assert python_copy.kept(small) == first
    python_copy._fingerprint.cache_clear()
    second = python_copy.kept(small)
    assert second != first
    assert first.exists(), "jails of this process may still show it"


def test_copies_that_nobody_uses_any_more_are_removed(on_disk: Path, small: Interpreter) -> None:
    code = f"""
from pathlib import PosixPath
from sandbox.host import python_copy
from sandbox.host.interpreter import Interpreter
python_copy.place = lambda: python_copy.CopyFolder({on_disk.parent!r}, False)
print(python_copy.kept({small!r}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    left = Path(done.stdout.strip())
    assert left.exists()
    (small.mounts[0][0] / "library.pyc").write_bytes(b"another")
    python_copy.kept(small)
    assert not left.exists()


def test_a_folder_that_others_can_write_to_is_refused(on_disk: Path, small: Interpreter) -> None:
    on_disk.mkdir()
    on_disk.chmod(0o777)
    with pytest.raises(SandboxUnavailable, match="does not belong to this user alone"):
        python_copy.kept(small)


def test_a_jail_whose_copy_is_gone_is_not_used_any_more() -> None:
    with BubblewrapSandbox() as sandbox:
        before = sandbox.jail
        opened(sandbox).close()
        assert sandbox.jail is before
        sandbox._library = Path("/gone")
        opened(sandbox).close()
        assert sandbox.jail is not before


def opened(sandbox: BubblewrapSandbox) -> Session:
    session = sandbox.open(Program(b"import csv\ndef f(): return 1", {"f": (0,)}), Limits(), 1)
    assert not isinstance(session, Fault), session
    assert call(session, "f", ())
    return session


def test_where_there_is_no_room_in_memory_the_doctor_says_so(on_disk: Path) -> None:
    [found] = [finding for finding in probe.probe() if finding.name == "library"]
    assert not found.works
    assert not found.needed
    assert "mount" in found.fix


def test_names_sought_in_vain_leave_nothing_in_the_kernel() -> None:
    if not python_copy.place().in_memory:
        assert not os.environ.get("CI"), "CI has room in memory"
        pytest.skip("no room in memory here")
    [case] = [case for case in cases() if case.name == "looks_for_names_in_vain"]
    with BubblewrapSandbox() as sandbox, closing(Table(sandbox)) as table:
        assert any(remembered(table, case) < 10_000 for _ in range(3))  # others use this machine, too


@pytest.mark.full
def test_a_plain_copy_on_a_disk_would_tell_and_keep_names(on_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = replace(interpreter.find(), renamed=())
    monkeypatch.setattr("sandbox.host.interpreter.find", lambda _: plain)
    [case] = [case for case in cases() if case.name == "looks_for_names_in_vain"]
    with BubblewrapSandbox() as sandbox:
        assert still_green(sandbox, "where_python_came_from") == []
        with closing(Table(sandbox)) as table:
            assert remembered(table, case) > 30_000 or in_memory(on_disk)


def in_memory(folder: Path) -> bool:
    done = subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True, check=True)
    return done.stdout.strip() == "tmpfs"


def remembered(table: Table, case: Case) -> int:
    """How many more names that are not there the kernel knows after a player has looked for 20,000, twice."""
    before = names()
    assert table.run(case).verdict == "survives"
    return names() - before


def names() -> int:
    return int(Path("/proc/sys/fs/dentry-state").read_text().split()[4])


def test_a_folder_from_which_no_program_runs_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "sandbox.host.python_copy._folders", lambda: iter(["/proc", str(tmp_path / "none"), str(tmp_path)])
    )
    assert python_copy.place() == CopyFolder(tmp_path, False)
    monkeypatch.setattr("sandbox.host.python_copy._folders", lambda: iter(["/proc"]))
    with pytest.raises(SandboxUnavailable, match="TMPDIR"):
        python_copy.place()
    [found] = [finding for finding in probe.probe() if finding.name == "library"]
    assert not found.works
    assert found.needed
