"""The documents are true: their links, paths, commands, options, settings, registries and Python exist.

A failing test names the document, and says which row or line to add or correct."""

import ast
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import pytest
import yaml

from deploy.cli import COMMANDS, Commands
from deploy.database import METADATA
from deploy.settings import Settings
from sandbox.api import Limits
from tournament.store.database import Base

ROOT = Path(__file__).parents[2]
FOLDERS = ("docs", "deploy", "grader", "sandbox", "tournament", "web")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(path for name in FOLDERS for path in (ROOT / name).rglob("*.md"))])
HISTORY = ROOT / "CHANGELOG.md"  # it names former paths
NAMES = {path: str(path.relative_to(ROOT)) for path in DOCUMENTS}
README = (ROOT / "README.md").read_text()
HELP = {"-h", "--help"}

every_document = pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES.get)


def prose(path: Path) -> str:
    """A document without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text(), re.MULTILINE | re.DOTALL)


def codes(text: str) -> list[str]:
    return [re.sub(r"\s+", " ", code) for code in re.findall(r"`([^`]+)`", text)]


def shown_commands(path: Path) -> Iterator[list[str]]:
    """The commands that a document tells its reader to type, in blocks and in sentences, as words."""
    lines = [line[2:] for block in blocks(path, "console") for line in block.splitlines() if line.startswith("$ ")]
    for text in [*lines, *codes(prose(path))]:
        for each in re.split(r"\s&&\s|\s\|\s|\s&$", re.sub(r"\s+#.*| [<>] ?\S+", "", text)):
            inside = re.sub(r"^docker compose exec (-T )?\w+ (?=quadrille )", "", each.replace("…", ""))
            if inside.startswith(("make ", "quadrille ")):
                yield shlex.split(inside)


def headings(path: Path) -> set[str]:
    """The anchors of a document's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def table(heading: str) -> list[Sequence[str]]:
    """The rows of the first table after a heading of the README."""
    section = README.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def exists(pattern: str) -> bool:
    return any(ROOT.glob(re.sub(r"<\w+>", "*", pattern).rstrip("/")))


ADDING = table("Where to add things")
CHANGING = table("Where to change things")
PATHS = sorted({code for row in [*ADDING, *CHANGING] for cell in row for code in codes(cell) if "/" in code})
REGISTRIES = [(row[2], row[1]) for row in ADDING if row[2] != "–"]


# The main README


def test_there_are_tables() -> None:
    assert len(ADDING) >= 10
    assert len(PATHS) >= 10


@pytest.mark.parametrize("path", PATHS)
def test_paths_of_the_tables_exist(path: str) -> None:
    assert exists(path), f"README.md, “Where to add things” or “to change”: there is no {path}; correct the row"


@pytest.mark.parametrize(("cell", "written"), REGISTRIES)
def test_registries_exist(cell: str, written: str) -> None:
    name, *path = codes(cell)
    (place,) = path or [code for code in codes(written) if code.endswith(".py")]
    found = list(ROOT.glob(re.sub(r"<\w+>", "*", place)))
    assert found, f"README.md, “Where to add things”: there is no {place}; correct the row"
    for file in found:
        assert re.search(rf"^(class )?{name}\b.*[:=(]", file.read_text(), re.MULTILINE), (
            f"README.md, “Where to add things”, says that {name} is in {place}, but {file.relative_to(ROOT)} has none"
        )


def test_every_table_is_where_a_column_is_added() -> None:
    (row,) = (row for row in ADDING if row[0] == "a column of the database")
    named = {
        str(path.with_suffix("")).replace("/", ".")
        for code in codes(row[1])
        if "/" in code
        for path in (file.relative_to(ROOT) for file in ROOT.glob(re.sub(r"<\w+>", "*", code)))
    }
    strays = {
        f"{each.class_.__module__}.{each.class_.__name__}"
        for each in Base.registry.mappers
        if each.class_.__module__ not in named
    }
    assert strays == set(), "move these tables to a file that the row “a column of the database” of the README names"
    assert METADATA is Base.metadata, "all tables are loaded"


def test_the_folders_of_the_table_exist() -> None:
    folders = [code for row in table("Where things live") for code in codes(row[0])]
    assert [folder for folder in folders if not (ROOT / folder).is_dir()] == [], "README.md, “Where things live”"
    assert set(folders) >= {*FOLDERS, "tests"}, "README.md, “Where things live”: a row is missing"


def test_every_command_is_in_the_readme() -> None:
    named = set(re.findall(r"\bquadrille ([a-z]+)\b", README))
    missing = set(COMMANDS) - named
    assert not missing, f"README.md, “The command line”: add a row or a sentence about {sorted(missing)}"


def test_settings_are_the_settings() -> None:
    named = {code.removeprefix("QUADRILLE_").lower() for row in table("Settings") for code in codes(row[0])}
    fields = {*Settings.model_fields} - {"limits"} | {f"limits__{name}" for name in Limits.__dataclass_fields__}
    assert not fields - named, f"README.md, “Settings”: add rows for {sorted(fields - named)}"
    assert not named - fields, f"README.md, “Settings”: {sorted(named - fields)} are not settings; remove them"


# Every document


def test_the_index_names_every_document() -> None:
    index = (ROOT / "docs" / "README.md").read_text()
    names = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    missing = sorted(name for name in names if f"({name})" not in index)
    assert not missing, f"docs/README.md: add a row for {missing}"


@every_document
def test_links_lead_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(path)):
        if link.startswith(("https://", "http://", "mailto:")):
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), f"{NAMES[path]}: the link to {link} leads nowhere; correct it"
        if anchor:
            assert anchor in headings(target), f"{NAMES[path]}: {file or 'this page'} has no heading for #{anchor}"


@every_document
def test_paths_exist(path: Path) -> None:
    if path == HISTORY:
        return
    named = [code for code in codes(prose(path)) if re.fullmatch(rf"({'|'.join(FOLDERS)}|tests)/[\w./<>*-]+", code)]
    missing = [code for code in named if not exists(code) and "<game>" not in code and code != "deploy/wheels"]
    assert not missing, f"{NAMES[path]} names paths that do not exist: {missing}"


@every_document
def test_commands_and_their_options_exist(path: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for program, *words in shown_commands(path):
        said = f"{NAMES[path]}: `{' '.join([program, *words])}`"
        if program == "make":
            assert words[0] in targets, f"{said} is not in the Makefile"
            continue
        command: click.Command = Commands()
        while isinstance(command, click.Group) and words and re.fullmatch("[a-z]+(-[a-z]+)*", words[0]):
            found = command.get_command(click.Context(command), words.pop(0))
            assert found, f"{said}: there is no such command; see `quadrille --help`"
            command = found
        known = {option for each in command.params for option in (*each.opts, *each.secondary_opts)} | HELP
        unknown = {word.partition("=")[0] for word in words if word.startswith("-")} - known
        assert not unknown, f"{said}: there is no option {', '.join(sorted(unknown))}"


@every_document
def test_variables_exist(path: Path) -> None:
    files = [*(ROOT / "deploy" / "containers").glob("compose*.yaml"), ROOT / "deploy" / "containers" / "images" / "env"]
    composed = set(re.findall(r"\bQUADRILLE_[A-Z_]+\b", "".join(file.read_text() for file in files)))
    fields = {*Settings.model_fields} | {f"limits__{name}" for name in Limits.__dataclass_fields__}
    known = composed | {f"QUADRILLE_{name.upper()}" for name in fields}
    unknown = set(re.findall(r"\bQUADRILLE_[A-Z_]*[A-Z]\b", path.read_text())) - known
    assert not unknown, f"{NAMES[path]}: {sorted(unknown)} are neither settings nor variables of the compose files"


@every_document
def test_python_is_python(path: Path) -> None:
    for block in blocks(path, "python"):
        try:
            ast.parse(block)
        except SyntaxError as error:
            pytest.fail(f"{NAMES[path]}: this block is not Python ({error}):\n{block}")


def test_quoted_messages_are_those_of_the_program() -> None:
    section = (ROOT / "docs" / "operate.md").read_text().split("## When something is wrong")[1].split("\n## ")[0]
    sources = "".join(path.read_text() for package in FOLDERS[1:] for path in (ROOT / package).rglob("*.py"))
    quoted = [code for line in section.splitlines() if line.startswith("| ") for code in codes(line.split("|")[2])]
    parts = [part.strip() for code in quoted if not code.startswith("Trying") for part in code.split("…")]
    assert len(parts) >= 5
    missing = [part for part in parts if part not in sources]
    assert not missing, f"docs/operate.md, “When something is wrong”: no message contains {missing}; quote the new one"


@every_document
def test_loggers_are_modules(path: Path) -> None:
    for name in re.findall(r'"logger":"([\w.]+)"', path.read_text()):
        module = ROOT / name.replace(".", "/")
        assert module.with_suffix(".py").exists() or module.is_dir(), f"{NAMES[path]}: there is no logger {name}"


@pytest.mark.parametrize("path", sorted(ROOT.glob("*/README.md")), ids=NAMES.get)
def test_the_readme_of_a_package_keeps_to_one_screen(path: Path) -> None:
    lines = len(path.read_text().splitlines())
    assert lines <= 70, f"{NAMES[path]} is {lines} lines; the limit is 70. Move the rest to docs/"


# What runs for others


def test_the_workflow_runs_what_ci_runs() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yaml").read_text())
    assert [step.get("run") for step in workflow["jobs"]["test"]["steps"]] == [None, ".ci/run"]


@pytest.mark.full
def test_the_workflow_checks_players_on_other_systems_too(tmp_path: Path) -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yaml").read_text())
    runs = [step for name in ("kit", "kit-elsewhere") for step in workflow["jobs"][name]["steps"] if "run" in step]
    write, *checks = [step["run"] for step in runs[1:] if step.get("shell") != "cmd"]  # runs[0] installs
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for command in (write.replace(" kit", f" {tmp_path / 'kit'}"), *checks):
        folder = ROOT if command.startswith("python -m") else tmp_path / "kit"
        subprocess.run(["bash", "-e", "-c", command], cwd=folder, env={**os.environ, "PATH": path}, check=True)


def test_the_hooks_run_lint() -> None:
    repositories = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert [hook["entry"] for each in repositories for hook in each["hooks"]] == ["make lint"]
