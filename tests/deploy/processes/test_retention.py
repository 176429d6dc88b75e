"""What is kept for a time only goes when that is over, and not before."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from deploy.processes.retention import forget_due, thin_due
from deploy.settings import Settings, load
from grader.store.models import Submission
from tests.web import records, reports
from tests.web.conftest import *  # noqa: F403  # the class of the site
from tests.web.school import School
from tournament.store.database import now, reading
from tournament.store.jobs import JobState
from tournament.store.tables import PlayedGame
from web.privacy.forgetting import forget
from web.privacy.tables import Erasure, OpenedWork
from web.site.models import User


def settings(folder: Path, **days: int) -> Settings:
    lines = [f"QUADRILLE_{name.upper()}={value}\n" for name, value in days.items()]
    (folder / "settings.env").write_text("".join(lines))
    return load(folder)


def names(school: School) -> set[str]:
    with reading(school.sessions) as session:
        return {*session.scalars(select(User.name).where(User.name.contains("Realname")))}


@pytest.mark.full
@pytest.mark.both_databases
def test_students_of_a_course_that_ended_long_ago_are_forgotten_and_staff_are_not(
    school: School, tmp_path: Path
) -> None:
    """In Otto's course nothing has happened yet."""
    school.graded("ada", reports.good())
    chosen, before = settings(tmp_path, forget_days=30, keep_work_days=100), names(school)
    assert forget_due(chosen, school.sessions, now() + timedelta(days=29)) == []
    assert names(school) == before
    assert len(forget_due(chosen, school.sessions, now() + timedelta(days=31))) == 3
    assert names(school) == {"Ines Realname", "Otto Realname"}
    with reading(school.sessions) as session:
        assert session.scalars(select(Submission)).all(), "marks rest on it"
    assert forget_due(chosen, school.sessions, now() + timedelta(days=99)) == []
    assert forget_due(chosen, school.sessions, now() + timedelta(days=101))
    with reading(school.sessions) as session:
        assert session.scalars(select(Submission)).all() == []
        assert all(each.erased_at for each in session.scalars(select(Erasure)))


def test_by_default_nobody_is_forgotten_by_themselves(school: School, tmp_path: Path) -> None:
    assert forget_due(settings(tmp_path), school.sessions, now() + timedelta(days=9999)) == []


def test_who_cannot_be_erased_yet_keeps_nobody_else(school: School, tmp_path: Path) -> None:
    busy = school.upload("ada")
    with school.write() as session:
        for login in ("ada", "ben"):
            forget(session, school.people[login], True, timedelta(days=1), now())
    school.change(Submission, busy, state=JobState.RUNNING)
    later = now() + timedelta(days=2)
    assert forget_due(settings(tmp_path, keep_work_days=1), school.sessions, later) == [school.people["ben"]]


def test_the_log_of_who_opened_whose_work_is_kept_for_its_time(school: School, tmp_path: Path) -> None:
    with school.write() as session:
        for day in ("2026-01-01", "2026-06-01"):
            ines, ada = school.people["ines"], school.people["ada"]
            session.add(OpenedWork(course_id=school.course, staff_id=ines, person_id=ada, kind="report", day=day))
    at = now().replace(year=2026, month=6, day=20)
    forget_due(settings(tmp_path, access_log_days=60), school.sessions, at)
    with reading(school.sessions) as session:
        assert [each.day for each in session.scalars(select(OpenedWork))] == ["2026-06-01"]


def test_a_course_in_which_nothing_has_happened_yet_is_not_forgotten(school: School, tmp_path: Path) -> None:
    chosen, before = settings(tmp_path, forget_days=30), names(school)
    assert forget_due(chosen, school.sessions, now() + timedelta(days=9999)) == []
    assert names(school) == before


def test_old_games_are_thinned_only_if_the_operator_wants_that(school: School, tmp_path: Path) -> None:
    game = school.play(school.enter("ada"), school.enter("ben"), *school.bots()[:2], record=records.whole())
    later = now() + timedelta(days=40)
    assert thin_due(settings(tmp_path), school.sessions, later) == 0
    chosen = settings(tmp_path, thin_days=30)
    assert thin_due(chosen, school.sessions, now() + timedelta(days=29)) == 0
    assert thin_due(chosen, school.sessions, later) == 1, "nothing has happened in the course since"
    with reading(school.sessions) as session:
        assert session.get_one(PlayedGame, game).record == b""
