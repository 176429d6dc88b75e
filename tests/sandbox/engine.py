"""A throw-away Docker engine with the sandbox's image, made by `deploy/docker-engine.sh`.

Where that cannot work on a laptop, the tests that need it are skipped; where CI is set, they fail.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SCRIPT = str(Path(__file__).parents[2] / "deploy" / "docker-engine.sh")
NEEDED = ("dockerd", "docker", "debootstrap", "apt-get")


@contextmanager
def docker_engine() -> Iterator[Path]:
    """The folder of a running engine; its socket is `docker.sock` there."""
    lacking = [name for name in NEEDED if not shutil.which(name)] or ([] if os.geteuid() == 0 else ["root"])
    if lacking:
        _cannot(f"a Docker engine of our own needs {', '.join(lacking)}")
    folder = tempfile.mkdtemp(prefix="qd-", dir="/tmp")
    try:
        for step in ("start", "image"):
            done = subprocess.run([SCRIPT, step, folder], stderr=subprocess.PIPE, text=True)
            if done.returncode:
                _cannot(done.stderr)
        yield Path(folder)
    finally:
        subprocess.run([SCRIPT, "stop", folder], check=True)


def _cannot(why: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(why, pytrace=False)
    pytest.skip(why)
