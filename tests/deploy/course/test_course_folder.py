"""A course in a folder, from `course init` to a new term, with the commands as people use them, on SQLite."""

import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select
from sqlalchemy.orm import sessionmaker

from deploy.cli import main
from deploy.cli.course.reading import load_folder
from deploy.settings import load
from grader.authoring.course_folder.files import read_state
from grader.authoring.course_folder.layout import NO_GAMES
from grader.authoring.versions import Overwritten, live
from grader.store.models import Assignment, AssignmentDraft, AssignmentVersion, CaseSet, Submission
from sandbox.api import SandboxUnavailable
from sandbox.choose import open_sandbox
from tests.deploy.place import migrated
from tests.services import missing
from tournament.games.loading import pack, read_folder
from tournament.play.packages import NewPackage, add, name_of
from tournament.store.database import Sessions, reading, writing
from tournament.store.tables import Entry, Final, FinalPhase, Player, Tournament, TournamentKind
from web.assignment.pushing import carry_out, plan_push
from web.site.models import Course, User

pytestmark = pytest.mark.full

SETTINGS = "assignments/warm-up/assignment.toml"


@pytest.fixture(scope="module", autouse=True)
def sandbox() -> None:
    try:
        open_sandbox().close()
    except SandboxUnavailable:
        missing("a sandbox")


class Place:
    """An installation, and folders to work in."""

    def __init__(self, folder: Path) -> None:
        self.data, self.course = folder / "data", folder / "comp"
        self.sessions: Sessions = sessionmaker(migrated(load(self.data).database))

    def run(self, *arguments: str | Path) -> Result:
        done = CliRunner().invoke(main, ["course", *map(str, arguments)], env={"QUADRILLE_DATA": str(self.data)})
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    def well(self, *arguments: str | Path) -> Any:
        """What a command prints as JSON, if it does what it should."""
        done = self.run(*arguments, "--json")
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    def edit(self, former: str, new: str, file: str = SETTINGS) -> None:
        path = self.course / file
        text = path.read_text("utf-8")
        assert former in text
        path.write_text(text.replace(former, new, 1), "utf-8")

    def versions(self) -> dict[str, int]:
        with reading(self.sessions) as session:
            return {each.slug: each.version for each in session.scalars(select(Assignment))}

    def change_on_the_site(self, **columns: Any) -> None:
        with writing(self.sessions) as session:
            assignment = session.scalars(select(Assignment).where(Assignment.slug == "warm-up")).one()
            for name, value in columns.items():
                setattr(assignment, name, value)

    def submit(self) -> None:
        """A graded submission."""
        with writing(self.sessions) as session:
            assignment = session.scalars(select(Assignment).where(Assignment.slug == "warm-up")).one()
            ada, player = User(login="ada", name="Ada", password_hash=""), Player(sha256="1", source=b"")
            session.add_all([ada, player])
            session.flush()
            row = {"assignment_id": assignment.id, "author_id": ada.id, "player_id": player.id, "points": 1.0}
            session.add(Submission(**row, filename="x.py", wants_entry=False, entry_name="Heron"))


@pytest.fixture(scope="module")
def scaffold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new course folder, with its small problem set only: to make a game's cases takes long."""
    folder = tmp_path_factory.mktemp("scaffold") / "comp"
    arguments = ["course", "init", str(folder), "--title", "Computing", "--time-zone", "Australia/Melbourne"]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    shutil.rmtree(folder / "assignments" / "bo")
    return folder


@pytest.fixture
def place(tmp_path: Path, scaffold: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    shutil.copytree(scaffold, made.course)
    yield made
    made.sessions.kw["bind"].dispose()


@pytest.fixture
def pushed(place: Place) -> Place:
    assert place.well("push", place.course)["pushed"] == {"warm-up": 1}
    return place


@pytest.mark.slow
def test_a_new_folder_passes_its_check(tmp_path: Path) -> None:
    place = Place(tmp_path)
    made = place.well("init", place.course, "--game", "kotc")
    assert (made["course"], "assignments/kotc/assignment.toml" in made["files"]) == ("comp", True)
    found = place.well("check", place.course)
    assert (found["ok"], sorted(found["assignments"])) == (True, ["kotc", "warm-up"])
    assert place.run("init", place.course).exit_code == 2, "nothing is overwritten"


def test_check_names_each_error_with_file_and_line(place: Place) -> None:
    place.edit("points = 2", "pionts = 2")
    place.edit("    yield (", "    yeild (", "assignments/warm-up/questions/q1/cases.py")
    done = place.run("check", place.course)
    assert done.exit_code == 1
    assert (
        "assignments/warm-up/assignment.toml:17: There is no setting pionts here. Did you mean points?" in done.stderr
    )
    place.edit("pionts = 2", "points = 2")
    done = place.run("check", place.course)
    assert (done.exit_code, "assignments/warm-up/questions/q1/cases.py:3: " in done.stderr) == (1, True), done.stderr


def test_push_creates_the_course_and_a_second_push_changes_nothing(pushed: Place) -> None:
    again = pushed.well("push", pushed.course)
    assert (again["pushed"], again["assignments"]["warm-up"]["changes"]) == ({}, [])
    with reading(pushed.sessions) as session:
        course = session.scalars(select(Course)).one()
        assert (course.slug, course.title, course.time_zone) == ("comp", "Computing", "Australia/Melbourne")
        assert len(session.scalars(select(CaseSet.key)).all()) == 2, "published with their cases"


def test_pull_changes_nothing_and_a_pulled_folder_pushes_nothing(pushed: Place) -> None:
    before = {path: path.read_bytes() for path in pushed.course.rglob("*") if path.is_file()}
    assert pushed.well("pull", pushed.course)["changed"] == []
    assert {path: path.read_bytes() for path in pushed.course.rglob("*") if path.is_file()} == before
    other = pushed.course.with_name("other")
    assert "course.toml" in pushed.well("pull", other, "--course", "comp")["changed"]
    assert pushed.well("push", other)["pushed"] == {}
    assert pushed.versions() == {"warm-up": 1}


def test_an_edit_is_shown_by_diff_and_published_by_push(pushed: Place) -> None:
    pushed.edit("points = 2", "points = 3")
    pushed.edit("# due = 2027-03-12T23:59:00", "due = 2999-03-12T23:59:00")
    pushed.edit('term = ""', 'term = "Semester 1"', "course.toml")
    found = pushed.well("diff", pushed.course)
    changes = [each["sentence"] for each in found["assignments"]["warm-up"]["changes"]]
    assert changes == ["due_at: nothing → 2999-03-12T12:59:00+00:00", "questions.q2.points: 2 → 3"]
    assert [each["sentence"] for each in found["settings"]] == ["course.term: nothing → Semester 1"]
    assert pushed.well("push", pushed.course)["pushed"] == {"warm-up": 2}
    with reading(pushed.sessions) as session:
        assignment = session.scalars(select(Assignment)).one()
        assert live(session, assignment).questions[1].points == 3
        assert assignment.due_at == datetime(2999, 3, 12, 12, 59, tzinfo=UTC)
        assert session.scalars(select(Course.term)).one() == "Semester 1"
        assert session.scalars(select(AssignmentVersion.number)).all() == [1, 2], "the former version stays"


def test_a_push_is_refused_while_the_site_was_edited(pushed: Place) -> None:
    pushed.change_on_the_site(trial_games=3)
    pushed.edit("points = 2", "points = 3")
    refused = pushed.run("push", pushed.course)
    assert refused.exit_code == 2
    assert "warm-up, edited on the site: trial_games: 8 → 3" in refused.stderr
    assert "not pushed: warm-up changed on the site since this folder was last pulled or pushed" in refused.stderr
    refused = pushed.run("pull", pushed.course)
    assert (refused.exit_code, "not pulled: warm-up changed in" in refused.stderr) == (2, True)
    assert pushed.versions() == {"warm-up": 1}
    assert SETTINGS in pushed.well("pull", pushed.course, "--force")["changed"]
    pushed.edit("points = 2", "points = 3")
    assert pushed.well("push", pushed.course)["pushed"] == {"warm-up": 2}
    with reading(pushed.sessions) as session:
        assert session.scalars(select(Assignment.trial_games)).one() == 3, "what was done on the site is not lost"


def test_what_touches_marks_is_asked_first(pushed: Place) -> None:
    pushed.submit()
    pushed.edit("points = 2", "points = 3")
    refused = pushed.run("push", pushed.course)
    assert (refused.exit_code, pushed.versions()) == (2, {"warm-up": 1})
    assert "not pushed: warm-up: 1 graded submission of 1 student" in refused.stderr
    assert pushed.well("push", pushed.course, "--yes")["pushed"] == {"warm-up": 2}


def test_a_good_assignment_is_pushed_beside_a_broken_one(pushed: Place) -> None:
    for slug in ("second", "broken"):
        shutil.copytree(pushed.course / "assignments" / "warm-up", pushed.course / "assignments" / slug)
    pushed.edit("points", "pionts", "assignments/broken/assignment.toml")
    done = pushed.run("push", pushed.course)
    assert done.exit_code == 2, "there was an error"
    assert "assignments/broken/assignment.toml:17: There is no setting pionts" in done.stderr
    assert pushed.versions() == {"warm-up": 1, "second": 1}
    pushed.edit("Warm-up", "Warmer", "assignments/second/assignment.toml")
    pushed.edit("Warm-up", "Warmest")
    assert pushed.well("push", pushed.course, "--only", "second")["pushed"] == {"second": 2}
    assert pushed.versions() == {"warm-up": 1, "second": 2}


def test_an_assignment_that_fails_its_check_is_not_pushed(place: Place) -> None:
    place.edit("sum(", "1 + sum(", "assignments/warm-up/questions/q1/solution.py")
    done = place.run("push", place.course)
    assert done.exit_code == 2
    assert "assignments/warm-up/questions/q1/solution.py: It fails example 1" in done.stderr
    assert place.versions() == {}


def test_a_copy_has_everything_but_dates(pushed: Place) -> None:
    pushed.edit("# visible_from = 2027-03-01T09:00:00", "visible_from = 2027-03-01T09:00:00  # a Monday")
    pushed.well("push", pushed.course)
    pushed.well("copy", "comp", "comp-2", "--term", "Semester 2")
    with reading(pushed.sessions) as session:
        assignments = session.scalars(select(Assignment).order_by(Assignment.id)).all()
        first, second = (live(session, assignment) for assignment in assignments)
        assert first.visible_from is not None
        assert second == first.model_copy(update={"visible_from": None})
    folder = pushed.course.with_name("comp-3")
    pushed.well("copy", pushed.course, folder, "--title", "Computing again")
    text = (folder / SETTINGS).read_text("utf-8")
    assert ("visible_from =" in text, "# Numbers that were computed may differ a little." in text) == (False, True)
    assert pushed.well("push", folder)["pushed"] == {"warm-up": 1}
    with reading(pushed.sessions) as session:
        courses = session.execute(select(Course.slug, Course.title, Course.term).order_by(Course.id)).all()
    assert [tuple(each) for each in courses] == [
        ("comp", "Computing", ""),
        ("comp-2", "Computing", "Semester 2"),
        ("comp-3", "Computing again", ""),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("push", "nowhere"), "There is no such folder"),
        (("check", "{course}", "--only", "warmup"), "there is no assignment 'warmup' in"),
        (("pull", "{course}", "--course", "comq"), "there is no course 'comq'"),
        (("copy", "{course}", "{course}"), "exists already"),
        (("copy", "comq", "comp-2"), "there is no course 'comq'"),
        (("init", "{course}"), "is not empty"),
        (("init", "{course}/Ü"), "cannot be part of an address"),
        (("init", "{course}/new", "--time-zone", "Melbourne"), "Did you mean Australia/Melbourne?"),
    ],
)
def test_bad_input_gets_one_clear_line(place: Place, arguments: tuple[str, ...], message: str) -> None:
    refused = place.run(*(each.format(course=place.course) for each in arguments))
    assert (refused.exit_code, message in refused.stderr) == (2, True), refused.output


def test_links_are_not_followed(place: Place) -> None:
    (place.course / "assignments" / "warm-up" / "text.md").unlink()
    (place.course / "assignments" / "warm-up" / "text.md").symlink_to("/etc/passwd")
    refused = place.run("check", place.course)
    assert refused.exit_code == 2
    assert "assignments/warm-up/text.md: This is a link to another file." in refused.stderr


HEARTS = Path(__file__).parents[3] / "examples" / "hearts"


def add_game(place: Place, folder: Path) -> str:
    """Add a game to the installation without checking it, which takes long."""
    settings = load(place.data)
    with writing(place.sessions) as session:
        package = NewPackage(pack(read_folder(folder)), folder.name, folder.name, "1")
        return name_of(add(session, package, settings.signing_key))


@pytest.mark.slow
def test_a_course_with_a_game_of_its_own(tmp_path: Path) -> None:
    place = Place(tmp_path)
    shutil.copytree(HEARTS, place.course)
    refused = place.run("push", place.course)
    assert refused.exit_code == 2
    command = f"quadrille game add {place.course / 'games' / 'hearts'}"
    assert "assignments/hearts/assignment.toml:2: The game in games/hearts was not added" in refused.stderr
    assert command in refused.stderr
    name = add_game(place, place.course / "games" / "hearts")
    assert place.well("push", place.course)["pushed"] == {"hearts": 1}
    assert place.well("push", place.course)["pushed"] == {}
    with reading(place.sessions) as session:
        assert session.scalars(select(Assignment.game)).one() == name
    with reading(place.sessions) as session:
        slug = session.scalars(select(Course.slug)).one()
    other = place.course.with_name("other")
    place.well("pull", other, "--course", slug)
    assert 'game = "hearts"\n' in (other / "assignments/hearts/assignment.toml").read_text("utf-8")
    assert pack(read_folder(other / "games" / "hearts")) == pack(read_folder(place.course / "games" / "hearts"))
    assert place.well("push", other)["pushed"] == {}

    assert place.well("copy", other, other.with_name("next"))["assignments"] == ["hearts"]
    assert pack(read_folder(other.with_name("next") / "games" / "hearts")) == pack(read_folder(other / "games/hearts"))

    (other / "games" / "hearts" / "README.md").write_text("Other rules\n", "utf-8")
    refused = place.run("push", other)
    assert refused.exit_code == 2
    assert f"The game in games/hearts is not the same as {name}" in refused.stderr
    assert add_game(place, other / "games" / "hearts") != name
    assert place.well("pull", place.course)["changed"] == [], "each folder names its own version"
    assert place.well("push", other)["pushed"] == {"hearts": 2}
    assert "assignments/hearts/assignment.toml" in place.well("pull", place.course)["changed"]
    assert place.well("push", place.course)["pushed"] == {}, "it names the other version now, by its hash"


def test_a_push_runs_no_game_of_the_folder(pushed: Place) -> None:
    game = pushed.course / "games" / "evil"
    game.mkdir(parents=True)
    (game / "__init__.py").write_text(f"open({str(pushed.data / 'owned')!r}, 'w')\n", "utf-8")
    pushed.edit('title = "Warm-up"', 'title = "Warm-up"\ngame = "evil"')
    assert pushed.run("push", pushed.course).exit_code == 2
    assert pushed.run("diff", pushed.course).exit_code == 2
    assert not (pushed.data / "owned").exists()

    done = pushed.run("check", pushed.course)
    assert (done.exit_code, (pushed.data / "owned").exists()) == (1, True), "but a check does, as for rules"
    assert "assignment.toml:2: The game in games/evil has errors; correct them first." in done.stderr
    assert "has no `version`" in done.stderr


DUEL = """title = "Duel"
game = "bo"

[[questions]]
slug = "q1"
title = "A player"
function = "comp10001bo_play"
parameters = ["player_no", "hand", "stockpiles", "discard_piles", "build_piles", "play_history"]
gate = "none"

[[tournaments]]
slug = "standard"
title = "Ladder"
"""


@pytest.fixture
def running(place: Place) -> Place:
    """A ladder with an entry, a final that runs, and a draft that somebody writes on the site."""
    shutil.rmtree(place.course / "assignments" / "warm-up")
    file = place.course / "assignments" / "duel" / "assignment.toml"
    file.parent.mkdir()
    file.write_text(DUEL, "utf-8")
    place.well("push", place.course)
    with writing(place.sessions) as session:
        assignment = session.scalars(select(Assignment)).one()
        (ladder,) = session.scalars(select(Tournament))
        ines = User(login="ines", name="Ines", password_hash="")
        final = Tournament(
            assignment_id=assignment.id, slug="final", title="Final", game="bo", kind=TournamentKind.FINAL
        )
        session.add_all([ines, final])
        session.flush()
        session.add(Entry(tournament_id=ladder.id, author_id=ines.id, name="Heron"))
        session.add(Final(tournament_id=final.id, phase=FinalPhase.RUNNING, header="", entries=[]))
        draft = {"base": 1, "content": {}, "saved_by": ines.id, "saved_at": datetime(2027, 3, 1, 9, tzinfo=UTC)}
        session.add(AssignmentDraft(assignment_id=assignment.id, **draft))
    return place


def test_a_push_says_what_becomes_of_a_ladder_a_draft_and_a_final(running: Place) -> None:
    running.edit(
        'game = "bo"',
        'game = "bo"\noptions.hand_size = 4\ndue = 2026-01-01T00:00:00',
        "assignments/duel/assignment.toml",
    )
    found = running.well("diff", running.course)["assignments"]["duel"]
    assert found["asks"] == [
        "The draft that Ines last saved on the site, Mon 1 Mar 2027, 20:00 AEDT, stays there but is overtaken: its "
        "author has to decide what becomes of it.",
        "The season of the ladder ends, in which 1 student took part, and a new one begins, in which everybody starts "
        "from zero.",
        "1 student entered after the new deadline: too late for the final.",
    ]
    assert found["notes"] == ["The final goes on with the version with which it was frozen."]
    assert running.run("push", running.course).exit_code == 2
    assert running.well("push", running.course, "--yes")["pushed"] == {"duel": 2}
    with reading(running.sessions) as session:
        slugs = session.scalars(select(Tournament.slug).order_by(Tournament.id)).all()
        assert slugs == ["standard-season-1", "final", "standard"]


def test_a_push_stores_nothing_if_the_site_is_edited_meanwhile(pushed: Place) -> None:
    pushed.edit("points = 2", "points = 3")
    loaded = load_folder(pushed.course, "", NO_GAMES)
    with reading(pushed.sessions) as session:
        planned = plan_push(session, loaded.settings, loaded.assignments, read_state(pushed.course))
    pushed.change_on_the_site(trial_games=3)
    with pytest.raises(Overwritten), writing(pushed.sessions) as session:
        carry_out(session, planned, {}, by=None)
    assert pushed.versions() == {"warm-up": 1}
