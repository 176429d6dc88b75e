"""What instructors can see and do."""

import re
from typing import Any

import pytest

from grader.store.models import Submission
from tests.web.reports import bad, good
from tests.web.school import School
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Tournament, TournamentState, VoidAttempt


def page(school: School, query: str = "") -> str:
    return school.browser("ines").get(f"/assignments/{school.assignment}/manage/{query}").text


def test_nothing_yet(school: School) -> None:
    assert "Nobody has uploaded a player yet" in page(school)


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", {"ada", "ben", "cleo"}),
        ("?who=ben", {"ben"}),
        ("?who=BEN+real", {"ben"}),
        ("?who=%25", set()),
        ("?state=qualifies", {"ada"}),
        ("?state=fails", {"ben"}),
        ("?state=waiting", {"cleo"}),
        ("?state=nonsense", {"ada", "ben", "cleo"}),
        ("?who=ada&state=fails", set()),
    ],
)
def test_submissions_can_be_filtered(school: School, query: str, found: set[str]) -> None:
    school.graded("ada", good())
    school.graded("ben", bad())
    school.upload("cleo")
    text = page(school, query)
    assert {login for login in ("ada", "ben", "cleo") if f"{login.title()} Realname" in text} == found
    assert ("No submission matches" in text) == (not found)


def test_the_ladder_can_be_paused_and_resumed(school: School) -> None:
    browser, address = school.browser("ines"), f"/assignments/{school.assignment}/manage/tournament"
    for do, state in (("pause", TournamentState.PAUSED), ("resume", TournamentState.OPEN)):
        assert browser.post(address, {"do": do, "tournament": school.tournament}).status_code == 303
        with school.write() as session:
            assert session.get_one(Tournament, school.tournament).state is state
    assert school.sent[-1] == "tournament.pair"


def test_a_closed_ladder_stays_closed(school: School) -> None:
    school.change(Tournament, school.tournament, state=TournamentState.CLOSED)
    data = {"do": "resume", "tournament": school.tournament}
    assert school.browser("ines").post(f"/assignments/{school.assignment}/manage/tournament", data).status_code == 400


def parked_block(school: School) -> int:
    table = school.bots()
    with school.write() as session:
        block = Block(tournament_id=school.tournament, seed=1, entries=table)
        block.state, block.attempts, block.trouble = JobState.PARKED, 3, "SandboxError: no <memory>"
        session.add(block)
        session.flush()
        return block.id


def test_whose_games_are_cut_off_is_told(school: School) -> None:
    assert "Games that were cut off" not in page(school)
    often, once = school.enter("ada"), school.enter("ben")
    bots = school.bots()
    with school.write() as session:
        for table, reasons in (
            ([often, *bots[:3]], ["first", "SandboxError: no <memory>"]),
            ([often, once], ["third"]),
        ):
            block = Block(tournament_id=school.tournament, seed=1, entries=table, deals=len(reasons))
            session.add(block)
            session.flush()
            voids = [VoidAttempt(block_id=block.id, attempt=n, reason=why) for n, why in enumerate(reasons, 1)]
            session.add_all(voids)
            session.flush()
    text = page(school).split("Games that were cut off", 1)[1].split("</table>")[0]
    rows = re.findall(r'<tr><th scope="row"><a href="/entries/(\d+)/?">.*?<td class="number">(\d+)</td>', text)
    assert rows == [(str(often), "3"), (str(once), "1")], "the house bots' own are of no interest"
    assert "third" in text


def parked_submission(school: School) -> int:
    id_ = school.upload("ada")
    school.change(Submission, id_, state=JobState.PARKED, attempts=3, trouble="SandboxError: no <memory>")
    return id_


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("kind", "model", "task"),
    [("block", Block, "tournament.play"), ("submission", Submission, "grader.grade")],
)
def test_what_our_faults_hold_up_is_explained_and_can_be_started_again(
    school: School, kind: str, model: Any, task: str
) -> None:
    id_ = parked_block(school) if kind == "block" else parked_submission(school)
    assert "SandboxError: no &lt;memory&gt;" in page(school)
    assert (
        school.browser("ines").post(f"/assignments/{school.assignment}/manage/requeue/{kind}/{id_}").status_code == 303
    )
    with school.write() as session:
        row = session.get_one(model, id_)
        assert (row.state, row.attempts, row.trouble) == (JobState.QUEUED, 0, "")
    assert school.sent[-1] == task
