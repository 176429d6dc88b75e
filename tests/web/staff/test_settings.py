"""The instructors' settings: what makes sense is changed and logged, what does not is refused near its field."""

import re
from datetime import timedelta
from typing import Any

import pytest

from tests.web.school import School
from tournament.ladder.ladder import cooldown_ends
from tournament.store.database import now
from tournament.store.notices import notices
from tournament.store.tables import Entry, EntryState, Tournament

GOOD = {
    "exclusion_minutes": "10",
    "out_exclusion_minutes": "2",
    "fault_limit": "10",
    "target_games": "400",
    "active_limit": "1",
    "ranking": "win rate",
}


@pytest.fixture
def path(school: School) -> str:
    return f"/assignments/{school.assignment}/settings/"


def send(school: School, path: str, **values: str) -> Any:
    """Send the form of the ladder."""
    confirm = {"confirm": values.pop("confirm")} if "confirm" in values else {}
    given = {f"ladder-{school.tournament}-{name}": value for name, value in {**GOOD, **values}.items()}
    return school.browser("ines").post(path, {**given, **confirm})


def shown_value(text: str, school: School, name: str) -> str:
    """What a field of the ladder contains."""
    found = re.search(rf'name="ladder-{school.tournament}-{name}"[^>]* value="([^"]*)"', text)
    assert found, name
    return found[1]


def ladder(school: School) -> Tournament:
    with school.write() as session:
        found = session.get_one(Tournament, school.tournament)
        session.expunge(found)
        return found


def page(school: School, path: str) -> str:
    return school.browser("ines").get(path).text


def person(school: School, login: str) -> str:
    return f"/assignments/{school.assignment}/people/{school.people[login]}/"


def test_it_shows_the_settings_as_they_are_and_empty_lists_explain(school: School, path: str) -> None:
    shown = page(school, path)
    for name, value in GOOD.items():
        if name != "ranking":
            assert shown_value(shown, school, name) == value
    for text in ("Nothing has been changed yet", "The same cooldown applies to everybody", "Nobody has an extension"):
        assert text in shown


def test_what_makes_sense_is_changed_and_logged(school: School, path: str) -> None:
    answer = send(school, path, exclusion_minutes="2.5", fault_limit="5", target_games="100", ranking="place")
    assert answer.status_code == 303
    found = ladder(school)
    assert (found.exclusion_s, found.fault_limit, found.target_games, found.ranking) == (150, 5, 100, "place")
    assert school.sent[-1] == "tournament.pair", "a higher target wakes the ladder"
    shown = page(school, path)
    for setting, former, value in (
        ("Re-entry cooldown, in minutes", "10", "2.5"),
        ("Invalid games before an entry is removed", "10", "5"),
        ("Games of each entry before the ladder rests", "400", "100"),
        ("Ranked by", "win rate", "place"),
    ):
        assert f"The ladder: {setting}</th><td>{former}</td><td>{value}</td>" in shown
    assert "Ines Realname" in shown


def test_what_is_the_same_is_not_logged(school: School, path: str) -> None:
    assert send(school, path).status_code == 303
    assert "Nothing has been changed yet" in page(school, path)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("exclusion_minutes", "-1", "This must be at least 0."),
        ("exclusion_minutes", "99999", "This must be at most 10080."),
        ("exclusion_minutes", "soon", "This must be a number."),
        ("exclusion_minutes", "nan", "This must be"),
        ("fault_limit", "0", "This must be at least 1."),
        ("fault_limit", "2.5", "This must be a whole number."),
        ("fault_limit", "", "This must be a whole number."),
        ("target_games", "3", "In 3 games nobody can make 10 invalid plays"),
        ("target_games", "1000000", "This must be at most 100000."),
        ("active_limit", "0", "This must be at least 1."),
        ("active_limit", "11", "This must be at most 10."),
        ("ranking", "beauty", "This must be win rate, place or points."),
    ],
)
def test_what_makes_no_sense_is_refused_near_its_field_and_nothing_is_lost(
    school: School, path: str, field: str, value: str, said: str
) -> None:
    answer = send(school, path, **{"exclusion_minutes": "7", field: value})
    assert answer.status_code == 422
    assert said in answer.text
    if field != "ranking":
        assert f'id="ladder-{school.tournament}-{field}-problem" class="problem"' in answer.text
        assert shown_value(answer.text, school, field) == value, "what was typed stays"
    if field != "exclusion_minutes":
        assert shown_value(answer.text, school, "exclusion_minutes") == "7"
    assert ladder(school).exclusion_s == 600, "nothing is changed by half"


def test_fewer_games_than_a_deal_needs_are_refused(school: School, path: str) -> None:
    answer = send(school, path, target_games="3", fault_limit="1")
    assert answer.status_code == 422
    assert "A table must play at least 4 games" in answer.text


def test_what_takes_players_out_of_play_is_confirmed_first(school: School, path: str) -> None:
    school.change(Tournament, school.tournament, active_limit=2)
    old, new = (school.enter("ada", ago=timedelta(hours=hours)) for hours in (2, 1))
    ben = school.enter("ben", faults=6, games=50)
    answer = send(school, path, fault_limit="5")
    assert answer.status_code == 422
    assert "1 active entry would be replaced by newer entries and 1 entry would be removed" in answer.text
    assert ladder(school).fault_limit == 10
    assert send(school, path, fault_limit="5", confirm="on").status_code == 303
    with school.write() as session:
        states = [session.get_one(Entry, id_).state for id_ in (old, new, ben)]
        assert states == [EntryState.REPLACED, EntryState.ACTIVE, EntryState.OUT]
        assert [notice.subject for notice in notices(session, school.people["ben"])] == [
            "ben-the-pseudonym, version 1, was removed from The ladder"
        ]


# Exclusions of single students


def decide(school: School, path: str, **values: str) -> Any:
    data = {"tournament": str(school.tournament), "login": "ada", "what": "minutes", "minutes": "", "reason": "Ours."}
    return school.browser("ines").post(f"{path}exclusions", {**data, **values})


def excluded(school: School) -> bool:
    with school.write() as session:
        return cooldown_ends(session, school.tournament, school.people["ada"], now()) is not None


def test_a_student_may_enter_now_and_sees_why(school: School, path: str) -> None:
    school.enter("ada")
    assert excluded(school)
    assert decide(school, path, what="now").status_code == 303
    assert not excluded(school)
    ada = school.browser("ada")
    assert (
        "You can enter again at once: your re-entry cooldown was lifted. The reason given: Ours."
        in ada.get("/notices/").text
    )
    assert "data-excluded" not in ada.get("/courses/comp10001/bo/").text
    shown = page(school, path)
    assert "can enter now, but only once" in shown
    assert "Cooldown of ada</th><td>–</td><td>lifted once</td>" in shown


def test_an_exclusion_of_their_own_is_listed_and_revocable(school: School, path: str) -> None:
    school.enter("ada", ago=timedelta(minutes=2))
    assert decide(school, path, minutes="1").status_code == 303
    assert not excluded(school)
    assert "1 min" in page(school, path)
    assert "your re-entry cooldown is 1 minute" in school.browser("ada").get("/courses/comp10001/bo/").text
    assert school.browser("ines").post(f"{path}exclusions/1/revoke").status_code == 303
    assert excluded(school)
    shown = page(school, path)
    assert "The same cooldown applies to everybody" in shown
    assert "Cooldown of ada</th><td>1 min</td><td>as for everybody</td>" in shown
    assert "Your personal re-entry cooldown was revoked" in school.browser("ada").get("/notices/").text


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"login": "nobody", "minutes": "5"}, "No student in this course has the login “nobody”"),
        ({"minutes": "-5"}, "A cooldown can last from 0 to 10080 minutes"),
        ({"minutes": "a while"}, "“a while” is not a number of minutes"),
        ({"minutes": "inf"}, "is not a number of minutes"),
        ({"minutes": "5", "reason": " "}, "Give a reason"),
        ({"what": "now"}, "This student has no cooldown now"),
    ],
)
def test_decisions_that_make_no_sense_are_refused(school: School, path: str, values: dict[str, str], said: str) -> None:
    answer = decide(school, path, **{"reason": "Of some length.", **values})
    assert answer.status_code == (409 if "what" in values else 422)
    assert said in answer.text
    if values.get("reason") != " ":
        assert "Of some length." in answer.text, "what was typed stays"
    assert "The same cooldown applies to everybody" in page(school, path)


# Deadline


def test_a_deadline_in_the_past_is_confirmed(school: School, path: str) -> None:
    ines = school.browser("ines")
    refused = ines.post(path, {"due": "2020-01-01 12:00"})
    assert refused.status_code == 422
    assert "This deadline has already passed" in refused.text
    assert 'value="2020-01-01 12:00"' in refused.text
    assert ines.post(path, {"due": "2020-01-01 12:00", "confirm": "on"}).status_code == 303
    noon = '<time datetime="2020-01-01T12:00:00+00:00">Wed 1 Jan 2020, 12:00 UTC</time>'
    assert f"Deadline</th><td>none</td><td>{noon}</td>" in page(school, path)


def test_those_are_told_whose_own_deadline_has_moved(school: School, path: str) -> None:
    ines, ada, ben = school.browser("ines"), school.browser("ada"), school.browser("ben")
    ines.post(path, {"due": "2099-01-01 12:00"})
    noon = '<time datetime="2099-01-01T12:00:00+00:00">Thu 1 Jan 2099, 12:00 UTC</time>'
    assert f"Your deadline for Project 2: Comp10001-Bo is {noon}" in ada.get("/notices/").text
    ines.post(f"{person(school, 'ben')}extension", {"until": "2099-01-09 12:00"})
    ines.post(path, {"due": "2099-01-02 12:00"})
    assert f"An instructor has moved it; it was {noon}. The final uses" in ada.get("/notices/").text
    assert 'is <time datetime="2099-01-02' not in ben.get("/notices/").text, "his own is later than both"
    ines.post(path, {"due": "2099-01-02 12:00"})
    assert ada.get("/notices/").text.count('is <time datetime="2099-01-02') == 1, "nothing has moved"
    ines.post(path, {"due": ""})
    assert "Project 2: Comp10001-Bo has no deadline" in ben.get("/notices/").text


def test_there_is_nothing_of_another_assignment_to_change(school: School, path: str) -> None:
    ines = school.browser("ines")
    assert ines.post(f"{path}exclusions", {"tournament": "999"}).status_code == 404
    assert ines.post(f"{path}exclusions/999/revoke").status_code == 404


# One form


def test_all_is_saved_at_once_or_nothing(school: School, path: str) -> None:
    ines, due = school.browser("ines"), "2099-01-01T12:00"
    wrong = {f"ladder-{school.tournament}-fault_limit": "none", "trial_games": "x", "quota": "-1"}
    refused = ines.post(path, {"due": due, **wrong})
    assert (refused.status_code, refused.text.count('aria-invalid="true"')) == (422, 3)
    assert f'value="{due}"' in refused.text, "what was right stays in the form too"
    assert "Nothing has been changed yet" in page(school, path)
    right = {f"ladder-{school.tournament}-fault_limit": "9", "trial_games": "8", "quota": "3"}
    assert ines.post(path, {"due": due, **right}).status_code == 303
    shown = ines.get(path).text
    assert "Saved: Deadline; Invalid games before an entry is removed; Trial games" in shown
    limit = "The ladder: Invalid games before an entry is removed"
    for setting in ("Deadline", limit, "Trial games", "Custom games an hour"):
        assert f'<th scope="row">{setting}' in shown


def hidden(school: School, path: str) -> dict[str, str]:
    """The hidden fields of the form as it is shown now, which say what its fields show."""
    return dict(re.findall(r'type="hidden" name="(was-[^"]*)" value="([^"]*)"', page(school, path)))


def test_a_form_that_was_opened_earlier_overwrites_only_what_it_changed(school: School, path: str) -> None:
    ines, opened = school.browser("ines"), hidden(school, path)
    quota, trials = (
        re.findall(rf'name="{name}"[^>]* value="(\d+)"', page(school, path))[0] for name in ("quota", "trial_games")
    )
    assert ines.post(path, {"trial_games": "8"}).status_code == 303
    both = {"quota": "2", "trial_games": trials, **opened}
    assert ines.post(path, both).status_code == 303, "the trial games are as somebody else has set them meanwhile"
    assert 'value="8"' in page(school, path).partition('name="trial_games"')[2].partition(">")[0]
    refused = ines.post(path, {"quota": "5", **opened})
    assert (refused.status_code, quota == "2") == (409, False)
    assert "Somebody else has changed this since you opened the page" in refused.text
    assert "Now: 2" in refused.text
    assert refused.text.count("Now: ") == 1, "only where somebody else has changed what is typed here"
    assert 'value="5"' in refused.text, "what was typed stays"
    assert ines.post(path, {"quota": "5", **hidden(school, path)}).status_code == 303


def test_two_people_change_different_fields_of_one_ladder(school: School, path: str) -> None:
    ines, opened = school.browser("ines"), hidden(school, path)
    both = {f"ladder-{school.tournament}-{name}": value for name, value in GOOD.items()}
    limit, target = f"ladder-{school.tournament}-fault_limit", f"ladder-{school.tournament}-target_games"
    assert ines.post(path, {**both, **opened, limit: "5"}).status_code == 303
    assert ines.post(path, {**both, **opened, target: "300"}).status_code == 303, "the limit shows what it showed"
    found = ladder(school)
    assert (found.fault_limit, found.target_games) == (5, 300)
    refused = ines.post(path, {**both, **opened, limit: "7", target: "300", "due": "2099-01-01T12:00"})
    assert refused.status_code == 409
    assert refused.text.count("Now: ") == 1
    assert f'id="{limit}-problem" class="problem" role="alert">Now: 5<' in refused.text


def test_groups_say_their_present_value_and_only_one_with_an_error_is_open(school: School, path: str) -> None:
    shown = page(school, path)
    assert "<details open" not in shown.replace(' class="panel group"', "")
    for value in ("ranked by win rate; re-entry cooldown of 10 minutes; rests after 400 games", "takes effect at once"):
        assert value in " ".join(shown.split())
    assert "with the next publication" in shown
    for seconds, said in ((60, "cooldown of 1 minute;"), (150, "cooldown of 2.5 minutes;")):
        school.change(Tournament, school.tournament, exclusion_s=seconds)
        assert said in " ".join(page(school, path).split())
    refused = send(school, path, fault_limit="many").text
    opened = re.findall(r'<details class="panel group" open>.*?<div id="([^"]*)"', refused, re.DOTALL)
    assert opened == [f"ladder-{school.tournament}"]
