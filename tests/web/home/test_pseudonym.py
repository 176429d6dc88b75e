"""Students choose the name that their fellow students see."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from grader.store.models import Submission
from tests.web.contract import ApiClient
from tests.web.school import School
from web.people.enrolment import looks, tidy, why_not_pseudonym
from web.site.models import Membership

PAGE = "/courses/comp10001/pseudonym/"


def pseudonym(school: School, login: str) -> str:
    with school.write() as session:
        return str(session.get_one(Membership, (school.people[login], school.course)).pseudonym)


@pytest.mark.parametrize(
    "name",
    [
        "Blue Badger",
        "Zoë O’Neill",
        "Дмитрий",
        "李雷",
        "R2-D2",
        "Badminton",
        "Grape Otter",
        "Scunthorpe",
        "Class Act",
        "Click",
    ],
)
def test_what_may_be_chosen(name: str) -> None:
    assert why_not_pseudonym(tidy(name)) == ""


@pytest.mark.parametrize(
    ("name", "why"),
    {
        "": "2 to 24 characters",
        "x": "2 to 24 characters",
        "x" * 25: "2 to 24 characters",
        "A\u202eB": "an invisible character",
        "Ada\nB\x07": "an invisible character",
        "Ace ♠": "“♠” cannot be part",
        "-Ada": "begins with a letter",
        "1234": "contains a letter",
        "Dмитрий": "one alphabet",
        "Zal\u0334\u0335go": "one accent",
        "Fuck": "not allowed",
        "F.u.c.k": "not allowed",
        "a55": "not allowed",
        "Your Tutor": "not allowed",
        "Former Player 3": "not allowed",
    }.items(),
)
def test_what_may_not(name: str, why: str) -> None:
    assert why in why_not_pseudonym(tidy(name))


@pytest.mark.parametrize(
    "other", ["BLUE BADGER", "blue-badger", "B1ue Badger", "Bluë Badger", "Вlue Ваdger", "Blue Вadgеr"]
)
def test_what_looks_alike(other: str) -> None:
    assert looks(tidy(other)) == looks("Blue Badger")


def test_it_is_chosen_until_the_first_entry(school: School) -> None:
    ada = school.browser("ada")
    waiting = school.upload("ada", wants_entry=True)
    assert "ada-the-pseudonym" in ada.get(PAGE).text
    assert ada.post(PAGE, {"pseudonym": "  Jade   Newt "}).status_code == 303
    assert pseudonym(school, "ada") == "Jade Newt"
    assert "see you as <strong>Jade Newt</strong>" in ada.get("/").text
    ines = school.browser("ines")
    assert "Jade Newt" in ines.get(f"/assignments/{school.assignment}/people/").text
    log = ines.get(f"/assignments/{school.assignment}/settings/").text
    assert 'Ada Realname</td><th scope="row">Pseudonym of ada</th><td>ada-the-pseudonym</td><td>Jade Newt</td>' in log
    with school.write() as session:
        assert session.get_one(Submission, waiting).entry_name == "Jade Newt"
    school.enter("ada")
    assert "You have entered a tournament" in ada.get(PAGE).text
    refused = ada.post(PAGE, {"pseudonym": "Coral Crane"})
    assert (refused.status_code, "You have entered a tournament" in refused.text) == (409, True)


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ("BEN the Pseudonym", "is the pseudonym of somebody else"),
        ("Bеn-the-pseudonym", "one alphabet"),
        ("x", "2 to 24"),
        ("ben realname", "another person"),
    ],
)
def test_a_refused_one_is_explained_at_its_field(school: School, wanted: str, why: str) -> None:
    answer = school.browser("ada").post(PAGE, {"pseudonym": wanted})
    assert answer.status_code == 409
    assert why in answer.text.partition('id="pseudonym-problem"')[2].partition("</p>")[0]
    assert f'value="{wanted}"' in answer.text
    assert pseudonym(school, "ada") == "ada-the-pseudonym"


@pytest.mark.both_databases
def test_of_two_who_want_the_same_one_gets_it(school: School) -> None:
    browsers = [school.browser(login) for login in ("ada", "ben", "cleo")]
    together = Barrier(len(browsers))

    def choose(at: int) -> int:
        together.wait()
        return browsers[at].post(PAGE, {"pseudonym": ("Jade Newt", "JADE NEWT", "Jade Néwt")[at]}).status_code

    with ThreadPoolExecutor(len(browsers)) as pool:
        assert sorted(pool.map(choose, range(len(browsers)))) == [303, 409, 409]


def test_an_instructor_replaces_one_and_says_why(school: School) -> None:
    people, ines = f"/assignments/{school.assignment}/people/{school.people['ada']}", school.browser("ines")
    assert ines.post(f"{people}/pseudonym", {"pseudonym": "Jade Newt", "reason": " "}).status_code == 409
    assert ines.post(f"{people}/pseudonym", {"do": "reset", "reason": "It insults Ben."}).status_code == 303
    made_up = pseudonym(school, "ada")
    assert made_up != "ada-the-pseudonym"
    told = school.browser("ada").get("/notices/").text
    assert f"You play as {made_up}" in told
    assert "Reason: It insults Ben." in told
    refused = school.browser("ada").post(PAGE, {"pseudonym": "Ada the Pseudonym"})
    assert (refused.status_code, "was replaced by an instructor" in refused.text) == (409, True)
    assert f"{made_up} (reason: It insults Ben.)" in ines.get(f"/assignments/{school.assignment}/settings/").text


def test_programs_choose_too(school: School) -> None:
    ada = ApiClient(school.app, school.token("ada"))
    address = f"/assignments/{school.assignment}/pseudonym"
    assert ada.call("PUT", address, json={"pseudonym": "Jade Newt"}).json == {"pseudonym": "Jade Newt"}
    refused = ada.call("PUT", address, json={"pseudonym": "ben the pseudonym"})
    assert (refused.status_code, refused.json["error"]["code"]) == (409, "bad_pseudonym")
