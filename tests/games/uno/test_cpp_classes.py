"""The questions of `examples/uno-cpp` about single classes: the solution passes them, and a wrong class fails its own
question and no other."""

import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.games.uno.cpp import QUESTION, compile_in, sources, trimmed, write

QUESTIONS = QUESTION.parent
CLASSES = ("actioncard", "deck", "player", "bot", "man")
WRONG = [path for slug in CLASSES for path in sorted((QUESTIONS / slug / "submissions" / "WA").iterdir())]

pytestmark = pytest.mark.full


@cache
def own_files(slug: str) -> frozenset[str]:
    """The files of a question that students write."""
    return frozenset(sources(QUESTIONS / slug / "solution"))


def failed_cases(slug: str, own: dict[str, str], folder: Path) -> list[str]:
    """The names of a question's cases that fail if `own` replaces files of the solution."""
    folder.mkdir(exist_ok=True)
    files = sources(QUESTIONS / slug / "files", QUESTIONS / slug / "solution")
    write(files | {name: text for name, text in own.items() if name in own_files(slug)}, folder)
    compile_in(folder, "-o", "tested", *(name for name in files if name.endswith(".cpp")))
    failed = []
    for path in sorted((QUESTIONS / slug / "cases").glob("*/*.out")):
        typed = path.with_suffix(".in")
        done = subprocess.run(
            [folder / "tested", *path.with_suffix(".args").read_text("utf-8").split()],
            input=typed.read_text("utf-8") if typed.exists() else "",
            capture_output=True,
            text=True,
            timeout=10,
        )
        if done.returncode or trimmed(done.stdout) != trimmed(path.read_text("utf-8")):
            failed.append(path.stem)
    return failed


@pytest.mark.parametrize("slug", CLASSES)
def test_the_solution_passes(slug: str, tmp_path: Path) -> None:
    assert failed_cases(slug, {}, tmp_path) == []


@pytest.mark.parametrize("wrong", WRONG, ids=lambda path: f"{path.parents[2].name}-{path.name}")
def test_a_wrong_class_fails_its_own_question_only(wrong: Path, tmp_path: Path) -> None:
    own = sources(wrong)
    concerned = [slug for slug in CLASSES if own_files(slug) & own.keys()]
    found = {slug for slug in concerned if failed_cases(slug, own, tmp_path / slug)}
    assert found == {wrong.parents[2].name}
