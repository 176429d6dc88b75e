"""The words of pages, messages and docs: plain English, and one word for one thing. docs/glossary.md says which."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PARTS = ("deploy", "grader", "sandbox", "tournament", "web")
FORBIDDEN = {
    r"\b[Ff]aults? of ours\b": "internal error",
    r"\b([Mm]ends?|mended|mending)\b": "fix",
    r"\bbef(ell|alls?)\b": "happened to",
    r"\b[Aa]new\b": "again",
    r"\b[Tt]his \w+ is none\b": "is not a …",
    r"(?<!here )\b(is|was) no (secret|terminal|ladder|player|program|play|question|golden|number)\b": "is not a …",
    r"^(Of|So many) (?!course)": "a full noun phrase",
}
ON_PAGES = {
    r"\b[Ee]xclu(sions?|ded)\b": "re-entry cooldown, or cooldown exception",
    r"\bSettings log\b": "change log",
    r"\b(equal|mark) bins\b": "equal rank bands",
    r"\bGrade submissions again\b": "regrade",
}
CODE = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}|<[^>]*>", re.DOTALL)  # of a template
QUOTED = re.compile(r'"([^"{}<>]* [^"{}<>]*)"')  # within an expression of a template


def texts(path: Path) -> Iterator[str]:
    """What people read in a file: the texts of a program with its docstrings, of a page, or of a document."""
    source = path.read_text()
    if path.suffix == ".py":
        found = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
        return (text for text in found if isinstance(text, str) and " " in text)
    if path.suffix == ".html":
        quoted = (match[1] for code in CODE.findall(source) for match in QUOTED.finditer(code))
        return iter([re.sub(r"\s*\n\s*", " ", CODE.sub("…", source)), *quoted])
    return iter([source])


def wrong(paths: Iterator[Path], forbidden: dict[str, str]) -> list[str]:
    patterns = [(re.compile(pattern), better) for pattern, better in forbidden.items()]
    return [
        f"{path.relative_to(ROOT)}: “{text[max(0, match.start() - 40) : match.end() + 40].strip()}”: write “{better}”"
        for path in paths
        for text in texts(path)
        for pattern, better in patterns
        for match in pattern.finditer(text)
    ]


def files(*patterns: str) -> Iterator[Path]:
    return (path for part in PARTS for pattern in patterns for path in sorted((ROOT / part).rglob(pattern)))


@pytest.mark.parametrize("part", PARTS)
def test_the_english_is_plain(part: str) -> None:
    found = [path for path in files("*.py", "*.html", "*.md") if path.relative_to(ROOT).parts[0] == part]
    assert not wrong(iter(found), FORBIDDEN)


def test_so_it_is_in_the_documents() -> None:
    assert not wrong(iter([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"]), FORBIDDEN)


def test_pages_use_the_terms_of_the_glossary() -> None:
    assert not wrong(files("*.html"), ON_PAGES)
