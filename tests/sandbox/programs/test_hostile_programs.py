"""Every hostile program ends as its first lines say, and so does what is compiled: as root and as an ordinary user."""

import pickle
import subprocess

import psutil
import pytest

from sandbox.backends.bubblewrap import BubblewrapPrograms
from sandbox.host.programs.launcher import PROGRAM_LAYERS
from sandbox.programs import Stop
from tests.sandbox.programs.program_cases import EVERY_CALL, PROGRAM, Case, cases
from tests.sandbox.programs.program_suite import Programs, kept_programs, run_all, traces
from tests.sandbox.wall.test_hostile import ROOT, SYSTEM_PYTHON, needs_another_user
from tests.services import PATIENCE_S


@pytest.fixture(scope="module")
def programs() -> Programs:
    return kept_programs()


@pytest.fixture(scope="module")
def outcomes(programs: Programs) -> dict[str, str]:
    return run_all(BubblewrapPrograms, programs, cases())


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_hostile_program(outcomes: dict[str, str], case: Case) -> None:
    assert not outcomes[case.name]


def test_nothing_is_left_of_them(outcomes: dict[str, str]) -> None:
    assert outcomes
    assert traces() == []
    running = [
        process for process in psutil.process_iter(["cmdline"]) if f"./{PROGRAM}" in (process.info["cmdline"] or [])
    ]
    _, left = psutil.wait_procs(running, PATIENCE_S)  # one may be ending just now
    assert left == []


# No layer is decoration: without it, these get what they came for.
TURN_RED = [
    ("landlock", "reading/toolchain"),
    ("namespaces", "files/fill_with_names traces/what_it_sees"),
    ("rlimits", "reading/core_dump"),
    (
        "seccomp",
        """calls/by_written_code calls/its_own_filter calls/lock_shared_files calls/raise_limits
        calls/signals_by_descriptor calls/thirty_two_bit_code calls/undo_by_prctl calls/watch_files calls/x32
        loading/before_main memory/huge_pages memory/old_shared_memory processes/run_another_program
        reading/abstract_socket taken_over/runs_what_it_wrote taken_over/traces_its_child""",
    ),
    ("seccomp rlimits", "loading/static_object processes/fork processes/raw_threads processes/threads processes/vfork"),
]


@pytest.mark.full
@pytest.mark.parametrize(("removed", "names"), TURN_RED, ids=[removed for removed, _ in TURN_RED])
def test_without_a_layer_an_attack_works(programs: Programs, removed: str, names: str) -> None:
    chosen = [case for case in cases() if case.name in names.split()]
    assert len(chosen) == len(names.split())
    found = run_all(lambda: BubblewrapPrograms(PROGRAM_LAYERS - set(removed.split())), programs, chosen)
    assert [name for name, wrong in found.items() if not wrong] == []


@pytest.mark.full
def test_the_whole_suite_as_an_ordinary_user(programs: Programs) -> None:
    command = [*needs_another_user(), SYSTEM_PYTHON, "-B", "-m", "tests.sandbox.programs.program_suite", "compiled"]
    done = subprocess.run(command, input=pickle.dumps(programs), capture_output=True, cwd=ROOT)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()
    assert int(done.stdout.split()[0]) > 200


def test_the_suite_has_enough_of_each_kind() -> None:
    names = {case.name.split()[0] for case in cases()}
    assert len({name for name in names if not name.startswith("compile/")}) >= 30
    assert len({name for name in names if name.startswith("compile/")}) >= 15
    assert {f"calls/by_number {name}" for name in EVERY_CALL} <= {case.name for case in cases()}
    assert {word.split()[0] for case in cases() for word in case.verdicts} >= {*Stop, "survives"}
