"""The kit and the site: what it uploads, follows and fetches, and what it says when the site is out of reach."""

import json
import os
import pty
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import select
from werkzeug.serving import make_server

from grader.grading.report import pack
from grader.store.models import Assignment, Submission
from grader.submissions.submit import history
from tests.tournament.factory import publish_examples
from tests.web.kits import ABOUT, DOUBLE, INTERPRETERS, RIGHT, WITH_EITHER, Kit, unpacked
from tests.web.practice.test_compare import add_pair, new_version
from tests.web.practice.test_custom_games import played
from tests.web.records import disqualified, whole
from tests.web.reports import bad, good, unloadable
from tests.web.school import School
from tournament.store.jobs import JobState
from tournament.store.tables import CustomGame, VersionComparison
from web.kit.contents import kit_files
from web.site.errors import ApiRefusal
from web.site.models import ApiToken

pytestmark = pytest.mark.full

PAGE = "/courses/comp10001/bo/kit.zip"


@pytest.fixture
def online(school: School, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[tuple[Kit, Callable[[], None]]]:
    """Ada's kit, logged in, and what takes the site away."""
    server = make_server("127.0.0.1", 0, school.app, threaded=True)
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"

    def stop() -> None:
        server.shutdown()
        thread.join()
        server.server_close()

    files = unpacked(school.browser("ada").get(PAGE).data, "bo-kit")
    files["quadrille_kit.py"] = files["quadrille_kit.py"].replace(b"http://localhost", address.encode())
    kit = Kit(tmp_path, files, getattr(request, "param", sys.executable))
    kit.site = address
    (kit.home / "quadrille").mkdir()  # as `login` does it, which takes a process
    (kit.home / "quadrille" / "tokens.json").write_text(json.dumps({address: school.token("ada")}))
    yield kit, stop
    if thread.is_alive():
        stop()


def submissions(school: School) -> list[tuple[int, bool]]:
    """Ada's submissions: their ids, and whether they want to enter."""
    with school.write() as session:
        own = history(session, school.assignment, school.people["ada"])
        return [(each.id, each.wants_entry) for each in own]


def test_a_student_logs_in_and_out(school: School, online: tuple[Kit, object]) -> None:
    ours = online[0]
    (file,) = ours.home.rglob("tokens.json")
    assert ours.run("logout")[0] == 0
    file.unlink()
    code, said = ours.run("login", "--token-stdin", typed=school.token("ada") + "\n")
    assert (code, "You are logged in." in said) == (0, True), said
    assert file.stat().st_mode & 0o777 == 0o600
    assert ours.run("status")[0] == 0
    assert ours.run("logout")[0] == 0
    assert ours.run("status") == (1, "You are not logged in. Run: python3 quadrille_kit.py login\n")
    code, said = ours.run("login", "--token-stdin", typed="wrong\n")
    assert (code, "/account/, then run:" in said) == (1, True)


@pytest.mark.parametrize("online", INTERPRETERS, indirect=True)
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
    assert f"The whole report: {kit.site}/submissions/{graded}/" in said
    code, said = kit.run("download", str(graded))
    assert (code, (kit.folder / f"player-{graded}.py").read_text()) == (0, "x = 1\n")
    assert "was not overwritten" in kit.run("download", str(graded))[1]


def test_one_reason_is_told_once(school: School, online: tuple[Kit, object]) -> None:
    kit, id_ = online[0], school.graded("ada", unloadable())
    said = kit.run("watch", str(id_))[1]
    assert said.count("Line 1 is not Python.") == 1
    assert "… and 1 more case; see the report on the site." in said
    assert "… and 2 more cases; see the report on the site." in said
    school.change(Submission, id_, points=1.0)
    assert f"No. {id_}  player.py: 1 point\n" in kit.run("status")[1]


@pytest.mark.parametrize("online", WITH_EITHER, indirect=True)
def test_comments_of_staff_are_read_at_their_lines(school: School, online: tuple[Kit, object]) -> None:
    kit, id_ = online[0], school.upload("ada", b"def f():\r\n    x = 1\r\n")
    assert kit.run("comments") == (0, f"There are no comments on no. {id_} yet.\n")
    comment = {"file": "player.py", "line": 2, "comment": "Name it.\nSee week 3."}
    assert school.browser("ines").post(f"/submissions/{id_}/comments", comment).status_code == 303
    code, said = kit.run("status")
    assert (code, "in the queue; 1 comment, 1 new\n" in said, f"comments {id_}" in said) == (0, True, True), said
    code, said = kit.run("comments", str(id_))
    assert (code, said.splitlines()[:3]) == (0, ["player.py:2: x = 1", "    Name it.", "    See week 3."])
    assert "    Ines Realname, " in said
    assert "/comments/1/" in said
    found = json.loads(kit.run("comments", "--json")[1])
    assert (found["submission"], found["comments"][0]["line"]) == (id_, 2)
    listed = json.loads(kit.run("status", "--json")[1])["submissions"][0]
    assert (listed["comments"], listed["new_comments"]) == (1, 0)


def test_its_games_and_the_leaderboard_are_shown(school: School, online: tuple[Kit, object]) -> None:
    kit, entry = online[0], school.enter("ada")
    school.play(entry, *school.bots()[:3], record=whole())
    ((submission, _),) = submissions(school)
    school.change(Submission, submission, report=pack(good()), points=8.0)
    code, said = kit.run("watch", "--games", "1", "--interval", "0.1")
    assert (code, "Place " in said, "/games/" in said) == (0, True, True), said
    school.play(entry, *school.bots()[:3], record=whole())
    assert kit.run("watch", "--games", "1", "--interval", "0.1")[1].count("Place ") == 1
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


def test_several_games_are_tried_at_once(school: School, online: tuple[Kit, object]) -> None:
    kit = online[0]
    submission = school.graded("ada", good())
    running = kit.start("try", "--interval", "0.1", "--submission", str(submission), "--deals", "2")
    games: Sequence[int] = []
    while not games and running.poll() is None:
        with school.write() as session:
            games = session.scalars(select(CustomGame.id).order_by(CustomGame.number)).all()
    for game, record in zip(games, (whole(), disqualified(3)), strict=False):
        played(school, game, record)
    said, complaints = running.communicate(timeout=60)
    assert (running.returncode, complaints) == (0, ""), said
    assert "2 games, which count towards your games per hour: " in said
    assert re.search(r"Won \d of \d \(\d+% to \d+%\)  .*<- you", said), said
    assert "You were disqualified. Next: " in said
    assert f"replay --custom {games[1]}" in said


def test_two_versions_are_compared(school: School, online: tuple[Kit, object]) -> None:
    kit, better = online[0], whole()
    worse = replace(better, places=[4, 3, 1, 2])
    assert kit.run("compare", str(school.graded("ada", good())))[1].startswith("You have no player in this tournament")
    school.enter("ada")
    for code, new, old, answer in ((0, replace(better, places=[1, 2, 3, 4]), worse, "Better: "),
                                   (1, worse, replace(better, places=[1, 2, 3, 4]), "Worse: ")):  # fmt: skip
        running = kit.start("compare", str(new_version(school, answer.encode())), "--interval", "0.1")
        assert running.stdout
        said = [running.stdout.readline() for _ in range(3)]
        assert said[2] == "Too early to say: the first evaluation comes after 25 pairs of games.\n"
        with school.write() as session:
            comparison = session.scalars(select(VersionComparison.id).order_by(VersionComparison.id.desc())).first()
        assert f"/comparisons/{comparison}/" in said[0]
        for number in range(25):
            add_pair(school, comparison, number, new, old)
        school.change(VersionComparison, comparison, state=JobState.DONE)
        rest, complaints = running.communicate(timeout=60)
        assert (running.returncode, answer in rest, complaints) == (code, True, ""), rest
        assert "25 pairs: the new version won" in rest


@pytest.mark.parametrize("online", WITH_EITHER, indirect=True)
def test_a_replay_is_kept_for_a_time_without_the_network(
    school: School, online: tuple[Kit, Callable[[], None]]
) -> None:
    kit, stop = online
    game = school.play(school.enter("ada"), *school.bots()[:3], record=whole())
    code, said = kit.run("replay", str(game))
    assert (code, f"The replay is in replays/game-{game}.html" in said) == (0, True), said
    text = (kit.folder / "replays" / f"game-{game}.html").read_text("utf-8")
    assert f"<h1>Game {game}</h1>" in text
    assert kit.run("replay", "999999")[1] == "There is no such game in your courses.\n"
    assert "was not at fault in any trial game" in kit.run("replay", "--trial", str(school.upload("ada")))[1]
    assert kit.run("replay", "http://example.org/games/1")[0] == 2
    address = f"{kit.site}/games/{game}/plays/3?seat=1"
    (kit.folder / "file").write_text("")
    assert "cannot be written" in kit.run("replay", address, "--to", "file")[1]
    stop()
    assert json.loads(kit.run("replay", address, "--json")[1]) == {"file": f"replays/game-{game}.html"}
    assert kit.run("replay", "custom-games/1")[0] == 3


def test_a_replay_is_opened_on_a_desktop(school: School, online: tuple[Kit, object]) -> None:
    kit, (ours, theirs) = online[0], pty.openpty()
    browser = kit.home / "browser"
    browser.write_text('#!/bin/sh\nprintf %s "$1" > "$HOME/opened"\n')
    browser.chmod(0o700)
    game = school.play(school.enter("ada"), *school.bots()[:3], record=whole())
    for more in ({}, {"DISPLAY": ":9"}):
        running = kit.start("replay", str(game), out=theirs, BROWSER=f"{browser} %s", **more)
        assert running.wait(60) == 0
    os.close(theirs)
    os.close(ours)
    assert (kit.home / "opened").read_text() == (kit.folder / "replays" / f"game-{game}.html").as_uri()


def test_an_old_kit_is_told_so(school: School, online: tuple[Kit, object]) -> None:
    with school.write() as session:
        publish_examples(session, session.get_one(Assignment, school.assignment), 2)
    assert "(version 1, now 2). Get the new one: http://" in online[0].run("status")[1]


def test_no_refusal_commands_the_terminal(
    school: School, online: tuple[Kit, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(assignment_id: int) -> object:
        raise ApiRefusal(422, f"No. \x1b]52;c;{assignment_id}\x07")

    monkeypatch.setitem(school.app.view_functions, "api.create_submission", refuse)
    (online[0].folder / "my_player.py").write_text("x = 1\n")
    code, said = online[0].run("submit", "my_player.py")
    assert (code, "No. \\x1b]52;c;" in said, "\x1b" in said) == (1, True, False), said


def test_a_token_that_is_revoked_ends_the_watch(school: School, online: tuple[Kit, object]) -> None:
    kit = online[0]
    school.upload("ada")
    running = kit.start("watch", "--interval", "0.1")
    assert running.stdout
    assert "waiting" in running.stdout.readline()
    with school.write() as session:
        session.query(ApiToken).delete()
    _, complaints = running.communicate(timeout=60)
    assert (running.returncode, "Your API token is not valid or has been revoked." in complaints) == (1, True)


def test_a_network_that_dies_ends_the_watch(school: School, online: tuple[Kit, Callable[[], None]]) -> None:
    kit, stop = online
    school.upload("ada")
    running = kit.start("watch", "--interval", "0.1")
    assert running.stdout
    assert "waiting" in running.stdout.readline()
    stop()
    _, complaints = running.communicate(timeout=60)
    assert (running.returncode, "cannot be reached" in complaints) == (3, True)


@pytest.mark.parametrize(
    "command",
    [
        "login --token-stdin",
        "status",
        "watch 1",
        "leaderboard",
        "try",
        "compare 1",
        "replay 1",
        "download 1",
        "submit x.py",
    ],
)
def test_without_a_network_every_command_says_so(tmp_path: Path, command: str) -> None:
    kit = Kit(tmp_path, kit_files(DOUBLE, ABOUT, "", "") | {"x.py": RIGHT.encode()})
    code, said = kit.run(*command.split(), typed="token\n", QUADRILLE_TOKEN="token")
    assert (code, f"{ABOUT['site']} cannot be reached (" in said) == (3, True), said


def test_a_home_without_write_access_is_told(school: School, online: tuple[Kit, Callable[[], None]]) -> None:
    kit, stop = online
    shutil.rmtree(kit.home / "quadrille")
    (kit.home / "quadrille").write_text("a file is in the way")
    token = school.token("ada")
    code, said = kit.run("login", "--token-stdin", typed=f"\ufeff{token}\r\n")
    assert (code, "Nothing can be written into" in said, "QUADRILLE_TOKEN" in said) == (1, True, True), said
    assert kit.run("status", QUADRILLE_TOKEN=token)[0] == 0
    stop()
    code, said = kit.run("submit", "my_player.py", QUADRILLE_TOKEN=token)
    assert (code, "Your file was not saved for later: Nothing can be written" in said) == (3, True), said


def test_what_cannot_be_sent_is_kept_and_sent_later(school: School, online: tuple[Kit, Callable[[], None]]) -> None:
    kit, stop = online
    stop()
    code, said = kit.run("submit", "my_player.py")
    assert (code, "submit --pending" in said) == (3, True), said
    assert kit.run("status")[0] == 3
    assert kit.run("submit", "--pending")[0] == 3
    port = int(kit.site.rpartition(":")[2])
    server = make_server("127.0.0.1", port, school.app, threaded=True)
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        assert kit.run("submit", "--pending")[0] == 0
        assert len(submissions(school)) == 1
        assert "Nothing is waiting" in kit.run("submit", "--pending")[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
