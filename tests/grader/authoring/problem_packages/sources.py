"""The source distribution of problemtools, the reference tools of the format, with its examples."""

import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import pytest

from tests.services import missing

NAME = "problemtools-1.20260907"


def problemtools(config: pytest.Config) -> Path:
    """The unpacked source distribution. It is downloaded once and kept in the cache of pytest; without a network, the
    test is skipped on a laptop and fails in CI."""
    folder = Path(config.cache.mkdir("problemtools")) / NAME
    if not folder.is_dir():
        with tempfile.TemporaryDirectory(dir=folder.parent) as place:
            _download(Path(place))
            with tarfile.open(next(Path(place).glob("*.tar.gz"))) as archive:
                archive.extractall(place, filter="data")
            try:
                (Path(place) / NAME).rename(folder)
            except OSError:  # another test process was faster
                assert folder.is_dir()
    return folder


def _download(place: Path) -> None:
    """The sources, through the package index that pip uses."""
    asked = NAME.replace("-", "==", 1)
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary=:all:", "-d", str(place), asked]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    )
    if done.returncode:
        missing(f"problemtools ({done.stderr.strip().splitlines()[-1:]})")
