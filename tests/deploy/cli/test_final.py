"""`quadrille final` and `quadrille verify`, run as an instructor and a student run them."""

import gzip
import json
import re
import stat
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy.orm import sessionmaker

from grader.store.models import Assignment
from sandbox.choose import open_sandbox
from tests.deploy.commands import process, quadrille
from tests.deploy.place import migrated
from tests.tournament.factory import make_tournament, make_user
from tests.tournament.finals import BOTS, CHEAT, play_out, stored_player
from tournament.store.database import Sessions, connect, now, writing
from tournament.store.tables import Entry
from tournament.work.services import Services
from web.site.models import Course, Membership, Role

QUICK = ("--first-games", "8", "--most-games", "12", "--fault-limit", "4")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an assignment that was due an hour ago, entered by three players and a cheat."""
    folder = tmp_path_factory.mktemp("data")
    with writing(sessionmaker(migrated(f"sqlite:///{folder / 'quadrille.sqlite'}"))) as session:
        ladder = make_tournament(session, target_games=0)
        assignment = session.get_one(Assignment, ladder.assignment_id)
        assignment.due_at = now() - timedelta(hours=1)
        session.get_one(Course, assignment.course_id).slug = "comp10001"
        for number, source in enumerate([*BOTS[:3], CHEAT]):
            user = make_user(session)
            session.add(Membership(user_id=user, course_id=assignment.course_id, role=Role.STUDENT, pseudonym="x"))
            entry = Entry(tournament_id=ladder.id, author_id=user, player_id=stored_player(session, source))
            entry.name, entry.entered_at = f"Student {number}", now() - timedelta(hours=2)
            session.add(entry)
    return folder


def sessions_of(folder: Path) -> Sessions:
    return sessionmaker(connect(f"sqlite:///{folder / 'quadrille.sqlite'}"))


def final(data: Path, action: str, *more: str) -> tuple[int, str]:
    done = quadrille("final", action, "comp10001/bo", *more, "--data", str(data))
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def record(data: Path) -> Path:
    """The record of a final that was frozen, started, paused, resumed, played, published and exported."""
    assert "has no final yet" in final(data, "status")[1]
    code, text = final(data, "freeze", *QUICK)
    assert (code, "Frozen: 4 entries." in text) == (0, True)
    for action in ("start", "pause", "resume"):
        assert final(data, action)[0] == 0
    assert "The final is running." in final(data, "status")[1]
    sessions = sessions_of(data)
    services = Services(sessions, lambda task: None, open_sandbox, lambda: open_sandbox("trusted"), "worker")
    play_out(services)
    services.close_sandboxes()
    assert "The final is finished." in final(data, "status")[1]
    code, text = final(data, "publish")
    assert (code, "did not survive  Student 3" in text) == (0, True), text
    path = data / "final.jsonl"
    assert final(data, "export", str(path))[0] == 0
    return path


def test_status_for_programs(data: Path, record: Path) -> None:
    state = json.loads(final(data, "status", "--json")[1])
    assert (state["phase"], state["entries"], state["survivors"], state["parked"]) == ("published", 4, 3, [])


def test_the_record_is_good_anywhere(data: Path, record: Path, tmp_path: Path) -> None:
    key = quadrille("final", "key", "--data", str(data)).stdout.strip()
    done = process("verify", str(record), "--key", key, "--json", env={"QUADRILLE_DATA": str(tmp_path)})
    assert (done.returncode, "This record is good." in done.stderr) == (0, True), done.stderr
    ending = json.loads(record.read_bytes().splitlines()[-2])
    assert done.stdout.strip() == json.dumps(ending["standings"], sort_keys=True, separators=(",", ":"))
    assert list(tmp_path.iterdir()) == [], "no database was made"


def test_a_compressed_record_is_the_same(data: Path, record: Path) -> None:
    packed = [data / "one.jsonl.gz", data / "two.jsonl.gz"]
    for path in packed:
        assert final(data, "export", str(path))[0] == 0
    assert packed[0].read_bytes() == packed[1].read_bytes()
    assert gzip.decompress(packed[0].read_bytes()) == record.read_bytes()
    assert quadrille("verify", str(packed[0])).returncode == 0


@pytest.mark.parametrize(
    ("before", "after"),
    [(r'"mark":0\.0', '"mark":1.0'), (r'"places":\[(\d),(?!\1)(\d)', r'"places":[\2,\1')],
    ids=["a mark", "the places of two"],
)
def test_a_changed_record_is_not(record: Path, tmp_path: Path, before: str, after: str) -> None:
    changed = tmp_path / "changed.jsonl"
    changed.write_text(re.sub(before, after, record.read_text(), count=1))
    assert changed.read_bytes() != record.read_bytes()
    done = quadrille("verify", str(changed))
    assert done.returncode == 1
    assert "was changed after it was signed" in done.stderr
    assert "This record is not good." in done.stderr


def test_a_record_that_cannot_be_read(record: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.gz"
    broken.write_bytes(gzip.compress(record.read_bytes())[:-200])
    assert quadrille("verify", str(broken)).returncode == 2
    broken.write_bytes(b"")
    assert "cut short" in quadrille("verify", str(broken)).stderr


def test_the_key_is_the_owners_alone(data: Path, record: Path) -> None:
    assert stat.S_IMODE((data / "record-key").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("freeze", "comp10001/bo", *QUICK), "already has a final"),
        (("freeze", "comp10001/bo", "--first-games", "100", "--most-games", "10"), "most games: This is less than"),
        (("freeze", "comp10001/bo", "--bands", "0"), "bands: There can be 1 to 100 bands"),
        (("freeze", "comp10001/bo", "--marks", "EMPTY"), "is empty"),
        (("start", "comp10001/bo"), "is published; it cannot be started now"),
        (("abort", "comp10001/bo"), "is published; it cannot be aborted now"),
        (("status", "comp10001/chess"), "available: comp10001/bo"),
        (("export", "comp10001/bo", "/nowhere/final.jsonl"), "No such file or directory"),
    ],
)
def test_bad_input_is_explained(data: Path, record: Path, arguments: tuple[str, ...], problem: str) -> None:
    empty = data / "empty"
    empty.touch()
    done = quadrille("final", *(each.replace("EMPTY", str(empty)) for each in arguments), "--data", str(data))
    assert (done.returncode, problem in done.stderr) == (2, True), done.stderr
