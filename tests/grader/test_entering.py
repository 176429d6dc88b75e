"""Entering the ladders of an assignment, on both databases."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from grader.entering import (
    NotGraded,
    NoTournament,
    NotQualified,
    enter,
    enter_all,
    first_open,
    ladders,
    qualifies_for,
    tournament_of,
)
from grader.models import Submission
from grader.report import CaseResult, Report, assemble, pack
from grader.uploads import UploadError
from sandbox.api import Verdict
from tests.grader.factory import NOON, Classroom
from tournament.db import Sessions, reading, writing
from tournament.games import find_game
from tournament.jobs import JobState
from tournament.ladder import Excluded
from tournament.models import Entry, EntryState, Tournament, TournamentKind, TournamentState


@pytest.fixture
def room(sessions: Sessions) -> Classroom:
    return Classroom(sessions)


@pytest.fixture
def two(sessions: Sessions) -> Classroom:
    """An assignment with a bonus tournament."""
    return Classroom(sessions, game="go")


def report(game: str, failing: str) -> Report:
    """A report in which a case of each question named failed, and of no other."""
    questions = find_game(game).questions
    verdicts = {question.slug: Verdict.WA if question.slug in failing.split() else Verdict.AC for question in questions}
    return assemble(
        find_game(game),
        [CaseResult(slug, "", "f()", "1", "1", verdict, "", 1.0, False) for slug, verdict in verdicts.items()],
    )


def graded(room: Classroom, author: int, failing: str = "", game: str = "bo") -> int:
    """A submission as it stands after grading."""
    id_, found = room.upload(author), report(game, failing)
    with writing(room.sessions) as session:
        submission = session.get_one(Submission, id_)
        submission.state, submission.qualifies, submission.report = JobState.DONE, found.qualifies, pack(found)
    return id_


def entering(room: Classroom, id_: int, at: datetime = NOON, tournament: int | None = None) -> tuple[int, int]:
    """Enter a submission; the ids of the entry and of its tournament."""
    with writing(room.sessions) as session:
        found = session.get_one(Submission, id_)
        entry = enter(session, room.sent.append, found, at=at, tournament_id=tournament)
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
        standard = tournament_of(session, room.assignment)
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
    first, second = graded(two, two.ada, "bonus", "go"), graded(two, two.ada, "", "go")
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


def test_a_closed_ladder_is_said_to_be_closed_and_the_other_entered(two: Classroom) -> None:
    change(two, "bonus", state=TournamentState.CLOSED)
    id_ = graded(two, two.ada, "", "go")
    entering_all(two, id_)
    found = outcomes(two, id_)
    assert found["standard"] == ACTIVE
    assert found["bonus"][0] is None
    assert "closed" in found["bonus"][1]


def test_an_upload_is_held_back_by_the_standard_exclusion_alone(two: Classroom) -> None:
    with reading(two.sessions) as session:
        bonus = ladders(session, two.assignment)[1].id
    entering(two, graded(two, two.ada, "", "go"), tournament=bonus)
    two.upload(two.ada, enters=True, at=NOON + timedelta(minutes=1))
    entering(two, graded(two, two.ada, "", "go"))
    with pytest.raises(Excluded):
        two.upload(two.ada, enters=True, at=NOON + timedelta(minutes=1))
    change(two, "standard", state=TournamentState.CLOSED)
    with reading(two.sessions) as session:
        left = first_open(session, two.assignment)
        assert left
        assert left.id == bonus


# Entering what was graded before


def test_a_graded_submission_enters_later_without_a_new_grading(room: Classroom) -> None:
    id_ = graded(room, room.ada)
    room.sent.clear()
    with writing(room.sessions) as session:
        entry = enter(session, room.sent.append, session.get_one(Submission, id_), "Kite", NOON)
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
    with pytest.raises(Excluded):
        entering(room, new, NOON + timedelta(minutes=9))


@pytest.mark.parametrize(
    ("failing", "slug", "refusal"),
    [("q3a", "standard", "Q3A, Q3B must pass"), ("bonus", "bonus", "Q3A, Q3B, Bonus question must pass")],
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
