"""A kit as a student has it: in a folder, run by a bare interpreter.

`python -m tests.web.kits FOLDER` writes one there, with a right and a wrong player, for machines of other systems.
"""

import io
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from grader.authoring.course_folder.course import builtin
from grader.definition.question import FunctionQuestion
from web.kit.contents import kit_files


def unpacked(content: bytes, folder: str) -> dict[str, bytes]:
    """The files of a kit that was downloaded, all of which lie in that folder."""
    with zipfile.ZipFile(io.BytesIO(content)) as found:
        files = {name: found.read(name) for name in found.namelist()}
    assert {name.partition("/")[0] for name in files} == {folder}
    return {name.partition("/")[2]: each for name, each in files.items()}


INTERPRETERS = ("python3", "pypy3")
WITH_EITHER = ["python3", pytest.param("pypy3", marks=pytest.mark.full)]
"""For what does not depend on the interpreter, if other tests pass with both."""
ABOUT = {
    "site": "http://127.0.0.1:9",  # where nobody answers
    "kit": "http://127.0.0.1:9/kit.zip",
    "id": 1,
    "slug": "double",
    "title": "Double",
    "version": 1,
    "largest": 256 << 10,
    "game": "bo",
    "full": "This assignment does not offer it.",
    "seats": [2],
    "tournament": 1,
}
EXAMPLES = """\
>>> # a small one
>>> double(1)
2
>>> double(2)
4
>>> double(3)
6
"""
DOUBLE = builtin("bo").model_copy(
    update={
        "questions": (
            FunctionQuestion(
                slug="q1", title="Double", function="double", parameters=("number",), examples=EXAMPLES, call_s=0.1
            ),
        )
    }
)
RIGHT = "def double(number):\n    return 2 * number\n"
FAULTY = "def double(number):\n    return '☃…é'\n"


class Kit:
    """The kit in a folder of its own, with a home of its own."""

    def __init__(self, folder: Path, files: dict[str, bytes], interpreter: str = sys.executable) -> None:
        self.folder, self.home = folder / "kit", folder / "home"
        self.folder.mkdir()
        self.home.mkdir()
        for name, content in files.items():
            (self.folder / name).write_bytes(content)
        found = shutil.which(interpreter)
        if not found and not os.environ.get("CI"):
            pytest.skip(f"{interpreter} is not installed")
        assert found
        self._interpreter, self.site = found, ""

    def start(self, *arguments: str, out: int = subprocess.PIPE, **more: str) -> "subprocess.Popen[str]":
        """The kit, running."""
        isolated = [] if "PYTHONIOENCODING" in more else ["-I"]  # which would not look at it
        home = {"HOME": str(self.home), "APPDATA": str(self.home), "XDG_CONFIG_HOME": str(self.home)}
        return subprocess.Popen(
            [self._interpreter, "-S", *isolated, "quadrille_kit.py", *arguments],
            cwd=self.folder,
            env={**os.environ, **home, **more},
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        )

    def run(self, *arguments: str, typed: str = "", **more: str) -> tuple[int, str]:
        """Its exit code, and what it says."""
        running = self.start(*arguments, **more)
        said, complaints = running.communicate(typed, timeout=120)
        assert "Traceback (most recent" not in complaints
        return running.returncode, said + complaints

    def check(self, source: str | bytes, *more: str) -> tuple[int, str]:
        """What `check` says of a player."""
        (self.folder / "my_player.py").write_bytes(source if isinstance(source, bytes) else source.encode())
        return self.run("check", "my_player.py", *more)


def main(folder: Path) -> None:
    """Write the kit of the small assignment, with a right and a wrong player, into a new folder."""
    files = kit_files(DOUBLE, ABOUT, RIGHT, "") | {"wrong.py": FAULTY.encode()}
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
