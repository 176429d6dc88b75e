"""A push of a course folder in the database, on both kinds."""

import pytest

from grader.authoring.course_folder.course import CourseSettings
from grader.authoring.course_folder.files import FolderState
from grader.authoring.versions import Overwritten
from grader.definition.model import Definition, Ladder
from grader.definition.question import FunctionQuestion
from grader.store.models import Assignment
from tournament.games.api import Case
from tournament.store.database import Sessions, reading, writing
from web.assignment.pushing import Plan, carry_out, plan_push, seen_now
from web.site.models import Course

pytestmark = pytest.mark.both_databases

COURSE = CourseSettings(slug="comp", title="Computing", time_zone="Australia/Melbourne", term="Semester 1")
QUESTION = FunctionQuestion(slug="q1", title="Twice", function="twice", parameters=("x",))
DUEL = Definition(title="Duel", game="bo", questions=(QUESTION,), tournaments=(Ladder(exclusion_minutes=1 / 3),))
WARM_UP = Definition(title="Warm-up", questions=(QUESTION,))
BOTH = {"duel": DUEL, "warm-up": WARM_UP}


def planned(sessions: Sessions, state: FolderState, settings: CourseSettings = COURSE, **changed: Definition) -> Plan:
    with reading(sessions) as session:
        return plan_push(session, settings, BOTH | changed, state)


def push(sessions: Sessions, state: FolderState, what: Plan) -> tuple[dict[str, int], FolderState]:
    with writing(sessions) as session:
        versions = carry_out(session, what, {"key": [Case((1,), 2)]}, by=None)
        return versions, seen_now(session, what, state)


def test_a_push_makes_a_course_and_a_second_one_changes_nothing(sessions: Sessions) -> None:
    first = planned(sessions, FolderState())
    versions, seen = push(sessions, FolderState(), first)
    assert (first.former, versions) == (None, {"duel": 1, "warm-up": 1})
    again = planned(sessions, seen)
    assert (again.changed, again.setting_changes, again.conflicts) == ([], [], [])
    assert push(sessions, seen, again) == ({}, seen)


def test_what_was_edited_on_the_site_is_a_conflict_and_shown(sessions: Sessions) -> None:
    _, seen = push(sessions, FolderState(), planned(sessions, FolderState()))
    with writing(sessions) as session:
        for assignment in session.query(Assignment):
            assignment.trial_games = 2
        session.query(Course).one().term = "Semester 2"
    found = planned(sessions, seen)
    assert found.conflicts == ["course.toml", "duel", "warm-up"]
    assert [edit.sentence for part in found.parts for edit in part.site_edits] == ["trial_games: 8 → 2"] * 2
    unknown = planned(sessions, FolderState())
    assert unknown.conflicts == ["course.toml", "duel", "warm-up"], "a folder that remembers nothing overwrites nothing"


@pytest.mark.parametrize("what", ["version", "setting", "course"])
def test_a_push_is_refused_whole_if_the_site_was_edited_after_it_was_planned(sessions: Sessions, what: str) -> None:
    _, seen = push(sessions, FolderState(), planned(sessions, FolderState()))
    later = {slug: each.model_copy(update={"text": "later"}) for slug, each in BOTH.items()}
    mine = planned(sessions, seen, **later)
    with writing(sessions) as session:
        second = session.query(Assignment).filter_by(slug="warm-up").one()
        if what == "setting":
            second.trial_games = 2
        elif what == "course":
            session.query(Course).one().title = "Computers"
    if what == "version":
        push(sessions, seen, planned(sessions, seen, **{"warm-up": WARM_UP.model_copy(update={"text": "theirs"})}))
    with pytest.raises(Overwritten):
        push(sessions, seen, mine)
    with reading(sessions) as session:
        assert session.query(Assignment).filter_by(slug="duel").one().version == 1


def test_an_assignment_that_is_not_in_the_folder_stays(sessions: Sessions) -> None:
    push(sessions, FolderState(), planned(sessions, FolderState()))
    with reading(sessions) as session:
        found = plan_push(session, COURSE, {"duel": DUEL}, FolderState())
    assert (found.only_on_site, found.changed) == (["warm-up"], [])
