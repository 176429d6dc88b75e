"""Removing students from a course and bringing them back: nothing is lost."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from grader.deadline import choose
from grader.models import Assignment, Submission
from tests.web.records import whole
from tests.web.school import School
from tournament.custom_models import CustomGame
from tournament.db import now
from tournament.jobs import JobState
from tournament.models import Entry, EntryState, Seat

NAME = "ada-the-pseudonym"


@pytest.fixture
def path(school: School) -> str:
    return f"/assignments/{school.assignment}/people/"


def remove(school: School, path: str, login: str = "ada") -> int:
    answer = school.browser("ines").post(f"{path}{school.people[login]}/remove", {"confirm": "on"})
    return answer.status_code


def page(school: School, path: str) -> str:
    return school.browser("ines").get(path).text


def entry(school: School, id_: int) -> tuple[EntryState, str]:
    with school.write() as session:
        found = session.get_one(Entry, id_)
        return found.state, found.name


def test_removing_is_confirmed_first(school: School, path: str) -> None:
    answer = school.browser("ines").post(f"{path}{school.people['ada']}/remove")
    assert answer.status_code == 422
    assert "Nobody was removed" in answer.text
    assert school.browser("ada").get("/courses/comp10001/bo/").status_code == 200


def test_a_removed_students_players_leave_and_what_they_played_stays_under_a_neutral_name(
    school: School, path: str
) -> None:
    old, own = school.enter("ada", ago=timedelta(hours=1)), school.enter("ada")
    ben, *bots = school.enter("ben"), *school.bots()[:2]
    game = school.play(own, ben, *bots, record=replace(whole(), seats=[NAME, "ben-the-pseudonym", "x", "y"]))
    assert remove(school, path) == 303
    neutral = f"Former player {school.people['ada']}"
    assert entry(school, old) == (EntryState.REPLACED, neutral)
    assert entry(school, own) == (EntryState.WITHDRAWN, neutral)
    viewer = school.browser("ben")
    for address in (
        f"/games/{game}/plays/0",
        f"/games/{game}/record.json",
        f"/entries/{own}/",
        f"/entries/{ben}/",
        f"/tournaments/{school.tournament}/",
    ):
        answer = viewer.get(address)
        assert answer.status_code == 200
        assert NAME not in answer.text, address
    assert neutral in viewer.get(f"/games/{game}/plays/0").text
    assert "ben-the-pseudonym" in viewer.get(f"/games/{game}/plays/0").text
    with school.write() as session:
        assert len(session.scalars(select(Seat).where(Seat.entry_id == own)).all()) == 1


def test_custom_games_and_their_shared_replays_show_a_removed_student_under_the_neutral_name(
    school: School, path: str
) -> None:
    own = school.enter("ada")
    submission = school.upload("ada", b"# another\n")
    school.change(Submission, submission, state=JobState.DONE, qualifies=True)
    table = [f"entry:{own}", f"submission:{submission}", *(f"entry:{bot}" for bot in school.bots()[:2])]
    asked = school.browser("ada").post(f"/tournaments/{school.tournament}/custom-games/", {"seat": table})
    assert asked.status_code == 303
    with school.write() as session:
        game = session.scalars(select(CustomGame)).one()
        game.state, game.finished_at, game.share = JobState.DONE, now(), "shared-with-all"
        game.record = replace(whole(), seats=[seat.label for seat in game.seats]).pack()
        mine = game.id
    addresses = (
        "/shared/shared-with-all/plays/0",
        f"/custom-games/{mine}/plays/0",
        f"/custom-games/{mine}/record.json",
    )
    before = [school.browser("ines").get(address).text for address in addresses]
    assert all(NAME in text for text in before)
    assert remove(school, path) == 303
    neutral = f"Former player {school.people['ada']}"
    for address in addresses:
        text = school.browser("ines").get(address).text
        assert NAME not in text, address
        assert f"{neutral} (submission {submission})" in text
    school.browser("ines").post(f"{path}{school.people['ada']}/bring-back")
    assert NAME in school.browser("ines").get(addresses[0]).text


def test_a_removed_student_sees_nothing_of_the_course_and_is_told(school: School, path: str) -> None:
    assert remove(school, path) == 303
    ada = school.browser("ada")
    assert ada.get("/courses/comp10001/bo/").status_code == 404
    assert "You are no longer in Foundations" in ada.get("/notices/").text
    shown = page(school, path)
    assert "Ada Realname" in shown
    assert "Bring back" in shown


def test_what_waits_to_be_graded_is_not_entered_any_more(school: School, path: str) -> None:
    waiting, running = (school.upload("ada", source, wants_entry=True) for source in (b"a = 1\n", b"b = 1\n"))
    school.change(Submission, running, state=JobState.RUNNING)
    assert remove(school, path) == 303
    with school.write() as session:
        found = [session.get_one(Submission, id_) for id_ in (waiting, running)]
        assert [(each.state.value, each.wants_entry) for each in found] == [("cancelled", False), ("running", False)]


def test_the_final_goes_without_them_and_says_so(school: School, path: str) -> None:
    for login in ("ada", "ben"):
        school.enter(login, ago=timedelta(hours=2))
    remove(school, path)
    with school.write() as session:
        assignment = session.get_one(Assignment, school.assignment)
        assignment.due_at = now() - timedelta(hours=1)
        chosen = choose(session, assignment, {school.people["ben"]}, now())
    assert [each.name for each in chosen.entrants] == ["ben-the-pseudonym"]
    assert chosen.notes == [
        f"Former player {school.people['ada']} is no student of the course any more and does not take part."
    ]


def test_they_can_be_brought_back_with_all_they_had(school: School, path: str) -> None:
    own = school.enter("ada", games=12, wins=5)
    remove(school, path)
    assert school.browser("ines").post(f"{path}{school.people['ada']}/bring-back").status_code == 303
    assert entry(school, own) == (EntryState.WITHDRAWN, NAME)
    ada = school.browser("ada")
    assert "You are in Foundations again" in ada.get("/notices/").text
    assert ada.post(f"/entries/{own}/reinstate").status_code == 303
    assert "<dd>12</dd>" in ada.get(f"/entries/{own}/").text
    assert "Bring back" not in page(school, path)


def test_only_students_are_removed_and_only_the_removed_come_back(school: School, path: str) -> None:
    for login in ("ines", "otto"):
        assert remove(school, path, login) == 409
    answer = school.browser("ines").post(f"{path}{school.people['ben']}/bring-back")
    assert answer.status_code == 409
    assert "Nobody of that kind was removed" in answer.text
