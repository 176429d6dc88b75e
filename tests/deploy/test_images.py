"""The images hold what their programs import."""

import re
import subprocess
import sys
from importlib.metadata import packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

IMAGES = Path(__file__).parents[2] / "deploy" / "containers" / "images"
OURS = {"deploy", "grader", "sandbox", "tournament", "web"}
WITHOUT = "import sys; sys.modules.update(dict.fromkeys(sys.argv[1:])); import deploy.cli.installation.runner"


def with_requirements(package: str) -> set[str]:
    """The package and everything that it asks for here."""
    asked = [Requirement(each) for each in requires(package) or ()]
    needed = [each.name for each in asked if each.marker is None or each.marker.evaluate({"extra": ""})]
    return {canonicalize_name(package)}.union(*map(with_requirements, needed))


def test_the_runner_imports_only_what_its_image_holds() -> None:
    recipe = (IMAGES / "runner.Dockerfile").read_text()
    (asked,) = re.findall(r"--constraint requirements.lock ([\w -]+) &&", recipe)
    copied = set(re.findall(r"^COPY (\w+) \S*\1$", recipe, re.MULTILINE))
    held = {name for package in asked.split() for name in with_requirements(package)}
    lacking = [top for top, names in packages_distributions().items() if held.isdisjoint(map(canonicalize_name, names))]
    lacking = [*(set(lacking) - OURS), *(OURS - copied)]
    imported = subprocess.run([sys.executable, "-c", WITHOUT, *lacking], capture_output=True, text=True, check=False)
    assert imported.returncode == 0, imported.stderr
    assert len(lacking) > 10
