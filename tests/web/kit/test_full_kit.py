"""The full kit: the server's modules that it takes home, and what they do there with a bare interpreter."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from flask import Flask

from grader.grading.messages import typed_call
from grader.store.models import Assignment, Extension
from sandbox.choose import open_sandbox
from tests.games.hearts import COURSE
from tests.web.kits import ABOUT, DOUBLE, Kit, unpacked
from tests.web.reading import as_shown
from tests.web.school import School
from tournament.games.loading import digest_of, pack, read_folder
from tournament.games.options import parse_name
from tournament.games.signing import PACKAGE, new_key, public_key, sign
from tournament.play import games as added
from tournament.play.games import GAMES, SignedPackage, find_game
from tournament.play.home_tests import PlayerFile
from tournament.play.memory import Habits
from tournament.play.record import Record
from tournament.play.replay import frames
from tournament.play.table import PlayerSpec, house_bot, play_files, told_apart
from tournament.store.database import now
from web.kit import full
from web.kit.contents import kit_files
from web.kit.full import DRAWN_BY, FOLDER, LIBRARIES, VENDOR, full_files
from web.kit.full import PAGE as REPLAY
from web.kit.kits import has_full_kit
from web.kit.offline import module_of
from web.replay.film import Showing
from web.replay.offline import ReplayFile, own_tests, replay_page

pytestmark = pytest.mark.full

PAGE = "/courses/comp10001/bo/full-kit.zip"
BARE = ("/usr/bin/python3", "-I", "-S")
WITHOUT_ALARM = "import signal; del signal.SIGALRM, signal.setitimer, signal.ITIMER_REAL, signal.SIGBUS\n"  # Windows

HEARTS = pack(read_folder(COURSE / "games" / "hearts"))
HEARTS_NAME = f"hearts@{digest_of(HEARTS)[:16]}"


ALLOWED = (
    "grader.grading.messages",
    "grader.grading.python_words",
    "sandbox.api",
    "sandbox.backends.trusted",
    "sandbox.backends.trusted",
    "sandbox.host.codec",
    "sandbox.host.fault_messages",
    "sandbox.host.mistake_hints",
    "sandbox.inside.proc",
    "sandbox.inside.randomness",
    "sandbox.inside.refused_modules",
    "sandbox.inside.reports",
    "sandbox.inside.wire",
    "sandbox.verdicts",
    "sandbox.visible",
    "tournament.games.api",
    "tournament.games.cards",
    "tournament.games.faces",
    "tournament.games.options",
    "tournament.games.text",
    "tournament.play.home_tests",
    "tournament.play.memory",
    "tournament.play.record",
    "tournament.play.referee",
    "tournament.play.replay",
    "tournament.play.table",
    "web.replay.film",
    "web.replay.offline",
    "web.site.escaping",
)
"""All modules of the server that may leave it. Think before you add one: does it give away a solution or a case?"""


class Table(NamedTuple):
    """Games of house bots, in every seat."""

    game: str
    bots: tuple[str, ...]
    games: int


TABLES = (
    Table("bo", ("stockpile_first", "builder", "stockpile_first", "stockpile_first"), 36),
    Table("phazed", ("planner", "matcher", "collector", "planner"), 2),
    Table("phazed?hand_size=8", ("planner", "collector", "collector", "planner"), 2),
    Table("go", ("collector", "random_card", "pairs", "collector"), 36),
    Table("kotc", ("example", "keeps_eights"), 34),
    Table("kotc?players=3", ("example", "random_legal", "planner"), 10),
    Table("uno", ("first_match", "watcher", "random_legal", "wild_last"), 40),
    Table(HEARTS_NAME, ("random_legal", "low_cards", "ducker", "counter"), 8),
    Table(f"{HEARTS_NAME}?hands=1", ("random_legal", "low_cards", "ducker", "ducker"), 32),
)
FAULTY = {
    "no function": "x = 1\n",
    "no Python": "def play(:\n",
    "an exception": "import random as r\nf = PLAY\ndef PLAY(*a):\n    return f(*a) if r.random() < 0.9 else 1/0\n",
    "a play that is refused": "\ndef PLAY(*args):\n    print('here')\n    return 'nonsense'\n",
}


@pytest.fixture(scope="module", autouse=True)
def hearts() -> None:
    """A game that was added."""
    key = new_key()
    stored = SignedPackage(HEARTS, sign(key, sha256(HEARTS).digest(), PACKAGE))
    added.install(lambda _: stored, lambda: [public_key(key)])


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the full kits of all these games have besides the thin one, in one folder."""
    folder = tmp_path_factory.mktemp("home")
    for name in {parse_name(table.game).package for table in TABLES}:
        for path, content in full_files(name).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
    return folder / FOLDER


def in_kit(home: Path, program: str, lines: Sequence[str]) -> list[str]:
    """What a program prints to which the kit's modules are all that there is besides the standard library."""
    start = f"import sys; sys.path[:] = [*sys.path, {str(home)!r}, {str(home / VENDOR)!r}]\n"
    given = "\n".join(lines)
    done = subprocess.run([*BARE, "-c", start + program], input=given, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def played(table: Table, last: PlayerSpec | None = None, games: int = 0) -> Iterator[str]:
    """The records of the server's games at that table, as JSON; `last` sits in the place of the last bot."""
    game = find_game(table.game)
    players = [house_bot(game, bot) for bot in table.bots]
    with open_sandbox("trusted") as trusted:
        seated = told_apart([*players[:-1], last] if last else players)
        for record in play_files(game, seated, games or table.games, 10001, trusted, trusted):
            yield json.dumps(record.to_json())


# What is in it


def test_what_is_allowed_is_in_some_kit() -> None:
    taken = {path for name in [*GAMES, HEARTS_NAME] for path in full_files(name)}
    assert not [module for module in ALLOWED if f"{FOLDER}/{module.replace('.', '/')}.py" not in taken]


def test_a_game_takes_along_what_every_game_may_use_and_nothing_of_another_one() -> None:
    imports = (
        b"from tournament.games import quotas\nfrom tournament.games.bo import reference\nfrom grader import tasks\n"
    )
    assert full.modules({"__init__.py": imports}).keys() - full.modules({}) == {"tournament.games.quotas"}


@pytest.mark.parametrize("name", [*GAMES, HEARTS_NAME])
def test_neither_questions_nor_solutions_are_in_it(name: str) -> None:
    inside = [path for path in full_files(name) if "/games/" in path or "/added_game/" in path]
    assert len([path for path in inside if "/bots/" in path]) > len(find_game(name).bots)
    for word in (
        "assignment",
        "golden",
        "cases",
        "case_words",
        "positions",
        "reference",
        "starter",
        "/check",
        "solution",
        "huxxy",
    ):
        assert not [path for path in inside if word in path]


@pytest.mark.parametrize("name", [*GAMES, HEARTS_NAME])
def test_besides_the_game_there_is_what_is_named_and_no_more(name: str) -> None:
    home = f"{FOLDER}/{module_of(name).replace('.', '/')}/"
    rest = {path.removeprefix(f"{FOLDER}/") for path, content in full_files(name).items() if content or VENDOR in path}
    rest -= {path.removeprefix(f"{FOLDER}/") for path in full_files(name) if path.startswith(home)}
    libraries = {path for path in rest if path.startswith(VENDOR)}
    allowed = {f"{module.replace('.', '/')}.py" for module in ALLOWED} | {f"web/{path}" for path in REPLAY}
    assert rest - libraries - allowed == {"offline.py"}
    assert full_files(name).keys() >= {home + path for path in DRAWN_BY}
    for library in LIBRARIES:
        mine = {path for path in libraries if path.startswith(f"{VENDOR}/{library}/")}
        assert f"{VENDOR}/{library}/LICENSE.txt" in mine
        assert {path.rpartition(".")[2] for path in mine} == {"py", "txt"}, "nothing that one machine alone can run"
        libraries -= mine
    assert not libraries


def test_its_modules_import_one_another_the_standard_library_and_jinja_only(home: Path) -> None:
    imports = {name for path in modules(home) for name in imported(home, path)}
    known = {*sys.stdlib_module_names, *LIBRARIES}
    strangers = {name for name in imports if name.partition(".")[0] not in known}
    inside = {path.relative_to(home).with_suffix("").as_posix().replace("/", ".") for path in home.rglob("*")}
    assert strangers <= inside


def modules(home: Path) -> list[Path]:
    """The modules that the kit itself runs; players have modules of their own."""
    own = (path for path in home.rglob("*.py") if home / VENDOR not in path.parents)
    return [path for path in own if path.parent.name != "bots" and path.name != "kotc.py"]


def imported(home: Path, path: Path) -> Iterator[str]:
    """What a module imports, except by a dot from its own folder."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            package = (home / str(node.module).replace(".", "/")).is_dir()
            names = [f"{node.module}.{each.name}" for each in node.names] if package else [str(node.module)]
        yield from names


# What it does


FROM_PLAYS = """\
import json
from offline import game_named
from sandbox.api import Value
from tournament.play.record import Record, is_question
from tournament.play.referee import play

class Recorded:
    def __init__(self, game, record, seat):
        self.game = game
        self.plays = iter([play for number, play in record.plays if number == seat])
        self.printed = record.outputs[seat]

    def begin(self, function, args):
        pass

    def finish(self, answer):
        for play in self.plays:
            if not is_question(play):
                return Value(self.game.decode(play), 0.0)
            answer(play["ask"], play["args"])

    def output(self):
        return self.printed.text, self.printed.cut

for line in sys.stdin:
    record = Record.from_json(json.loads(line))
    game = game_named(record.game)
    seats = [Recorded(game, record, seat) for seat in range(len(record.seats))]
    print(json.dumps(play(game, record.seed, record.seats, seats).to_json()))
"""


def test_from_the_plays_of_200_games_it_makes_the_same_records_byte_for_byte(home: Path) -> None:
    records = [record for table in TABLES for record in played(table)]
    assert len(records) == 200
    assert in_kit(home, FROM_PLAYS, records) == records


FROM_PLAYERS = """\
import json
from offline import game_named
from sandbox.backends.trusted import TrustedSandbox
from tournament.play.table import PlayerSpec, house_bot, play_files, told_apart

for line in sys.stdin:
    name, bots, source = json.loads(line)
    game = game_named(name)
    players = [house_bot(game, bot) for bot in bots[:-1]] + [PlayerSpec("mine.py", source.encode())]
    with TrustedSandbox() as sandbox:
        for record in play_files(game, told_apart(players), 2, 10001, sandbox, sandbox):
            print(json.dumps(record.to_json()))
"""


@pytest.mark.parametrize("alarm", ["", WITHOUT_ALARM], ids=["Linux", "Windows"])
def test_the_same_players_play_the_same_games_and_are_told_the_same(home: Path, alarm: str) -> None:
    tasks, records = [], []
    for table in TABLES:
        game = find_game(table.game)
        bot = house_bot(game, table.bots[-1]).source.decode()
        for source in FAULTY.values():
            own = (bot if "PLAY" in source else "") + source.replace("PLAY", list(game.guest.functions)[-1])
            tasks.append(json.dumps([table.game, table.bots, own]))
            records += played(table, PlayerSpec("mine.py", own.encode()), 2)
    assert in_kit(home, alarm + FROM_PLAYERS, tasks) == records
    verdicts = {note["verdict"] for record in records for note in json.loads(record)["faults"]}
    assert verdicts >= {"MISSING", "SYNTAX", "RTE", "ILLEGAL"}


PAGES = """\
import json
from offline import game_named
from tournament.play.record import Record
from tournament.play.replay import frames
from tournament.play.home_tests import PlayerFile
from tournament.play.memory import Habits
from offline import home_page

for line in sys.stdin:
    record = Record.from_json(json.loads(line))
    file = PlayerFile("mine.py", b"", Habits())
    print(json.dumps(home_page(game_named(record.game), record, [len(record.seats) - 1], file)))
"""
FILM = re.compile(r'<script type="application/json" id="film">(.*?)</script>', re.DOTALL)


@pytest.mark.full
def test_a_replay_made_at_home_is_drawn_as_on_the_site(home: Path, common_site: Flask) -> None:
    records = []
    for table in TABLES:
        game = find_game(table.game)
        wrong = f"\ndef {list(game.guest.functions)[-1]}(*args):\n    print('<here>')\n    return '<nonsense>'\n"
        faulty = PlayerSpec("mine.py", house_bot(game, table.bots[-1]).source + wrong.encode())
        records += [*played(table, games=1), *played(table, faulty, 1)]
    for record, line in zip(records, in_kit(home, PAGES, records), strict=True):
        page = json.loads(line)
        assert drawn(page) == drawn(site_page(common_site, Record.from_json(json.loads(record))))
        assert not re.search(r'<link|<script[^>]* src=|href="(?!#)|@import', page), "nothing that a browser would fetch"


def site_page(site: Flask, record: Record) -> str:
    """The page that the site would make for who sits in the last seat."""
    shown, last = frames(game := find_game(record.game), record), len(record.seats) - 1
    showing = Showing(record, [last], [last], lambda fault: typed_call(fault.call, game.guest.typed, b""))
    tests = {last: own_tests(game, record, last, shown, PlayerFile("mine.py", b"", Habits()), "")}
    file = ReplayFile("", "https://site/plays/", tests)
    return replay_page(site.jinja_env, game, showing, shown, file)


def drawn(page: str) -> tuple[Any, ...]:
    """All drawings, the one that is there from the beginning, and the player."""
    film = json.loads(FILM.findall(page)[0])
    stage = page.partition("<div data-stage")[2].partition("<ol class")[0]
    return film, stage, *(page.partition(f"<{tag}")[2].partition(f"</{tag}>")[0] for tag in ("style", 'script type="m'))


ENDLESS = """\
from sandbox.api import Limits, Program, call
from sandbox.backends.trusted import TrustedSandbox
source = b"def play():\\n    while True:\\n        pass\\n"
print(call(TrustedSandbox().open(Program(source, {"play": (0,)}), Limits(call_s=0.1), 1), "play", ()).message)
"""


def test_an_endless_loop_is_ended_where_there_is_no_alarm(home: Path) -> None:
    (said,) = in_kit(home, WITHOUT_ALARM + ENDLESS, [])
    assert said.startswith("play took more than the 0.1 s of computing time allowed. It was on line")


# The commands


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    """The full kit of an assignment with Uno."""
    about = {**ABOUT, "game": "uno"}
    files = kit_files(DOUBLE, about, "", "<p>rules", full_files("uno"))
    found = Kit(tmp_path, {name: content for name, content in files.items() if "/" not in name})
    for name, content in files.items():
        (found.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (found.folder / name).write_bytes(content)
    (found.folder / "mine.py").write_bytes(house_bot(GAMES["uno"], "first_match").source)
    return found


def test_a_game_is_played_at_home(kit: Kit) -> None:
    code, said = kit.run("play", "mine.py", "--against", "watcher", "random_legal", "--seed", "7", "--seat", "2")
    assert code == 0, said
    for words in ("seat 2  mine.py  <- you", "bot:watcher plays ", "Its record: game-7.json", "The site checks them."):
        assert words in said
    page = as_shown((kit.folder / "replays" / "home-7.html").read_text("utf-8"))
    assert '2: mine.py <span class="badge good">you</span>' in page
    film = json.loads(FILM.findall(page)[0])
    number, parts = list(film["files"]["2"].items())[-1]
    test = kit.folder / f"test_play_{number}.py"
    test.write_text(film["cut"].join(film["texts"][part] for part in parts), "utf-8")
    ran = subprocess.run([sys.executable, test.name], cwd=kit.folder, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "seed 7, played at home" in test.read_text("utf-8")
    record = Record.from_json(json.loads((kit.folder / "game-7.json").read_text()))
    assert record.seats == ["bot:watcher", "bot:random_legal", "mine.py"]
    assert kit.run("play", "mine.py", "--against", "watcher", "random_legal", "--seed", "7", "--seat", "2")[1] == said


def test_a_name_with_a_space_is_quoted_in_what_to_type(kit: Kit) -> None:
    (kit.folder / "my player.py").write_bytes((kit.folder / "mine.py").read_bytes())
    assert 'play "my player.py" --against ' in kit.run("tournament", "my player.py", "--games", "12", "--seed", "7")[1]


def test_many_games_are_played_at_home_and_each_can_be_seen(kit: Kit) -> None:
    code, said = kit.run("tournament", "mine.py", "--games", "12", "--seed", "7")
    assert code == 0
    assert all(each in said for each in ("mine.py won ", "of 12 games: ", "95% confidence interval"))
    again = said.partition("A lost game: python3 quadrille_kit.py ")[2].partition("\n")[0]
    code, said = kit.run(*again.split())
    assert (code, "The game is over" in said) == (0, True)
    assert "Place 1  seat" in said
    assert said.count("<- you") == 1
    records = kit.run("tournament", "mine.py", "--games", "3", "--json")[1].splitlines()
    assert [Record.from_json(json.loads(line)).game for line in records] == 3 * ["uno"]


def test_a_fault_is_explained(kit: Kit) -> None:
    (kit.folder / "bad.py").write_text("def uno_play(*args):\n    return 'nonsense'\n")
    for command in ("play", "tournament"):
        code, said = kit.run(command, "bad.py", "--seed", "1")
        assert (code, "bad.py is disqualified, " in said) == (1, True), said


WRONG = {
    "no such bot": (("play", "mine.py", "--against", "nobody"), "Uno has no house bot 'nobody'; it has: random_legal"),
    "no such file": (("play", "mien.py"), "mien.py cannot be read"),
    "a folder": (("play", "quadrille"), "quadrille is a folder. Give the name of the Python file in it."),
    "no such seat": (("play", "mine.py", "--seat", "4"), "The seats are 0 to 3; there is no seat 4."),
    "too many": (("tournament", "mine.py", "--against", *["watcher"] * 12), "opponents in Uno."),
    "no game": (("tournament", "mine.py", "--games", "0"), "--games must be a number from 1 to"),
    "no file": (("play",), "the following arguments are required: file"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_played_is_refused_in_words(kit: Kit, name: str) -> None:
    arguments, sentence = WRONG[name]
    code, said = kit.run(*arguments)
    assert (code, sentence in said) == (2, True), said


def test_a_player_that_prints_without_end_is_played_and_its_replay_stays_small(kit: Kit) -> None:
    loud = house_bot(GAMES["uno"], "first_match").source + b"\nfor number in range(10**6): print(number)\n"
    (kit.folder / "loud.py").write_bytes(loud)
    assert kit.run("play", "loud.py", "--seed", "7")[0] == 0
    assert (kit.folder / "replays" / "home-7.html").stat().st_size < 1 << 20


@pytest.mark.parametrize(("option", "file"), [("--record", "."), ("--replay", "mine.py/replay.html")])
def test_what_cannot_be_written_is_said(kit: Kit, option: str, file: str) -> None:
    code, said = kit.run("play", "mine.py", option, file)
    assert (code, f"Choose another file with {option}." in said) == (1, True), said


def test_the_thin_kit_says_what_the_full_one_is(tmp_path: Path) -> None:
    thin = Kit(tmp_path, kit_files(DOUBLE, ABOUT, "", "<p>rules"))
    code, said = thin.run("play", "my_player.py")
    assert (code, "you need the full kit" in said, ABOUT["full"] in said) == (1, True, True)
    assert "play" in thin.run("--help")[1]


# Who gets it


def status(school: School, login: str) -> tuple[int, bool]:
    """The answer to somebody who wants it, and whether the assignment's page has a link."""
    browser = school.browser(login)
    return browser.get(PAGE).status_code, f'href="{PAGE}"' in browser.get("/courses/comp10001/bo/").text


def offer(school: School, when: str) -> int:
    """An instructor says when it is offered; the status of the answer."""
    form = {"full_kit": when}
    return school.browser("ines").post(f"/assignments/{school.assignment}/settings/", form).status_code


def test_it_is_offered_when_an_instructor_says_so_which_is_logged(school: School) -> None:
    assert status(school, "ada") == (403, False)
    assert status(school, "ines") == (200, False), "an instructor sees what is in it"
    assert offer(school, "sometimes") == 422
    assert offer(school, "at once") == 303
    assert status(school, "ada") == (200, True)
    settings = school.browser("ines").get(f"/assignments/{school.assignment}/settings/").text
    assert "Full kit</th><td>never</td><td>from the start</td>" in settings
    files = unpacked(school.browser("ada").get(PAGE).data, "bo-full-kit")
    assert {name for name in files if name.startswith(f"{FOLDER}/")} == {*full_files("bo")}
    assert b"This is the full kit." in files["README.txt"]


def test_after_the_deadline_means_after_ones_own(school: School) -> None:
    assert offer(school, "after deadline") == 303
    assert status(school, "ada") == (403, False), "there is no deadline yet"
    school.change(Assignment, school.assignment, due_at=now() - timedelta(hours=1))
    with school.write() as session:
        until = now() + timedelta(hours=1)
        session.add(Extension(assignment_id=school.assignment, user_id=school.people["ben"], until=until))
    assert status(school, "ada") == (200, True)
    assert status(school, "ben") == (403, False)
    assert "after your deadline" in school.browser("ben").get(PAGE).text
    assert (
        "After your deadline, you can download a full kit here"
        in school.browser("ben").get("/courses/comp10001/bo/").text
    )


def test_without_a_game_there_is_none() -> None:
    assert has_full_kit(DOUBLE)
    assert not has_full_kit(DOUBLE.model_copy(update={"game": ""}))
