"""No file of an author's runs outside a jail: not on the command line, on the site or in workers."""

import re
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from deploy.cli import main
from grader.grading.report import unpack
from grader.store.models import Assignment, Submission
from grader.store.uploads import Upload
from grader.submissions.submit import submit
from grader.submissions.work import grade_next
from sandbox.api import SandboxUnavailable
from sandbox.choose import open_sandbox
from tests.deploy.place import Place, migrated, place
from tests.services import missing
from tests.web.school import School
from tournament.store.database import reading, writing
from tournament.work.services import Services

SETTINGS = """title = "Hostile"
[[questions]]
slug = "q1"
title = "Double"
function = "double"
parameters = ["n"]
comparator = "checker"
gate = "none"
"""
DOUBLE = "def double(n):\n    return 2 * n\n"
SCRIPTS = {
    "questions/q1/cases.py": "def cases(rng):\n    for _ in range(9):\n        yield (rng.randrange(99),)\n",
    "questions/q1/solution.py": DOUBLE,
    "questions/q1/checker.py": "def accepts(args, got):\n    return got == 2 * args[0]\n",
    "starter.py": "def double(n):\n    ...\n",
    "submissions/accepted/right.py": DOUBLE,
}
"""Each of them first tries to write a file, and then does what it should."""
TEXTS = {
    "assignment.toml": SETTINGS,
    "questions/q1/examples.txt": ">>> double(1)\n2\n",
    "questions/q1/text.md": "<script>alert(1)</script> [here](javascript:alert(1)) ![](javascript:alert(1))\n",
}


def writes(mark: Path) -> str:
    """Python text that tries to write a file and to start a program, and goes on if it may not."""
    return (
        f"try:\n    open({str(mark)!r}, 'w').close()\nexcept BaseException:\n    pass\n"
        f"try:\n    import os\n    os.system({f'touch {mark}'!r})\nexcept BaseException:\n    pass\n"
    )


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    """Where a file appears for each of the scripts that ran outside a jail."""
    (tmp_path / "marks").mkdir()
    return tmp_path / "marks"


@pytest.fixture
def files(marks: Path) -> dict[str, str]:
    """The assignment's folder."""
    return TEXTS | {path: writes(marks / path.replace("/", "-")) + text for path, text in SCRIPTS.items()}


@pytest.fixture
def course(tmp_path: Path, files: dict[str, str]) -> Path:
    folder = tmp_path / "comp"
    for path, text in files.items():
        file = folder / "assignments" / "hostile" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    (folder / "course.toml").write_text('title = "Computing"\n', "utf-8")
    return folder


@pytest.fixture
def new(tmp_path: Path) -> Iterator[Place]:
    made = place(tmp_path / "data")
    migrated(made.settings.database).dispose()
    yield made
    made.sessions.kw["bind"].dispose()


@pytest.fixture
def work(new: Place) -> Iterator[Callable[[], None]]:
    """What a grading worker does, with the sandboxes that it has."""
    try:
        jail = open_sandbox()
    except SandboxUnavailable:
        missing("a sandbox")
    with jail, open_sandbox("trusted") as trusted:
        services = Services(new.sessions, lambda name: None, lambda: jail, lambda: trusted, "worker")

        def run() -> None:
            while grade_next(services):
                pass

        yield run


def command(new: Place, *arguments: str | Path) -> None:
    environment = {"QUADRILLE_DATA": str(new.settings.data)}
    done = CliRunner().invoke(main, ["course", *map(str, arguments)], env=environment)
    assert done.exit_code == 0, done.output


def written(marks: Path) -> list[str]:
    return sorted(file.name for file in marks.iterdir())


@pytest.mark.full
def test_the_commands_run_an_authors_files_in_a_jail_only(new: Place, course: Path, marks: Path) -> None:
    for arguments in (("check", course), ("diff", course), ("push", course), ("pull", course)):
        command(new, *arguments)
        assert written(marks) == [], arguments[0]
    command(new, "check", course, "--trusted")
    assert written(marks) == sorted(path.replace("/", "-") for path in SCRIPTS), "each would have, without a jail"


def test_the_site_and_its_workers_run_an_authors_files_in_a_jail_only(
    new: Place, files: dict[str, str], marks: Path, work: Callable[[], None]
) -> None:
    school = School(new.site, new.sessions, [])
    ines = school.browser("ines")
    archive = BytesIO()
    with ZipFile(archive, "w") as into:
        for path, text in files.items():
            into.writestr(path, text)
    form = {"slug": "hostile", "title": "", "source": "copy", "zip": (BytesIO(archive.getvalue()), "hostile.zip")}
    made = ines.post("/courses/comp10001/new-assignment/", form, content_type="multipart/form-data")
    edit = re.findall(r"/assignments/\d+/edit", made.location)[0]
    for part in ("", "text/", "starter/", "questions/", "questions/q1/", "players/", "publish/", "preview/"):
        page = ines.get(f"{edit}/{part}")
        assert page.status_code == 200, part
        assert "<script>alert" not in page.text
        assert 'href="javascript:' not in page.text
    for what in ("solution", "starter", "check"):
        ines.post(f"{edit}/try/", {"what": what})
        work()
    ines.post(f"{edit}/publish/", {"when": "now"})
    work()
    assert "Version 1 is published." in ines.get(f"{edit}/publish/").text

    with writing(new.sessions) as session:
        assignment = session.scalars(select(Assignment).where(Assignment.slug == "hostile")).one()
        wrong = Upload(school.people["ada"], "ada", "player.py", b"def double(n):\n    return n\n", False)
        submission = submit(session, lambda name: None, assignment, wrong).id
    work()  # with the checker, and a twin of a case that fails
    with reading(new.sessions) as session:
        assert unpack(session.get_one(Submission, submission).report or b"").points == 0
    assert written(marks) == []
