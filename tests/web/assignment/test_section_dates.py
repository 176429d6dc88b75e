"""Release, deadline and end of uploads of sections: the form, and what they mean for students."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from werkzeug.test import TestResponse

from grader.assignment.deadline import DeadlineError, choose
from grader.authoring.drafts import definition_in, present_content
from grader.authoring.versions import live, publish
from grader.definition.differences import differences
from grader.definition.local_times import LocalTime
from grader.marks.counted import counted
from grader.store.models import Assignment, Extension
from tests.web.assignment.test_problem_set import PAGE, add_problem_set
from tests.web.contract import ApiClient
from tests.web.marks.test_gradebook import change_rules, uploaded
from tests.web.school import School
from tournament.store.database import now, reading
from web.site.models import Course, Membership

ZONE = ZoneInfo("Australia/Melbourne")
HOUR = timedelta(hours=1)


@pytest.fixture
def sections(school: School) -> School:
    """Ada is in Mon, Ben in Tue, Cleo in both; the deadline of everybody was 5 hours ago."""
    add_problem_set(school)
    school.change(Assignment, school.assignment, due_at=now() - 5 * HOUR)
    school.change(Course, school.course, time_zone=ZONE.key)
    for login, section in (("ada", "Mon"), ("ben", "Tue"), ("cleo", "mon; TUE")):
        school.change(Membership, (school.people[login], school.course), section=section)
    return school


def form(school: School) -> str:
    return f"/assignments/{school.assignment}/section-dates/"


def field(at: datetime) -> str:
    return LocalTime(at, ZONE).field


def save(school: School, was: str = "", **dates: datetime | str) -> TestResponse:
    """Send the form; `mon_due_at` is the deadline of Mon."""
    ines = school.browser("ines")
    was = was or shown_was(school)
    given: dict[str, Any] = {"was": was, "confirm": "on"}
    for name, at in dates.items():
        section, _, what = name.partition("_")
        key = f"{what}-{'' if section == 'all' else section}"
        given[key] = at if isinstance(at, str) else field(at)
    return ines.post(form(school), given)


def shown_was(school: School) -> str:
    found = re.search(r'name="was" value="([^"]*)"', school.browser("ines").get(form(school)).text)
    assert found
    return unescape(found[1])


def own(school: School, login: str) -> dict[str, Any]:
    answer = ApiClient(school.app, school.token(login)).get(f"/assignments/{school.assignment}").json
    assert isinstance(answer, dict)
    return answer


@pytest.mark.both_databases
def test_each_student_has_the_dates_of_their_section(sections: School) -> None:
    later = (now() + 30 * HOUR).replace(second=0, microsecond=0)
    assert save(sections, tue_due_at=later, mon_cut_off_at=now() - HOUR).status_code == 303
    for login, text in (("ada", "Uploads ended"), ("ben", "Your deadline is"), ("cleo", "Your deadline is")):
        assert text in sections.browser(login).get(PAGE).text, login
        assert datetime.fromisoformat(own(sections, login)["due_at"]) == (
            sections_due(sections) if login == "ada" else later
        )
    home = sections.browser("ben").get("/").text
    assert LocalTime(later, ZONE).short in re.sub(r"<[^>]+>", "", home)
    staff = sections.browser("ines").get(PAGE).text
    assert "Dates of sections" in staff
    log = sections.browser("ines").get(f"/assignments/{sections.assignment}/settings/").text
    assert "deadline of section tue" in log.lower()
    assert "Your deadline for Warm-up is" in sections.browser("cleo").get("/notices/").text
    assert "Your deadline for" not in sections.browser("ada").get("/notices/").text


def sections_due(school: School) -> datetime:
    with reading(school.sessions) as session:
        due = session.get_one(Assignment, school.assignment).due_at
        assert due
        return due


def test_uploads_after_their_end_are_refused_and_an_extension_opens_them(sections: School) -> None:
    assert save(sections, mon_due_at=now() - 4 * HOUR, mon_cut_off_at=now() - HOUR).status_code == 303
    file = {"filename": "a.py", "source": "def area(): pass\n"}
    sent = {"text": file["source"], "filename": file["filename"], "nonce": "x"}
    refused = sections.browser("ada").post(f"{PAGE}submissions", sent)
    assert (refused.status_code, "Uploads to this assignment ended for you" in refused.text) == (422, True)
    assert 'type="file"' not in sections.browser("ada").get(PAGE).text
    by_api = ApiClient(sections.app, sections.token("ada")).post(
        f"/assignments/{sections.assignment}/submissions", json=file
    )
    assert by_api.status_code == 422
    for login in ("ben", "cleo"):
        assert sections.browser(login).post(f"{PAGE}submissions", sent).status_code == 303, login
    with sections.write() as session:
        row = {"assignment_id": sections.assignment, "user_id": sections.people["ada"]}
        session.add(Extension(**row, until=now() + HOUR))
    assert sections.browser("ada").post(f"{PAGE}submissions", sent).status_code == 303


@pytest.mark.both_databases
def test_before_its_release_an_assignment_does_not_exist_for_a_section(sections: School) -> None:
    sections.change(Assignment, sections.assignment, visible_from=now() + 9 * HOUR, due_at=now() + 20 * HOUR)
    assert save(sections, mon_visible_from=now() - HOUR).status_code == 303
    for login, status in (("ada", 200), ("ben", 404), ("cleo", 200), ("ines", 200)):
        assert sections.browser(login).get(PAGE).status_code == status, login
        assert ("Warm-up" in sections.browser(login).get("/").text) == (status == 200), login
        listed = ApiClient(sections.app, sections.token(login)).get("/assignments").json
        assert isinstance(listed, dict)
        assert ("Warm-up" in [each["title"] for each in listed["assignments"]]) == (status == 200), login
    sent = {"text": "x = 1\n", "nonce": "x"}
    assert sections.browser("ben").post(f"{PAGE}submissions", sent).status_code == 404
    sections.change(Assignment, sections.assignment, visible_from=None)
    save(sections, mon_visible_from=now() + HOUR)
    assert sections.browser("ada").get(PAGE).status_code == 404


def test_marks_and_the_final_use_the_deadline_of_the_section(sections: School) -> None:
    for login in ("ada", "ben", "cleo"):
        uploaded(sections, login, 120)
    assert save(sections, tue_due_at=now() - HOUR).status_code == 303
    ids = sections.people
    with reading(sections.sessions) as session:
        assignment = session.get_one(Assignment, sections.assignment)
        assert counted(session, assignment).keys() == {ids["ben"], ids["cleo"]}
    assert save(sections, tue_due_at=now() + HOUR).status_code == 303
    with reading(sections.sessions) as session, pytest.raises(DeadlineError, match="Not all deadlines have passed"):
        choose(session, session.get_one(Assignment, sections.assignment), [ids["ben"]], now())


def test_an_earlier_deadline_of_a_section_holds_for_it_alone(sections: School) -> None:
    sections.change(Assignment, sections.assignment, due_at=now() - HOUR)
    for login in ("ada", "ben"):
        uploaded(sections, login, 120)
    assert save(sections, mon_due_at=now() - 3 * HOUR).status_code == 303
    with reading(sections.sessions) as session:
        found = counted(session, session.get_one(Assignment, sections.assignment))
        assert found.keys() == {sections.people["ben"]}
    change_rules(sections, percent="10", per="hour")
    with reading(sections.sessions) as session:
        late = counted(session, session.get_one(Assignment, sections.assignment))[sections.people["ada"]].late
        assert late.started == 1 or late.started == 2


def test_an_extension_must_go_further_than_the_deadline_of_the_section(sections: School) -> None:
    assert save(sections, tue_due_at=now() + 30 * HOUR).status_code == 303
    path = f"/assignments/{sections.assignment}/extensions/"
    given = {"students": "ben", "until": field(now() + 20 * HOUR), "reason": ""}
    refused = sections.browser("ines").post(path, given)
    assert (refused.status_code, "after the deadline for the student’s section" in refused.text) == (409, True)
    given["until"] = field(now() + 40 * HOUR)
    assert sections.browser("ines").post(path, given).status_code == 303
    assert "extended for you" in sections.browser("ben").get(PAGE).text


@pytest.mark.parametrize(
    ("dates", "says"),
    [
        ({"mon_due_at": "2026-10-04T02:30"}, "does not exist in Australia/Melbourne"),
        ({"mon_due_at": "tomorrow"}, "is not a date and time such as"),
        ({"mon_visible_from": "2031-01-02T00:00", "mon_due_at": "2031-01-01T00:00"}, "is not after the release"),
        ({"mon_due_at": "2031-01-02T00:00", "mon_cut_off_at": "2031-01-01T00:00"}, "cannot end before the deadline"),
    ],
)
def test_dates_that_make_no_sense_change_nothing(sections: School, dates: dict[str, str], says: str) -> None:
    answer = save(sections, tue_due_at="2031-01-01T00:00", **dates)
    assert (answer.status_code, "Nothing was changed" in answer.text, says in answer.text) == (422, True, True)
    with reading(sections.sessions) as session:
        assert session.get_one(Assignment, sections.assignment).section_dates == {}


def test_a_deadline_that_has_passed_is_confirmed_first(sections: School) -> None:
    given = {"was": shown_was(sections), "due_at-mon": "2020-01-01T00:00"}
    asked = sections.browser("ines").post(form(sections), given)
    assert (asked.status_code, 'name="confirm"' in asked.text) == (422, True)
    assert sections.browser("ines").post(form(sections), {**given, "confirm": "on"}).status_code == 303


def test_two_who_edit_at_once_do_not_undo_each_other(sections: School) -> None:
    was = shown_was(sections)
    assert save(sections, was, mon_due_at="2031-01-01T00:00").status_code == 303
    second = save(sections, was, tue_due_at="2031-02-01T00:00")
    assert (second.status_code, "Somebody else has changed this" in second.text) == (409, True)
    assert "Now: 2031-01-01 00:00" in second.text
    assert 'value="2031-02-01T00:00"' in second.text, "what was typed stays in the form"


def test_dates_that_are_saved_again_unchanged_stay(sections: School) -> None:
    assert save(sections, mon_due_at="2031-01-01T00:00").status_code == 303
    sections.browser("ines").post(form(sections), {"was": shown_was(sections), "due_at-mon": "2031-01-01T00:00"})
    assert save(sections, mon_due_at="").status_code == 303
    with reading(sections.sessions) as session:
        assert session.get_one(Assignment, sections.assignment).section_dates == {}


def test_a_time_zone_that_is_gone_is_said_and_nothing_is_saved(sections: School) -> None:
    assert save(sections, mon_due_at="2031-01-01T00:00").status_code == 303
    sections.change(Course, sections.course, time_zone="Mars/Olympus")
    page = sections.browser("ines").get(form(sections)).text
    assert "The time zone Mars/Olympus is not in this server’s time-zone database" in page
    answer = save(sections, tue_due_at="2031-01-01T00:00")
    assert (answer.status_code, "Nothing was saved" in answer.text) == (422, True)
    assert "31 Dec 2030, 13:00 UTC" in re.sub(r"<[^>]+>", "", sections.browser("ada").get(PAGE).text)


def test_insight_draws_the_deadline_of_each_section(sections: School) -> None:
    sections.change(Assignment, sections.assignment, due_at=now() - HOUR)
    uploaded(sections, "ada", 400)
    assert save(sections, tue_due_at=now() - 3 * HOUR, mon_due_at=now() - 3 * HOUR).status_code == 303
    page = sections.browser("ines").get(f"/assignments/{sections.assignment}/insight/").text
    assert re.search(r"The deadline of mon, tue", page, re.IGNORECASE)


def test_a_course_folder_has_the_dates_and_an_editor_leaves_them(sections: School) -> None:
    due = datetime(2031, 1, 1, tzinfo=UTC)
    assert save(sections, mon_due_at=due).status_code == 303

    def held() -> dict[str, dict[str, datetime]]:
        with reading(sections.sessions) as session:
            assignment = session.get_one(Assignment, sections.assignment)
            definition = live(session, assignment)
            assert definition_in(present_content(session, assignment)).section_dates is None
        return {name: {**dates} for name, dates in (definition.section_dates or {}).items()}

    assert held() == {"mon": {"due_at": due}} or held() == {"Mon": {"due_at": due}}
    for dates, kept in ((None, {*held()}), ({"Tue": {"due_at": due}}, {"Tue"}), ({}, set())):
        with sections.write() as session:
            assignment = session.get_one(Assignment, sections.assignment)
            definition = live(session, assignment)
            wanted = definition.model_copy(update={"title": "Again", "section_dates": dates})
            assert bool([each for each in differences(definition, wanted) if "sections" in each.where]) == (
                dates is not None
            )
            publish(session, assignment, wanted, None, assignment.version)
        assert {*held()} == kept
