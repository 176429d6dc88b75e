"""Counting requests in a file, beside the library's own ways of counting."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import time

import pytest
from limits import RateLimitItemPerHour, strategies
from limits.storage import MemoryStorage, Storage, storage_from_string

from deploy.rate_limits import FileStorage, uri

KINDS: dict[str, Callable[[Path], Storage]] = {
    "file": lambda folder: storage_from_string(uri(folder / "limits.db")),
    "memory": lambda _: MemoryStorage(),
}


@pytest.fixture(params=KINDS)
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    return KINDS[request.param](tmp_path)


def test_it_counts_each_key_by_itself(storage: Storage) -> None:
    assert [storage.incr("ada", 3600) for _ in range(3)] == [1, 2, 3]
    assert storage.incr("ben", 3600, amount=2) == 2
    assert [storage.get(key) for key in ("ada", "ben", "cleo")] == [3, 2, 0]


def test_a_count_begins_anew_when_its_time_is_over(storage: Storage) -> None:
    began = time()
    storage.incr("ada", 3600)
    storage.incr("ada", 7200)
    assert began + 3599 < storage.get_expiry("ada") <= time() + 3601, "the first says how long"
    storage.incr("ben", -1)
    assert storage.get("ben") == 0
    assert storage.incr("ben", 3600) == 1


def test_counts_can_be_forgotten(storage: Storage) -> None:
    for key in ("ada", "ben", "cleo"):
        storage.incr(key, 3600)
    storage.clear("ada")
    assert (storage.get("ada"), storage.get("ben")) == (0, 1)
    storage.reset()
    assert storage.get("ben") == 0


def test_processes_count_together(tmp_path: Path) -> None:
    address = uri(tmp_path / "limits.db")
    limit = RateLimitItemPerHour(30)

    def hit(_: int) -> bool:
        return strategies.FixedWindowRateLimiter(storage_from_string(address)).hit(limit, "ada")

    with ThreadPoolExecutor(8) as processes:
        allowed = [*processes.map(hit, range(50))]
    assert allowed.count(True) == 30


def test_a_file_that_cannot_be_used_is_found_out(tmp_path: Path) -> None:
    assert FileStorage(uri(tmp_path / "limits.db")).check()
    assert not FileStorage(uri(tmp_path / "none" / "limits.db")).check()
    (tmp_path / "bad.db").write_text("not a database, whatever its name says" * 40)
    broken = storage_from_string(uri(tmp_path / "bad.db"))
    assert not broken.check()
    with pytest.raises(broken.base_exceptions):
        broken.incr("ada", 3600)
