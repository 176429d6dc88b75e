"""Deadlines, extensions, and whose entry takes part in a final."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.orm import Session

from grader.assignment.deadline import (
    DeadlineError,
    DeadlinePast,
    StillWaiting,
    choose,
    extend,
    extensions,
    freeze_final,
    set_deadline,
)
from grader.definition.local_times import UTC_ZONE, LocalTime
from grader.store.models import Assignment, Submission
from tests.tournament.factory import make_player, make_tournament, make_user
from tournament.final.finals import final_of
from tournament.final.settings import FinalSettings
from tournament.store.database import Sessions, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Entry, EntryState, Tournament

pytestmark = pytest.mark.both_databases

DUE = datetime(2026, 5, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
AFTER = DUE + 100 * HOUR


def in_utc(at: datetime) -> LocalTime:
    return LocalTime(at, UTC_ZONE)


class Class:
    """An assignment that is due at DUE, its ladder, and the students Ada and Ben."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.ladder = make_tournament(session)
        self.assignment = session.get_one(Assignment, self.ladder.assignment_id)
        self.assignment.due_at = DUE
        self.ada, self.ben = make_user(session), make_user(session)

    def enter(self, author: int, at: datetime, **values: object) -> Entry:
        version = 1 + self.session.query(Entry).filter_by(tournament_id=self.ladder.id, author_id=author).count()
        player = values.pop("player_id", None) or make_player(self.session)
        name = f"{'Ada' if author == self.ada else 'Ben'} {version}"
        entry = Entry(tournament_id=self.ladder.id, author_id=author, player_id=player, name=name, version=version)
        entry.entered_at = at
        for column, value in values.items():
            setattr(entry, column, value)
        self.session.add(entry)
        self.session.flush()
        return entry

    def upload(self, author: int, at: datetime, **values: object) -> Submission:
        submission = Submission(
            assignment_id=self.assignment.id,
            author_id=author,
            player_id=make_player(self.session),
            filename="player.py",
            wants_entry=True,
            entry_name="Ada",
            queued_at=at,
        )
        for column, value in values.items():
            setattr(submission, column, value)
        self.session.add(submission)
        self.session.flush()
        return submission

    def chosen(self, *students: int, at: datetime = AFTER) -> list[str]:
        found = choose(self.session, self.assignment, students or (self.ada, self.ben), at)
        return [entrant.name for entrant in found.entrants]

    def notes(self, *students: int) -> str:
        return " ".join(choose(self.session, self.assignment, students or (self.ada, self.ben), AFTER).notes)


@pytest.fixture
def school(sessions: Sessions) -> Iterator[Class]:
    with writing(sessions) as session:
        yield Class(session)


def test_the_last_entry_before_the_deadline_takes_part(school: Class) -> None:
    school.enter(school.ada, DUE - 2 * HOUR, state=EntryState.REPLACED)
    school.enter(school.ada, DUE, state=EntryState.REPLACED)
    school.enter(school.ada, DUE + HOUR)
    school.enter(school.ben, DUE - HOUR, state=EntryState.OUT)
    assert school.chosen() == ["Ada 2", "Ben 1"]


def test_an_extension_is_one_students_own(school: Class) -> None:
    for author in (school.ada, school.ben):
        school.enter(author, DUE - HOUR, state=EntryState.REPLACED)
        school.enter(author, DUE + HOUR)
    extend(school.session, school.assignment, school.ben, in_utc(DUE + 2 * HOUR))
    assert school.chosen() == ["Ada 1", "Ben 2"]
    extend(school.session, school.assignment, school.ben, in_utc(DUE + HOUR / 2))
    assert school.chosen() == ["Ada 1", "Ben 1"]
    extend(school.session, school.assignment, school.ben, None)
    assert extensions(school.session, school.assignment) == {}


def test_who_entered_too_late_or_withdrew_is_told_of(school: Class) -> None:
    school.enter(school.ada, DUE + HOUR)
    school.enter(school.ben, DUE - HOUR, state=EntryState.WITHDRAWN, left_at=DUE - HOUR / 2)
    assert school.chosen() == []
    assert "Ada 1 entered only after the deadline" in school.notes()
    assert "Ben 1 withdrew before the deadline" in school.notes()


def test_whoever_withdrew_one_of_several_takes_part_with_the_last_of_the_others(school: Class) -> None:
    school.enter(school.ben, DUE - 3 * HOUR, state=EntryState.REPLACED, left_at=DUE - 2 * HOUR)
    school.enter(school.ben, DUE - 2 * HOUR)
    school.enter(school.ben, DUE - HOUR, state=EntryState.WITHDRAWN, left_at=DUE - HOUR)
    assert school.chosen() == ["Ben 2"]


def test_who_withdrew_after_the_deadline_takes_part(school: Class) -> None:
    school.enter(school.ben, DUE - HOUR, state=EntryState.WITHDRAWN, left_at=DUE + HOUR)
    assert school.chosen() == ["Ben 1"]


def test_an_entry_whose_author_was_removed_from_the_course_is_left_out_and_told_of(school: Class) -> None:
    school.enter(school.ada, DUE - HOUR)
    school.enter(school.ben, DUE - HOUR)
    assert school.chosen(school.ben) == ["Ben 1"]
    assert "Ada 1 is no longer a student in the course" in school.notes(school.ben)


def test_a_clock_that_jumps_back_does_not_change_which_entry_is_the_last(school: Class) -> None:
    school.enter(school.ada, DUE - HOUR, state=EntryState.REPLACED)
    school.enter(school.ada, DUE - 2 * HOUR)
    assert school.chosen() == ["Ada 2"]


def test_waiting_to_be_graded_costs_nobody_the_deadline(school: Class) -> None:
    upload = school.upload(school.ada, DUE - HOUR, state=JobState.DONE, finished_at=DUE + HOUR)
    entered = DUE + HOUR + timedelta(seconds=1)
    school.enter(school.ada, entered, player_id=upload.player_id, exclusion_from=DUE - HOUR)
    assert school.chosen() == ["Ada 1"]


def test_a_file_uploaded_in_time_and_entered_by_hand_after_the_deadline_is_late(school: Class) -> None:
    upload = school.upload(school.ada, DUE - 2 * HOUR, state=JobState.DONE, finished_at=DUE - HOUR)
    school.enter(school.ada, DUE + HOUR, player_id=upload.player_id)
    assert school.chosen() == []


def test_uploads_that_came_in_time_are_graded_first(school: Class) -> None:
    upload = school.upload(school.ada, DUE - HOUR)
    school.upload(school.ben, DUE + HOUR)
    with pytest.raises(
        StillWaiting, match="1 upload that arrived before the deadline is still being graded"
    ) as refused:
        school.chosen()
    assert refused.value.uploads == [upload.id]
    upload.state = JobState.PARKED
    assert f"Submission {upload.id} of Ada was uploaded in time, but could not be graded" in school.notes()


def test_a_final_is_frozen_after_every_deadline(school: Class) -> None:
    school.enter(school.ada, DUE - HOUR)
    extend(school.session, school.assignment, school.ben, in_utc(DUE + 2 * HOUR))
    with pytest.raises(DeadlineError, match="the last one is Fri 1 May 2026, 14:00 UTC"):
        school.chosen(at=DUE + HOUR)
    assert school.chosen(school.ada, at=DUE + HOUR) == ["Ada 1"], "a student who left keeps nobody waiting"


def test_there_must_be_a_deadline(school: Class) -> None:
    school.assignment.due_at = None
    with pytest.raises(DeadlineError, match=r"has no deadline\. Set one"):
        school.chosen()
    with pytest.raises(DeadlineError, match="no deadline that could"):
        extend(school.session, school.assignment, school.ada, in_utc(AFTER))


def test_an_extension_ends_later_than_the_deadline(school: Class) -> None:
    for until in (DUE, DUE - HOUR):
        with pytest.raises(DeadlineError, match="after the deadline"):
            extend(school.session, school.assignment, school.ada, in_utc(until))


def test_a_deadline_in_the_past_is_confirmed(school: Class) -> None:
    school.enter(school.ada, DUE - HOUR)
    with pytest.raises(DeadlinePast, match="1 student entered after it"):
        set_deadline(school.session, school.assignment, in_utc(DUE - 2 * HOUR), at=DUE)
    assert school.assignment.due_at == DUE, "nothing has changed"
    set_deadline(school.session, school.assignment, in_utc(DUE - 2 * HOUR), at=DUE, confirmed=True)
    assert school.chosen() == []
    set_deadline(school.session, school.assignment, in_utc(AFTER), at=DUE)
    set_deadline(school.session, school.assignment, None, at=DUE)
    assert school.assignment.due_at is None


def test_the_final_is_of_copies(school: Class) -> None:
    entry = school.enter(school.ada, DUE - HOUR, games=7, wins=5, faults=2, rating=1700.0)
    final = freeze_final(school.session, school.assignment, {school.ada}, FinalSettings(), AFTER)
    copy = school.session.get_one(Entry, final.entries[0])
    assert copy.id != entry.id
    assert (copy.author_id, copy.player_id, copy.games, copy.faults) == (entry.author_id, entry.player_id, 0, 0)
    assert (entry.state, entry.games) == (EntryState.ACTIVE, 7)
    assert final_of(school.session, school.assignment.id) is final
    assert school.session.get_one(Tournament, final.tournament_id).assignment_id == school.assignment.id


def test_whoever_entered_while_a_clock_was_ahead_is_named_and_an_extension_lets_them_in(school: Class) -> None:
    school.enter(school.ada, DUE + 24 * HOUR)
    assert school.chosen() == []
    assert "Ada 1 entered only after the deadline" in school.notes()
    extend(school.session, school.assignment, school.ada, in_utc(DUE + 25 * HOUR))
    assert school.chosen(at=DUE + 26 * HOUR) == ["Ada 1"]
