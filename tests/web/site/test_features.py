"""A feature's templates use those of features below it only, as its modules do (`make lint` holds that for modules).
Modules name only such templates. All are made of the blocks of docs/design.md."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
NAMED = re.compile(r"""["']([a-z_]+)/\w+\.html["']""")
USES = re.compile(r"""{%-?\s*(?:include|import|from|extends)\s+["']([a-z_]+)/""")

LEFT_OUT = re.compile(r"{#.*?#}|{%.*?%}|/\*.*?\*/", re.DOTALL)
CLASSES = re.compile(r'\bclass="([^"]*)"')
BLOCKS = ROOT / "docs/design/blocks.html"


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


def classes_of(template: str) -> set[str]:
    """The classes that a template writes, but for those with a value in their name."""
    written = re.sub(r"{{.*?}}", "\0", LEFT_OUT.sub(" ", template), flags=re.DOTALL)
    return {name for names in CLASSES.findall(written) for name in names.split() if "\0" not in name}


def defined_in(css: str) -> set[str]:
    """The classes that a stylesheet has rules for."""
    return set(re.findall(r"\.([a-z][\w-]*)", re.sub(r"{[^{}]*}", "{}", LEFT_OUT.sub(" ", css))))


@pytest.mark.parametrize("file", [BLOCKS, *sorted((ROOT / "web").rglob("*.html"))], ids=lambda file: file.name)
def test_templates_use_only_classes_of_the_stylesheets(file: Path) -> None:
    defined = set[str]().union(*(defined_in(each.read_text()) for each in (ROOT / "web").rglob("*.css")))
    unknown = sorted(classes_of(file.read_text()) - defined)
    assert not unknown, f"no stylesheet has rules for {unknown}; make the page of the blocks of docs/design.md"


def test_the_page_about_looks_shows_each_block() -> None:
    blocks = re.findall(r'<section id="(\w+)">', BLOCKS.read_text())
    page = (ROOT / "docs/design.md").read_text()
    rows = [[each.strip() for each in line.split("|")[1:-1]] for line in page.splitlines() if "](design/" in line]
    assert [(name, shown) for name, *_, shown in rows] == [(each, f"![{each}](design/{each}.png)") for each in blocks]
    assert {each.stem for each in BLOCKS.parent.glob("*.png")} == {*blocks}
    shown = classes_of(BLOCKS.read_text())
    assert {name for _, _, names, _ in rows for name in re.findall(r"`([\w-]+)`", names)} <= shown


def test_the_patterns_find_each_class() -> None:
    html = """<a class="a {{ 'x' if y }} b-{{ c }} {% if d %}e{% endif %}"><i class='f'></i>{# class="g" #}"""
    assert classes_of(html) == {"a", "e"}
    assert defined_in("/* .a */ .b:is(.c, .d-1) > p { margin: .5rem; } @media (x) { .e { top: .f; } }") == {
        "b",
        "c",
        "d-1",
        "e",
    }
