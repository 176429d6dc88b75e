"""What becomes of the files of a student's program: found, left out, put in place, refused."""

import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.definition.model import Definition
from grader.definition.question import FunctionQuestion, ProgramQuestion
from grader.programs.upload import (
    MOST_BYTES,
    MOST_FILES,
    MissingFile,
    inventory,
    open_parts,
    player_in,
    read_files,
    take_in,
)
from grader.store.uploads import UploadError
from sandbox.archives import pack

Named = tuple[str | zipfile.ZipInfo, bytes]
UNO = ProgramQuestion(
    slug="uno",
    title="Uno",
    language="cpp17",
    given={"main.cpp": "int main();\n", "cards/Deck.cpp": "// TODO\n", "cards/Deck.h": "class Deck;\n"},
    editable=("cards/*.cpp", "Makefile"),
    required=("cards/Deck.cpp",),
)


def zipped(*files: Named, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return made.getvalue()


def named(*names: str) -> bytes:
    return zipped(*((name, b"x\n") for name in names))


@pytest.mark.parametrize(
    ("names", "kept", "left_out"),
    [
        (["a.cpp", "cards/b.h"], ["a.cpp", "cards/b.h"], {}),
        (["uno\\a.cpp"], ["uno/a.cpp"], {}),
        (["a.cpp", "__MACOSX/a.cpp", "._a.cpp", ".DS_Store"], ["a.cpp"], {"added by macOS": 3}),
        (["a.cpp", "Thumbs.db", "x/desktop.ini"], ["a.cpp"], {"added by Windows": 2}),
        (["a.cpp", ".git/config", ".gitignore"], ["a.cpp"], {"version control": 2}),
        (["a.cpp", ".vs/x/y.json", "a.cpp~", "uno.sln"], ["a.cpp"], {"made by an editor": 3}),
        (["a.cpp", "cmake-build-debug/x.txt", "CMakeFiles/y"], ["a.cpp"], {"made by a build": 2}),
        (["a.cpp", "a.o", "a.out", "UNO.EXE"], ["a.cpp"], {"made by a compiler": 3}),
        (["a.cpp", ".env"], ["a.cpp"], {"hidden": 1}),
        (["src/", "src/a.cpp"], ["src/a.cpp"], {}),
    ],
)
def test_the_files_of_a_zip(names: list[str], kept: list[str], left_out: dict[str, int]) -> None:
    opened = open_parts([("uno.zip", named(*names))])
    assert sorted(opened.files) == kept
    reasons = list(opened.left_out.values())
    assert {why: reasons.count(why) for why in reasons} == left_out


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (named("one:1.cpp"), "a colon"),  # nobody would find what a compiler says of it
        (named("@x.cpp"), "begins with @ or -"),
        (named("cards/-o"), "begins with @ or -"),
        (named("-I/x.cpp"), "begins with @ or -"),
        (named("Deck.h", "deck.h"), "upper and lower case"),
        (named("a", "a/b"), "both a file and a folder"),
        (named("a/b", "a"), "both a file and a folder"),
        (lambda: named(*(f"{n}.cpp" for n in range(MOST_FILES + 1))), "more than 200 files"),
        (named(), "contains no files"),
        (named(".DS_Store"), "contains no files"),
    ],
    ids=lambda value: value if isinstance(value, str) else "zip",  # a zip tells the time
)
def test_a_zip_that_is_refused(content: bytes | Callable[[], bytes], words: str) -> None:
    with pytest.raises(UploadError, match=words):
        open_parts([("uno.zip", content if isinstance(content, bytes) else content())])


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([], "No file was chosen"),
        ([("a.cpp", b"x"), ("a.cpp", b"y")], "twice"),
        ([("a.cpp", b"x"), ("uno.zip", named("a.cpp"))], "twice"),
        ([("a.rar", b"Rar!")], "not a readable zip file"),
        ([("@x.cpp", b"x")], "begins with @ or -"),
        ([("-w", b"x")], "begins with @ or -"),
        ([("a.cpp", b"0" * MOST_BYTES), ("b.cpp", b"1")], "larger than 1 MiB in total"),
        ([("a.cpp", b"// J\xfcrgen")], "a.cpp: .*not saved as UTF-8"),
        ([("a.cpp", "int x;".encode("utf-16"))], "a.cpp: .*UTF-16"),
        ([("a.cpp", b"int x;\rint y;")], "a.cpp: .*carriage return"),
        ([("a.cpp", b"\x7fELF")], "a.cpp: .*program for Linux"),
        ([("a.cpp", b"int\0x;")], "a.cpp: .*NUL"),
    ],
)
def test_files_that_are_refused(parts: list[tuple[str, bytes]], words: str) -> None:
    with pytest.raises(UploadError, match=words):
        read_files(parts)


def test_a_mark_at_the_beginning_is_taken_off_and_windows_line_ends_stay() -> None:
    assert read_files([("a.cpp", b"\xef\xbb\xbfint x;\r\n")]) == {"a.cpp": b"int x;\r\n"}


def test_names_in_old_and_in_unmarked_encodings() -> None:
    unmarked = zipped(("ü.cpp", b"x")).replace(b"\x00\x08", b"\x00\x00")
    old = zipped(("ü.cpp", b"x")).replace("ü".encode(), b"\x81\x81").replace(b"\x00\x08", b"\x00\x00")
    assert list(open_parts([("a.zip", unmarked)]).files) == ["ü.cpp"]
    assert list(open_parts([("a.zip", old)]).files) == ["üü.cpp"]


@given(st.binary(max_size=300), st.sampled_from([b"", b"PK\x03\x04", b"PK\x05\x06", named("a.cpp")[:40]]))
def test_whatever_is_sent_is_read_or_refused(content: bytes, begins: bytes) -> None:
    with suppress(UploadError):
        assert all(path.isprintable() for path in read_files([("a.cpp", begins + content)]))


@given(st.dictionaries(st.from_regex(r"[a-z]{1,5}(/[a-z]{1,3})?\.(cpp|h)", fullmatch=True), st.text("ab\n")))
def test_a_zip_that_we_made_is_read_as_it_was(texts: dict[str, str]) -> None:
    files = {path: text.encode() for path, text in texts.items()}
    if files:
        assert read_files([("a.zip", pack(files))]) == files


# Where files belong


@pytest.mark.parametrize(
    ("names", "paths", "top"),
    [
        (["main.cpp", "cards/Deck.cpp"], ["cards/Deck.cpp", "main.cpp"], ""),
        (["uno/main.cpp", "uno/cards/Deck.cpp"], ["cards/Deck.cpp", "main.cpp"], "uno"),
        (["a/b/main.cpp", "a/b/cards/Deck.cpp", "__MACOSX/a"], ["cards/Deck.cpp", "main.cpp"], "a/b"),
        (["cards/Deck.cpp"], ["cards/Deck.cpp"], ""),
        (["uno/cards/Deck.cpp"], ["cards/Deck.cpp"], "uno"),
        (["uno/other.cpp", "uno/x/y.cpp"], ["uno/other.cpp", "uno/x/y.cpp"], ""),
        (["uno/main.cpp", "Deck.cpp"], ["Deck.cpp", "uno/main.cpp"], ""),
    ],
)
def test_folders_that_hold_everything_are_taken_off_where_more_files_fit_then(
    names: list[str], paths: list[str], top: str
) -> None:
    taken = take_in([UNO], [("uno.zip", named(*names))])
    assert (sorted(taken.files), taken.top) == (paths, top)


def test_all_folders_are_taken_off_where_no_names_are_asked_for() -> None:
    anything = ProgramQuestion(slug="q", title="Q", language="python3")
    assert list(take_in([anything], [("a.zip", named("a/b/main.py"))]).files) == ["main.py"]


def test_loose_files_go_where_the_assignment_has_them() -> None:
    taken = take_in([UNO], [("Deck.cpp", b"x\n"), ("notes.txt", b"y\n")])
    assert sorted(taken.files) == ["cards/Deck.cpp", "notes.txt"]
    assert taken.moved == {"Deck.cpp": "cards/Deck.cpp"}


def test_a_file_beside_a_zip_that_has_it_is_refused() -> None:
    with pytest.raises(UploadError, match="twice"):
        take_in([UNO], [("uno.zip", named("uno/main.cpp", "uno/cards/Deck.cpp")), ("main.cpp", b"z\n")])


def test_what_nobody_asked_for_is_left_out_if_it_is_not_text() -> None:
    taken = take_in([UNO], [("uno.zip", zipped(("cards/Deck.cpp", b"x\n"), ("report.pdf", b"%PDF-1.7\n\xff")))])
    assert list(taken.files) == ["cards/Deck.cpp"]
    assert list(taken.left_out) == ["report.pdf"]


def test_a_former_upload_is_taken_over_where_there_is_nothing_new() -> None:
    former = {"main.cpp": b"old\n", "cards/Deck.cpp": b"old\n"}
    taken = take_in([UNO], [("Deck.cpp", b"new\n")], former)
    assert taken.files == {"main.cpp": b"old\n", "cards/Deck.cpp": b"new\n"}
    assert take_in([UNO], [], former).files == former


# The inventory


def test_an_inventory_says_what_becomes_of_each_file() -> None:
    files = {
        "main.cpp": b"int main() { cheat(); }\n",
        "cards/Deck.h": b"class Deck;\r\n",
        "cards/Deck.cpp": b"// TODO\r\n\r\n",
        "cards/Card.cpp": b"x\n",
        "notes.txt": b"y\n",
    }
    found = inventory([UNO], files)
    assert found.found == ["cards/Card.cpp", "cards/Deck.cpp"]
    assert found.given == ["cards/Deck.h"], "it differs only in its line ends"
    assert found.replaced == ["main.cpp"]
    assert found.unexpected == ["notes.txt"]
    assert found.unchanged == ["cards/Deck.cpp"]
    assert found.missing == []


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ([], ""),
        (["cards/deck.cpp"], "cards/deck.cpp"),
        (["src/Deck.cpp"], "src/Deck.cpp"),
        (["cards/Dekc.cpp"], "cards/Dekc.cpp"),
        (["readme.txt"], ""),
    ],
)
def test_a_missing_file_may_be_there_under_another_name(sent: Sequence[str], meant: str) -> None:
    assert inventory([UNO], dict.fromkeys(sent, b"")).missing == [MissingFile("cards/Deck.cpp", meant)]


# Assignments of functions and programs

FUNCTION = FunctionQuestion(slug="f", title="F", function="f")
PYTHON = ProgramQuestion(slug="p", title="P", language="python3", editable=("main.py",), required=("main.py",))


@pytest.mark.parametrize(
    ("questions", "names", "player"),
    [
        ([FUNCTION, UNO], ["mine.py", "cards/Deck.cpp"], "mine.py"),
        ([FUNCTION, UNO], ["cards/Deck.cpp"], ""),
        ([FUNCTION, PYTHON], ["main.py", "mine.py"], "mine.py"),
        ([PYTHON], ["main.py", "mine.py"], ""),
    ],
)
def test_the_player_among_the_files(
    questions: list[FunctionQuestion | ProgramQuestion], names: list[str], player: str
) -> None:
    definition = Definition(title="T", questions=tuple(questions))
    assert player_in(definition, dict.fromkeys(names, b"")) == player


def test_two_players_are_refused() -> None:
    definition = Definition(title="T", questions=(FUNCTION, UNO))
    with pytest.raises(UploadError, match=r"a\.py and b\.py"):
        player_in(definition, {"a.py": b"", "b.py": b""})
