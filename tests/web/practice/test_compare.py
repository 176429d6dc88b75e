"""Comparing a new version with one's entry, on the site."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select, update

from grader.store.models import Assignment, Submission
from sandbox.api import Verdict
from tests.web.records import SECRET, disqualified, whole
from tests.web.reports import bad, good
from tests.web.school import School
from tournament.play.record import Record
from tournament.practice.comparisons import REPLACED
from tournament.store.database import now, reading
from tournament.store.jobs import JobState
from tournament.store.tables import ComparedPair, Entry, EntryState, Notice, VersionComparison

NEW = b"# the new version\n"


def new_version(school: School, source: bytes = NEW, **values: object) -> int:
    """A further submission of Ada's that qualifies, tested only."""
    submission = school.upload("ada", source)
    school.change(Submission, submission, state=JobState.DONE, qualifies=True, **values)
    return submission


def compared(school: School, submission: int) -> int:
    """Its comparison, begun with the button."""
    page = f"/submissions/{submission}/"
    answer = school.browser("ada").post(f"{page}compare", {"tournament": school.tournament}, page)
    assert answer.status_code == 303
    return int(answer.headers["Location"].strip("/").split("/")[-1])


def add_pair(school: School, comparison: int, number: int, new: Record, old: Record, seat: int = 0) -> None:
    """A pair that was played; its games end as those records do."""
    verdicts = [next((note.verdict.value for note in each.faults if note.seat == seat), None) for each in (new, old)]
    bots = school.bots()[:3]
    with school.write() as session:
        session.add(
            ComparedPair(
                comparison_id=comparison,
                number=number,
                seat=seat,
                opponents=bots,
                no_contest=False,
                parting=5,
                new_place=new.places[seat],
                new_points=new.points[seat],
                new_verdict=verdicts[0],
                old_place=old.places[seat],
                old_points=old.points[seat],
                old_verdict=verdicts[1],
                new_record=new.pack(),
                old_record=old.pack(),
            )
        )


def test_a_submission_can_be_compared_with_the_entry_from_its_page(school: School) -> None:
    school.enter("ada")
    submission = new_version(school)
    browser = school.browser("ada")
    assert "Compare with version 1" in browser.get(f"/submissions/{submission}/").text
    school.sent.clear()
    comparison = compared(school, submission)
    assert school.sent == ["tournament.play"]
    page = browser.get(f"/comparisons/{comparison}/").text
    assert "Too early to say: the first evaluation comes after 25 pairs of games." in page
    assert f'data-refresh="/comparisons/{comparison}/live"' in page
    assert "Follow the comparison" in browser.get(f"/submissions/{submission}/").text
    assert compared(school, submission) == comparison, "the same two are compared once"


def test_the_result_is_a_picture_with_the_time_until_it_is_known(school: School) -> None:
    school.enter("ada")
    comparison, browser = compared(school, new_version(school)), school.browser("ada")
    address = f"/comparisons/{comparison}/"
    assert "<figure" not in browser.get(address).text, "nothing to draw"
    better, worse = replace(whole(), places=[1, 2, 3, 4]), replace(whole(), places=[2, 1, 3, 4])
    for number in range(10):
        add_pair(school, comparison, number, better, worse)
    with school.write() as session:
        for pair in session.scalars(select(ComparedPair)):
            pair.played_at = now() - timedelta(seconds=2 * (10 - pair.number))
    text = browser.get(address).text
    assert "New version: won 10 of 10 games" in text
    assert "Entered version: won 0 of 10 games" in text
    assert "the next evaluation comes in about 30 s" in text
    assert "all pairs will have been played in about 13 min" in text
    assert "The difference" not in text, "it is too early"
    for number in range(10, 25):
        add_pair(school, comparison, number, better, worse)
    assert "The new version: +100 wins per hundred games" in browser.get(address).text


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("no entry", "You have no player in this tournament"),
        ("withdrawn", "You have no player in this tournament"),
        ("same file", "identical to your entry (version 1)"),
        ("not qualified", "does not qualify"),
        ("not graded", "has not been graded"),
        ("another", "You already have a comparison running"),
        ("no such tournament", "has no such tournament"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_the_reason(school: School, what: str, words: str) -> None:
    if what != "no entry":
        entry = school.enter("ada")
        school.change(Entry, entry, state=EntryState.WITHDRAWN if what == "withdrawn" else EntryState.ACTIVE)
    if what == "another":
        compared(school, new_version(school, b"# another\n"))
    submission = new_version(school)
    if what == "same file":
        with school.write() as session:
            session.get_one(Submission, submission).player_id = session.get_one(Entry, entry).player_id
    school.change(Submission, submission, qualifies=what != "not qualified")
    school.change(Submission, submission, state=JobState.QUEUED if what == "not graded" else JobState.DONE)
    tournament = 999999 if what == "no such tournament" else school.tournament
    answer = school.browser("ada").post(f"/submissions/{submission}/compare", {"tournament": tournament})
    assert answer.status_code == 409
    assert words in answer.text


def test_the_button_is_there_only_if_there_is_something_to_compare(school: School) -> None:
    submission = new_version(school)
    browser = school.browser("ada")
    assert "Is it better than" not in browser.get(f"/submissions/{submission}/").text
    school.enter("ada")
    assert "Is it better than your entry?" in browser.get(f"/submissions/{submission}/").text
    assert "Is it better than" not in browser.get(f"/submissions/{school.graded('ada', bad())}/").text
    assert "has not been compared" in school.browser("ines").get(f"/submissions/{submission}/").text


@pytest.mark.both_databases
def test_the_answer_and_the_games_behind_it_are_shown(school: School) -> None:
    school.enter("ada")
    comparison = compared(school, new_version(school))
    won, lost = whole(), whole()
    lost.places[0], won.places[0] = 2, 1
    for number in range(25):
        add_pair(school, comparison, number, won, lost)
    school.change(VersionComparison, comparison, state=JobState.DONE)
    page = school.browser("ada").get(f"/comparisons/{comparison}/").text
    assert re.search(r"Better: wins 100 more games in a hundred \(95% confidence: \d+ to 1\d\d\)\.", page)
    assert "data-refresh" not in page
    assert f'href="/comparisons/{comparison}/pairs/24/new/"' in page
    assert "Builder" in page


def test_whoever_looks_at_it_need_not_be_told_that_it_has_ended(school: School) -> None:
    school.enter("ada")
    comparison, ada = compared(school, new_version(school)), school.browser("ada")
    api = {"Authorization": f"Bearer {school.token('ada')}"}
    for path, headers in ((f"/comparisons/{comparison}/live", {}), (f"/api/v1/comparisons/{comparison}", api)):
        with school.write() as session:
            session.get_one(VersionComparison, comparison).tell("has ended", "Better.")
        assert "You have 1 new notice<" in ada.get("/account/").text
        assert ada.get(path, headers=headers).status_code == 200
        assert "Better." not in ada.get("/notices/").text
    with school.write() as session:
        session.get_one(VersionComparison, comparison).tell("has ended", "Better.")
        session.execute(update(Notice).values(told_at=now() - timedelta(minutes=1)))
    assert "new notice" not in ada.get(f"/comparisons/{comparison}/").text
    assert "Better." in ada.get("/notices/").text, "who was told and came stays told"


def test_it_is_cancelled_and_goes_on(school: School) -> None:
    entry = school.enter("ada")
    submission = new_version(school)
    comparison = compared(school, submission)
    browser, page = school.browser("ada"), f"/comparisons/{comparison}/"
    assert browser.post(f"{page}cancel", form=page).status_code == 303
    assert "It was cancelled after 0 pairs of games." in browser.get(page).text
    assert "Resume" in browser.get(page).text
    assert compared(school, submission) == comparison
    with reading(school.sessions) as session:
        assert session.get_one(VersionComparison, comparison).state is JobState.QUEUED
    school.change(VersionComparison, comparison, state=JobState.DONE, trouble=REPLACED)
    school.change(Entry, entry, state=EntryState.REPLACED)
    text = browser.get(page).text
    assert REPLACED in text
    assert "Resume" not in text


@pytest.mark.parametrize(("version", "name"), [("new", "newer.py"), ("old", "older.py")])
def test_a_traceback_names_the_file_of_its_version(school: School, version: str, name: str) -> None:
    school.enter("ada")
    school.rename_uploads("older.py")
    comparison = compared(school, new_version(school, filename="newer.py"))
    add_pair(school, comparison, 0, disqualified(1), disqualified(1), seat=1)
    add_pair(school, comparison, 1, disqualified(0), disqualified(0), seat=1)
    pairs, browser = f"/comparisons/{comparison}/pairs", school.browser("ines")
    (fault,) = browser.get(f"{pairs}/0/{version}/record.json").json["faults"]
    assert f'File "{name}", line 3' in fault["traceback"]
    (fault,) = browser.get(f"{pairs}/1/{version}/record.json").json["faults"]
    assert 'File "player.py", line 3' in fault["traceback"], "a house bot has no upload"


def test_each_replay_opens_where_the_games_part_and_keeps_what_is_private(school: School) -> None:
    school.enter("ada")
    comparison = compared(school, new_version(school))
    add_pair(school, comparison, 0, disqualified(0), disqualified(2, Verdict.RTE))
    game = f"/comparisons/{comparison}/pairs/0"
    browser = school.browser("ada")
    answer = browser.get(f"{game}/new/", follow_redirects=True)
    assert answer.request.path == f"{game}/new/plays/6", "the sixth play is the first that differs"
    assert "The same deal with the entered version" in answer.text
    school.change(Entry, school.bots()[0], name="Renamed since")
    assert "Renamed since" in browser.get(f"{game}/new/record.json").text
    own = browser.get(f"{game}/new/record.json").text
    others = browser.get(f"{game}/old/record.json").text
    assert "traceback" in own
    assert "output of seat 0" in own
    assert "output of seat 2" not in others
    assert f"got {SECRET[:7]}" not in others
    assert "output of seat 2" in school.browser("ines").get(f"{game}/old/record.json").text
    assert browser.get(f"/comparisons/{comparison}/pairs/1/new/").status_code == 404
    assert browser.get(f"{game}/other/").status_code == 404


def test_after_the_deadline_it_is_said_that_it_changes_nothing(school: School) -> None:
    school.enter("ada")
    school.change(Assignment, school.assignment, due_at=now())
    comparison = compared(school, new_version(school))
    assert "The deadline has passed." in school.browser("ada").get(f"/comparisons/{comparison}/").text


def test_what_was_parked_is_explained_and_the_instructor_starts_it_again(school: School) -> None:
    school.enter("ada")
    comparison = compared(school, new_version(school))
    school.change(VersionComparison, comparison, state=JobState.PARKED, attempts=3, trouble="SandboxError: broken")
    page = school.browser("ada").get(f"/comparisons/{comparison}/").text
    assert "You did nothing wrong" in page
    assert "SandboxError" not in page
    ines = school.browser("ines")
    manage = f"/assignments/{school.assignment}/manage/"
    assert "SandboxError: broken" in ines.get(manage).text
    school.sent.clear()
    assert ines.post(f"{manage}requeue/comparison/{comparison}", form=manage).status_code == 303
    assert school.sent == ["tournament.play"]
    with reading(school.sessions) as session:
        assert session.scalars(select(VersionComparison.state)).one() is JobState.QUEUED


def test_a_graded_report_stands_beside_it(school: School) -> None:
    school.enter("ada")
    submission = school.graded("ada", good())
    text = school.browser("ada").get(f"/submissions/{submission}/").text
    assert text.index("Is it better than your entry?") < text.index("Report")
