"""The mappings of the fork server's shared libraries, tried in a process of its own."""

import subprocess
import sys
from collections import defaultdict

import pytest

PROGRAM = """
import ctypes, decimal, socket
from sandbox.inside.mappings import join, use_huge_pages
{calls}
print(open("/proc/self/maps").read())
"""


def mapped(calls: str) -> dict[str, list[str]]:
    """What is allowed in each mapping, by the file that lies there."""
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(calls=calls)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = defaultdict(list)
    for line in done.stdout.split("\n"):
        if line:
            _, allowed, _, _, _, *name = line.split()
            found[" ".join(name)].append(allowed)
    return found


def libraries(calls: str) -> dict[str, tuple[str, ...]]:
    return {name: tuple(allowed) for name, allowed in mapped(calls).items() if ".so" in name}


def test_a_library_becomes_two_mappings() -> None:
    before, after = libraries(""), libraries("join()")
    assert before.keys() == after.keys()
    assert all(len(allowed) > 2 for allowed in before.values())
    assert {*after.values()} == {("r-xp", "rw-p")}


@pytest.mark.parametrize("calls", ["join()", "join(); use_huge_pages()", "use_huge_pages(); use_huge_pages()"])
def test_programs_run_on_and_nothing_can_be_written_to_and_executed(calls: str) -> None:
    assert not [name for name, parts in mapped(calls).items() for allowed in parts if "wx" in allowed]
