"""The C library of a web process keeps the memory of large pages."""

import subprocess
import sys

PROGRAM = """
import resource
from deploy.processes.site import keep_freed_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(100):
        len(b"page" * 250_000)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

print(faults(), keep_freed_memory(), faults())
"""


def test_a_large_page_reuses_the_memory_of_the_last_one() -> None:
    """A process of its own, where no other thread and no earlier test has asked for memory."""
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    before, kept, after = ran.stdout.split()
    assert kept == "True"
    assert int(after) < int(before) / 10
