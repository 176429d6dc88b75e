"""The kit: what is in it, and what it does as it is downloaded, in an empty folder, with a bare interpreter."""

import ast
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select
from werkzeug.serving import make_server

from grader.comparing.comparator import compare
from grader.comparing.judging import compare_printed, judge_of
from grader.course_folder.builtin import builtin
from grader.definition.question import FunctionQuestion
from grader.grading.report import pack
from grader.models import Assignment, Submission
from grader.submissions import history
from tests.tournament.factory import publish_examples
from tests.web.records import whole
from tests.web.reports import bad, good
from tests.web.school import School
from tournament.games import GAMES
from tournament.games.api import Case
from tournament.store.jobs import JobState
from tournament.store.tables import CustomGame
from web.kit import contents
from web.kit.contents import kit_files
from web.models import ApiToken

PAGE = "/courses/comp10001/bo/kit.zip"
BUILT_IN = ("bo", "go", "kotc", "phazed", "uno")
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


class Kit:
    """The kit in a folder of its own, with a home of its own."""

    def __init__(self, folder: Path, files: dict[str, bytes], interpreter: str = "/usr/bin/python3") -> None:
        self.folder, self.home = folder / "kit", folder / "home"
        self.folder.mkdir()
        self.home.mkdir()
        for name, content in files.items():
            (self.folder / name).write_bytes(content)
        found = shutil.which(interpreter) or sys.executable
        self._command = [found, "-I", "-S", "quadrille_kit.py"]

    def start(self, *arguments: str, **more: str) -> "subprocess.Popen[str]":
        """The kit, running."""
        home = {"HOME": str(self.home), "APPDATA": str(self.home), "XDG_CONFIG_HOME": str(self.home)}
        return subprocess.Popen(
            [*self._command, *arguments],
            cwd=self.folder,
            env={**os.environ, **home, **more},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
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
    secret = [each for each in secret if each != definition.starter]
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


def test_it_is_downloaded_from_the_assignments_page(school: School) -> None:
    browser = school.browser("ada")
    assert f'href="{PAGE}"' in browser.get("/courses/comp10001/bo/").text
    with zipfile.ZipFile(io.BytesIO(browser.get(PAGE).data)) as found:
        files = {name: found.read(name).decode() for name in found.namelist()}
    assert set(files) == {"README.txt", "quadrille_kit.py", "rules.html", "my_player.py"}
    assert "def comp10001bo_play" in files["my_player.py"]
    assert "quadrille_kit.py login" in files["README.txt"]
    assert "build pile" in files["rules.html"]
    assert not re.search(r"<link|<script|\bsrc=", files["rules.html"])


# Checking at home


@pytest.mark.parametrize("interpreter", ["/usr/bin/python3", "pypy3"])
def test_a_right_player_passes(tmp_path: Path, interpreter: str) -> None:
    if not shutil.which(interpreter) and not os.environ.get("CI"):
        pytest.skip(f"{interpreter} is not installed")
    assert shutil.which(interpreter)
    kit = Kit(tmp_path, kit_files(DOUBLE, ABOUT, "", ""), interpreter)
    code, said = kit.check(RIGHT + "print('loaded')\n")
    assert (code, "Q1: Double: 3 of 3 visible examples passed" in said) == (0, True), said
    assert "quadrille_kit.py submit my_player.py" in said


WRONG = {
    "wrong value": ("def double(number):\n    return number\n", "Returned 1, expected 2."),
    "wrong type": ("def double(number):\n    return str(2 * number)\n", "Returned the string '2', expected the int"),
    "printed instead": ("def double(number):\n    print(2 * number)\n", "Returned None, but printed something."),
    "not plain data": ("def double(number):\n    return print\n", "Your function returned a builtin_function_or_"),
    "exception": ("def double(number):\n    return 1 / 0\n", "raised ZeroDivisionError on line 2"),
    "no such function": ("def duoble(number):\n    return 2\n", "is duoble meant to be this function?"),
    "other arguments": ("def double():\n    return 2\n", "will be called with 1 argument, which it does not accept"),
    "exit()": ("def double(number):\n    exit()\n", "ended itself (SystemExit, as exit() does)"),
    "dead": ("import os\ndef double(number):\n    os._exit(3)\n", "ended the whole program (exit status 3)"),
    "not Python": ("def double(number)\n    return 2\n", "Your file is not a Python program: line 1: "),
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


def test_a_folder_or_nothing_is_no_player(kit: Kit) -> None:
    (kit.folder / "work").mkdir()
    (kit.folder / "mine.py").write_text(RIGHT)
    assert kit.run("check", "work") == (2, "work is a folder. Give the name of the Python file in it.\n")
    code, said = kit.run("check", "mien.py")
    assert (code, "Here are: mine.py." in said) == (2, True)
    assert kit.run("chekc")[0] == 2


def test_a_folder_without_write_access_is_no_hindrance(kit: Kit) -> None:
    (kit.folder / "my_player.py").write_text(RIGHT)
    kit.folder.chmod(0o500)
    try:
        assert kit.run("check", "my_player.py")[0] == 0
    finally:
        kit.folder.chmod(0o700)


def test_a_console_of_another_encoding_does_not_crash_it(kit: Kit) -> None:
    (kit.folder / "my_player.py").write_text("def double(number):\n    return '☃'\n", "utf-8")
    code, said = kit.run("check", "my_player.py", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert (code, "expected" in said) == (1, True)


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, width=16)
    | st.text("ab \n", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.sets(st.integers(0, 3) | st.booleans(), max_size=3)
        | st.dictionaries(st.text("ab", max_size=1) | st.integers(0, 2), inner, max_size=2)
    ),
    max_leaves=6,
)
COMPARATORS: list[dict[str, Any]] = [
    {"kind": "exact"},
    {"kind": "sequences"},
    {"kind": "floats", "relative": 0.1, "absolute": 0.0},
    {"kind": "unordered", "levels": 1},
    {"kind": "unordered", "levels": 2},
]


@given(PLAIN, PLAIN, st.sampled_from(COMPARATORS), st.booleans())
def test_it_compares_as_the_site_does(
    program: ModuleType, expected: Any, got: Any, comparator: dict[str, Any], same: bool
) -> None:
    got = expected if same else got
    judging = judge_of(comparator["kind"], {name: each for name, each in comparator.items() if name != "kind"})
    theirs = judging(Case((), expected), got, "")
    assert program.compare(comparator, expected, got) == (theirs.verdict.value, theirs.message)


@given(st.lists(PLAIN, max_size=3), PLAIN)
def test_it_compares_with_one_of_many_as_the_site_does(program: ModuleType, expected: list[Any], got: Any) -> None:
    theirs = judge_of("any", {})(Case((), expected), got, "")
    assert program.compare({"kind": "any"}, expected, got) == (theirs.verdict.value, theirs.message)


@given(st.text("abA \n", max_size=8), st.text("abA \n", max_size=8), PLAIN)
def test_it_compares_what_is_printed_as_the_site_does(
    program: ModuleType, expected: str, printed: str, got: Any
) -> None:
    theirs = compare_printed(expected, printed, got)
    assert program.compare({"kind": "printed"}, expected, got, printed) == (theirs.verdict.value, theirs.message)


def test_what_is_nested_too_deeply_is_not_compared(program: ModuleType) -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    theirs = compare(deep, deep)
    assert program.compare({}, deep, deep) == (theirs.verdict.value, theirs.message)


# The site from home


@pytest.fixture
def online(school: School, tmp_path: Path) -> Iterator[tuple[Kit, Callable[[], None]]]:
    """Ada's kit, logged in, and what takes the site away."""
    server = make_server("127.0.0.1", 0, school.app, threaded=True)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"

    def stop() -> None:
        server.shutdown()
        thread.join()
        server.server_close()

    with zipfile.ZipFile(io.BytesIO(school.browser("ada").get(PAGE).data)) as found:
        files = {name: found.read(name) for name in found.namelist()}
    files["quadrille_kit.py"] = files["quadrille_kit.py"].replace(b"http://localhost", address.encode())
    kit = Kit(tmp_path, files)
    code, said = kit.run("login", "--token-stdin", typed=school.token("ada") + "\n")
    assert (code, "You are logged in." in said) == (0, True), said
    yield kit, stop
    if thread.is_alive():
        stop()


def submissions(school: School) -> list[tuple[int, bool]]:
    """Ada's submissions: their ids, and whether they want to enter."""
    with school.write() as session:
        own = history(session, school.assignment, school.people["ada"])
        return [(each.id, each.wants_entry) for each in own]


def test_a_student_logs_in_and_out(online: tuple[Kit, object]) -> None:
    ours = online[0]
    (file,) = ours.home.rglob("tokens.json")
    assert file.stat().st_mode & 0o777 == 0o600
    assert ours.run("status")[0] == 0
    assert ours.run("logout")[0] == 0
    assert ours.run("status") == (1, "You are not logged in. Run: python3 quadrille_kit.py login\n")
    code, said = ours.run("login", "--token-stdin", typed="wrong\n")
    assert (code, "/account/, then run:" in said) == (1, True)


def test_a_player_is_uploaded_and_followed(school: School, online: tuple[Kit, object]) -> None:
    kit = online[0]
    code, said = kit.run("submit", "my_player.py", "--enter")
    ((submission, wants_entry),) = submissions(school)
    assert (code, f"Uploaded as no. {submission}" in said) == (0, True), said
    assert wants_entry
    assert "waiting, number 1 in the queue" in kit.run("status")[1]
    graded = school.graded("ada", bad())
    code, said = kit.run("watch", str(graded))
    assert code == 1
    case = next(case for each in bad().questions for case in each.cases if not case.passed)
    assert case.message in said
    code, said = kit.run("download", str(graded))
    assert (code, (kit.folder / f"player-{graded}.py").read_text()) == (0, "x = 1\n")
    assert "is not overwritten" in kit.run("download", str(graded))[1]


def test_its_games_and_the_leaderboard_are_shown(school: School, online: tuple[Kit, object]) -> None:
    kit, entry = online[0], school.enter("ada")
    school.play(entry, *school.bots()[:3], record=whole())
    ((submission, _),) = submissions(school)
    school.change(Submission, submission, report=pack(good()), points=8.0)
    code, said = kit.run("watch", "--games", "1", "--interval", "0.1")
    assert (code, "Place " in said, "/games/" in said) == (0, True, True), said
    code, said = kit.run("leaderboard")
    assert (code, "<- you" in said, "(house bot)" in said) == (0, True, True), said
    assert json.loads(kit.run("leaderboard", "--json")[1])["rows"]


def test_a_game_is_tried(school: School, online: tuple[Kit, object]) -> None:
    kit = online[0]
    submission = school.graded("ada", good())
    assert "Nobody on the leaderboard is called 'Nobody'." in kit.run("try", "Nobody")[1]
    running = kit.start("try", "--interval", "0.1", "--submission", str(submission))
    game = None
    while game is None and running.poll() is None:
        with school.write() as session:
            game = session.scalar(select(CustomGame.id))
    if game:
        with school.write() as session:
            row = session.get_one(CustomGame, game)
            row.state, row.record = JobState.DONE, whole().pack()
            for number, seat in enumerate(row.seats):
                seat.place, seat.points = number + 1, 0.0
    said, complaints = running.communicate(timeout=60)
    assert (running.returncode, "Place 1" in said, f"/custom-games/{game}" in said) == (0, True, True), complaints


def test_an_old_kit_is_told_so(school: School, online: tuple[Kit, object]) -> None:
    with school.write() as session:
        publish_examples(session, session.get_one(Assignment, school.assignment), 2)
    assert "(version 1, now 2). Get the new one: http://" in online[0].run("status")[1]


def test_a_token_that_is_revoked_ends_the_watch(school: School, online: tuple[Kit, object]) -> None:
    kit = online[0]
    school.upload("ada")
    running = kit.start("watch", "--interval", "0.1")
    assert running.stdout
    assert "waiting" in running.stdout.readline()
    with school.write() as session:
        session.query(ApiToken).delete()
    _, complaints = running.communicate(timeout=60)
    assert (running.returncode, "Your API token is not valid, or no longer." in complaints) == (1, True)


def test_what_cannot_be_sent_is_kept_and_sent_later(school: School, online: tuple[Kit, Callable[[], None]]) -> None:
    kit, stop = online
    stop()
    code, said = kit.run("submit", "my_player.py")
    assert (code, "submit --pending" in said) == (3, True), said
    assert kit.run("status")[0] == 3
    assert kit.run("submit", "--pending")[0] == 3
    program = (kit.folder / "quadrille_kit.py").read_text()
    port = int(re.search(r"127\.0\.0\.1:(\d+)", program)[1])  # type: ignore[index]
    server = make_server("127.0.0.1", port, school.app, threaded=True)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        assert kit.run("submit", "--pending")[0] == 0
        assert len(submissions(school)) == 1
        assert "Nothing is waiting" in kit.run("submit", "--pending")[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
