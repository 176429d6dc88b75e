"""A dry run of a draft: who would gain and who would lose, while nothing changes and nobody is told."""

from dataclasses import replace

import pytest
from sqlalchemy import select

from grader.authoring.drafts import begin
from grader.authoring.versions import live, publish
from grader.definition.model import Definition
from grader.regrade.batches import ask, end_batches, see_to_ends, store_dry_run, that_count
from grader.regrade.difference import reports_of
from grader.store.models import Assignment, AssignmentDraft, Regrade, RegradeBatch, Submission
from grader.store.queue import regrade_order
from grader.submissions.work import grade_next
from sandbox.choose import open_sandbox
from tests.tournament.factory import claim_next
from tests.web.reports import bad, good
from tests.web.school import School
from tournament.store.database import reading
from tournament.store.jobs import JobState, held
from tournament.store.tables import Notice
from tournament.work.services import Services

PLAYER = b"def check(x):\n    return x\n"


def draft(school: School, **content: object) -> str:
    """Ines writes a draft; the address of its dry runs."""
    with school.write() as session:
        assignment = session.get_one(Assignment, school.assignment)
        row = session.get(AssignmentDraft, assignment.id) or begin(session, assignment, school.people["ines"])
        row.content = {**row.content, **content}
        session.add(row)
    return f"/assignments/{school.assignment}/dry-runs/"


def begun(school: School, **content: object) -> str:
    """The address of a dry run that Ines began."""
    answer = school.browser("ines").post(draft(school, **content))
    assert answer.status_code == 303
    return answer.location


def try_one(school: School, found: object) -> None:
    """As a worker does, with a report that is made up."""
    claim = claim_next(school.sessions, Regrade, regrade_order())
    assert claim
    with school.write() as session:
        regrade = held(session, Regrade, claim)
        assert regrade
        store_dry_run(session, regrade, found)  # type: ignore[arg-type]
        end_batches(session)


@pytest.mark.both_databases
def test_it_shows_who_would_gain_and_lose_and_changes_nothing(school: School) -> None:
    gains, loses = school.graded("ada", bad()), school.graded("ben", good())
    school.graded("cleo", good())
    page = begun(school, text="Other words.")
    assert "0 of 3 submissions done" in school.browser("ines").get(page).text
    for found in (good(), bad(), good()):
        try_one(school, found)
    text = school.browser("ines").get(page).text
    assert "2 results would change" in text
    assert "Ada Realname" in text
    assert "Cleo" not in text.split("What would change</h2>")[1]
    with reading(school.sessions) as session:
        for id_, report in ((gains, bad()), (loses, good())):
            row = session.get_one(Submission, id_)
            assert (row.points, row.qualifies, row.regraded_at) == (report.points, report.qualifies, None)
            assert reports_of(session, row)[0] == []
        assert session.scalars(select(Notice)).all() == []
        assert session.scalars(select(RegradeBatch)).one().ended_at
    assert "Graded again" not in school.browser("ada").get(f"/submissions/{gains}/").text
    assert "dry run" in school.browser("ines").get(f"/assignments/{school.assignment}/regrades/").text


def test_it_can_be_cancelled_and_a_new_one_replaces_it(school: School) -> None:
    school.graded("ada", good())
    ines, first = school.browser("ines"), begun(school)
    second = begun(school, text="Other words.")
    assert "Cancelled" in ines.get(first).text
    assert "The draft has since been changed or published" in ines.get(first).text
    assert "The draft has since been changed or published" not in ines.get(second).text
    assert ines.post(f"{second}cancel").status_code == 303
    assert "Cancelled" in ines.get(second).text


def test_it_does_not_hold_up_a_regrade(school: School) -> None:
    id_ = school.graded("ada", good())
    begun(school)
    with school.write() as session:
        assignment, members = session.get_one(Assignment, school.assignment), list(school.people.values())
        assert reports_of(session, session.get_one(Submission, id_))[1] is None
        ask(session, school.sent.append, assignment.id, that_count(session, assignment, members), "Why", None)
        assert reports_of(session, session.get_one(Submission, id_))[1]


@pytest.mark.parametrize(
    ("content", "said"), [({"title": ""}, "The draft has problems"), ({}, "no submission has a report yet")]
)
def test_what_cannot_be_tried(school: School, content: dict[str, object], said: str) -> None:
    ines, address = school.browser("ines"), draft(school, **content)
    assert said in ines.post(address, follow_redirects=True).text


def tried(school: School, page: str) -> str:
    """The page after a worker has done everything."""
    with open_sandbox("trusted") as box:
        services = Services(school.sessions, print, lambda: box, lambda: box, "worker")
        while grade_next(services):
            pass
    see_to_ends(school.sessions)
    return school.browser("ines").get(page).text


def with_question(definition: Definition, **values: object) -> list[object]:
    question = definition.questions[0].model_copy(update=values)
    return [each.model_dump(mode="json") for each in (question, *definition.questions[1:])]


def test_a_worker_tries_the_draft_and_a_mistake_in_it_ends_the_run(school: School) -> None:
    id_ = school.graded("ada", replace(good(), points=4.0))
    with reading(school.sessions) as session:
        definition = live(session, session.get_one(Assignment, school.assignment))
    page = begun(school, questions=with_question(definition, points=7.0))
    assert "1 result would change" in tried(school, page)
    cases = "def cases(rng):\n    raise ValueError('a mistake')\n    yield\n"
    solution = f"def {definition.questions[0].function}(*args):\n    return 1\n"
    broken = begun(school, questions=with_question(definition, cases=cases, solution=solution))
    text = tried(school, broken)
    assert "The draft cannot be tried" in text
    assert "It fails example 1" in text
    with reading(school.sessions) as session:
        row = session.get_one(Submission, id_)
        assert (row.state, row.points) == (JobState.DONE, 4.0)


def test_after_a_publication_the_usual_regrade_is_offered_with_a_reason(school: School) -> None:
    school.graded("ada", good(), version=1)
    with school.write() as session:
        assignment = session.get_one(Assignment, school.assignment)
        publish(session, assignment, live(session, assignment), None, base=1)
    page = school.browser("ines").get(f"/assignments/{school.assignment}/regrades/").text
    assert 'value="Version 2 was published."' in page
