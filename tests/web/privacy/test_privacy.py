"""The page with what is kept, and the log of which staff opened whose work."""

from dataclasses import replace
from datetime import timedelta
from io import BytesIO

import pytest
from sqlalchemy import delete, event, select

from tests.web import records
from tests.web.privacy.conftest import graded_upload, having
from tests.web.regrades import to_grade_again
from tests.web.school import Browser, School
from tournament.store.database import reading
from tournament.store.tables import Entry, Seat
from web.privacy.tables import OpenedWork
from web.site.models import Membership, Role

DATA = "/account/data/"
TELLING = records.disqualified(1)


def opened(school: School) -> set[tuple[str, str, str]]:
    """Who opened whose what; once each."""
    names = {id_: login for login, id_ in school.people.items()}
    with reading(school.sessions) as session:
        rows = session.scalars(select(OpenedWork)).all()
    found = [(names[each.staff_id], names.get(each.person_id or 0, "all"), each.kind) for each in rows]
    assert len(found) == len(set(found)), "a row for each staff, person, kind and day"
    return {*found}


def test_the_page_counts_what_is_there_and_says_how_long_by_the_settings(known: School) -> None:
    having(known, keep_days=123, forget_days=456, log_days=78)
    page = known.browser("ada").get(DATA).text
    for words in ("Uploads, with files and reports", "E-mails to you", "API tokens", "123 days", "456 days", "78 days"):
        assert words in page
    assert "API tokens" not in known.browser("ben").get(DATA).text
    assert DATA in known.browser("ada").get("/account/").text


@pytest.mark.both_databases
def test_what_staff_open_is_logged_once_a_day_with_its_kind(known: School) -> None:
    ines, id_, ada = known.browser("ines"), known.assignment, known.people["ada"]
    submission = graded_upload(known)
    before = opened(known)
    for _ in range(2):
        for path in (
            f"/submissions/{submission}/",
            f"/submissions/{submission}/code/",
            f"/submissions/{submission}/source",
            f"/assignments/{id_}/people/{ada}/",
            f"/assignments/{id_}/marks/{ada}/",
            f"/assignments/{id_}/marks/marks.csv",
        ):
            assert ines.get(path).status_code == 200, path
    token = {"Authorization": f"Bearer {known.token('ines')}"}
    assert ines.get(f"/api/v1/submissions/{submission}/report", headers=token).status_code == 200
    assert opened(known) - before == {
        ("ines", "ada", "report"),
        ("ines", "ada", "code"),
        ("ines", "ada", "download"),
        ("ines", "ada", "the person’s page"),
        ("ines", "ada", "mark"),
        ("ines", "all", "download of data about the whole class"),
    }


def test_to_view_the_course_as_a_student_is_logged(known: School) -> None:
    known.browser("ines").post(f"/assignments/{known.assignment}/people/{known.people['ada']}/view")
    assert ("ines", "ada", "the course as this person sees it") in opened(known)


def test_what_is_refused_is_not_logged(known: School) -> None:
    known.change(Membership, (known.people["ben"], known.course), role=Role.TUTOR, section="Tuesday")
    assert known.browser("ben").get(f"/submissions/{graded_upload(known)}/").status_code == 404
    assert known.browser("cleo").get(f"/submissions/{graded_upload(known)}/").status_code == 403
    assert opened(known) == set()


def test_a_students_own_pages_write_nothing(known: School) -> None:
    ada, submission = known.browser("ada"), graded_upload(known)
    statements = list[str]()
    engine = known.sessions.kw["bind"]
    for path in (f"/submissions/{submission}/", f"/submissions/{submission}/code/", "/account/data/", "/"):
        ada.get(path)  # reads notices away
    event.listen(engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
    for path in (f"/submissions/{submission}/", f"/submissions/{submission}/code/", "/account/data/", "/"):
        assert ada.get(path).status_code == 200
    assert statements
    assert not [each for each in statements if each.lstrip().upper().startswith(("INSERT", "UPDATE", "DELETE"))]
    assert opened(known) == set()


def test_a_second_look_on_the_same_day_writes_nothing(known: School) -> None:
    ines, submission = known.browser("ines"), graded_upload(known)
    ines.get(f"/submissions/{submission}/")
    statements = list[str]()
    event.listen(known.sessions.kw["bind"], "before_cursor_execute", lambda *args: statements.append(args[2]))
    ines.get(f"/submissions/{submission}/")
    assert not [each for each in statements if "opened_work" in each]


def test_the_person_sees_the_log_about_them_if_the_site_wants_that(known: School) -> None:
    known.browser("ines").get(f"/submissions/{graded_upload(known)}/")
    assert "Ines Realname" in known.browser("ada").get(DATA).text
    assert "Ines Realname" not in known.browser("ben").get(DATA).text
    having(known, log_shown=False)
    assert "Ines Realname" not in known.browser("ada").get(DATA).text
    having(known, log_days=0)
    assert "Who opened your work" not in known.browser("ada").get(DATA).text


def test_without_a_log_nothing_is_kept(known: School) -> None:
    having(known, log_days=0)
    known.browser("ines").get(f"/submissions/{graded_upload(known)}/")
    assert opened(known) == set()


def test_instructors_see_the_log_of_their_course_alone(known: School) -> None:
    path = f"/assignments/{known.assignment}/opened/"
    known.browser("ines").get(f"/submissions/{graded_upload(known)}/")
    page = known.browser("ines").get(path)
    assert (page.status_code, "Ada Realname" in page.text, "report" in page.text) == (200, True, True)
    assert known.browser("ada").get(path).status_code == 403
    assert known.browser("otto").get(path).status_code == 404
    assert path in known.browser("ines").get(f"/assignments/{known.assignment}/people/").text


@pytest.mark.both_databases
def test_lists_of_the_class_are_logged(known: School) -> None:
    ines, id_ = known.browser("ines"), known.assignment
    batch = to_grade_again(known, graded_upload(known))
    token = {"Authorization": f"Bearer {known.token('ines')}"}
    everybody = ("ines", "all", "download of data about the whole class")
    for path, more in (
        (f"/regrades/{batch}/changes.csv", {}),
        (f"/assignments/{id_}/insight/funnel/0/list.csv", {}),
        (f"/tournaments/{known.tournament}/standings.csv", {}),
        (f"/api/v1/assignments/{id_}/marks", token),
        (f"/api/v1/assignments/{id_}/course-marks", token),
        (f"/api/v1/assignments/{id_}/people", token),
    ):
        with known.write() as session:
            session.execute(delete(OpenedWork))
        known.app.extensions.pop("quadrille-opened", None)
        browser = Browser(known.app) if more else ines
        assert browser.get(path, headers=more).status_code == 200, path
        assert opened(known) == {everybody}, path
    known.app.extensions.pop("quadrille-opened", None)
    exported = {"file": (BytesIO(b"Username,Mark\nada,\n"), "grades.csv"), "add": "1"}
    with known.write() as session:
        session.execute(delete(OpenedWork))
    assert ines.post(f"/assignments/{id_}/marks/files/", exported).status_code == 200
    assert opened(known) == {everybody}


OF_A_GAME = {
    "a play": "/games/{}/plays/0",
    "the record": "/games/{}/record.json",
    "the record by the API": "/api/v1/games/{}/record",
    "the replay by the API": "/api/v1/games/{}/replay",
}


@pytest.mark.parametrize("path", OF_A_GAME.values(), ids=OF_A_GAME)
def test_to_see_inside_a_player_is_logged_on_pages_and_by_the_api(known: School, path: str) -> None:
    with reading(known.sessions) as session:
        game = session.scalars(select(Seat.game_id).join(Entry).where(Entry.author_id == known.people["ada"])).first()
    assert seen_by(known, "ines", path.format(game)) == 200
    assert ("ines", "ada", "game") in opened(known)
    assert not [each for each in opened(known) if each[0] != "ines"]


@pytest.mark.parametrize("path", OF_A_GAME.values(), ids=OF_A_GAME)
def test_a_game_that_shows_nothing_of_a_players_insides_is_not_logged(known: School, path: str) -> None:
    silent = replace(records.whole(), outputs=[], faults=[])
    game = known.play(known.enter("ada", timedelta(hours=1)), known.enter("cleo"), *known.bots()[:2], record=silent)
    assert seen_by(known, "ines", path.format(game)) == 200
    assert opened(known) == set()


@pytest.mark.parametrize("path", OF_A_GAME.values(), ids=OF_A_GAME)
def test_a_student_who_looks_at_a_game_is_not_logged(known: School, path: str) -> None:
    game = known.play(known.enter("ada", timedelta(hours=1)), known.enter("cleo"), *known.bots()[:2], record=TELLING)
    assert seen_by(known, "cleo", path.format(game)) == 200
    assert opened(known) == set()


def test_files_beside_each_other_are_logged_as_the_code_of_both(known: School) -> None:
    one, other = known.enter("ada", timedelta(hours=1)), known.enter("cleo")
    assert seen_by(known, "ines", f"/tournaments/{known.tournament}/watch/entries/{one}/{other}") == 200
    assert opened(known) == {("ines", "ada", "code"), ("ines", "cleo", "code")}


def seen_by(school: School, login: str, path: str) -> int:
    """The status of a page, or by the API with a token."""
    if not path.startswith("/api/"):
        return school.browser(login).get(path).status_code
    return Browser(school.app).get(path, headers={"Authorization": f"Bearer {school.token(login)}"}).status_code


def test_the_page_counts_only_what_the_person_may_see(known: School) -> None:
    known.browser("ines").get(f"/submissions/{graded_upload(known)}/")
    page = known.browser("ada").get(DATA).text
    assert ("Records of when staff opened your work" in page, "Marks by hand" in page) == (True, False)
    having(known, log_shown=False)
    assert "Records of when staff opened your work" not in known.browser("ada").get(DATA).text
