"""What people sent is read where it can be stopped: at a limit of processor time, of memory, and of time."""

import os
import pickle
import re
import resource
import signal
import time
from collections.abc import Iterator

import pytest

from sandbox import readers
from sandbox.readers import ReaderLost, TooCostly, read


@pytest.fixture(autouse=True)
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[readers._Pool]:
    monkeypatch.setattr(readers, "_pool", readers._Pool())
    yield readers._pool
    for each in readers._pool.idle:
        each.end()


def test_it_returns_what_the_function_returns() -> None:
    assert read(divmod, 7, 2) == (3, 1)


def test_it_raises_what_the_function_raises() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        read(int, "x")


def test_the_same_process_reads_again() -> None:
    assert read(os.getpid) == read(os.getpid) != os.getpid()


@pytest.mark.slow
def test_what_takes_too_much_processor_time_is_stopped_by_the_kernel() -> None:
    """Neither a regular expression nor a power gives the interpreter a chance to stop itself."""
    reader = readers._Reader()
    with pytest.raises(TooCostly, match="within 3 seconds"):
        reader.call(pickle.dumps((re.search, ("(a+)+$", "a" * 60 + "!"), {})))
    assert reader._process.poll() == -signal.SIGXCPU


def test_each_call_has_limits_of_its_own() -> None:
    for _ in range(2):
        most, used = read(resource.getrlimit, resource.RLIMIT_CPU)[0], read(time.process_time)
        assert most - used <= readers.CPU_S + 1
    assert 0 < read(resource.getrlimit, resource.RLIMIT_AS)[0] < 4 * readers.MEMORY


def test_what_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    read(os.getpid)
    monkeypatch.setattr(readers, "WALL_S", 0.2)
    with pytest.raises(TooCostly):
        read(time.sleep, 600)


def test_what_takes_too_much_memory_is_stopped() -> None:
    with pytest.raises(TooCostly):
        read(bytes, 2 * readers.MEMORY)
    assert read(len, b"x") == 1


def test_a_reader_that_somebody_killed_is_our_failure_and_replaced() -> None:
    with pytest.raises(ReaderLost):
        read(signal.raise_signal, signal.SIGKILL)
    os.kill(idle := read(os.getpid), signal.SIGKILL)
    assert read(os.getpid) != idle


def test_a_fork_has_readers_of_its_own(pool: readers._Pool) -> None:
    mine = read(os.getpid)
    if not (child := os.fork()):
        os._exit(0 if not readers._pool.idle and read(os.getpid) != mine else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert read(os.getpid) == mine


def test_readers_end_with_their_owner() -> None:
    reader = readers._Reader()
    reader._channel.close()
    assert reader._process.wait(10) == 0


def test_each_thread_waits_for_one_of_few(pool: readers._Pool) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as threads:
        found = set(threads.map(lambda _: read(os.getpid), range(16)))
    assert len(found) <= readers.MOST
    assert len(pool.idle) <= readers.MOST
