"""What `make dist` builds: a wheel that works by itself, with everything that its programs read; the definitions of the
images; a bill of materials; checksums."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from tests.deploy.test_licences import READ, delivered
from tests.deploy.test_lock import ROOT
from tests.whole.wheels import write_wheels

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
NAME = f"quadrille-{VERSION}"
TOOLS = Path(sys.prefix, "release")
PACKAGES = ("grader", "sandbox", "tournament", "web", "deploy/migrations")
"""Folders of which a wheel holds everything; in the rest of `deploy` are files for operators."""


def checkout(folder: Path) -> Path:
    """A copy of this one, committed."""
    listed = subprocess.check_output(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, text=True
    )
    for file in filter(None, listed.split("\0")):
        if (ROOT / file).is_file():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, folder / file)
    git(folder, "init", "-q")
    commit(folder)
    return folder


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=Quadrille", "-c", "user.email=quadrille@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True)


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "All")


def files_of(folder: Path) -> set[str]:
    found = (path for part in PACKAGES for path in (folder / part).rglob("*") if path.is_file())
    return {str(path.relative_to(folder)) for path in found if "__pycache__" not in path.parts}


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_packages(tmp_path: Path) -> None:
    source = checkout(tmp_path / "source")
    command = ("pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path), str(source))
    subprocess.run([sys.executable, "-m", *command], check=True)
    with zipfile.ZipFile(tmp_path / f"{NAME}-py3-none-any.whl") as wheel:
        lacking = files_of(source) - {*wheel.namelist()}
    assert not lacking, "add their kind to [tool.setuptools.package-data] of pyproject.toml"


def test_the_version_is_the_same_everywhere() -> None:
    changes = re.findall(r"^## (\d\S*?),? ", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    supported = re.findall(r"^\| (\d\S*) \| yes", (ROOT / "SECURITY.md").read_text(), re.MULTILINE)
    assert (changes[0], supported) == (VERSION, [VERSION.rpartition(".")[0]])


def dist(source: Path, wheels: Path) -> "subprocess.CompletedProcess[str]":
    """Run what `make dist` runs, without a package index."""
    if not TOOLS.exists():
        subprocess.run([ROOT / "deploy" / "bootstrap.sh", "release", TOOLS], check=True)
    for name, folder in {"python": sys.prefix, "tools": str(TOOLS)}.items():
        (source / name).unlink(missing_ok=True)
        (source / name).symlink_to(folder)
    environment = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}
    command = (source / "deploy" / "release" / "dist.sh", "python", "tools")
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.full
def test_a_release_is_whole_and_one_without_a_file_is_none(tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    write_wheels(delivered(), wheels)
    source = checkout(tmp_path / "source")
    done = dist(source, wheels)
    assert done.returncode == 0, done.stderr
    out = source / "dist"
    lock = out / f"{NAME}-requirements.lock"
    archive, bill = out / f"{NAME}-containers.tar.gz", out / f"{NAME}.cdx.json"
    files = [archive, out / f"{NAME}-py3-none-any.whl", lock, bill]

    sums = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    assert {path.name for path in out.iterdir()} == {*sums, "SHA256SUMS"}
    assert dict(reversed(line.split("  ")) for line in (out / "SHA256SUMS").read_text().splitlines()) == sums

    materials = json.loads(bill.read_text())
    locked = dict(line.split("==") for line in lock.read_text().splitlines() if "==" in line)
    versions = {canonicalize_name(name): version for name, version in locked.items()}
    listed = {canonicalize_name(each["name"]): each["version"] for each in materials["components"]}
    assert (materials["bomFormat"], materials["metadata"]["component"]["name"]) == ("CycloneDX", "quadrille")
    assert listed == {name: versions[name] for name in delivered()}
    assert {each["name"] for each in materials["components"] if not each.get("licenses")} <= {*READ}

    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path / "unpacked", filter="data")
    images = tmp_path / "unpacked" / NAME
    assert files_of(source) <= files_of(images)
    assert os.access(images / "deploy" / "containers" / "prepare.sh", os.X_OK)

    project = source / "pyproject.toml"
    project.write_text(project.read_text().replace('"*.po", ', ""))
    commit(source)
    broken = dist(source, wheels)
    assert (broken.returncode, "the wheel lacks web/translations/de.po" in broken.stderr) == (1, True), broken.stderr
