"""The people of a course: the list, what may be changed of each of them, and that removing them loses nothing."""

from collections.abc import Callable
from csv import DictReader
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from typing import TypeAlias
from urllib.parse import parse_qs

import pytest
from sqlalchemy import event, select
from sqlalchemy.orm import Session

from grader.assignment.deadline import choose
from grader.store.models import Assignment, Submission
from tests.web.records import whole
from tests.web.school import Browser, School
from tournament.store.database import now, reading
from tournament.store.jobs import JobState
from tournament.store.tables import CustomGame, Entry, EntryState, Seat
from web.people.enrolment import enrol, plan_for
from web.people.people import chosen, students
from web.site.models import Course, FormerMember, Membership, Role, User, alphabetical
from web.site.people_file import read_people

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


@pytest.mark.both_databases
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


@pytest.mark.both_databases
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
        f"Former player {school.people['ada']} is no longer a student in the course and does not take part."
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
    for login, status in (("ines", 409), ("otto", 404)):
        assert remove(school, path, login) == status
    answer = school.browser("ines").post(f"{path}{school.people['ben']}/bring-back")
    assert answer.status_code == 409
    assert "No such student was removed" in answer.text


def changed(school: School, path: str, login: str, what: str, **form: str) -> tuple[int, str]:
    """Ines sends a form of somebody's page; the status, and the page after it."""
    ines = school.browser("ines")
    answer = ines.post(f"{path}{school.people[login]}/{what}", form)
    return answer.status_code, answer.text if answer.status_code != 303 else ines.get(answer.location).text


def log(school: School) -> str:
    return school.browser("ines").get(f"/assignments/{school.assignment}/settings/").text


def test_the_list_says_how_each_student_stands(school: School, path: str) -> None:
    school.enter("ada", games=12, wins=5)
    school.upload("ben")
    ines = school.browser("ines")
    shown = ines.get(path).text
    for number, title in ((3, "students"), (1, "never signed in"), (1, "nothing uploaded"), (1, "on the ladder")):
        assert f'aria-label="{number} {title}"' in shown, title
    places = [shown.index(f">{name} Realname</a>") for name in ("Ada", "Ben", "Cleo")]
    assert places == sorted(places)
    rows = list(DictReader(StringIO(ines.get(f"{path}people.csv").data.decode("utf-8-sig"))))
    columns = ("login", "signed in", "uploads", "qualified", "entry", "rank")
    assert [[row[column] for column in columns] for row in rows] == [
        ["ada", "yes", "1", "yes", "active", "1"],
        ["ben", "yes", "1", "no", "", ""],
        ["cleo", "no", "0", "no", "", ""],
    ]


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("query", "logins"),
    [
        ("", ["ada", "ben", "cleo"]),
        ("who=BEN", ["ben"]),
        ("who=cleo-the", ["cleo"]),
        ("who=%20Real", ["ada", "ben", "cleo"]),
        ("show=none", ["ada"]),
        ("show=unqualified", ["ben"]),
        ("show=playing", ["cleo"]),
        ("show=out", []),
        ("show=unseen&who=ben", []),
        ("sort=rank", ["cleo", "ada", "ben"]),
        ("sort=qualified", ["ada", "ben", "cleo"]),
        ("sort=upload", ["cleo", "ben", "ada"]),
        ("sort=beauty&show=beauty", ["ada", "ben", "cleo"]),
    ],
)
def test_the_list_is_searched_narrowed_and_sorted(seated: School, query: str, logins: list[str]) -> None:
    with seated.app.test_request_context(), reading(seated.sessions) as session:
        everybody = students(session, seated.course, session.get_one(Assignment, seated.assignment))
    asked = {name: values[-1] for name, values in parse_qs(query).items()}
    found = chosen(everybody, asked.get("who", ""), asked.get("show", ""), asked.get("sort", ""))
    assert [each.login for each in found] == logins


@pytest.fixture
def seated(school: School) -> School:
    """Cleo plays, Ben only uploaded, before her."""
    school.change(Submission, school.upload("ben"), queued_at=now() - timedelta(days=1))
    school.enter("cleo", games=3, wins=1)
    return school


def test_a_list_with_nobody_in_it_says_what_to_do(school: School, path: str) -> None:
    assert "No student matches" in school.browser("ines").get(f"{path}?show=out").text
    for login in ("ada", "ben", "cleo"):
        assert remove(school, path, login) == 303
    assert "This course has no students yet" in page(school, path)


def test_the_list_asks_the_database_as_often_for_many_as_for_few(school: School, path: str) -> None:
    ines, asked = school.browser("ines"), list[str]()
    engine = school.sessions.kw["bind"]
    event.listen(engine, "before_cursor_execute", lambda *values: asked.append(values[2]))
    ines.get(path)
    few = len(asked)
    with school.write() as session:
        text = "login,name\n" + "".join(f"s{n},Student {n}\n" for n in range(30))
        course = session.get_one(Course, school.course)
        enrol(session, course, plan_for(session, course, read_people(text)))
    asked.clear()
    assert "Student 29" in ines.get(path).text
    assert len(asked) < few + 10  # a query for each student would make it 30 more; a board kept for seconds is one


def test_a_new_password_is_shown_once_and_ends_everything_else(school: School, path: str) -> None:
    ada, token = school.browser("ada"), school.token("ada")
    ines = school.browser("ines")
    answer = ines.post(f"{path}{school.people['ada']}/password", {"confirm": "on"})
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    password = answer.text.partition('class="token" tabindex="0">')[2].partition("<")[0]
    assert 'class="token"' not in ines.get(f"{path}{school.people['ada']}/").text
    assert ada.get("/notices/").status_code == 303, "signed out"
    headers = {"Authorization": f"Bearer {token}"}
    assert school.app.test_client().get("/api/v1/assignments", headers=headers).status_code == 401
    assert Browser(school.app).sign_in("ada").status_code == 401
    again = Browser(school.app)
    assert again.sign_in("ada", password).status_code == 303
    choose = again.get("/").location
    assert again.post("/account/choose-password", {"new": "my own long one"}, choose).status_code == 303
    assert "Ines Realname, who teaches Foundations, has replaced it" in again.get("/notices/").text
    assert "Password of ada</th>" in log(school)


Make: TypeAlias = Callable[[Session, School], None]


def member(login: str, course: str, role: Role = Role.STUDENT) -> Make:
    def make(session: Session, school: School) -> None:
        id_ = session.scalars(select(Course.id).where(Course.slug == course)).one()
        session.add(Membership(user_id=school.people[login], course_id=id_, role=role, pseudonym="Elsewhere"))

    return make


def removed_elsewhere(session: Session, school: School) -> None:
    other = session.scalars(select(Course.id).where(Course.slug == "other")).one()
    who = {"user_id": school.people["ada"], "removed_by": school.people["otto"]}
    session.add(FormerMember(course_id=other, pseudonym="Elsewhere", **who))


def once_taught(session: Session, school: School) -> None:
    session.get_one(User, school.people["ada"]).once_taught = True


def ines_teaches_there_too(session: Session, school: School) -> None:
    member("ada", "other")(session, school)
    member("ines", "other", Role.INSTRUCTOR)(session, school)


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("make", "login", "why"),
    [
        (None, "ines", "Ines Realname teaches, or has taught, a course. The person who runs the server"),
        (member("ada", "other", Role.INSTRUCTOR), "ada", "teaches, or has taught, a course"),
        (once_taught, "ada", "teaches, or has taught, a course"),
        (member("ada", "other"), "ada", "is, or was, in another course that you do not teach"),
        (removed_elsewhere, "ada", "is, or was, in another course that you do not teach"),
        (member("otto", "comp10001"), "otto", "is, or was, in another course that you do not teach"),
        (ines_teaches_there_too, "ada", ""),
        (None, "ada", ""),
    ],
)
def test_only_a_student_whose_every_course_they_teach_is_in_an_instructors_hands(
    school: School, path: str, make: Make | None, login: str, why: str
) -> None:
    if make:
        with school.write() as session:
            make(session, school)
    for what, form in (("password", {"confirm": "on"}), ("name", {"name": "Another Name"})):
        status, text = changed(school, path, login, what, **form)
        assert (status, why in text) == (409 if why else (200 if what == "password" else 303), True), what
    with school.write() as session:
        user = session.get_one(User, school.people[login])
        assert (user.one_time, user.name == "Another Name") == (not why, not why)


def test_a_name_is_corrected_logged_and_told(school: School, path: str) -> None:
    assert changed(school, path, "ada", "name", name="  ")[0] == 409
    status, text = changed(school, path, "ada", "name", name="Ada King")
    assert (status, "<h1>Ada King" in text) == (303, True)
    assert "Name of ada</th><td>Ada Realname</td><td>Ada King</td>" in log(school)
    assert "it was Ada Realname" in school.browser("ada").get("/notices/").text


def test_a_pseudonym_is_replaced_wherever_it_is_shown(school: School, path: str) -> None:
    own = school.enter("ada", ago=timedelta(hours=1))
    waiting = school.upload("ada", b"y = 1\n", wants_entry=True)
    game = school.play(own, *school.bots()[:3], record=replace(whole(), seats=[NAME, "x", "y", "z"]))
    assert changed(school, path, "ada", "pseudonym", pseudonym=" Jade   Newt ", reason="Too rude.")[0] == 303
    assert entry(school, own)[1] == "Jade Newt"
    with school.write() as session:
        assert session.get_one(Submission, waiting).entry_name == "Jade Newt"
    for address in (f"/tournaments/{school.tournament}/", f"/entries/{own}/", f"/games/{game}/plays/0"):
        text = school.browser("ben").get(address).text
        assert ("Jade Newt" in text, NAME in text) == (True, False), address
    assert "You play as Jade Newt" in school.browser("ada").get("/notices/").text
    assert "Pseudonym of ada</th>" in log(school)
    for taken in ("BEN-the-pseudonym", ""):
        assert changed(school, path, "ada", "pseudonym", pseudonym=taken, reason="Too rude.")[0] == 409


def test_the_pseudonym_of_somebody_removed_is_not_given_to_another(school: School, path: str) -> None:
    remove(school, path, "ben")
    status, text = changed(school, path, "ada", "pseudonym", pseudonym="ben-the-pseudonym", reason="Why not?")
    assert (status, "somebody else who is or was in this course" in text) == (409, True)


def test_a_student_comes_to_teach_and_back(school: School, path: str) -> None:
    assert changed(school, path, "ada", "role", role="instructor")[0] == 422, "confirmed first"
    assert changed(school, path, "ada", "role", role="owner", confirm="on")[0] == 400
    assert changed(school, path, "ada", "role", role="instructor", confirm="on")[0] == 303
    assert school.browser("ada").get(path).status_code == 200
    assert changed(school, path, "ada", "role", role="student", confirm="on")[0] == 303
    assert school.browser("ada").get(path).status_code == 403
    assert "Role of ada</th><td>instructor</td><td>student</td>" in log(school)
    assert "Your role in Foundations has changed" in school.browser("ada").get("/notices/").text
    assert changed(school, path, "ada", "password", confirm="on")[0] == 409, "they have taught"


def test_nobody_changes_their_own_role_so_somebody_is_left_who_teaches(school: School, path: str) -> None:
    status, text = changed(school, path, "ines", "role", role="student", confirm="on")
    assert (status, "cannot change your own role" in text) == (409, True)


def test_removing_and_bringing_back_are_logged(school: School, path: str) -> None:
    remove(school, path)
    school.browser("ines").post(f"{path}{school.people['ada']}/bring-back")
    assert "ada</th><td>student</td><td>removed</td>" in log(school)
    assert "ada</th><td>removed</td><td>student</td>" in log(school)


def test_names_are_sorted_as_readers_look_them_up() -> None:
    names = ["Zoë", "Ángel", "bo", "Đorđe", "Anna", "Øystein", "Élodie", "Eva"]
    assert sorted(names, key=alphabetical) == ["Ángel", "Anna", "bo", "Đorđe", "Élodie", "Eva", "Øystein", "Zoë"]
