"""A course with a time zone: dates are entered in it, and shown in it on pages, in notices, in files and by the API."""

import csv
import re
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from sqlalchemy import select

from grader.store.models import Assignment, Change, Extension
from tests.web.contract import ApiClient
from tests.web.course.test_course_settings import change_course
from tests.web.regrades import graded_again
from tests.web.reports import good
from tests.web.school import School
from tournament.store.database import now
from web.site.models import Course

MELBOURNE = "Australia/Melbourne"
SETTINGS = "/courses/comp10001/settings/"
TIME = re.compile(r'<time datetime="([^"]*)"')


@pytest.fixture
def melbourne(school: School) -> School:
    """The class, in Melbourne."""
    school.change(Course, school.course, time_zone=MELBOURNE)
    return school


def path(school: School, page: str = "settings") -> str:
    return f"/assignments/{school.assignment}/{page}/"


def due(school: School) -> datetime | None:
    with school.write() as session:
        return session.get_one(Assignment, school.assignment).due_at


def test_a_deadline_typed_in_melbourne_is_one_in_melbourne(melbourne: School) -> None:
    ines, ada = melbourne.browser("ines"), melbourne.browser("ada")
    assert ines.post(path(melbourne), {"due": "2098-11-29T23:59"}).status_code == 303
    instant = datetime(2098, 11, 29, 12, 59, tzinfo=UTC)
    assert due(melbourne) == instant
    page = ines.get(path(melbourne)).text
    shown = '<time datetime="2098-11-29T23:59:00+11:00">Sat 29 Nov 2098, 23:59 AEDT'
    assert f"Students see {shown} (UTC+11:00)</time>" in page, "what was done is said"
    assert f"The deadline is {shown}</time>" in page
    assert 'value="2098-11-29T23:59"' in page
    assert "Deadline (time in Australia/Melbourne)" in page
    assert f"Deadline</th><td>none</td><td>{shown} (UTC+11:00)</time></td>" in page, "in the log of changes"
    for where in ("/", "/courses/comp10001/bo/", path(melbourne, "final")):
        assert f"{shown}</time>" in ada.get(where).text, where
    assert f"is {shown} (UTC+11:00)</time>" in ada.get("/notices/").text


def test_an_hour_that_does_not_exist_is_refused_and_nothing_is_changed(melbourne: School) -> None:
    answer = melbourne.browser("ines").post(path(melbourne), {"due": "2026-10-04T02:30"})
    assert answer.status_code == 422
    assert "Sun 4 Oct 2026, 02:30 does not exist in Australia/Melbourne" in answer.text
    assert "Sun 4 Oct 2026, 01:59 AEST and Sun 4 Oct 2026, 03:00 AEDT" in answer.text
    assert 'value="2026-10-04T02:30"' in answer.text, "what was typed stays"
    assert due(melbourne) is None


def test_of_an_hour_that_comes_twice_the_later_one_is_taken_and_that_is_said(melbourne: School) -> None:
    ines, form = melbourne.browser("ines"), {"due": "2027-04-04T02:30", "confirm": "on"}
    ines.post(path(melbourne), form)
    assert due(melbourne) == datetime(2027, 4, 3, 16, 30, tzinfo=UTC)
    page = ines.get(path(melbourne)).text
    assert "go back from 03:00 AEDT to 02:00 AEST. The later one is used." in page


def test_a_field_that_was_not_touched_moves_nothing(melbourne: School) -> None:
    first = datetime(2027, 4, 3, 15, 30, 20, tzinfo=UTC)  # the earlier 02:30, and 20 seconds
    melbourne.change(Assignment, melbourne.assignment, due_at=first)
    ines = melbourne.browser("ines")
    assert 'value="2027-04-04T02:30:20"' in ines.get(path(melbourne)).text
    ines.post(path(melbourne), {"due": "2027-04-04T02:30:20", "confirm": "on"})
    assert due(melbourne) == first
    assert "No notices yet" in melbourne.browser("ada").get("/notices/").text


def test_an_extension_is_in_the_zone_of_the_course(melbourne: School) -> None:
    ines = melbourne.browser("ines")
    ines.post(path(melbourne), {"due": "2098-11-29T23:59"})
    ben = f"/assignments/{melbourne.assignment}/people/{melbourne.people['ben']}/"
    ines.post(f"{ben}extension", {"until": "2098-12-01T23:59"})
    shown = '<time datetime="2098-12-01T23:59:00+11:00">Mon 1 Dec 2098, 23:59 AEDT'
    assert f"the deadline is <strong>{shown}</time>" in ines.get(ben).text
    assert f"{shown} (UTC+11:00)</time>" in melbourne.browser("ben").get("/notices/").text
    with melbourne.write() as session:
        (row,) = session.scalars(select(Extension))
        assert row.until == datetime(2098, 12, 1, 12, 59, tzinfo=UTC)


def test_the_final_waits_for_the_deadline_on_the_clock_of_the_course(melbourne: School) -> None:
    ines = melbourne.browser("ines")
    ines.post(path(melbourne), {"due": "2098-11-29T23:59"})
    refused = ines.post(f"{path(melbourne, 'final')}freeze", {"ranking": "win rate"})
    assert "the last one is" in refused.text
    assert "Sat 29 Nov 2098, 23:59 AEDT (UTC+11:00)" in refused.text.partition("the last one is")[2]


def test_the_api_gives_the_offset_and_the_zone(melbourne: School) -> None:
    melbourne.change(Assignment, melbourne.assignment, due_at=datetime(2098, 11, 29, 12, 59, tzinfo=UTC))
    client = ApiClient(melbourne.app, melbourne.token("ada"))
    found = client.get(f"/assignments/{melbourne.assignment}").json
    assert found["due_at"] == "2098-11-29T23:59:00+11:00"
    assert found["course"]["time_zone"] == MELBOURNE


@pytest.mark.parametrize("file", ["people.csv", "standings.csv", "changes.csv"])
def test_files_have_times_with_the_offset_of_the_course(melbourne: School, file: str) -> None:
    melbourne.enter("ada")
    batch, _ = graded_again(melbourne, melbourne.graded("ada", good()), good())
    address = {
        "people.csv": f"{path(melbourne, 'people')}people.csv",
        "standings.csv": f"/tournaments/{melbourne.tournament}/standings.csv",
        "changes.csv": f"/regrades/{batch}/changes.csv",
    }[file]
    text = melbourne.browser("ines").get(address).text.removeprefix("\ufeff")
    cells = [cell for row in csv.reader(StringIO(text)) for cell in row if re.match(r"\d{4}-\d\d-\d\dT", cell)]
    assert cells
    assert {cell[-6:] for cell in cells} <= {"+10:00", "+11:00"}
    assert abs(datetime.fromisoformat(cells[0]) - now()) < timedelta(minutes=10)


def test_every_time_on_a_page_of_a_course_is_in_its_zone(melbourne: School) -> None:
    entry, submission = melbourne.enter("ada"), melbourne.graded("ada", good())
    graded_again(melbourne, submission, good())
    melbourne.change(Assignment, melbourne.assignment, due_at=now() + timedelta(days=1))
    pages = ["/", "/courses/comp10001/bo/", f"/submissions/{submission}/", f"/entries/{entry}/"]
    pages += [f"/tournaments/{melbourne.tournament}/", path(melbourne, "people"), path(melbourne, "final")]
    pages += [path(melbourne), path(melbourne, "regrades")]
    ines = melbourne.browser("ines")
    for page in pages:
        times = TIME.findall(ines.get(page).text)
        assert times, page
        assert {time[-6:] for time in times} <= {"+10:00", "+11:00"}, page


def test_a_time_that_belongs_to_no_course_is_marked_with_z(melbourne: School) -> None:
    melbourne.token("ada")
    times = TIME.findall(melbourne.browser("ada").get("/account/").text)
    assert times
    assert {time[-1] for time in times} == {"Z"}


# The zone of the course


@pytest.mark.both_databases
def test_another_zone_leaves_the_instants_and_is_in_the_log(school: School) -> None:
    instant = datetime(2098, 11, 29, 12, 59, tzinfo=UTC)
    school.change(Assignment, school.assignment, due_at=instant)
    ines = school.browser("ines")
    page = ines.get(SETTINGS).text
    assert '<option value="Australia/Melbourne">' in page
    assert "deadlines do not move" in page
    assert change_course(ines, time_zone="australia/melbourne").status_code == 303
    assert "The time zone of the course is Australia/Melbourne." in ines.get(SETTINGS).text
    page = ines.get(path(school)).text
    assert 'value="2098-11-29T23:59"' in page
    assert "Time zone of the course</th><td>UTC</td><td>Australia/Melbourne</td>" in page
    assert due(school) == instant
    assert "Time zone of the course: Australia/Melbourne" in ines.get(path(school, "people")).text


def test_the_same_zone_is_no_change(school: School) -> None:
    change_course(school.browser("ines"), time_zone="utc")
    with school.write() as session:
        assert session.scalars(select(Change)).all() == []


def test_an_unknown_zone_is_refused_with_a_similar_one(school: School) -> None:
    answer = change_course(school.browser("ines"), time_zone="Melbourne")
    assert answer.status_code == 422
    assert "There is no time zone “Melbourne”. Did you mean Australia/Melbourne?" in answer.text
    assert 'value="Melbourne"' in answer.text


def test_a_zone_that_was_removed_from_the_database_is_told_and_utc_is_used(school: School) -> None:
    school.change(Course, school.course, time_zone="Atlantis/Capital")
    ines = school.browser("ines")
    ines.post(path(school), {"due": "2098-11-29T23:59"})
    text = ines.get(path(school)).text
    assert "The time zone Atlantis/Capital is not in this server’s time-zone database" in text
    assert "Deadline (time in UTC)" in text
    assert due(school) == datetime(2098, 11, 29, 23, 59, tzinfo=UTC)
    assert "Sat 29 Nov 2098, 23:59 UTC" in school.browser("ada").get("/courses/comp10001/bo/").text
