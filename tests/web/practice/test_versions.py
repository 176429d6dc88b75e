"""A student's versions side by side."""

from datetime import timedelta

from grader.grading.report import pack
from grader.store.models import Submission
from tests.web.practice.test_compare import new_version
from tests.web.reports import good
from tests.web.school import School
from tournament.store.database import now
from tournament.store.tables import RankSample


def test_each_upload_is_shown_with_what_it_earned(school: School) -> None:
    address, browser = f"/assignments/{school.assignment}/versions/", school.browser("ada")
    assert "No uploads yet." in browser.get(address).text
    assert ">Upload your first file</a>" in browser.get(address).text
    former = school.enter("ada", timedelta(hours=9), games=40, wins=10, faults=2)
    latest = school.enter("ada", games=8, wins=4)
    with school.write() as session:
        session.add(RankSample(entry_id=former, at=now(), rank=7, ranked=9, games=40))
    tested = new_version(school, report=pack(good()))
    text = browser.get(address).text
    assert f'href="/submissions/{tested}/source"' in text
    assert "40 games, won 25.0%" in text
    assert "rank 7 of 9" in text
    assert "2 faults" in text
    assert "8 games, won 50.0%" in text
    assert "Compare with version 2<span" in text
    assert f"No. {tested}" not in school.browser("ben").get(address).text
    assert address in browser.get("/courses/comp10001/bo/").text
    assert address in browser.get(f"/entries/{latest}/").text
    assert address not in school.browser("ben").get(f"/entries/{latest}/").text
    school.change(Submission, tested, qualifies=False)
    assert browser.get(address).text.count("Compare with") == 1, "only the former entry's file"
