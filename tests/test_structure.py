"""The structure of the product: names of classes, and the length of files."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PARTS = ("deploy", "grader", "sandbox", "tournament", "web")
KIT = ROOT / "web/kit/quadrille_kit.py"
"""What students download as one file, which imports nothing of the product."""


def modules() -> list[Path]:
    """The product's modules, without migrations, which are history, and without what stands alone."""
    paths = (path for part in PARTS for path in sorted((ROOT / part).rglob("*.py")))
    return [path for path in paths if path != KIT and not {"migrations", "bots"} & {*path.parts}]


def test_no_two_classes_share_a_name() -> None:
    places = defaultdict(list)
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    shared = [f"{name}: {' and '.join(found)}" for name, found in sorted(places.items()) if len(found) > 1]
    if shared:
        listed = "\n".join(shared)
        pytest.fail(
            f"Classes share a name:\n{listed}\nRename the one with the narrower subject to what it is, with a term of"
            " docs/glossary.md. A model of the API keeps its public name if its class ends in `Json`.",
            pytrace=False,
        )
