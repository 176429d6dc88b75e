"""The lock of a data folder."""

from pathlib import Path

import pytest

from deploy.machine import AlreadyRunning, locked


def test_a_second_holder_is_told_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with locked(path) as note:
        note("process 1")
        with pytest.raises(AlreadyRunning, match="process 1"), locked(path):
            pass


def test_the_lock_is_free_again_afterwards(tmp_path: Path) -> None:
    for _ in range(2):
        with locked(tmp_path / "lock"):
            pass
