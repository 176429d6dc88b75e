"""`quadrille person` and the commands of `quadrille course` that forget people; and backups made before."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from deploy.storage.backup import backup
from deploy.storage.restore import restore
from grader.store.models import Submission
from tests.conftest import empty
from tests.deploy.commands import quadrille
from tests.deploy.place import Place, place, used
from tests.web.school import Browser
from tournament.store.database import now, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Entry, Tournament, Trial
from web.privacy.tables import Erasure
from web.site.models import Course, User

pytestmark = pytest.mark.full


@pytest.fixture(params=["sqlite", "postgresql"])
def here(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    url = ""
    if request.param == "postgresql":
        url = request.getfixturevalue("postgresql_url")
        empty(url)
    new = place(tmp_path / "here", url)
    used(new)
    return new


def run(there: Place, *command: str, stdin: str = "") -> tuple[int, str]:
    done = quadrille(*command, "--data", str(there.settings.data), stdin=stdin)
    return done.returncode, done.stdout + done.stderr


def names(there: Place) -> dict[int, str]:
    with reading(there.sessions) as session:
        return {each.id: each.name for each in session.scalars(select(User))}


def test_the_plan_is_shown_and_nothing_happens_without_a_yes(here: Place) -> None:
    before = names(here)
    code, said = run(here, "person", "erase", "ada", stdin="n\n")
    assert code == 1
    for words in (
        "Ada Realname (ada)",
        "Uploads, with files and reports: deleted after",
        "Entries in tournaments: kept",
    ):
        assert words in said, said
    assert names(here) == before


def test_a_person_is_pseudonymised_now_and_erased_when_no_mark_rests_on_their_work(here: Place) -> None:
    code, said = run(here, "person", "erase", "ada", stdin="y\n")
    assert (code, "was pseudonymised" in said, "when no mark depends on their work" in said) == (0, True, True)
    assert "Ada Realname" not in names(here).values()
    with writing(here.sessions) as session:
        row = session.scalars(select(Erasure)).one()
        assert (row.erases, row.erased_at) == (True, None)
        login = f"former-{row.user_id}"
        for each in session.scalars(select(Submission)):
            each.queued_at, each.state = now() - timedelta(days=400), JobState.DONE
        session.connection().exec_driver_sql("UPDATE course SET created_at = '2020-01-01 00:00:00'")
    code, said = run(here, "person", "erase", login, "--yes")
    assert (code, "was erased" in said) == (0, True), said


def test_an_unknown_login_and_the_only_instructor_are_refused(here: Place) -> None:
    assert "nobody has the login 'eve'" in run(here, "person", "erase", "eve", "--yes")[1]
    code, said = run(here, "person", "erase", "ines", "--yes")
    assert (code, "nothing was changed. Ines Realname is the only instructor" in said) == (3, True)
    assert "Ines Realname" in names(here).values()


def test_a_finished_course_is_forgotten(here: Place) -> None:
    code, said = run(here, "course", "pseudonymise", "comp10001", "--yes")
    assert (code, "3 students of Foundations will be forgotten." in said) == (0, True), said
    assert sorted(each for each in names(here).values() if "Realname" in each) == ["Ines Realname", "Otto Realname"]


def test_who_cannot_be_forgotten_keeps_nobody_else_of_the_course(here: Place) -> None:
    """Each is forgotten in a transaction of their own; who is left is told."""
    with writing(here.sessions) as session:
        ada = session.scalars(select(User).where(User.login == "ada")).one()
        for each in session.scalars(select(Submission)):
            each.state = JobState.DONE
        player = session.scalars(select(Entry.id).where(Entry.author_id == ada.id)).first()
        tournament = session.scalars(select(Tournament.id)).first()
        session.add(Block(tournament_id=tournament, seed=1, entries=[player]))
    (here.settings.data / "settings.env").open("a").write("QUADRILLE_KEEP_WORK_DAYS=0\n")
    code, said = run(here, "course", "erase", "comp10001", "--yes")
    assert (code, "2 students pseudonymised." in said) == (3, True), said
    assert "ada is left: Something of theirs is being graded or played" in said
    left = {each for each in names(here).values() if "Realname" in each}
    assert left == {"Ada Realname", "Ines Realname", "Otto Realname"}


def test_a_backup_that_is_older_brings_nobody_back(here: Place, tmp_path: Path) -> None:
    older = tmp_path / "older.zip"
    backup(here.settings, here.sessions.kw["bind"], older)
    run(here, "person", "erase", "ada", "--yes")
    forgotten = names(here)
    restore(here.settings, older, force=True)
    assert names(here) == forgotten, "and everybody else is there"
    with reading(here.sessions) as session:
        assert session.scalars(select(Erasure)).one().erases, "the scheduler erases when it may"
    assert Browser(here.site).sign_in("ada").status_code != 303


def test_a_backup_of_another_installation_is_restored_with_all_its_people(here: Place, tmp_path: Path) -> None:
    other = place(tmp_path / "other")
    used(other)
    theirs = tmp_path / "theirs.zip"
    backup(other.settings, other.sessions.kw["bind"], theirs)
    run(here, "person", "erase", "ada", "--yes")
    restore(here.settings, theirs, force=True)
    assert "Ada Realname" in names(here).values()


def test_a_course_is_archived_and_removed_once_it_is_confirmed(here: Place) -> None:
    with writing(here.sessions) as session:
        session.execute(update(Submission).values(state=JobState.DONE))
        session.execute(update(Trial).values(state=JobState.DONE))
    code, said = run(here, "course", "archive", "comp10001")
    assert code == 0, said
    assert "read again and compared" in said
    file = here.settings.data / "mine.zip"
    code, said = run(here, "course", "archive", "comp10001", "--remove", "--to", str(file), stdin="n\n")
    assert (code, file.exists()) == (1, True)
    assert len(names(here)) == 5
    code, said = run(here, "course", "archive", "comp10001", "--to", str(file))
    assert (code, "already exists" in said) == (2, True)
    file.unlink()
    code, said = run(here, "course", "archive", "comp10001", "--remove", "--to", str(file), "--yes")
    assert (code, "3 accounts of students who are in no other course ended" in said) == (0, True), said
    with reading(here.sessions) as session:
        assert session.scalars(select(Submission.id)).all() == []
        assert session.scalars(select(Course.slug)).all() == ["other"]
    code, said = run(here, "course", "archive", "other")
    assert (code, "Nothing has happened in Another course yet" in said) == (3, True)
