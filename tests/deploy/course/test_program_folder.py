"""A course folder with a program, with the commands as people use them. The program is in Python, which needs no
compiler; `test_uno_cpp` takes the assignment of the examples."""

import json
import shutil
from io import BytesIO
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select
from sqlalchemy.orm import sessionmaker

from deploy.cli import main
from deploy.settings import load
from grader.grading.report import unpack
from grader.store.models import Assignment, Submission
from grader.submissions.work import grade_next
from sandbox.api import SandboxUnavailable
from sandbox.archives import pack
from sandbox.choose import open_program_sandbox, open_sandbox
from tests.deploy.place import migrated
from tests.greeter import PYTHON
from tests.services import missing
from tests.tournament.finals import KEY
from tests.web.contract import ApiClient
from tournament.store.database import connect, reading, writing
from tournament.work.services import Services
from web.app import create_app
from web.site.auth import new_token
from web.site.models import Course, Membership, Role, User
from web.site.store import WebSettings

pytestmark = pytest.mark.full

GREET = "assignments/greet"
CASES = f"{GREET}/questions/greet/cases"


@pytest.fixture(scope="module", autouse=True)
def sandbox() -> None:
    try:
        open_program_sandbox().close()
    except SandboxUnavailable:
        missing("a sandbox for programs")


class Place:
    """A course folder, and an installation."""

    def __init__(self, folder: Path) -> None:
        self.course, self.data = folder / "comp", folder / "data"
        self.write("course.toml", b'title = "Computing"\ntime_zone = "UTC"\n')
        for path, content in PYTHON.items():
            self.write(f"{GREET}/{path}", content)

    def write(self, path: str, content: bytes) -> None:
        file = self.course / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def run(self, *arguments: str | Path) -> Result:
        done = CliRunner().invoke(main, ["course", *map(str, arguments)], env={"QUADRILLE_DATA": str(self.data)})
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    def everything(self) -> dict[str, bytes]:
        files = (file for file in self.course.rglob("*") if file.is_file())
        return {file.relative_to(self.course).as_posix(): file.read_bytes() for file in files}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def installed(place: Place) -> Place:
    migrated(load(place.data).database).dispose()
    return place


def test_check_runs_the_solution_the_programs_and_the_files_handed_out(place: Place) -> None:
    done = place.run("check", place.course)
    assert done.exit_code == 0, done.output
    assert "assignments/greet: 1 question, 2 hidden cases, no errors." in done.output
    assert "The files handed out by greet, without any changes, pass 1 of 3 cases." in done.output


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        (
            "cases/hidden/02-two-names.out",
            b"Hello, Ada!\nHello, Bob!\n",
            ":2: The solution does not pass this case (WA)",
        ),
        ("solution/main.py", b"import sys\nprint(\n", ":2: The solution cannot be built: "),
        (
            "submissions/AC/other/main.py",
            b"print('Hello')\n",
            "It must pass, but it gets WA in 01-one-name: ",
        ),
        (
            "submissions/TLE/slow/main.py",
            b"print('Hello')\n",
            "It must get TLE in at least one case, but it gets WA in ",
        ),
        (
            "submissions/WA/no_comma/main.py",
            PYTHON["questions/greet/solution/main.py"],
            "It must get WA, but it passes all 3 cases: none catches what is wrong with it.",
        ),
    ],
)
def test_check_tells_what_runs_otherwise_than_its_author_thinks(
    place: Place, path: str, content: bytes, expected: str
) -> None:
    place.write(f"{GREET}/questions/greet/{path}", content)
    done = place.run("check", place.course)
    assert (done.exit_code, expected in done.output) == (1, True), done.output
    assert path.rpartition("/")[0].removesuffix("/no_comma") in done.output


def test_a_wrong_case_of_the_solution_hides_nothing_that_is_wrong_with_the_other_programs(place: Place) -> None:
    place.write(f"{GREET}/questions/greet/cases/hidden/02-two-names.out", b"Hello, Ada!\nHello, Bob!\n")
    place.write(f"{GREET}/questions/greet/submissions/TLE/slow/main.py", b"print('Hello')\n")
    done = place.run("check", place.course)
    assert done.exit_code == 1
    assert "The solution does not pass this case (WA)" in done.output
    assert "It must get TLE in at least one case, but it gets WA in " in done.output


def test_outputs_that_are_missing_are_written_from_the_solution(place: Place) -> None:
    before = place.everything()
    for case in ("visible/01-one-name", "hidden/02-two-names"):
        (place.course / f"{CASES}/{case}.out").unlink()
    refused = place.run("check", place.course)
    assert (refused.exit_code, "check FOLDER --write-outputs" in refused.stderr) == (1, True)
    done = place.run("check", place.course, "--write-outputs")
    assert done.exit_code == 0, done.output
    assert f"Written: {CASES}/hidden/02-two-names.out" in done.stderr
    assert place.everything() == before


def test_an_output_that_the_solution_does_not_print_is_not_written(place: Place) -> None:
    (place.course / f"{CASES}/hidden/02-two-names.out").unlink()
    place.write(f"{GREET}/questions/greet/solution/main.py", b"raise ValueError('too late')\n")
    done = place.run("check", place.course, "--write-outputs")
    assert done.exit_code == 1
    assert (
        "02-two-names.out: The output cannot be generated. The solution stopped with an exception: "
        "ValueError" in done.output
    )


def test_what_is_pushed_is_pulled_unchanged_and_each_change_is_told(installed: Place) -> None:
    place = installed
    assert place.run("push", place.course).exit_code == 0
    pushed = place.everything()
    assert "is the same as the site" in place.run("pull", place.course).output
    assert place.everything() == pushed
    fresh = place.course.parent / "fresh"
    assert place.run("pull", fresh, "--course", "comp").exit_code == 0
    kept = {path: content for path, content in pushed.items() if path.startswith(f"{GREET}/questions")}
    written = {file.relative_to(fresh).as_posix(): file.read_bytes() for file in fresh.rglob("*") if file.is_file()}
    assert {path: content for path, content in written.items() if path.startswith(f"{GREET}/questions")} == kept
    place.write(f"{CASES}/hidden/02-two-names.title", b"Two of them\n")
    place.write(f"{CASES}/hidden/04-three.in", b"A\nB\nC\n")
    place.write(f"{CASES}/hidden/04-three.out", b"Hello, A!\nHello, B!\nHello, C!\n")
    found = json.loads(place.run("diff", place.course, "--json").stdout)
    assert [each["sentence"] for each in found["assignments"]["greet"]["changes"]] == [
        "questions.greet.cases/02-two-names.title: Two names → Two of them",
        "questions.greet.cases/04-three: new",
    ]
    assert "Pushed: greet (version 2)." in place.run("push", place.course).output
    assert "Nothing to push" in place.run("push", place.course).output


def test_whoever_uploads_the_solution_by_the_api_gets_all_points(installed: Place) -> None:
    assert installed.run("push", installed.course).exit_code == 0
    assert graded(installed, {"main.py": PYTHON["questions/greet/solution/main.py"]}, "python3") == (4.0, 4.0)


@pytest.mark.slow
def test_uno_in_c_plus_plus_is_pushed_and_its_solution_gets_all_points(tmp_path: Path) -> None:
    with open_program_sandbox() as programs:
        if why := programs.missing("g++"):
            missing(why)
    place = Place(tmp_path)
    shutil.rmtree(place.course)
    shutil.copytree(EXAMPLE, place.course)
    shutil.rmtree(place.course / UNO / "submissions")  # to run them takes minutes; `course check` does
    migrated(load(place.data).database).dispose()
    done = place.run("push", place.course)
    assert done.exit_code == 0, done.output
    solution = {file.name: file.read_bytes() for file in (place.course / UNO / "solution").iterdir()}
    assert graded(place, solution, "cpp17") == (100.0, 100.0)


EXAMPLE = Path(__file__).parents[3] / "examples" / "uno-cpp"
UNO = "assignments/uno/questions/uno"


def graded(place: Place, files: dict[str, bytes], language: str) -> tuple[float, float]:
    """The points for these files, uploaded as a zip by the API to the only assignment, and the most there are."""
    sessions, sent = sessionmaker(connect(load(place.data).database)), list[str]()
    with writing(sessions) as session:
        ada = User(login="ada", name="Ada", password_hash="")
        session.add(ada)
        session.flush()
        course = session.scalars(select(Course.id)).one()
        session.add(Membership(user_id=ada.id, course_id=course, role=Role.STUDENT, pseudonym="Heron"))
        assignment, author = session.scalars(select(Assignment.id)).one(), ada.id
    app = create_app(WebSettings(secret_key="tests", record_key=KEY, sessions=sessions, send=sent.append))
    with app.test_request_context():
        api = ApiClient(app, new_token(author, "mine"))
    upload = {"file": (BytesIO(pack(files)), "answer.zip")}
    made = api.post(f"/assignments/{assignment}/submissions", data=upload, content_type="multipart/form-data")
    assert made.status_code == 201, made.text
    assert sent == ["grader.grade_program"]
    with open_sandbox("trusted") as box, open_program_sandbox() as programs:
        services = Services(sessions, sent.append, lambda: box, lambda: box, "worker")
        services.open_programs, services.offers = lambda: programs, frozenset({language})
        assert grade_next(services)
    with reading(sessions) as session:
        report = session.scalars(select(Submission)).one().report
    sessions.kw["bind"].dispose()
    assert report
    return unpack(report).points, unpack(report).max_points
