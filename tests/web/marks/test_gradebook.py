"""The gradebook: rules, lateness, marks by hand, special cases, publication, and what students see."""

import json
import re
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from csv import DictReader
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from html import unescape
from io import BytesIO, StringIO
from random import Random
from threading import Barrier
from typing import Any

import pytest
from werkzeug.test import TestResponse

from grader.definition.local_times import UTC_ZONE
from grader.definition.model import Counts
from grader.marks.book import course_book, mark_book
from grader.marks.counted import counted_with
from grader.marks.mark import Choosing, Decision, GradedUpload, counting
from grader.marks.record_check import check_marks
from grader.marks.scheme import LatePolicy
from grader.marks.tables import ChosenUpload, Decided, decide
from grader.store.models import Assignment, Extension, Regrade, RegradeBatch, Submission
from tests.web.assignment.test_problem_set import PAGE, add_problem_set
from tests.web.reports import PASSED, WRONG, good, report
from tests.web.school import School
from tournament.final.record import canonical_json
from tournament.store.database import now, reading
from tournament.store.jobs import JobState
from tournament.store.validation import ChangedMeanwhile
from web.site.models import Membership

HALF = (PASSED, WRONG)


@pytest.fixture
def term(school: School) -> School:
    """Warm-up, due an hour ago, 1 point: Ada has all of it in time, Ben half of it 30 minutes late, Cleo nothing."""
    add_problem_set(school)
    school.change(Assignment, school.assignment, due_at=now() - timedelta(hours=1))
    uploaded(school, "ada", 120)
    uploaded(school, "ben", 30, *HALF)
    for login, section in (("ada", "T01"), ("ben", "T02"), ("cleo", "T01")):
        with school.write() as session:
            member = session.get_one(Membership, (school.people[login], school.course))
            member.section, member.email = section, f"{login}@example.org"
    return school


def uploaded(school: School, login: str, minutes_ago: int, *cases: Any) -> int:
    """A graded upload; its id."""
    made = report(*cases) if cases else good()
    id_ = school.graded(login, made, question_points={"q1": made.points})
    school.change(Submission, id_, queued_at=now() - timedelta(minutes=minutes_ago))
    return id_


def marks(school: School, more: str = "") -> str:
    return f"/assignments/{school.assignment}/marks/{more}"


def change_rules(school: School, **given: str) -> TestResponse:
    """Send the form of the rules, look at the preview, and save."""
    ines, address = school.browser("ines"), marks(school, "rules")
    shown = ines.post(address, given)
    assert shown.status_code == 200, shown.text
    return ines.post(address, {**given, **hidden(shown)})


def hidden(shown: TestResponse) -> dict[str, str]:
    """The hidden fields of a form that is shown after a preview."""
    found = re.findall(r'type="hidden" name="(was|digest)" value="([^"]*)"', shown.text)
    return {name: unescape(value) for name, value in found}


def totals(school: School) -> dict[str, str]:
    """The totals in the file, by login."""
    text = school.browser("ines").get(marks(school, "marks.csv")).data.decode("utf-8-sig")
    rows = [*DictReader(StringIO(text))]
    total = next(name for name in rows[0] if name.startswith("Total"))
    return {row["login"]: row[total] for row in rows}


@pytest.mark.both_databases
def test_a_term_from_the_rules_to_the_record(term: School) -> None:
    ines, ada, ben = (term.browser(login) for login in ("ines", "ada", "ben"))
    assert totals(term) == {"ada": "1", "ben": "", "cleo": ""}
    given = {
        "points_worth": "50",
        "percent": "10",
        "per": "hour",
        "rubric": "Style = 5\nbonus Extra = 2",
        "decimals": "1",
    }
    shown = ines.post(marks(term, "rules"), given)
    assert "2 totals change" in shown.text
    assert totals(term)["ada"] == "1", "nothing is saved yet"
    assert change_rules(term, **given).status_code == 303
    assert totals(term) == {"ada": "50", "ben": "20", "cleo": ""}
    page = ines.get(marks(term)).text
    assert "the points of the questions (of 1, scaled to 50), plus “Style” (of 5)" in page
    one = marks(term, f"{term.people['ben']}/")
    saved = ines.post(one, {"rubric-r1": "4", "rubric-r2": "1,5", "remark": "Short functions.", "was": "0"})
    assert saved.status_code == 303
    assert totals(term)["ben"] == "25.5"
    assert "Your mark is not published yet" in ben.get(one).text
    refused = ines.post(marks(term, "publication"), {"do": "publish"})
    assert (refused.status_code, "some marks are incomplete. Confirm that" in refused.text) == (409, True)
    assert "nothing was uploaded; “Style” is not marked" in refused.text
    assert ines.post(marks(term, "publication"), {"do": "publish", "confirm": "on"}).status_code == 303
    own = ben.get(one).text
    for words in (
        "0.5 of 1 points, scaled to 50",
        "1 hour late: 0.1 × 50",
        "4 of 5, marked by hand",
        "Short functions.",
    ):
        assert words in own, words
    assert "25.5" in own
    assert ada.get(one).status_code == 403
    assert "warm-up: your mark is published" in ada.get("/notices/").text.lower()
    assert "50 <" not in ben.get("/courses/comp10001/gradebook/").text
    assert "25.5</td>" in ben.get("/courses/comp10001/gradebook/").text
    record = ines.get(marks(term, "record.jsonl")).data.splitlines()
    lines = [json.loads(line) for line in record]
    assert [line.get("login") for line in lines[1:-1]] == ["ada", "ben", "cleo"]
    assert lines[-1]["sha256"] == sha256(b"".join(line + b"\n" for line in record[:-1])).hexdigest()
    assert canonical_json(lines[2]).encode() == record[2]
    found = check_marks([line + b"\n" for line in record])
    assert (found.problems, found.notes, list(found.totals.values())) == ([], [], [50, 25.5, None])
    assert lines[2]["inputs"]["upload"]["cases"]["q1"] == {"passed": 1, "total": 2, "most": 1.0, "cost": 0.0}
    ines.post(one, {"rubric-r1": "5", "was": "1"})
    assert "1 mark has changed since then</strong>" in ines.get(marks(term)).text
    assert "25.5" in ben.get(one).text, "what is published stays"
    ines.post(marks(term, "publication"), {"do": "withdraw"})
    assert "Your mark is not published yet" in ben.get(one).text
    log = ines.get(f"/assignments/{term.assignment}/settings/").text
    for words in ("How marks are calculated", "Mark of ben", "3 published", "withdrawn"):
        assert words in log, words


def test_a_published_mark_is_told_with_the_rule_of_lateness_that_held_then(term: School) -> None:
    own, hourly, daily = (
        marks(term, f"{term.people['ben']}/"),
        "part of an hour after the deadline costs 10%",
        "costs 20% of",
    )
    ines, ben = term.browser("ines"), term.browser("ben")
    change_rules(term, percent="10", per="hour")
    home = ben.get("/").text
    assert hourly in home
    assert "Your mark:" not in home
    ines.post(marks(term, "publication"), {"do": "publish", "confirm": "on"})
    assert "Your mark: <strong>" in ben.get("/").text
    assert ['class="number">−' in ben.get(own).text, 'class="number">-' in ben.get(own).text] == [True, False]
    change_rules(term, percent="20", per="day")
    assert [hourly in ben.get(own).text, daily in ben.get(own).text] == [True, False]
    assert [hourly in ines.get(own).text, daily in ines.get(own).text] == [False, True], "staff see today's mark"
    ines.post(marks(term, "publication"), {"do": "withdraw"})
    assert [hourly in ben.get(own).text, daily in ben.get(own).text] == [False, True]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"percent": "110"}, "must be at most 100"),
        ({"points_worth": "many"}, "must be a number"),
        ({"grace_minutes": "1.5"}, "must be a whole number"),
        ({"rubric": "Style"}, "does not have the form “Style = 5”"),
        ({"rubric": "Style = 5\nstyle = 6"}, "the same name"),
        ({"rubric": "Style = 0"}, "must be greater than 0"),
        ({"decimals": "9"}, "must be at most 4"),
    ],
)
def test_rules_that_make_no_sense(term: School, given: dict[str, str], field: str) -> None:
    answer = term.browser("ines").post(marks(term, "rules"), given)
    assert answer.status_code == 422
    assert field in answer.text


def test_all_mistakes_of_the_rules_are_named_at_once(term: School) -> None:
    given = {"rubric": "Style\nTests", "percent": "110", "decimals": "9"}
    text = term.browser("ines").post(marks(term, "rules"), given).text
    for field in ("“Style” does not", "“Tests” does not", "must be at most 100", "must be at most 4"):
        assert field in text


def test_an_item_of_the_rubric_keeps_its_marks_under_another_title(term: School) -> None:
    change_rules(term, rubric="Style = 5\nTests = 5")
    term.browser("ines").post(marks(term, f"{term.people['ada']}/"), {"rubric-r1": "3", "rubric-r2": "2", "was": "0"})
    change_rules(term, rubric="Readability = 5")
    assert totals(term)["ada"] == "4"


def test_two_people_do_not_undo_each_others_changes(term: School) -> None:
    ines, address = term.browser("ines"), marks(term, f"{term.people['ada']}/")
    assert ines.post(address, {"override": "3", "reason": "ill", "was": "0"}).status_code == 303
    second = ines.post(address, {"override": "7", "reason": "other", "was": "0"})
    assert (second.status_code, "Somebody else has changed this" in second.text) == (409, True)
    assert totals(term)["ada"] == "3"
    shown = ines.post(marks(term, "rules"), {"points_worth": "10"})
    change_rules(term, points_worth="20")
    late = ines.post(marks(term, "rules"), {"points_worth": "10", **hidden(shown)})
    assert late.status_code == 409


@pytest.mark.both_databases
def test_of_two_first_decisions_at_the_same_moment_one_is_refused(term: School) -> None:
    together = Barrier(2)

    def decided(override: float) -> bool:
        decision = Decision(override=override, reason="x")
        together.wait()
        try:
            with term.write() as session:
                ada = Decided(term.people["ada"], "ada", decision)
                decide(session, term.assignment, term.people["ines"], [ada], now())
        except ChangedMeanwhile:
            return False
        return True

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(decided, (3, 7))) == [False, True]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"override": "5"}, "Give a reason"),
        ({"excused": "on"}, "Give a reason"),
        ({"override": "five", "reason": "x"}, "is not a number"),
        ({"rubric-r1": "6"}, "is not a number from 0 to 5"),
        ({"remark": "x" * 2001}, "longer than 2,000"),
    ],
)
def test_decisions_that_are_refused(term: School, given: dict[str, str], why: str) -> None:
    change_rules(term, rubric="Style = 5")
    answer = term.browser("ines").post(marks(term, f"{term.people['ada']}/"), {**given, "was": "0"})
    assert (answer.status_code, why in answer.text) == (422, True)


def test_who_is_excused_has_no_mark_and_lacks_none(term: School) -> None:
    ines = term.browser("ines")
    ines.post(marks(term, f"{term.people['cleo']}/"), {"excused": "on", "reason": "ill", "was": "0"})
    ines.post(marks(term, f"{term.people['ben']}/"), {"override": "0.25", "reason": "late", "was": "0"})
    assert "Nothing is missing" in ines.get(marks(term, "publication")).text
    ines.post(marks(term, "publication"), {"do": "publish"})
    assert (
        "This assignment does not count: ill" in term.browser("cleo").get(marks(term, f"{term.people['cleo']}/")).text
    )
    assert "0.25 instead: late" in term.browser("ben").get(marks(term, f"{term.people['ben']}/")).text


def test_nothing_is_published_while_submissions_are_graded_again(term: School) -> None:
    submission = uploaded(term, "cleo", 90)
    with term.write() as session:
        batch = RegradeBatch(assignment_id=term.assignment, asked_by=None, reason="x")
        session.add(batch)
        session.flush()
        session.add(Regrade(batch_id=batch.id, submission_id=submission, state=JobState.QUEUED))
    refused = term.browser("ines").post(marks(term, "publication"), {"do": "publish", "confirm": "on"})
    assert (refused.status_code, "1 submission is being graded again" in refused.text) == (409, True)


def test_the_list_is_searched_filtered_and_sorted(term: School) -> None:
    ines = term.browser("ines")

    def names(query: str) -> list[str]:
        return re.findall(r'<th scope="row" class="person"><a[^>]*>(\w+) Realname', ines.get(marks(term, query)).text)

    assert names("") == ["Ada", "Ben", "Cleo"]
    assert names("?who=BEN@") == ["Ben"]
    assert names("?section=T01") == ["Ada", "Cleo"]
    assert names("?show=missing") == ["Ben", "Cleo"]
    change_rules(term, percent="0")
    assert names("?sort=total") == ["Ada", "Ben", "Cleo"]
    assert names("?sort=-total") == ["Ben", "Ada", "Cleo"]
    assert names("?page=99999&sort=nonsense&show=nothing") == ["Ada", "Ben", "Cleo"]


def test_whoever_is_overtaken_reads_what_holds_now_and_keeps_what_was_typed(term: School) -> None:
    ines, typed = term.browser("ines"), {"rubric": "Style = 5", "decimals": "1", "was": "0"}
    change_rules(term, rubric="Tests = 5", percent="10", per="hour")
    looked_at = ines.post(marks(term, "rules"), typed)
    late = ines.post(marks(term, "rules"), {**typed, **hidden(looked_at)})
    assert late.status_code == 409, "the preview does not make a form new that was opened before"
    for words in ("Somebody else has changed this", "“Tests” (of 5)", "Each hour or part of an hour", "\nStyle = 5<"):
        assert words in late.text, words
    assert ines.post(marks(term, "rules"), {**typed, **hidden(late)}).status_code == 200
    address = "/courses/comp10001/gradebook/weights"
    weights = {f"weight-{term.assignment}": "30", "was": "0"}
    first = ines.post(address, {**weights, "late_days": "3"})
    assert ines.post(address, {**weights, "late_days": "3", **hidden(first)}).status_code == 303
    overtaken = ines.post(address, {**weights, **hidden(ines.post(address, weights))})
    assert (overtaken.status_code, 'value="30"' in overtaken.text) == (409, True)
    one = marks(term, f"{term.people['ben']}/")
    assert ines.post(one, {"rubric-r1": "4", "was": "0"}).status_code == 303
    refused = ines.post(one, {"remark": "Long & thoughtful.", "was": "0"})
    assert (refused.status_code, "\nLong &amp; thoughtful.<" in refused.text) == (409, True)
    assert 'name="rubric-r1" inputmode="decimal" autocomplete="off" value="4"' in refused.text, "as it is now"


def test_the_filter_shows_everybody_in_a_section_however_it_is_written(term: School) -> None:
    term.change(Membership, (term.people["ben"], term.course), section="t01 ; T02")
    ines = term.browser("ines")
    page = ines.get(marks(term)).text
    assert [each for each in ("T01", "T02", "t01 ; T02", "t01") if f"<option>{each}</option>" in page] == ["T01", "T02"]
    for section, logins in (("T01", "ada ben cleo"), ("T02", "ben")):
        text = ines.get(marks(term, f"marks.csv?section={section}")).data.decode("utf-8-sig")
        assert [row["login"] for row in DictReader(StringIO(text))] == logins.split()


def extend(school: School, content: str) -> TestResponse:
    data = {"file": (BytesIO(content.encode()), "extensions.csv")}
    address = f"/assignments/{school.assignment}/extensions/"
    return school.browser("ines").post(address, data, content_type="multipart/form-data")


def test_a_wrong_line_of_a_file_of_extensions_is_named_as_editors_count_lines(term: School) -> None:
    answer = extend(
        term, 'student,until,reason\nada,2030-01-01 10:00,"ill,\nin hospital"\n\nnobody,2030-01-01 10:00,\n'
    )
    assert (answer.status_code, "Line 5: no student in this course is “nobody”." in answer.text) == (409, True)
    typed = {"students": "ada, nobody, ben\ncleo, who", "until": "2030-01-01 10:00"}
    told = term.browser("ines").post(f"/assignments/{term.assignment}/extensions/", typed).text
    assert "Line 1: no student in this course is “nobody”." in told
    assert "Line 2: no student in this course is “who”." in told
    assert extensions(term) == {}


def extensions(school: School) -> dict[str, str]:
    with reading(school.sessions) as session:
        rows = [session.get(Extension, (school.assignment, id_)) for id_ in school.people.values()]
        return {login: row.reason for login, row in zip(school.people, rows, strict=True) if row}


def test_extensions_come_from_a_file_with_reasons_or_none_does(term: School) -> None:
    until = f"{now() + timedelta(days=2):%Y-%m-%d %H:%M}"
    answer = extend(
        term, f"student;until;reason\nben;{until};ill\nnobody;{until};\nben@example.org;{until};\ncleo;soon;\n"
    )
    assert answer.status_code == 409
    for words in (
        "Line 3: no student in this course is “nobody”.",
        "Line 4: Ben Realname is on line 2 too.",
        "Line 5: “soon” is not a date and time",
    ):
        assert words in answer.text, words
    assert extensions(term) == {}
    old_mac = f"login,until,reason\rben,{until},ill\rCLEO@example.org,{until},\r"
    assert extend(term, old_mac).status_code == 303
    assert extensions(term) == {"ben": "ill", "cleo": ""}
    assert totals(term)["ben"] == "0.5", "it is in time now"
    assert "Your deadline for Warm-up is" in term.browser("ben").get("/notices/").text
    answer = term.browser("ines").post(
        f"/assignments/{term.assignment}/extensions/", {"students": "ben, cleo", "until": "", "reason": ""}
    )
    assert (answer.status_code, extensions(term)) == (303, {})


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("who,until\n", "must name the columns"),
        ("student,until\n", "No student was entered"),
        ('student,until\n"ben', "The file is not CSV"),
        ("student,until\nben,2001-01-01 10:00\n", "Line 2: An extension must end after the deadline"),
    ],
)
def test_files_of_extensions_that_are_refused(term: School, content: str, why: str) -> None:
    answer = extend(term, content)
    assert (answer.status_code, why in answer.text) == (409, True)


def test_a_student_chooses_which_upload_counts(school: School) -> None:
    add_problem_set(school, Counts.CHOSEN)
    first, second = uploaded(school, "ada", 50), uploaded(school, "ada", 40, *HALF)
    ada = school.browser("ada")
    assert totals(school)["ada"] == "0.5"
    assert "You choose which of your uploads counts" in ada.get(f"/submissions/{first}/").text
    assert "You choose which" not in ada.get(f"/submissions/{second}/").text
    assert ada.post(f"/submissions/{first}/count").status_code == 303
    assert totals(school)["ada"] == "1"
    assert "This is the upload that counts" in ada.get(f"/submissions/{first}/").text
    school.change(Assignment, school.assignment, due_at=now() - timedelta(minutes=45))
    ada.post(f"/submissions/{second}/count")
    assert "came too late" in ada.get(PAGE).text
    assert totals(school)["ada"] == "1"
    school.browser("ines").post(marks(school, "publication"), {"do": "publish", "confirm": "on"})
    ada.post(f"/submissions/{first}/count")
    assert "you can no longer change which upload counts" in ada.get(PAGE).text


def test_students_are_promised_no_more_late_days_than_the_course_gives(term: School) -> None:
    change_rules(term, late_days="2")
    rules, page = marks(term, "rules"), "/courses/comp10001/warm-up/"
    assert "Each student has 0 in total" in term.browser("ines").get(rules).text
    shown = term.browser("ben").get(page).text
    assert ("Late uploads do not count." in shown, "of your late days" in shown) == (True, False)
    weights(term, late_days="1")
    shown = term.browser("ben").get(page).text
    assert "Up to 1 of your late days can be used for this assignment." in shown
    assert "before the deadline counts" not in shown


def test_late_days_are_spent_in_the_order_of_deadlines(term: School) -> None:
    change_rules(term, late_days="5")
    first = term.assignment
    with term.write() as session:
        session.get_one(Assignment, first).slug = "first"
    add_problem_set(term)
    term.change(Assignment, term.assignment, due_at=now() - timedelta(minutes=50))
    uploaded(term, "ben", 20)
    change_rules(term, late_days="5")
    weights(term, late_days="1")
    with reading(term.sessions) as session:
        students = [term.people["ben"]]
        book = course_book(session, term.course, students, now())
        found = {each.assignment.id: each.marks[students[0]].total for each in book.books}
        alone = mark_book(session, session.get_one(Assignment, term.assignment), students)
    assert (found[first], found[term.assignment]) == (0.5, None), "the only late day was spent on the first one"
    assert alone.marks[students[0]].total is None


def weights(school: School, **given: str) -> TestResponse:
    ines = school.browser("ines")
    address = "/courses/comp10001/gradebook/weights"
    shown = ines.post(address, given)
    assert shown.status_code == 200, shown.text
    return ines.post(address, {**given, **hidden(shown)})


def test_the_total_of_a_course_follows_its_weights(term: School) -> None:
    ines = term.browser("ines")
    assert weights(term, **{f"weight-{term.assignment}": "60"}).status_code == 303
    file = ines.get("/courses/comp10001/gradebook/gradebook.csv").data.decode("utf-8-sig")
    found = {row["login"]: row["Total (of 60)"] for row in DictReader(StringIO(file))}
    assert found == {"ada": "60", "ben": "0", "cleo": "0"}
    page = ines.get("/courses/comp10001/gradebook/").text
    assert "Warm-up 60" in page
    refused = ines.post("/courses/comp10001/gradebook/weights", {f"weight-{term.assignment}": "-1"})
    assert (refused.status_code, "must be at least 0" in refused.text) == (422, True)


def test_the_file_of_another_system_comes_back_filled(term: School) -> None:
    head = "Student,ID,SIS User ID,SIS Login ID,Section,Warm-up (71)\n    Points Possible,,,,,1\n"
    text = head + '"Realname, Ada",1,,ada,T01,\n'
    ines = term.browser("ines")

    def send(content: str) -> TestResponse:
        data = {"file": (BytesIO(content.encode()), "grades.csv")}
        return ines.post(marks(term, "files/"), data, content_type="multipart/form-data")

    answer = send(text)
    assert "2 students are not in the file" in answer.text
    file = re.search(r'href="data:text/csv;base64,([^"]+)" download="grades.csv"', answer.text)
    assert file
    assert b64decode(unescape(file[1])).decode() == text.replace("T01,", "T01,1")
    assert "Marks were not scaled" not in answer.text
    other = send(text.replace("Possible,,,,,1", "Possible,,,,,10")).text
    assert "The column “Warm-up (71)” is out of 10 points, the assignment out of 1. Marks were not scaled." in other
    refused = send("login,name\neve,Eve\n")
    assert (refused.status_code, "No column of this file" in refused.text) == (422, True)
    assert b"Warm-up" in ines.get(marks(term, "files/moodle")).data


@pytest.mark.full
@pytest.mark.both_databases
@pytest.mark.parametrize("counts", Counts)
def test_the_database_finds_the_same_upload_as_looking_at_all_of_them(school: School, counts: Counts) -> None:
    add_problem_set(school, counts)
    rng, due, logins = Random(7), now() - timedelta(days=3), ("ada", "ben", "cleo")
    school.change(Assignment, school.assignment, due_at=due)
    every: dict[int, list[GradedUpload]] = {}
    for login in logins * 8:
        id_ = school.graded(login, good())
        at, points = due + timedelta(minutes=rng.randint(-200, 3000)), rng.choice([0.0, 0.5, 0.75, 1.0])
        school.change(Submission, id_, queued_at=at, points=points)
        every.setdefault(school.people[login], []).append(GradedUpload(id_, at, points))
    ben = school.people["ben"]
    later = {ben: due + timedelta(minutes=700)}
    with school.write() as session:
        session.add(
            Extension(assignment_id=school.assignment, user_id=school.people["ben"], until=later[school.people["ben"]])
        )
        chosen = {author: rng.choice(uploads).submission_id for author, uploads in every.items()}
        for author, id_ in chosen.items():
            session.add(ChosenUpload(assignment_id=school.assignment, user_id=author, submission_id=id_))
    with reading(school.sessions) as session:
        assignment = session.get_one(Assignment, school.assignment)
        for _ in range(30):
            policy = LatePolicy(
                grace_minutes=rng.choice([0, 60]),
                percent=rng.choice([None, 0, 10]),
                cut_off_hours=rng.choice([None, 5, 30]),
                late_days=rng.choice([0, 1]),
            )
            by = Choosing(policy, counts, UTC_ZONE, due, 1, 1)
            rules = {author: replace(by, due=later.get(author, due), chosen=chosen[author]) for author in every}
            looked = {author: counting(uploads, rules[author]) for author, uploads in every.items()}
            found = counted_with(session, assignment, dict.fromkeys(every, 1), policy=policy)
            assert found == {author: one for author, one in looked.items() if one}, policy
