"""The structure of the product: names of classes, the length of files, and of lines of templates."""

import ast
import re
from collections import Counter, defaultdict
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PARTS = ("deploy", "grader", "sandbox", "tournament", "web")
KIT = ROOT / "web/kit/quadrille_kit.py"
"""What students download as one file, which imports nothing of the product."""

AS_IN_THE_JAIL = {"Missing", "Unsendable"}
"""Classes of the kit that mean at home what those of the same names mean in the jail."""

CLASS = re.compile(r"^\s*class (\w+)", re.MULTILINE)
MOST_LINES = 400
WIDEST = 200  # characters of a line of a template


def modules() -> list[Path]:
    """The product's modules, without migrations, which are history, and without what stands alone."""
    paths = (path for part in PARTS for path in sorted((ROOT / part).rglob("*.py")))
    return [path for path in paths if path != KIT and not {"migrations", "bots"} & {*path.parts}]


def test_no_two_classes_share_a_name() -> None:
    named = {path: CLASS.findall(path.read_text()) for path in [*modules(), KIT]}
    often = {name for name, number in Counter(chain(*named.values())).items() if number > 1}
    places = defaultdict(list)
    for path in (path for path, names in named.items() if often & {*names}):  # to parse all of them takes seconds
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and not (path == KIT and node.name in AS_IN_THE_JAIL):
                places[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    shared = [f"{name}: {' and '.join(found)}" for name, found in sorted(places.items()) if len(found) > 1]
    if shared:
        listed = "\n".join(shared)
        pytest.fail(
            f"Classes share a name:\n{listed}\nRename the one with the narrower subject to what it is, with a term of"
            " docs/glossary.md. A model of the API keeps its public name if its class ends in `Json`.",
            pytrace=False,
        )


def test_no_file_is_too_long() -> None:
    lengths = ((path.relative_to(ROOT), len(path.read_text().splitlines())) for path in modules())
    long = [f"{path} has {lines} lines" for path, lines in lengths if lines > MOST_LINES]
    if long:
        listed = "\n".join(long)
        pytest.fail(
            f"Files with more than {MOST_LINES} lines:\n{listed}\nFind the part with a subject of its own, and move it"
            " to a module that is named after it.",
            pytrace=False,
        )


def test_no_line_of_a_template_is_too_long() -> None:
    pages = (path for part in PARTS for path in sorted((ROOT / part).rglob("*.html")))
    long = [
        f"{path.relative_to(ROOT)}:{number} has {len(line)} characters"
        for path in pages
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > WIDEST
    ]
    if long:
        listed = "\n".join(long)
        pytest.fail(
            f"Lines of templates with more than {WIDEST} characters:\n{listed}\nBreak the sentence at a space, or let"
            " the module beside the template decide what is said.",
            pytrace=False,
        )
