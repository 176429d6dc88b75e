"""Wheels of the packages that are installed here, for images that are built without a package index."""

import re
import zipfile
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def write_wheels(asked: Iterable[str], folder: Path) -> None:
    """Write a wheel of each package that these requirements need. To download them takes pip half a minute of a
    processor, which it spends on the pages of the index."""
    for package in needed(asked).values():
        write_wheel(package, folder)


def needed(asked: Iterable[str]) -> Mapping[str, Distribution]:
    """The installed packages that fulfil the requirements, and those that they need, by name."""
    found: dict[str, Distribution] = {}
    seen: set[str] = set()
    new = [Requirement(each) for each in asked]
    while new:
        requirement = new.pop()
        if str(requirement) in seen:
            continue
        seen.add(str(requirement))
        package = found[canonicalize_name(requirement.name)] = distribution(requirement.name)
        wanted = ("", *requirement.extras)
        for needs in map(Requirement, package.requires or ()):
            if needs.marker is None or any(needs.marker.evaluate({"extra": extra}) for extra in wanted):
                new.append(needs)
    return found


def write_wheel(package: Distribution, folder: Path) -> None:
    """The wheel holds what was installed, less what an installation adds to it: commands and compiled modules."""
    about, files = package.read_text("WHEEL"), package.files
    assert about, f"{package.name} was not installed from a wheel"
    assert files, f"nobody knows the files of {package.name}"
    tags = re.findall(r"^Tag: (\S+)-(\S+)-(\S+)$", about, re.MULTILINE)
    name = canonicalize_name(package.name).replace("-", "_")
    parts = [name, package.version, *(".".join(sorted(set(part))) for part in zip(*tags, strict=True))]
    with zipfile.ZipFile(folder / f"{'-'.join(parts)}.whl", "w") as wheel:
        for file in files:
            if ".." not in file.parts and "__pycache__" not in file.parts:
                wheel.write(file.locate(), file)
