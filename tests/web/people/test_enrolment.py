"""What is done with the people of a file: the plan, and the doing."""

import pytest
from sqlalchemy import func, select
from werkzeug.security import check_password_hash

from tests.web.school import School
from web.people.enrolment import (
    ANIMALS,
    COLOURS,
    EnrolmentPlan,
    KnownPeople,
    enrol,
    free_pseudonym,
    looks,
    plan,
    plan_for,
)
from web.site.models import Course, Membership, Role, User
from web.site.people_file import PeopleFile, Person, WrongLine, read_people

pytestmark = pytest.mark.both_databases

KNOWN = KnownPeople({"ada": "ada", "ben": "ben", "cleo": "Cleo"}, {"ada"}, {"dan"}, {looks("Blue Badger")})


def planned(*people: Person) -> dict[str, list[str]]:
    found = plan(KNOWN, PeopleFile(people))
    cases = {"new": found.new, "joins": found.joining, "is in": found.members, "removed": found.removed}
    return {case: [each.login for each in people] for case, people in cases.items() if people} | (
        {"wrong": [str(each) for each in found.wrong]} if found.wrong else {}
    )


@pytest.mark.parametrize(
    ("person", "case"),
    [
        (Person("eve", "Eve"), {"new": ["eve"]}),
        (Person("ben", "Somebody else"), {"joins": ["ben"]}),
        (Person("ada", "Ada", Role.INSTRUCTOR, "Blue Badger"), {"is in": ["ada"]}),
        (Person("dan", "Dan"), {"removed": ["dan"]}),
        (
            Person("BEN", "Ben"),
            {"wrong": ["there is an account “ben”, which differs from “BEN” only in upper and lower case"]},
        ),
        (
            Person("eve", "Eve", pseudonym="BLUE badger", line=4),
            {"wrong": ["line 4: the pseudonym “BLUE badger” of eve belongs to somebody else in this course"]},
        ),
    ],
)
def test_what_would_be_done_with_a_person(person: Person, case: dict[str, list[str]]) -> None:
    assert planned(person) == case


def test_a_login_and_a_pseudonym_are_given_once_in_a_file() -> None:
    eve, again = Person("eve", "Eve", pseudonym="X", line=2), Person("Eve", "Eve", line=3)
    assert planned(eve, again, Person("fay", "Fay", pseudonym="x", line=4)) == {
        "new": ["eve"],
        "wrong": [
            "line 3: the login “Eve” appears twice",
            "line 4: the pseudonym “x” of fay belongs to somebody else in this course",
        ],
    }


def test_an_e_mail_or_a_number_belongs_to_one_person_and_a_student_to_one_line() -> None:
    people = [
        Person("eve", "Eve", line=2, email="x@example.org", section="A"),
        Person("fay", "Fay", line=3, email="X@example.org"),
        Person("eve", "Eve", line=4, section="B"),
        Person("gil", "Gil", line=5, student_number="7"),
    ]
    known = KnownPeople({"ada": "ada"}, {"ada"}, particulars={"ada": {"student_number": "7"}})
    assert [str(each) for each in plan(known, PeopleFile(people)).wrong] == [
        "line 3: the e-mail “x@example.org” of fay also belongs to eve",
        "line 4: “eve” is also in the section A; write all sections on one line, separated by semicolons",
        "line 5: the student number “7” of gil also belongs to ada",
    ]


def test_a_file_completes_what_is_known_of_members(school: School) -> None:
    text = "login,name,section,email\nada,Ada,T01,ada@example.org\nben,Ben,,\n"
    found, _ = do(school, text)
    assert ([each.login for each in found.updating], [each.login for each in found.members]) == (["ada"], ["ben"])
    do(school, "login,name,section,student_number\nada,Ada,,99001\n")
    with school.write() as session:
        ada = session.get_one(Membership, (school.people["ada"], school.course))
        assert (ada.section, ada.email, ada.student_number, ada.group) == ("T01", "ada@example.org", "99001", "")
    assert not do(school, text)[0].updating


def test_wrong_lines_of_the_file_and_of_the_plan_are_in_order() -> None:
    found = plan(KNOWN, PeopleFile([Person("BEN", "Ben", line=2)], [WrongLine(5, "c"), WrongLine(1, "a")]))
    assert [each.line for each in found.wrong] == [1, 2, 5]


def test_canvas_names_several_sections_of_a_student_in_words() -> None:
    rows = [
        ("ada", "Mon 9"),
        ("ben", "Tue 10 and Mon 9"),
        ("cleo", "Tue 10"),
        ("dan", "Mon 9, Tue 10, and Arts and Law"),
    ]
    rows += [("eve", "Arts and Law"), ("fay", "Fri 8 and Mon 9")]
    text = "Student,SIS Login ID,Section\n" + "".join(f'"X, {login}",{login},"{section}"\n' for login, section in rows)
    found = {each.login: each.section for each in plan(KnownPeople(), read_people(text)).new}
    assert found["ben"] == "Tue 10; Mon 9"
    assert (found["eve"], found["fay"]) == ("Arts and Law", "Fri 8 and Mon 9"), "“Fri 8” may be half of a name"
    assert found["dan"] == "Mon 9, Tue 10, and Arts and Law", "it cannot be told apart for sure"
    known = KnownPeople(particulars={"zoe": {"section": "Fri 8; Wed 2"}})
    assert {each.login: each.section for each in plan(known, read_people(text)).new}["fay"] == "Fri 8; Mon 9"
    other = plan(KnownPeople(), read_people(text.replace("SIS Login ID", "login").replace("Student", "name")))
    assert other.new[1].section == rows[1][1]


def test_canvas_joins_codes_of_sections_to_a_sentence_that_is_taken_apart() -> None:
    rows = ("COMP10001-T01 and COMP10001-L01", "COMP10001-T02, COMP10001-L01, and Lab_3b", "T01 and others")
    text = "Student,SIS Login ID,Section\n" + "".join(f'"X, Y",y{at},"{row}"\n' for at, row in enumerate(rows))
    found = [each.section for each in plan(KnownPeople(), read_people(text)).new]
    assert found == ["COMP10001-T01; COMP10001-L01", "COMP10001-T02; COMP10001-L01; Lab_3b", "T01 and others"]


def do(school: School, text: str) -> tuple[EnrolmentPlan, dict[str, str]]:
    with school.write() as session:
        course = session.get_one(Course, school.course)
        found = plan_for(session, course, read_people(text))
        return found, enrol(session, course, found)


def counts(school: School) -> list[int | None]:
    with school.write() as session:
        return [session.scalar(select(func.count()).select_from(kind)) for kind in (User, Membership)]


def test_what_is_planned_is_done_and_doing_it_again_changes_nothing(school: School) -> None:
    text = "login,name,role,pseudonym\nada,Ada,,\notto,Otto,,\neve,Eve,instructor,Guide\nfay,Fay,,\n"
    found, passwords = do(school, text)
    assert [*passwords] == ["eve", "fay"]
    assert [each.login for each in found.joining] == ["otto"]
    with school.write() as session:
        eve = session.scalars(select(Membership).join(User).where(User.login == "eve")).one()
        assert (eve.role, eve.pseudonym, eve.user.one_time) == (Role.INSTRUCTOR, "Guide", True)
        assert check_password_hash(eve.user.password_hash, passwords["eve"])
    assert "You are now in Foundations" in school.browser("otto").get("/notices/").text
    assert school.browser("otto").get("/courses/comp10001/bo/").status_code == 200
    before = counts(school)
    assert before == [7, 8]
    assert do(school, text)[1] == {}
    assert counts(school) == before


def test_logins_with_other_letters_are_found_too(school: School) -> None:
    text = "login,name\nÉVA,Éva\n"
    assert [*do(school, text)[1]] == ["ÉVA"]
    assert do(school, text)[1] == {}


def test_everybody_of_a_large_course_has_a_pseudonym_of_their_own(school: School) -> None:
    made = do(school, "login,name\n" + "".join(f"s{n},Student {n}\n" for n in range(300)))[1]
    assert len(made) == 300
    with school.write() as session:
        own = select(Membership.pseudonym).where(Membership.course_id == school.course)
        names = [name.lower() for name in session.scalars(own)]
    assert len({*names}) == len(names) == 304


def test_a_name_with_a_number_is_made_up_once_all_are_taken() -> None:
    taken = {looks(f"{colour} {animal}") for colour in COLOURS for animal in ANIMALS}
    name, number = free_pseudonym(taken).rsplit(" ", 1)
    assert (looks(name) in taken, number) == (True, "256")
