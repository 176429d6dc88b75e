"""A new course of three assignments, once made on the site and once pushed from a folder: the definitions are equal."""

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from deploy.cli import main
from deploy.database import install_added_games
from grader.authoring.course_folder.course import builtin, builtin_files
from grader.authoring.course_folder.files import read_files
from grader.authoring.papers import keys, store_sets
from grader.authoring.versions import live
from grader.definition.model import Definition
from grader.store.models import Assignment
from grader.submissions.work import grade_next
from sandbox.choose import open_sandbox
from tests.deploy.place import Place, migrated, place
from tests.papers import hidden_cases
from tests.web.editor.test_edit import send
from tests.web.school import Browser, School
from tournament.games.loading import pack, read_folder
from tournament.play import games as added
from tournament.play.packages import NewPackage, add
from tournament.store.database import reading, writing
from tournament.work.services import Services
from web.site.models import Course

HEARTS = Path(__file__).parents[3] / "examples" / "hearts"
ZONE = "Australia/Melbourne"
VISIBLE, DUE = "2027-03-01T09:00", "2027-05-28T23:59"
QUESTIONS = {
    "q1": {
        "title": "Clamp a number",
        "function": "clamp",
        "parameters": "number, low, high",
        "text": "Return the number that is **nearest** to `number`\nfrom `low` to `high`.\n",
        "examples": ">>> clamp(5, 1, 3)\n3\n",
        "cases": "def cases(rng):\n    for _ in range(5):\n        yield rng.randrange(9), 2, 6\n",
        "solution": "def clamp(number, low, high):\n    return max(low, min(number, high))\n",
        "points": "2.5",
    },
    "q2": {
        "title": "Mean",
        "function": "mean",
        "parameters": "numbers",
        "text": "Return the arithmetic mean.\n",
        "examples": ">>> mean([1, 2])\n1.5\n",
        "cases": ">>> mean([0.1, 0.2])\n0.15\n>>> mean([3])\n3.0\n",
        "kind": "floats",
        "absolute": "1e-6",
    },
}
FILES = {"text": "text.md", "examples": "examples.txt", "cases": "cases.py", "solution": "solution.py"}
COURSE = f'title = "Computing"\ntime_zone = "{ZONE}"\n'
SET = f"""title = "Warm-up"
visible_from = {VISIBLE}:00
due = {DUE}:00
counts = "best"

[[questions]]
slug = "q1"
title = "Clamp a number"
function = "clamp"
parameters = ["number", "low", "high"]
points = 2.5
gate = "none"

[[questions]]
slug = "q2"
title = "Mean"
function = "mean"
parameters = ["numbers"]
comparator = {{kind = "floats", absolute = 1e-6}}
gate = "none"
"""
TEXT = "# Warm-up\n\nTwo *small* questions.\n"
STARTER = "def clamp(number, low, high):\n    ...\n\n\ndef mean(numbers):\n    ...\n"


@pytest.fixture
def new(tmp_path: Path) -> Iterator[Place]:
    """A fresh installation, to which the operator has added Hearts."""
    made = place(tmp_path / "data")
    migrated(made.settings.database).dispose()
    archive = pack(read_folder(HEARTS / "games" / "hearts"))
    few = {key: hidden_cases("phazed")[slug][::20] for slug, key in keys(builtin("phazed")).items()}
    with writing(made.sessions) as session:
        store_sets(session, few)  # to make all of them takes longer than the rest
        add(session, NewPackage(archive, "hearts", "Hearts", "1"), made.settings.signing_key)
    install_added_games(made.settings, made.sessions)
    yield made
    added.install(lambda hash_: None, tuple)
    made.sessions.kw["bind"].dispose()


def on_the_site(new: Place) -> None:
    """Create the course `site` as an instructor does who reads the pages and fills in their forms."""
    ines = School(new.site, new.sessions, []).browser("ines")
    ines.post("/new-course/", {"slug": "site", "title": "Computing", "time_zone": ZONE})
    phazed = begin(ines, slug="phazed", source="game", game="phazed")
    send(ines, f"{phazed}/", **{"title": "Small Phazed", "option-hand_size": "8", "due_at": DUE})
    warm_up = begin(ines, slug="warm-up", source="empty", title="Warm-up")
    send(ines, f"{warm_up}/", visible_from=VISIBLE, due_at=DUE, counts="best")
    send(ines, f"{warm_up}/text/", text=TEXT.replace("\n", "\r\n"))
    send(ines, f"{warm_up}/starter/", starter=STARTER)
    for slug, typed in QUESTIONS.items():
        ines.post(f"{warm_up}/questions/add", {"slug": slug, **typed})
        send(ines, f"{warm_up}/questions/{slug}/", **typed)
    hearts = begin(ines, slug="hearts", source="copy", zip=(zipped(HEARTS / "assignments" / "hearts"), "hearts.zip"))
    for edit in (phazed, warm_up, hearts):
        assert ines.post(f"{edit}/publish/", {"when": "now"}).status_code == 303
        work(new)
        assert "Version 1 is published." in ines.get(f"{edit}/publish/").text


def begin(browser: Browser, **form: Any) -> str:
    """Make an assignment; the address of its editor."""
    made = browser.post("/courses/site/new-assignment/", {"title": "", **form}, content_type="multipart/form-data")
    return re.findall(r"/assignments/\d+/edit", made.location)[0]


def zipped(folder: Path) -> BytesIO:
    out = BytesIO()
    with ZipFile(out, "w") as archive:
        for file in sorted(folder.rglob("*.*")):
            archive.write(file, Path(folder.name) / file.relative_to(folder))
    return BytesIO(out.getvalue())


def work(new: Place) -> None:
    """What a grading worker does. These files are our own, so that no jail is needed."""
    with open_sandbox("trusted") as box:
        services = Services(new.sessions, lambda name: None, lambda: box, lambda: box, "worker")
        while grade_next(services):
            pass


def folder(where: Path) -> Path:
    """The same course, written by hand."""
    phazed = {path: content.decode() for path, content in builtin_files("phazed").items()}
    settings = f'title = "Small Phazed"\ngame = "phazed"\ndue = {DUE}:00\n\n[options]\nhand_size = 8\n'
    phazed["assignment.toml"] = phazed["assignment.toml"].replace('title = "Phazed"\ngame = "phazed"\n', settings)
    warm_up = {"assignment.toml": SET, "text.md": TEXT, "starter.py": STARTER}
    for slug, typed in QUESTIONS.items():
        warm_up |= {f"questions/{slug}/{file}": typed[field] for field, file in FILES.items() if field in typed}
    warm_up["questions/q2/cases.txt"] = warm_up.pop("questions/q2/cases.py")
    write(where, {"course.toml": COURSE})
    write(where / "assignments" / "phazed", phazed)
    write(where / "assignments" / "warm-up", warm_up)
    shutil.copytree(HEARTS / "assignments" / "hearts", where / "assignments" / "hearts")
    return where


def write(where: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        file = where / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


def definitions(new: Place, course: str) -> dict[str, Definition]:
    """What holds in a course."""
    wanted = select(Assignment).join(Course, Course.id == Assignment.course_id).where(Course.slug == course)
    with reading(new.sessions) as session:
        return {each.slug: live(session, each) for each in session.scalars(wanted)}


@pytest.fixture
def command(new: Place) -> Callable[..., Any]:
    """`quadrille course` in this installation; what it prints as JSON."""

    def run(*arguments: str | Path) -> Any:
        environment = {"QUADRILLE_DATA": str(new.settings.data)}
        done = CliRunner().invoke(main, ["course", *map(str, arguments), "--json"], env=environment)
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    return run


@pytest.mark.full
def test_a_course_is_the_same_whether_it_is_made_on_the_site_or_in_a_folder(
    new: Place, command: Callable[..., Any], tmp_path: Path
) -> None:
    on_the_site(new)
    by_hand = folder(tmp_path / "folder")
    assert command("push", by_hand)["pushed"] == {"hearts": 1, "phazed": 1, "warm-up": 1}
    made = definitions(new, "site")
    assert sorted(made) == ["hearts", "phazed", "warm-up"]
    assert made == definitions(new, "folder")

    pulled, other = tmp_path / "pulled", tmp_path / "other"
    command("pull", pulled, "--course", "site")
    command("pull", other, "--course", "folder")
    site, hand = read_files(pulled), read_files(other)
    assert {path: each for path, each in site.items() if path != "course.toml"} == {
        path: each for path, each in hand.items() if path != "course.toml"
    }
    written = read_files(by_hand)
    assert sorted(site) == sorted(written)
    assert all(site[path] == content for path, content in written.items() if not path.endswith(".toml"))
    assert command("push", pulled)["pushed"] == {}, "a pull followed by a push changes nothing"
    assert command("push", by_hand)["pushed"] == {}
