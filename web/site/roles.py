"""Define what each role in a course may do: plain rules about a `Viewer` and somebody's work.

`web.site.access` finds the objects that a person may see, and applies these rules.
"""

from dataclasses import dataclass
from typing import Any

from werkzeug.exceptions import Forbidden, NotFound

from grader.marks.comments import CodeComment
from grader.store.models import Assignment, Submission
from tournament.ladder.standings import ListedSeat
from tournament.store.tables import (
    CustomBatch,
    CustomGame,
    CustomSeat,
    Entry,
    HandGame,
    PlayedGame,
    Tournament,
    TournamentKind,
    VersionComparison,
)
from web.site.models import Course, Role

FOR_INSTRUCTORS = "Only the instructors of this course can see this page, or change what is on it."


@dataclass(frozen=True, slots=True)
class Viewer:
    """A member of a course who views it. `pupils` are the other students whose names and work the member sees; None
    means all students. `sections` are the sections that the member belongs to or teaches."""

    user_id: int
    pseudonym: str
    role: Role
    course: Course
    pupils: frozenset[int] | None
    sections: frozenset[str] = frozenset()

    @property
    def instructs(self) -> bool:
        """Whether they teach the course."""
        return self.role is Role.INSTRUCTOR

    @property
    def staff(self) -> bool:
        """Whether they see the work of others, as an instructor, a tutor or an observer."""
        return self.role is not Role.STUDENT

    @property
    def answers(self) -> bool:
        """Whether they answer students and mark their work."""
        return self.role in (Role.INSTRUCTOR, Role.TUTOR)

    def oversees(self, user_id: int | None) -> bool:
        """Whether they see this person's name and work. `user_id` is None for a house bot, which has no author."""
        return self.pupils is None or user_id in self.pupils

    def sees(self, author_id: int | None) -> bool:
        """Whether they see the private details of this person's work, either as its author or because they oversee the
        author."""
        return author_id == self.user_id or self.oversees(author_id)


@dataclass(frozen=True, slots=True)
class InCourse:
    """A course, or one of its assignments, and the member who views it."""

    assignment: Assignment | None
    viewer: Viewer

    @property
    def parent(self) -> dict[str, Any]:
        """The arguments of `url_for` for addresses below this course or assignment."""
        return {"assignment_id": self.assignment.id} if self.assignment else {"course": self.viewer.course.slug}


@dataclass(frozen=True, slots=True)
class Seen(InCourse):
    """An assignment and the member who views it."""

    assignment: Assignment


def teaching_course(viewer: Viewer) -> Viewer:
    """Allow only the course's instructors."""
    if not viewer.instructs:
        raise Forbidden(FOR_INSTRUCTORS)
    return viewer


def staff(viewer: Viewer) -> Viewer:
    """Allow only those who see the work of others."""
    if not viewer.staff:
        raise Forbidden("Only the instructors, tutors and observers of this course can see this page.")
    return viewer


def deciding(viewer: Viewer) -> None:
    """Allow only instructors to excuse a student or replace a mark."""
    if not viewer.instructs:
        raise Forbidden("Only the instructors of this course can excuse a student or replace a mark.")


def teaching(seen: Seen) -> Seen:
    """Allow only the course's instructors."""
    teaching_course(seen.viewer)
    return seen


def answering(seen: Seen, author_id: int) -> None:
    """Allow only the instructors, and the tutors of this student, to answer."""
    if not (seen.viewer.answers and seen.viewer.oversees(author_id)):
        raise Forbidden("Only the instructors, and the tutors of this student, can answer.")


def may_edit(seen: Seen, comment: CodeComment) -> bool:
    """Whether the viewer may change a comment. Only the comment's author and instructors may."""
    return seen.viewer.instructs or (seen.viewer.answers and comment.written_by == seen.viewer.user_id)


def editing(seen: Seen, comment: CodeComment) -> None:
    """Allow only those who may change a comment."""
    if not may_edit(seen, comment):
        raise Forbidden("Only the author of this comment and the instructors can change it.")


def own(work: Submission | VersionComparison, user_id: int) -> None:
    """Allow only the author of a submission or a comparison."""
    if work.author_id != user_id:
        raise Forbidden("Only the author of this submission can do that.")


def asked_for(game: CustomGame | CustomBatch, user_id: int) -> None:
    """Allow only the person who requested a custom game or a batch."""
    if game.asker_id != user_id:
        raise Forbidden("Only the person who asked for this can do that.")


def plays_by_hand(game: HandGame, user_id: int) -> None:
    """Allow only the person who plays this game against bots."""
    if game.person_id != user_id:
        raise Forbidden("Only the person who plays this game can do that.")


def plays_custom_games(tournament: Tournament) -> None:
    """Refuse a tournament that is not a ladder, since only ladders have custom games."""
    if tournament.kind is not TournamentKind.LADDER:
        raise NotFound("Custom games need a ladder, and this tournament is not a ladder.")


def own_seats(viewer: Viewer, game: CustomGame) -> dict[int, CustomSeat]:
    """The seats of a custom game whose private details the viewer may see, by seat number."""
    return {seat.seat: seat for seat in game.seats if viewer.sees(seat.author_id)}


def sees_inside(viewer: Viewer, entry: Entry | ListedSeat) -> bool:
    """Whether the viewer sees tracebacks, output and everything else that reveals the source of this entry's player."""
    return viewer.sees(entry.author_id)


def sat_in(viewer: Viewer, game: PlayedGame) -> None:
    """Allow only instructors, and students whose players sat in the game, to make it public."""
    if not viewer.instructs and all(seat.entry.author_id != viewer.user_id for seat in game.seats):
        raise Forbidden("Only the instructors and the people whose players took part in this game can share it.")


def acting(viewer: Viewer, entry: Entry) -> None:
    """Allow only the author of an entry and the instructors to withdraw or reinstate it."""
    if not may_act(viewer, entry):
        raise Forbidden("Only the author of this entry and the instructors can do that.")


def may_act(viewer: Viewer, entry: Entry) -> bool:
    """Whether the viewer may withdraw and reinstate an entry."""
    return viewer.instructs or entry.author_id == viewer.user_id


def see(viewer: Viewer, author_id: int | None, what: str, whose: str = "belongs to another student") -> None:
    """Allow only those who may see this person's work. Staff get NotFound, not Forbidden, for work that they do not
    oversee."""
    if not viewer.sees(author_id):
        raise NotFound(missing(what)) if viewer.staff else Forbidden(f"This {what} {whose}.")


def missing(what: str) -> str:
    """The message about something that does not exist, or that the person may not see."""
    return f"There is no such {what} in your courses."
