"""The kit: what is in it, and what it does as it is downloaded, in an empty folder, with a bare interpreter."""

import ast
import importlib.util
import json
import re
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from types import ModuleType

import pytest

from grader.authoring.course_folder.course import builtin
from grader.comparing.comparators import AnyOf, AnyOrder, ComparatorModel, Exact, Floats, LikeSequences, Printed
from tests.web.kits import ABOUT, DOUBLE, INTERPRETERS, RIGHT, WITH_EITHER, Kit, unpacked
from tests.web.school import School
from tournament.play.games import GAMES
from web.kit import contents
from web.kit.contents import PACKED, kit_files, source_of

PAGE = "/courses/comp10001/bo/kit.zip"
BUILT_IN = ("bo", "go", "kotc", "phazed", "uno")


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    """The kit of a small assignment, away from its site."""
    return Kit(tmp_path, kit_files(DOUBLE, ABOUT, "", "<p>rules"))


@pytest.fixture(scope="module")
def program() -> ModuleType:
    """The kit as a module."""
    path = Path(contents.__file__).with_name("quadrille_kit.py")
    spec = importlib.util.spec_from_file_location("quadrille_kit", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# What is in it


@pytest.mark.parametrize("game", BUILT_IN)
def test_nothing_hidden_is_in_it(game: str) -> None:
    definition = builtin(game)
    files = kit_files(definition, ABOUT, definition.starter, "")
    assert set(files) == {"README.txt", "quadrille_kit.py", "rules.html", "my_player.py"}
    kit, shown = files["quadrille_kit.py"].decode(), definition.starter
    visible = "".join(each.examples for each in definition.functions)
    folder = GAMES[game].folder
    secret = [each.read_text("utf-8") for each in folder.iterdir() if each.name.endswith(".py")]
    guest = GAMES[game].guest  # what players meet in the sandbox
    secret = [each for each in secret if each not in (definition.starter, guest.judge, *guest.modules.values())]
    secret += [each.solution for each in definition.functions] + [each.cases for each in definition.functions]
    secret += [getattr(each.comparator, "source", "") for each in definition.functions]
    for line in {line.strip() for text in secret for line in text.splitlines()}:
        if len(line) > 60 and line not in visible and line not in shown and not line.startswith(("#", '"""')):
            assert line not in kit
    filled = kit.split("ASSIGNMENT = json.loads(\n", 1)[1].split("\n)\n", 1)[0]
    questions = json.loads(ast.literal_eval(f"({filled})"))["questions"]
    assert {name for each in questions for name in each} == set(questions[0]) == {
        *("slug", "title", "function", "arities", "call_s", "comparator", "here", "cases")
    }  # fmt: skip
    assert {name for each in questions for case in each["cases"] for name in case} <= {
        *("title", "call", "args", "expected")
    }
    for each, question in zip(questions, definition.functions, strict=True):
        assert len(each["cases"]) <= question.examples.count(">>>")


def test_an_old_python_can_read_it_and_is_told() -> None:
    source = kit_files(DOUBLE, ABOUT, "", "")["quadrille_kit.py"].decode()
    newer = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr)
    tree = ast.parse(source, feature_version=(3, 5))
    assert not [node.lineno for node in ast.walk(tree) if isinstance(node, newer)]
    told = "import sys; sys.version_info = (3, 8); exec(open('/dev/stdin').read())"
    done = subprocess.run([sys.executable, "-c", told], input=source, capture_output=True, text=True)
    assert (done.returncode, "needs Python 3.9 or later, and this is 3.8" in done.stderr) == (1, True)


@pytest.mark.parametrize("module", PACKED)
def test_what_it_has_of_the_site_is_readable_by_its_oldest_python_and_imports_nothing_else(module: str) -> None:
    tree = ast.parse(source_of(module), feature_version=(3, 9))
    later = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and id(node) not in later]
    ours = {str(node.module) for node in imports if str(node.module).partition(".")[0] in ("grader", "sandbox")}
    assert ours <= set(PACKED[: PACKED.index(module)])
    assert not [node for node in imports if str(node.module).startswith(("web", "deploy", "tournament.play"))]


def test_it_is_downloaded_from_the_assignments_page(school: School) -> None:
    browser = school.browser("ada")
    assert f'href="{PAGE}"' in browser.get("/courses/comp10001/bo/").text
    files = {name: content.decode() for name, content in unpacked(browser.get(PAGE).data, "bo-kit").items()}
    assert set(files) == {"README.txt", "quadrille_kit.py", "rules.html", "my_player.py"}
    assert "def comp10001bo_play" in files["my_player.py"]
    assert "quadrille_kit.py login" in files["README.txt"]
    assert "build pile" in files["rules.html"]
    assert not re.search(r"<link|<script|\bsrc=", files["rules.html"])


# Checking at home


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_a_right_player_passes(tmp_path: Path, interpreter: str) -> None:
    kit = Kit(tmp_path, kit_files(DOUBLE, ABOUT, "", ""), interpreter)
    code, said = kit.check(RIGHT + "print('loaded')\n")
    assert (code, "Q1: Double: 3 of 3 visible examples passed" in said) == (0, True), said
    assert "quadrille_kit.py submit my_player.py" in said


WRONG = {
    "wrong value": ("def double(number):\n    return number\n", "Returned 1, expected 2."),
    "wrong type": ("def double(number):\n    return str(2 * number)\n", "Returned the string '2', expected the int"),
    "printed instead": ("def double(number):\n    print(2 * number)\n", "Returned None, but printed something."),
    "not plain data": ("def double(number):\n    return print\n", "Your function returned a builtin_function_or_"),
    "exception": (
        "def double(number):\n    return 1 / 0\n",
        "ZeroDivisionError on line 2: `return 1 / 0` divides",
    ),
    "misspelt": ("def double(number):\n    return numbr\n", "is it misspelt, or only set in another function?\n"),
    "own exception": ("def double(number):\n    raise OSError('no')\n", "Your program raised OSError on line 2: 'no'"),
    "no such function": ("def doubled(number):\n    return 2\n", "is doubled meant to be this function?"),
    "other arguments": ("def double():\n    return 2\n", "will be called with 1 argument, which it does not accept"),
    "exit()": ("def double(number):\n    exit()\n", "ended itself (SystemExit, as exit() does)"),
    "dead": ("import os\ndef double(number):\n    os._exit(3)\n", "ended the whole program (exit status 3)"),
    "not Python": ("x = 1\0\n", "Your file is not a Python program: "),
    "not loaded": ("x = 1\nraise ValueError('no')\n", "raised ValueError on line 2: 'no'"),
    "exit at once": ("exit()\n", "ended itself (SystemExit, as exit() does) on line 1"),
    "dead at once": ("import os\nos._exit(4)\n", "Loading your file ended the whole program (exit status 4)"),
    "not installed": ("import numpy\n", "only the standard library is available here"),
    "asks": ("def double(number):\n    return input()\n", "asked for input, but there is nobody to type it"),
    "empty": (" \n", "Your file is empty."),
    "2 MB": ("#" * (2 << 20), "Your file is 2048 KiB; the limit is 256 KiB."),
    "not UTF-8": (b"# \xff\n", "not saved as UTF-8: look at line 1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_player_is_told_what_is_wrong(kit: Kit, name: str) -> None:
    source, sentence = WRONG[name]
    code, said = kit.check(source)
    assert (code, sentence in said) == (1, True), said


def test_what_fails_for_the_same_reason_is_explained_once(kit: Kit) -> None:
    _, said = kit.check("def double(number):\n    return numbr\n")
    assert said.count("is it misspelt") == 1
    assert "3 examples fail in the same way:" in said
    _, said = kit.check("def double(number):\n    return 1 / 0 if number == 1 else [][number]\n")
    assert "2 examples fail in the same way:" in said
    assert ("divides by zero" in said, said.count("is too short or empty")) == (True, 1)


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_a_syntax_error_is_shown_with_its_line_and_explained(tmp_path: Path, interpreter: str) -> None:
    kit = Kit(tmp_path, kit_files(DOUBLE, ABOUT, "", ""), interpreter)
    code, said = kit.check("def double(number)\n    return 2\n")
    assert code == 1
    assert "Syntax error, line 1: a colon is missing after `def double(number)`." in said
    assert "    def double(number)\n" in said
    assert "SyntaxError: " in said


def test_without_a_command_it_shows_what_there_is(kit: Kit) -> None:
    code, said = kit.run()
    assert (code, "Run the visible examples here" in said) == (2, True), said


def test_a_million_lines_do_no_harm(kit: Kit) -> None:
    code, said = kit.check("for _ in range(10**6):\n    print('.' * 40)\n" + RIGHT)
    assert (code, "3 of 3" in said) == (0, True), said


@pytest.mark.parametrize(("body", "line"), [("while True:\n        pass", 3), ("import time; time.sleep(99)", 2)])
def test_a_player_that_does_not_answer_is_stopped_and_shown_where_it_was(kit: Kit, body: str, line: int) -> None:
    code, said = kit.check(f"def double(number):\n    {body}\n", "--json")
    cases = json.loads(said)["cases"]
    assert code == 1
    assert [case["verdict"] for case in cases] == ["TLE", "TLE", "TLE"]
    assert "gave no answer within 0.3 s" in cases[0]["message"]
    assert re.search("It was on line [23] at that moment", cases[0]["message"])


@pytest.mark.parametrize("name", ["random.py", "token.py", "json.py"])
def test_a_player_may_be_called_like_a_module_of_python(kit: Kit, name: str) -> None:
    (kit.folder / name).write_text(RIGHT)
    code, said = kit.run("check", name, PYTHONIOENCODING="utf-8")  # not isolated, as students start it
    assert (code, "3 of 3" in said) == (0, True)


def test_a_folder_or_nothing_is_no_player(kit: Kit) -> None:
    (kit.folder / "work").mkdir()
    (kit.folder / "mine.py").write_text(RIGHT)
    assert kit.run("check", "work") == (2, "work is a folder. Give the name of the Python file in it.\n")
    code, said = kit.run("check", "mien.py")
    assert (code, "Found here: mine.py." in said) == (2, True)
    assert kit.run("chekc")[0] == 2


def test_a_folder_without_write_access_is_no_hindrance(kit: Kit) -> None:
    (kit.folder / "my_player.py").write_text(RIGHT)
    kit.folder.chmod(0o500)
    try:
        assert kit.run("check", "my_player.py")[0] == 0
    finally:
        kit.folder.chmod(0o700)


@pytest.mark.parametrize("encoding", ["ascii", "cp437", "cp1252"])
def test_a_console_of_another_encoding_does_not_crash_it(kit: Kit, encoding: str) -> None:
    (kit.folder / "my_player.py").write_text("def double(number):\n    return '☃♥…'\n", "utf-8")
    code, said = kit.run("check", "my_player.py", PYTHONIOENCODING=encoding, LC_ALL="C")
    assert (code, "Returned the string '\\u2603" in said) == (1, True), said
    assert "\033" not in said


def test_a_name_with_a_space_is_quoted(kit: Kit) -> None:
    (kit.folder / "my player.py").write_text(RIGHT)
    assert 'quadrille_kit.py submit "my player.py"' in kit.run("check", "my player.py")[1]


def test_nobody_types_a_token_into_windows_nul(program: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)  # as Windows says of NUL
    with pytest.raises(program.Misused, match="The token cannot be typed"):
        program.login(Namespace(token_stdin=False), program.Terminal(False))


def test_a_disk_without_room_is_told(program: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/nowhere")
    with pytest.raises(program.Trouble, match=r"No temporary folder can be created .* TMPDIR"):
        program.ExampleRun(RIGHT, "my_player.py", [{}], print).all()


JUDGED: list[tuple[ComparatorModel, str, str, str]] = [
    (Exact(), "[1, (2,)]", "[1, [2]]", "Item 2 of the list (index 1) is the list [2], expected the tuple (2,)."),
    (LikeSequences(), "[1, (2,)]", "(1, [3])", "is 3, expected 2."),
    (Floats(relative=0.1), "1.0", "1.5", "A difference of up to 0.1 of the value is accepted."),
    (AnyOrder(levels=2), "[[1, 2], [3]]", "[[3], [2]]", "[1, 2] is missing from what was returned"),
    (AnyOf(), "[1, 2]", "3", "Returned 3; the right answers are 1, 2."),
    (Printed(), "one", "None", "Nothing was printed, expected 1 line. Is a call to print missing?"),
]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_it_judges_by_the_sites_comparators(tmp_path: Path, interpreter: str) -> None:
    """Each in a question of its own."""
    (double,), questions, player = DOUBLE.functions, [], ""
    for number, (comparator, expected, got, _) in enumerate(JUDGED):
        asked = {"slug": f"q{number}", "function": f"f{number}", "comparator": comparator}
        questions.append(double.model_copy(update=asked | {"examples": f">>> f{number}(1)\n{expected}\n"}))
        player += f"def f{number}(number):\n    return {got}\n"
    definition = DOUBLE.model_copy(update={"questions": tuple(questions)})
    kit = Kit(tmp_path, kit_files(definition, ABOUT, "", ""), interpreter)
    code, said = kit.check(player, "--json")
    messages = [case["message"] for line in said.splitlines() for case in json.loads(line)["cases"]]
    assert code == 1
    for (comparator, _, _, sentence), message in zip(JUDGED, messages, strict=True):
        assert sentence in message, comparator


# Players that are classes


@pytest.fixture(scope="module")
def class_kit(tmp_path_factory: pytest.TempPathFactory) -> Kit:
    """The kit of King of the Cards."""
    return Kit(tmp_path_factory.mktemp("kotc"), kit_files(builtin("kotc"), ABOUT, "", ""))


def bot(*lines: str) -> str:
    """A bot with that method `play`."""
    return "import kotc\nclass Mine(kotc.KOTCBot):\n    def play(self, discard):\n        " + "\n        ".join(lines)


@pytest.mark.parametrize("interpreter", WITH_EITHER)
def test_a_right_bot_passes(tmp_path: Path, interpreter: str) -> None:
    kit = Kit(tmp_path, kit_files(builtin("kotc"), ABOUT, "", ""), interpreter)
    code, said = kit.check((GAMES["kotc"].folder / "reference.py").read_text("utf-8"))
    assert (code, said.count("6 of 6 visible examples passed")) == (0, 2), said


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (bot("pass"), "The bot skipped the turn (None); the right answer is '6H' (6♥)."),
        (bot("return self.hand[-1]"), "The bot returned '9D' (9♦); the right answers are '6H' (6♥), None (to skip)."),
        (bot("return 'Eight'"), "The bot returned 'Eight', which is not a Card."),
        (bot("self.hand = []"), "raised AttributeError on line 4: 'self.hand belongs to KOTCBot"),
        ("class Mine:\n    def play(self, discard): pass\n", "class Mine must extend it: class Mine(kotc.KOTCBot)."),
        ("import kotc\nclass Mine(kotc.KOTCBot): pass\n", "does not define the method play(self, discard)."),
        ("import kotc\nkotc.KOTCBot().draw()\n", "raised RuntimeError on line 2: 'this can only be used while"),
    ],
)
def test_a_wrong_bot_reads_what_the_site_would_say(class_kit: Kit, source: str, told: str) -> None:
    code, said = class_kit.check(source, "--most", "9")
    assert (code, told in said) == (1, True), said


def test_its_calls_can_be_typed(tmp_path: Path) -> None:
    kit = Kit(tmp_path, kit_files(builtin("kotc"), ABOUT, bot("pass"), ""))
    assert "kotc.turn(Mine, ['6H', '9D'], '6C', [], [5])" in kit.check(bot("pass"))[1]


def test_what_the_game_brings_may_need_a_newer_python(tmp_path: Path) -> None:
    files = kit_files(builtin("kotc"), ABOUT, "", "")
    files["quadrille_kit.py"] = files["quadrille_kit.py"].replace(
        b"import _quadrille", b"import newer_than_this_python"
    )
    code, said = Kit(tmp_path, files).check(bot("pass"))
    assert (code, "The module that the game provides for its players does not run here" in said) == (1, True), said
