"""Entering the ladders of an assignment, on both databases."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from grader.assignment.ladders import NoTournament, ladders, qualifies_for
from grader.authoring.course_folder.course import builtin
from grader.entering.entering import NotGraded, NotQualified, enter, enter_all
from grader.grading.report import Report, assemble, pack
from grader.programs.shown import CaseResult
from grader.store.models import Submission
from grader.store.uploads import UploadError
from sandbox.api import Verdict
from tests.grader.factory import NOON, Classroom
from tests.papers import examples_only
from tournament.ladder.ladder import OnCooldown, cooldown_ends
from tournament.store.database import Sessions, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Entry, EntryState, Tournament, TournamentKind, TournamentState

pytestmark = pytest.mark.both_databases


@pytest.fixture
def room(sessions: Sessions) -> Classroom:
    return Classroom(sessions)


@pytest.fixture
def two(sessions: Sessions) -> Classroom:
    """An assignment with a bonus tournament."""
    return Classroom(sessions, game="go")


def report(game: str, failing: str) -> Report:
    """A report of a case for each question. Named are those that failed: hidden ones, and with `!` the examples."""
    tokens, cases = failing.split(), []
    for slug in (question.slug for question in builtin(game).questions):
        verdict = Verdict.WA if {slug, f"{slug}!"} & set(tokens) else Verdict.AC
        cases.append(CaseResult(slug, "", "f()", "1", "1", verdict, "", 1.0, hidden=slug in tokens))
    return assemble(examples_only(game), cases)


def graded(room: Classroom, author: int, failing: str = "", game: str = "bo", at: datetime = NOON) -> int:
    """A submission as it stands after grading; `at` is when it was uploaded."""
    id_, found = room.upload(author, at=at), report(game, failing)
    with writing(room.sessions) as session:
        submission = session.get_one(Submission, id_)
        submission.state, submission.qualifies, submission.report = JobState.DONE, found.qualifies, pack(found)
    return id_


def entering(room: Classroom, id_: int, at: datetime = NOON, tournament: int | None = None) -> tuple[int, int]:
    """Enter a submission; the ids of the entry and of its tournament."""
    with writing(room.sessions) as session:
        found = session.get_one(Submission, id_)
        entry = enter(session, room.sent.append, found, at=at, tournament_id=tournament)
        assert entry
        return entry.id, entry.tournament_id


def entering_all(room: Classroom, id_: int, at: datetime = NOON) -> None:
    with writing(room.sessions) as session:
        enter_all(session, room.sent.append, session.get_one(Submission, id_), at)


def outcomes(room: Classroom, id_: int) -> dict[str, tuple[EntryState | None, str]]:
    """What became of a submission, by the slug of the tournament."""
    with reading(room.sessions) as session:
        found = session.get_one(Submission, id_)
        slugs = {each.id: each.slug for each in ladders(session, room.assignment)}
        return {
            slugs[each.tournament_id]: (each.entry.state if each.entry else None, each.refusal)
            for each in found.outcomes
        }


def change(room: Classroom, slug: str, **values: object) -> None:
    with writing(room.sessions) as session:
        wanted = Tournament.assignment_id == room.assignment, Tournament.slug == slug
        tournament = session.scalars(select(Tournament).where(*wanted)).one()
        for name, value in values.items():
            setattr(tournament, name, value)


ACTIVE = (EntryState.ACTIVE, "")


# Which tournament asks for what


@pytest.mark.parametrize(
    ("failing", "qualified"),
    [
        ("", ["standard", "bonus"]),
        ("bonus", ["standard"]),
        ("q1 q2", ["standard", "bonus"]),
        ("q1!", ["standard", "bonus"]),
        ("bonus!", ["standard"]),
        ("q3a", []),
        ("q3b bonus", []),
    ],
)
def test_a_submission_qualifies_for_each_tournament_by_its_own_questions(
    two: Classroom, failing: str, qualified: list[str]
) -> None:
    id_ = graded(two, two.ada, failing, "go")
    with reading(two.sessions) as session:
        submission = session.get_one(Submission, id_)
        found = [each.slug for each in ladders(session, two.assignment) if qualifies_for(submission, each)]
    assert found == qualified


def test_the_standard_tournament_comes_first_and_a_final_is_no_ladder(room: Classroom) -> None:
    with writing(room.sessions) as session:
        for slug, kind in (("more", TournamentKind.LADDER), ("final-1", TournamentKind.FINAL)):
            session.add(Tournament(assignment_id=room.assignment, slug=slug, title=slug, game="bo", kind=kind))
    with reading(room.sessions) as session:
        assert [each.slug for each in ladders(session, room.assignment)] == ["standard", "more"]
        standard, *_ = ladders(session, room.assignment)
        assert standard
        assert standard.id == room.tournament


# After grading


def test_a_player_enters_every_ladder_that_it_qualifies_for(two: Classroom) -> None:
    both, one = graded(two, two.ada, "q1", "go"), graded(two, two.ben, "bonus", "go")
    for id_ in (both, one):
        entering_all(two, id_)
    assert outcomes(two, both) == {"standard": ACTIVE, "bonus": ACTIVE}
    assert outcomes(two, one) == {"standard": ACTIVE}


def test_each_ladder_has_its_own_exclusion(two: Classroom) -> None:
    first, second = graded(two, two.ada, "bonus", "go"), graded(two, two.ada, "", "go", NOON + timedelta(minutes=5))
    entering_all(two, first)
    entering_all(two, second, NOON + timedelta(minutes=5))
    found = outcomes(two, second)
    assert found["bonus"] == ACTIVE
    state, refusal = found["standard"]
    assert state is None
    assert "you can enter this one without uploading it again" in refusal
    entering(two, second, NOON + timedelta(minutes=11))
    assert outcomes(two, second) == {"standard": ACTIVE, "bonus": ACTIVE}
    assert outcomes(two, first) == {"standard": (EntryState.REPLACED, "")}


MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize("apart", [11, 9])
def test_an_outage_of_the_graders_costs_no_upload_its_entry(room: Classroom, apart: int) -> None:
    """Two uploads wait for the graders: what counts is how far apart they were uploaded."""
    after = NOON + 60 * MINUTE
    first, second = graded(room, room.ada), graded(room, room.ada, at=NOON + apart * MINUTE)
    for id_ in (first, second):
        entering_all(room, id_, after)
    state, refusal = outcomes(room, second)["standard"]
    if apart > 10:
        assert (state, refusal) == ACTIVE
        assert outcomes(room, first) == {"standard": (EntryState.REPLACED, "")}
    else:
        assert state is None
        assert "uploaded this player during your re-entry cooldown" in refusal
        assert outcomes(room, first) == {"standard": ACTIVE}
        entering(room, second, after)  # by the button, at once: the exclusion ran from the upload of the first


def test_the_exclusion_runs_from_the_upload_or_from_the_press_of_the_button(room: Classroom) -> None:
    entering_all(room, graded(room, room.ada), NOON + 60 * MINUTE)
    entering(room, graded(room, room.ben), NOON + 60 * MINUTE)
    with reading(room.sessions) as session:
        at = NOON + 60 * MINUTE
        assert cooldown_ends(session, room.tournament, room.ada, at) is None
        assert cooldown_ends(session, room.tournament, room.ben, at) == at + 10 * MINUTE


@pytest.mark.parametrize("limit", [1, 2])
def test_what_is_graded_late_does_not_replace_what_was_entered_since(room: Classroom, limit: int) -> None:
    change(room, "standard", active_limit=limit)
    late, chosen = graded(room, room.ada), graded(room, room.ada)
    entering(room, chosen, NOON + 15 * MINUTE)
    entering_all(room, late, NOON + 20 * MINUTE)
    assert outcomes(room, chosen) == {"standard": ACTIVE}
    state, refusal = outcomes(room, late)["standard"]
    assert state is (EntryState.ACTIVE if limit == 2 else None)
    assert ("which stays" in refusal) == (limit == 1)


def test_a_closed_ladder_is_said_to_be_closed_and_the_other_entered(two: Classroom) -> None:
    change(two, "bonus", state=TournamentState.CLOSED)
    id_ = graded(two, two.ada, "", "go")
    entering_all(two, id_)
    found = outcomes(two, id_)
    assert found["standard"] == ACTIVE
    assert found["bonus"][0] is None
    assert "closed" in found["bonus"][1]


# Entering what was graded before


def test_a_graded_submission_enters_later_without_a_new_grading(room: Classroom) -> None:
    id_ = graded(room, room.ada)
    room.sent.clear()
    with writing(room.sessions) as session:
        entry = enter(session, room.sent.append, session.get_one(Submission, id_), "Kite", NOON)
        assert entry
        assert (entry.author_id, entry.name, entry.state) == (room.ada, "Kite", EntryState.ACTIVE)
        assert room.sent == []
        first = entry.id
    assert room.sent == ["tournament.pair"]
    assert entering(room, id_) == (first, room.tournament), "once more is the same entry"


def test_an_older_submission_can_be_entered_again_after_the_exclusion(room: Classroom) -> None:
    old, new = (graded(room, room.ada) for _ in range(2))
    for hour, id_ in enumerate((old, new, old)):
        entering(room, id_, NOON + timedelta(hours=hour))
    with reading(room.sessions) as session:
        states = session.scalars(select(Entry.state).order_by(Entry.version)).all()
    assert states == [EntryState.REPLACED, EntryState.REPLACED, EntryState.ACTIVE]
    assert outcomes(room, old) == {"standard": ACTIVE}


def test_the_exclusion_holds_for_graded_submissions_too(room: Classroom) -> None:
    old, new = (graded(room, room.ada) for _ in range(2))
    entering(room, old)
    with pytest.raises(OnCooldown):
        entering(room, new, NOON + timedelta(minutes=9))


@pytest.mark.parametrize(
    ("failing", "slug", "refusal"),
    [
        ("q3a", "standard", "all cases of Q3A and Q3B must pass"),
        ("bonus", "bonus", "all cases of Q3A, Q3B and Bonus question must pass"),
    ],
)
def test_only_what_qualifies_enters(two: Classroom, failing: str, slug: str, refusal: str) -> None:
    with reading(two.sessions) as session:
        chosen = next(each.id for each in ladders(session, two.assignment) if each.slug == slug)
    with pytest.raises(NotQualified, match=refusal):
        entering(two, graded(two, two.ada, failing, "go"), tournament=chosen)


def test_what_is_not_graded_does_not_enter_and_nothing_enters_elsewhere(room: Classroom, two: Classroom) -> None:
    refusals: list[tuple[type[UploadError], int, int | None]] = [
        (NotGraded, room.upload(room.ada), None),
        (NoTournament, graded(room, room.ada), two.tournament),
    ]
    for refusal, id_, tournament in refusals:
        with pytest.raises(refusal):
            entering(room, id_, tournament=tournament)
    assert outcomes(room, refusals[1][1]) == {}
