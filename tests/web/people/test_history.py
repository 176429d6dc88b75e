"""One page tells what happened to a student in an assignment."""

import re
from datetime import timedelta

import pytest
from sqlalchemy import event

from grader.marks.comments import comment_on
from grader.marks.requests import RequestKind, RequestState, answer, ask
from grader.marks.tables import MarksPublication, PublishedMark
from grader.store.models import Submission, note_change
from tests.web.records import disqualified
from tests.web.reports import good
from tests.web.school import School
from tests.web.site.test_access import staff_of_sections
from tournament.store.database import now
from tournament.store.notices import tell
from tournament.store.tables import Final, FinalPhase, RankSample, Tournament, TournamentKind
from web.people.history import KINDS

UNTIL = "Sun 4 Oct 2026, 23:59 AEDT (UTC+11:00)"


@pytest.fixture
def address(school: School) -> str:
    """The address of Ada's, in which there is something of every kind."""
    staff_of_sections(school)
    submission, entry = school.graded("ada", good()), school.enter("ada", ago=timedelta(hours=2))
    school.play(entry, *school.bots()[:3], record=disqualified(0))
    ada, ines, assignment = school.people["ada"], school.people["ines"], school.assignment
    with school.write() as session:
        row = session.get_one(Submission, submission)
        comment_on(session, row, ines, ("player.py", 1), "Why?")
        asked = ask(session, row, "q1", RequestKind.REMARK, "Please look.")
        session.flush()
        answer(session, asked.id, ines, RequestState.ANSWERED, "Fine now.")
        note_change(session, assignment, ines, "Extension of ada", "none", f"{UNTIL} (ill)")
        note_change(session, assignment, ines, "Extension of ben", "none", f"{UNTIL} (of Ben)")
        note_change(session, assignment, ines, "Mark of ada", "as calculated", "set to 3 (ill)")
        published = MarksPublication(assignment_id=assignment, header={"most": 8}, published_by=ines)
        session.add(published)
        session.flush()
        session.add(
            PublishedMark(publication_id=published.id, user_id=ada, total=7.5, account={"total": 7.5, "most": 8})
        )
        tell(session, ada, assignment, "Without a link", "")
        for number, rank in enumerate((4, 2)):
            at = now() - timedelta(hours=1 - number)
            session.add(RankSample(entry_id=entry, at=at, rank=rank, ranked=5, games=10 * number + 5))
    return f"/assignments/{assignment}/people/{ada}/history"


def test_every_kind_of_thing_is_told_and_leads_to_its_page(school: School, address: str) -> None:
    ines = school.browser("ines")
    page = ines.get(address).text
    assert [kind for kind in KINDS if f"?show={kind}" not in page] == []
    assert "Rank over time in The ladder" in page
    assert all(words in page for words in ("Why?", "Please look.", "Fine now.", "(ill)", "as calculated", "7.5"))
    assert "(of Ben)" not in page
    links = re.findall(r'<li class="\w+">.*?<a href="([^"]*)"', page)
    assert len(links) > 8
    assert {ines.get(each).status_code for each in {*links}} <= {200, 302, 303}


def test_a_filter_shows_one_kind(school: School, address: str) -> None:
    page = school.browser("ines").get(f"{address}?show=fault").text
    assert "Lost game 1 in The ladder because of a fault" in page
    assert "Uploaded player.py" not in page


@pytest.mark.parametrize(
    ("login", "hidden"),
    [("ada", ["(ill)", "as calculated"]), ("tess", ["(ill)", "as calculated", "7.5"]), ("olga", ["(ill)", "7.5"])],
)
def test_who_does_not_read_reasons_and_marks(school: School, address: str, login: str, hidden: list[str]) -> None:
    page = school.browser(login).get(address).text
    assert "Why?" in page
    assert "Sun 4 Oct 2026" in page
    assert [words for words in hidden if words in page] == []


def test_marks_that_were_withdrawn_are_hidden_from_the_student_again(school: School, address: str) -> None:
    school.change(MarksPublication, 1, withdrawn_at=now())
    assert "Mark published" not in school.browser("ada").get(address).text
    assert "Mark published" in school.browser("ines").get(address).text


def test_an_unpublished_final_is_no_part_of_it(school: School, address: str) -> None:
    with school.write() as session:
        session.get_one(Tournament, school.tournament).kind = TournamentKind.FINAL
        session.add(Final(tournament_id=school.tournament, phase=FinalPhase.RUNNING, header="{}", entries=[]))
    assert "Entered as" not in school.browser("ada").get(address).text
    assert "Entered as" in school.browser("ines").get(address).text


def test_it_asks_few_queries_however_much_there_is(school: School, address: str) -> None:
    ines, asked = school.browser("ines"), list[str]()
    with school.write() as session:
        engine = session.get_bind()
    ines.get(address)  # which is noted once a day
    event.listen(engine, "before_cursor_execute", lambda *args: asked.append(args[2]))
    ines.get(address)
    few = len(asked)
    for _ in range(5):
        school.graded("ada", good())
    asked.clear()
    ines.get(address)
    assert len(asked) == few < 25
