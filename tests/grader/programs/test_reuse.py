"""What was compiled is used again: of what was handed out for everybody, of a student's for that student alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import pytest

from grader.definition.question import ProgramQuestion
from grader.programs.compiling import reached
from grader.programs.grading import ProgramGraded, grade_program
from grader.programs.jails import Jails, ObjectStore
from sandbox.programs import Command, Ended, ProgramJail, ProgramSandbox
from tests.grader.programs.conftest import question

GIVEN = {
    "word.h": "void word(void);\n",
    "word.c": """#include <stdio.h>
    #include "word.h"
    void word(void) { char it[9]; if (scanf("%8s", it) == 1) puts(it); }""",
    "deck.h": "#define TIMES 1\n",
    "main.c": "int main(void) { return 0; }\n",
}
MAIN = '#include "word.h"\n#include "deck.h"\nint main(void) { for (int i = 0; i < TIMES; i++) word(); return 0; }\n'
ASKED = question(given=GIVEN, editable=("main.c", "deck.h", "more.c"))


@dataclass
class Recorder:
    """A sandbox that remembers which commands of compilers ran in which of its jails."""

    inner: ProgramSandbox
    jails: list[list[Command]] = field(default_factory=list)

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    def open(self) -> "RecordingJail":
        self.jails.append([])
        return RecordingJail(self.inner.open(), self.jails[-1])

    def compiled(self) -> list[str]:
        """The sources that were compiled since this was last asked."""
        found = [command.argv[-1].removeprefix("./") for jail in self.jails for command in jail if "-c" in command.argv]
        self.jails.clear()
        return sorted(found)


@dataclass
class RecordingJail:
    inner: ProgramJail
    commands: list[Command]

    def run(self, command: Command) -> Ended:
        if command.compiles:
            self.commands.append(command)
        return self.inner.run(command)

    def close(self) -> None:
        self.inner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


@pytest.fixture
def recorder(programs: ProgramSandbox) -> Recorder:
    return Recorder(programs)


@pytest.fixture
def keeping(recorder: Recorder, jails: Jails, tmp_path: Path) -> Jails:
    return replace(jails, programs=lambda: recorder, objects=ObjectStore(tmp_path), owner="1")  # type: ignore[arg-type,return-value]


def passes(jails: Jails, files: Mapping[str, str], asked: ProgramQuestion = ASKED) -> bool:
    graded = ProgramGraded.of(grade_program(asked, {path: text.encode() for path, text in files.items()}, jails))
    return all(each.passed for each in graded.results)


UPLOAD = {"main.c": MAIN, "deck.h": GIVEN["deck.h"]}


def test_only_what_changed_is_compiled_again(recorder: Recorder, keeping: Jails) -> None:
    assert passes(keeping, UPLOAD)
    assert recorder.compiled() == ["main.c", "word.c"]
    assert passes(keeping, UPLOAD)
    assert recorder.compiled() == []
    assert passes(keeping, {**UPLOAD, "more.c": "int more;\n"})
    assert recorder.compiled() == ["more.c"]
    assert not passes(keeping, {**UPLOAD, "deck.h": "#define TIMES 0\n"})
    assert recorder.compiled() == ["main.c"]


def test_objects_of_a_student_serve_no_other(recorder: Recorder, keeping: Jails) -> None:
    assert passes(keeping, UPLOAD)
    recorder.compiled()
    assert passes(replace(keeping, owner="2"), UPLOAD)
    assert recorder.compiled() == ["main.c"]
    assert passes(replace(keeping, owner=""), UPLOAD)
    assert passes(replace(keeping, owner=""), UPLOAD)
    assert recorder.compiled() == ["main.c", "main.c"]


def test_what_serves_everybody_is_compiled_where_no_students_file_is(recorder: Recorder, keeping: Jails) -> None:
    passes(keeping, {**UPLOAD, "more.c": "int more;\n"})
    (shared,) = [command for jail in recorder.jails for command in jail if command.argv[-1] == "./word.c"]
    assert set(shared.files) == {"word.h", "word.c"}
    assert not any(command.argv[-1] == "./word.c" for command in recorder.jails[0])


@pytest.mark.parametrize("name", ["version", "options", "given"])
def test_another_compiler_command_or_header_begins_afresh(
    recorder: Recorder, keeping: Jails, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    passes(keeping, UPLOAD)
    recorder.compiled()
    asked = {
        "version": ASKED,
        "options": ASKED.model_copy(update={"options": ("-O1",)}),
        "given": ASKED.model_copy(update={"given": {**GIVEN, "word.h": "void word(void); // changed\n"}}),
    }[name]
    if name == "version":
        monkeypatch.setattr(recorder, "version", lambda tool: "another", raising=False)
    passes(keeping, UPLOAD, asked)
    assert recorder.compiled() == ["main.c", "word.c"]


def test_a_source_handed_out_that_needs_a_students_header_is_compiled_with_it(
    recorder: Recorder, keeping: Jails
) -> None:
    given = {**GIVEN, "word.h": '#include "deck.h"\nvoid word(void);\n'}
    passes(keeping, UPLOAD, ASKED.model_copy(update={"given": given}))
    with_student = [command.argv[-1].removeprefix("./") for command in recorder.jails[0] if "-c" in command.argv]
    assert sorted(with_student) == ["main.c", "word.c"]


FILES = {
    "a.cpp": '#include "a.h"\n#include <vector>\n',
    "a.h": '  #  include "deep/b.h"\n',
    "deep/b.h": "#inc\\\nlude <c.h>\n",
    "c.h": "",
    "d.h": "",
    "macro.cpp": "#define FILE <d.h>\n#include FILE\n",
    "binary.cpp": '__asm__(".incbin \\"d.h\\"");\n',
    "asks.cpp": "#if __has_include(<d.h>)\n#endif\n",
}


@pytest.mark.parametrize(
    ("source", "files"),
    [
        ("a.cpp", {"a.cpp", "a.h", "deep/b.h", "c.h"}),
        ("d.h", {"d.h"}),
        ("macro.cpp", set(FILES)),
        ("binary.cpp", set(FILES)),
        ("asks.cpp", set(FILES)),
    ],
)
def test_what_a_source_depends_on_is_found_in_its_text(source: str, files: set[str]) -> None:
    assert reached(source, {path: text.encode() for path, text in FILES.items()}) == files


def test_a_name_stands_for_every_file_of_that_name() -> None:
    files = {"a.cpp": b'#include "b.h"', "b.h": b"", "other/b.h": b""}
    assert reached("a.cpp", files) == {"a.cpp", "b.h", "other/b.h"}


def test_objects_are_kept_within_bounds(tmp_path: Path) -> None:
    store = ObjectStore(tmp_path, most=5000)
    for number in range(20):
        store.put(f"{number}", bytes(1000))
    kept = [number for number in range(20) if store.get(f"{number}")]
    assert 19 in kept
    assert 0 not in kept
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 10_000


def test_what_was_used_lately_stays(tmp_path: Path) -> None:
    store = ObjectStore(tmp_path, most=5000)
    store.put("used", b"x" * 1000)
    for number in range(8):
        store.put(f"{number}", bytes(1000))
        assert store.get("used")


def test_a_damaged_object_counts_as_none(tmp_path: Path) -> None:
    store = ObjectStore(tmp_path)
    store.put("key", b"content")
    assert store.get("key") == b"content"
    file = tmp_path / "key"
    file.write_bytes(file.read_bytes()[:-1])
    assert store.get("key") is None


def test_a_folder_that_vanishes_costs_nothing_else(tmp_path: Path) -> None:
    store = ObjectStore(tmp_path / "gone")
    store.put("key", b"content")
    assert store.get("key") is None
