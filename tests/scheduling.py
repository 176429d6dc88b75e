"""In which order the tests run, and which of them one process takes together, so that two cores are busy to the end.

The tests of a file run in one process, which makes the file's fixtures once. What takes minutes begins, most of it
waiting; beside it run the tests that need a processor.
"""

from functools import cache
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

SHARED_STACK = ("way", "games", "hearts", "evening", "lost_connection", "serve")
"""The files of tests/whole that share one installation: started once, it serves all of them."""

APART = ("tests/whole/test_chaos.py", "tests/whole/test_full_disk.py")
"""Files whose tests share nothing, each of them long: every process may take one."""

FIRST = (
    # A process starts with one of these ...
    "tests/whole/test_compose.py",
    "tests/whole/test_chaos.py",
    *(f"tests/whole/test_{name}.py" for name in SHARED_STACK),
    # ... and takes the next as soon as it begins the last test of what it has.
    "tests/whole/test_full_disk.py",
    "tests/test_lint.py",
    "tests/whole/test_rehearsal.py",
    "tests/whole/test_chaos_hosts.py",
    "tests/sandbox/container/test_docker.py",
    "tests/whole/",
    "tests/web/site/test_browser.py",
    "tests/sandbox/programs/",
    "tests/deploy/storage/test_upgrades.py",
    "tests/tournament/final/test_finals.py",
    "tests/deploy/cli/test_foreign_text.py",
    "tests/deploy/cli/test_cli.py",
    "tests/deploy/storage/test_backup.py",
    "tests/web/site/",
    "tests/web/kit/",
    "tests/web/course/test_term.py",
    "tests/web/submission/test_exchanged.py",
    "tests/deploy/",
)
"""What begins, the longest first: files and folders."""

SERVICES = {"postgresql_url", "redis_url", "chromium", "browser", "stack"}
"""The fixtures that start a server or a browser."""


def rank(item: pytest.Item) -> int:
    """The place of a test in the order: what takes longest comes first."""
    return _rank(item.nodeid.partition("::")[0])


@cache
def _rank(file: str) -> int:
    return next((rank for rank, begins in enumerate(FIRST) if file.startswith(begins)), len(FIRST))


def is_quick(item: pytest.Item) -> bool:
    """Whether `make quick` runs the test: it is marked neither `slow` nor `full` and starts no
    service."""
    parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    services = SERVICES & set(getattr(item, "fixturenames", ()))
    marked = any(map(item.get_closest_marker, ("slow", "full")))
    return not (services or marked or parameters.get("database_url") == "postgresql")


class Scheduling(LoadScopeScheduling):  # type: ignore[misc]
    """Gives each process a file after the other."""

    def __init__(self, config: pytest.Config, log: Any) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        if file in APART:
            return nodeid
        return "stack" if file in {f"tests/whole/test_{name}.py" for name in SHARED_STACK} else file
