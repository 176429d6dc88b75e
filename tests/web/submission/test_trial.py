"""Trial games on the pages and in the API: what they wait for, how far they are, and the offence with its replay."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from grader.store.models import Assignment, Outcome, Submission
from sandbox.api import Verdict
from tests.web.records import ON_TURN, SECRET, disqualified
from tests.web.reports import good
from tests.web.school import School
from tournament.practice.trials import LABEL
from tournament.store.database import now
from tournament.store.jobs import JobState
from tournament.store.tables import Trial, Worker, player_of


@pytest.fixture
def submission(school: School) -> int:
    """Ada's, which qualifies and waits for its trial games."""
    id_ = school.graded("ada", good(), wants_entry=True)
    school.change(Assignment, school.assignment, trial_games=8)
    school.outcome(id_)
    with school.write() as session:
        row = session.get_one(Submission, id_)
        session.get_one(Outcome, (id_, school.tournament)).wanted_from = row.queued_at
        session.add(Trial(assignment_id=school.assignment, player_id=row.player_id, game="bo", games=8))
    return id_


def trial(school: School, **values: Any) -> None:
    """How its trial stands."""
    with school.write() as session:
        row = session.query(Trial).one()
        for name, value in values.items():
            setattr(row, name, value)


def failed(school: School, submission: int) -> None:
    record = disqualified(ON_TURN, Verdict.ILLEGAL)
    record.seats[ON_TURN] = LABEL
    trial(school, state=JobState.DONE, played=3, offence=record.pack())
    with school.write() as session:
        session.get_one(Outcome, (submission, school.tournament)).wanted_from = None


def page(school: School, submission: int, who: str = "ada") -> str:
    return school.browser(who).get(f"/submissions/{submission}/").text


def asked(school: School, submission: int) -> Any:
    headers = {"Authorization": f"Bearer {school.token('ada')}"}
    return school.app.test_client().get(f"/api/v1/submissions/{submission}", headers=headers).json


def test_the_same_file_from_a_second_tab_is_the_submission_that_waits(school: School, submission: int) -> None:
    with school.write() as session:
        source = session.get_one(Submission, submission).player.source
    again = school.browser("ada").upload(source, mode="enter", nonce="second")
    assert again.location == f"/submissions/{submission}/"


def test_the_page_says_what_the_trial_games_wait_for_and_how_far_they_are(school: School, submission: int) -> None:
    waiting = page(school, submission)
    assert "Enters after its trial games" in waiting
    assert "No worker that plays games is running" in waiting
    assert f'data-refresh="/submissions/{submission}/live"' in waiting
    with school.write() as session:
        session.add(Worker(name="player", queue="ladder", seen_at=now()))
    assert "This player is next." in page(school, submission)
    trial(school, state=JobState.RUNNING, played=2)
    playing = page(school, submission)
    assert "Trial game 3 of 8 is being played." in playing
    assert '<progress max="8" value="2"' in playing
    told = asked(school, submission)
    assert told["outcomes"][0]["entering"] is True
    assert (told["trial_games"]["state"], told["trial_games"]["played"], told["trial_games"]["games"]) == (
        "playing",
        2,
        8,
    )
    assert "playing trial games" in school.browser("ada").get("/courses/comp10001/bo/").text


def test_the_page_says_after_how_long_a_player_is_out_of_time_in_games(school: School, submission: int) -> None:
    shown = " ".join(school.browser("ada").get("/courses/comp10001/bo/").text.split())
    assert "after 6 s in one call, 3 s while its file is loaded, or 90 s in a whole game." in shown


def test_the_page_goes_on_until_the_entry_is_there(school: School, submission: int) -> None:
    """There is a moment between the last trial game and the entry."""
    trial(school, state=JobState.DONE, played=8)
    shown = page(school, submission)
    assert "Enters after its trial games" in shown
    assert f'data-refresh="/submissions/{submission}/live"' in shown
    assert "was at fault in none" in shown
    trial(school, played=3, trouble="It was slow.")
    slow = page(school, submission)
    assert "It played 3 trial games against house bots and was at fault in none. It was slow." in slow
    assert asked(school, submission)["trial_games"]["message"] == "It was slow."


@pytest.mark.both_databases
def test_an_offence_is_shown_with_its_replay_and_cannot_be_entered(school: School, submission: int) -> None:
    failed(school, submission)
    shown = page(school, submission)
    for part in (
        "Not entered: at fault in a trial game",
        "Trial game 3 of 8: illegal play",
        "rule: not-held",
        "This does not start a cooldown",
        f'href="/submissions/{submission}/trial-game/"',
    ):
        assert part in shown
    assert SECRET not in shown
    assert "Enter this player" not in shown
    assert "data-refresh" not in shown
    assert f'<div class="sided bottom-{ON_TURN}">' in shown, "the table of the offence is drawn"
    assert 'aria-label="Player 2"' in shown
    assert "replay.css" in shown
    listed = school.browser("ada").get("/courses/comp10001/bo/").text
    assert ">at fault in a trial game</span>" in listed
    assert ">qualifies</span>" not in listed
    assert school.browser("ada").post(f"/submissions/{submission}/enter").status_code == 409
    told = asked(school, submission)["trial_games"]
    assert (told["state"], told["verdict"], told["rule"]) == ("failed", "ILLEGAL", "not-held")
    browser = school.browser("ada")
    replay = browser.get(f"/submissions/{submission}/trial-game/", follow_redirects=True).text
    assert "Trial game 3 of submission" in replay
    assert f"{LABEL} is disqualified" in replay
    assert browser.get(f"/submissions/{submission}/trial-game/record.json").status_code == 200


TRACEBACK = """\
Traceback (most recent call last):
  File "player.py", line 7, in comp10001bo_play
    card = hand[9]
IndexError: list index out of range"""


def test_an_exception_is_told_in_plain_words_with_the_name_of_the_file(school: School, submission: int) -> None:
    record = disqualified(ON_TURN, Verdict.RTE)
    record.seats[ON_TURN] = LABEL
    record.faults[0] = replace(record.faults[0], traceback=TRACEBACK, line=7)
    trial(school, state=JobState.DONE, played=3, offence=record.pack())
    school.change(Submission, submission, filename="ada_heron.py")
    replay = school.browser("ada").get(f"/submissions/{submission}/trial-game/", follow_redirects=True).text
    for shown in (page(school, submission), replay):
        assert "IndexError on line 7: the list has no item at that index: it is too short or empty." in shown
        assert "ada_heron.py&#34;, line 7" in shown
        assert "player.py" not in shown


def test_an_offence_is_a_test_to_run_at_home(school: School, submission: int) -> None:
    assert "/trial-game/test.py" not in page(school, submission)
    failed(school, submission)
    address = f"/submissions/{submission}/trial-game/test.py"
    assert page(school, submission).count(f'href="{address}"') == 2, "to copy and to download"
    test = school.browser("ada").get(address)
    assert "comp10001bo_play" in test.text
    assert "Your player was disqualified here." in test.text
    compile(test.text, "test.py", "exec")


@pytest.mark.parametrize(("who", "status"), [("ben", 403), ("otto", 404), ("ines", 302)])
def test_only_its_author_and_the_instructors_see_the_replay(
    school: School, submission: int, who: str, status: int
) -> None:
    failed(school, submission)
    assert school.browser(who).get(f"/submissions/{submission}/trial-game/").status_code == status


def test_without_an_offence_there_is_no_replay(school: School, submission: int) -> None:
    assert school.browser("ada").get(f"/submissions/{submission}/trial-game/").status_code == 404


def test_an_internal_error_is_ours_and_an_instructor_starts_it_again(school: School, submission: int) -> None:
    trial(school, state=JobState.PARKED, trouble="SandboxError: gone", finished_at=now())
    shown = page(school, submission)
    assert "The trial games could not be played" in shown
    assert "internal error: you did nothing wrong" in shown
    assert "SandboxError" not in shown
    ines, address = school.browser("ines"), f"/assignments/{school.assignment}/manage/"
    assert "SandboxError: gone" in ines.get(address).text
    with school.write() as session:
        id_ = session.query(Trial).one().id
    assert ines.post(f"{address}requeue/trial/{id_}").status_code == 303
    assert school.sent[-1] == "tournament.play"
    shown = page(school, submission)
    assert "Waiting for the 8 trial games" in shown
    assert "trial games have taken about" not in shown
    with school.write() as session:
        for number in range(3):
            player = player_of(session, f"other {number}".encode())
            done = {"state": JobState.DONE, "queued_at": now() - timedelta(seconds=40), "finished_at": now()}
            session.add(Trial(assignment_id=school.assignment, player=player, game="bo", games=8, **done))
    assert "Recently, trial games have taken about 40 s in total, including waiting." in page(school, submission)


def test_the_button_queues_the_trial_games_and_says_so(school: School) -> None:
    school.change(Assignment, school.assignment, trial_games=8)
    submission = school.graded("ada", good())
    browser = school.browser("ada")
    shown = browser.post(f"/submissions/{submission}/enter", follow_redirects=True).text
    assert "Your player plays its trial games first and then enters automatically." in shown
    assert "when you requested it" in shown
    assert school.sent[-1] == "tournament.play"


def test_the_pages_say_what_must_pass(school: School) -> None:
    school.change(Assignment, school.assignment, trial_games=8, gates=dict.fromkeys(["q1", "q2", "q3"], "examples"))
    needed = "all cases of Q4 and the visible examples of Q1, Q2 and Q3"
    told = school.browser("ada").get("/courses/comp10001/bo/").text
    assert f"A player that passes {needed}, and then 8 trial games, can enter the tournament" in told
    assert "its visible examples must pass before a player can enter" in told
    assert "all its cases must pass before a player can enter" in told
    waiting = page(school, school.upload("ada", wants_entry=True))
    assert f"To qualify, {needed} must pass." in waiting
    assert "plays 8 trial games against house bots" in waiting


def test_the_pages_say_that_no_question_has_to_pass(school: School) -> None:
    school.change(Assignment, school.assignment, trial_games=8, gates={"q4": "none"})
    told = school.browser("ada").get("/courses/comp10001/bo/").text
    assert "Every player plays 8 trial games against house bots before its entry takes effect." in told
    assert "A player that passes its trial games can enter the tournament" in told
    assert "enter it in the tournament if it passes its trial games" in told
    assert "qualif" not in told
    waiting = page(school, school.upload("ada", wants_entry=True))
    assert "No question has to pass to qualify." in waiting
    assert "It plays 8 trial games against house bots, and if it is at fault in none of them, it enters" in waiting
    tested = page(school, school.upload("ben"), "ben")
    assert "You can enter it from this page. It first plays 8 trial games against house bots first." in tested


# Settings

FORM = {"gate-q1": "none", "gate-q2": "examples", "gate-q3": "all", "gate-q4": "all", "trial_games": "12"}


def settings(school: School, **values: str) -> Any:
    return school.browser("ines").post(f"/assignments/{school.assignment}/settings/", {**FORM, **values})


def test_instructors_choose_what_must_pass(school: School) -> None:
    assert settings(school).status_code == 303
    told = school.browser("ada").get("/courses/comp10001/bo/").text
    assert "passes all cases of Q3 and Q4 and the visible examples of Q2, and then 12 trial games," in told
    shown = school.browser("ines").get(f"/assignments/{school.assignment}/settings/").text
    assert "Q2: what must pass to enter</th><td>nothing</td><td>the visible examples</td>" in shown
    assert "Trial games before an entry</th><td>0</td><td>12</td>" in shown
    with school.write() as session:
        assert session.get_one(Assignment, school.assignment).gates == {"q2": "examples", "q3": "all"}
    assert settings(school).status_code == 303
    none = dict.fromkeys(("gate-q1", "gate-q2", "gate-q3", "gate-q4"), "none")
    settings(school, **none, trial_games="0")
    assert "Any player can enter the tournament" in school.browser("ada").get("/courses/comp10001/bo/").text


@pytest.mark.parametrize(
    "wrong",
    [
        {"gate-q1": "some"},
        {"trial_games": "1"},
        {"trial_games": "-8"},
        {"trial_games": "x"},
        {"trial_games": "9999999"},
    ],
)
def test_what_makes_no_sense_is_refused_near_its_field(school: School, wrong: dict[str, str]) -> None:
    refused = settings(school, **wrong)
    assert refused.status_code == 422
    assert refused.text.count('aria-invalid="true"') == 1
    with school.write() as session:
        assert session.get_one(Assignment, school.assignment).gates == {}


def test_students_cannot_change_it(school: School) -> None:
    path = f"/assignments/{school.assignment}/settings/"
    assert school.browser("ada").post(path, FORM).status_code == 403
