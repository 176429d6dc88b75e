"""docs/licences.md lists every locked package with the licence that it declares, and each is one that we allow."""

import re
import tomllib
from importlib.metadata import distribution

import pytest

from tests.deploy.test_lock import ROOT, names
from tests.whole.wheels import needed

PAGE = (ROOT / "docs" / "licences.md").read_text()
ALLOWED = {
    *("0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CNRI-Python", "MIT", "MIT-0"),
    *("PSF-2.0", "Zlib"),
}
"""Licences that ask for no more than to be named."""

ALLOWED_UNCHANGED = {"LGPL-3.0-only", "MPL-2.0"}
"""Licences that ask those who pass on a changed copy of the package for its source. We change none."""

ALLOWED_AS_TOOLS = {"GPL-3.0-or-later"}
"""Licences that would reach what is built with the package: it must not be part of Quadrille."""

SPELT = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
READ = {"axe-playwright-python": "MIT", "promql-parser": "MIT", "pyrage": "MIT"}
"""Packages that say it in their file LICENSE alone."""


def declared(package: str) -> str:
    """The licence that an installed package declares, in SPDX's words."""
    about = distribution(package).metadata
    said = [each.rpartition(" :: ")[2] for each in about.get_all("Classifier", ()) if each.startswith("License ::")]
    known = [SPELT[each] for each in said if each in SPELT]
    short = (about.get("License") or "").splitlines()[:1]
    return about.get("License-Expression") or " OR ".join(known) or READ.get(package) or "".join(short)


def listed(heading: str) -> dict[str, str]:
    """The table under a heading: licences by package."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0].split("|---|---|\n")[1]
    return dict(re.findall(r"^\| ([\w.-]+) \| ([\w. -]+) \|$", section, re.MULTILINE))


def locked() -> set[str]:
    return names((ROOT / "deploy" / "requirements.lock").read_text().splitlines())


def delivered() -> set[str]:
    """The packages that an installation has."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {*needed(project["dependencies"])}


TABLES = {"In an installation": True, "For development": False}


@pytest.mark.parametrize(("heading", "installed"), TABLES.items())
def test_every_package_is_listed_with_its_licence(heading: str, installed: bool) -> None:
    wanted = locked() & delivered() if installed else locked() - delivered()
    rows = {name: declared(name) for name in sorted(wanted)}
    lines = "\n".join(f"| {name} | {licence} |" for name, licence in sorted(rows.items() - listed(heading).items()))
    gone = sorted(listed(heading).keys() - rows.keys())
    assert rows == listed(heading), f"docs/licences.md, “{heading}”: write\n{lines}\nand remove {gone}"


@pytest.mark.parametrize("package", sorted(locked()))
def test_the_licence_is_allowed(package: str) -> None:
    allowed = ALLOWED | ALLOWED_UNCHANGED | (set() if package in delivered() else ALLOWED_AS_TOOLS)
    licence = declared(package)
    assert licence, f"{package} declares no licence: read its LICENSE, and add it to READ"
    either = [set(part.split(" AND ")) for part in licence.split(" OR ")]
    assert any(part <= allowed for part in either), f"{package} has the licence {licence}, which is not allowed"
