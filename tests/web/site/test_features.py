"""A feature's templates use those of features below it only, as its modules do (`make lint` holds that for modules).
Modules name only such templates."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
NAMED = re.compile(r"""["']([a-z_]+)/\w+\.html["']""")
USES = re.compile(r"""{%-?\s*(?:include|import|from|extends)\s+["']([a-z_]+)/""")


def layers() -> list[set[str]]:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (web,) = (each["layers"] for each in contracts if each.get("containers") == ["web"])
    return [set(line.split(" : ")) for line in web]


@pytest.mark.parametrize("folder", sorted(each.name for each in (ROOT / "web").iterdir() if each.is_dir()))
def test_templates_use_only_templates_of_their_own_or_a_lower_feature(folder: str) -> None:
    uses = {use for file in (ROOT / "web" / folder).glob("*.html") for use in USES.findall(file.read_text())}
    named = {name for file in (ROOT / "web" / folder).glob("*.py") for name in NAMED.findall(file.read_text())}
    found = uses | named
    if not found:
        return
    order = {name: at for at, line in enumerate(layers()) for name in line}
    assert {use for use in found - {folder} if order[use] <= order[folder]} == set()


def test_the_pattern_finds_each_way_of_using_a_template() -> None:
    text = """{% extends "site/base.html" %}{%- include 'a/_b.html' %}{% from "c/d.html" import e %}"""
    assert NAMED.findall("""render_template("a/_b.html"), 'c/d.html'""") == ["a", "c"]
    assert USES.findall(text + '{% import "f/g.html" as g %}') == ["site", "a", "c", "f"]
