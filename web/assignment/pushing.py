"""Push a course folder to its course on the site: plan what the push would change and for whom, and carry it out.

Each function works in the caller's transaction. A first transaction plans the push. A second transaction carries it
out, and fails if the site was edited in the meantime. The case sets are generated between the two transactions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.authoring.course_folder.course import CourseSettings
from grader.authoring.course_folder.files import FolderState, SiteState
from grader.authoring.papers import CaseSets, store_sets
from grader.authoring.versions import Overwritten, current_ladders, definition_of, live, publish
from grader.definition.differences import Difference, Touches, differences
from grader.definition.local_times import LocalTime
from grader.definition.model import Definition
from grader.store.models import Assignment, AssignmentDraft, Submission
from tournament.store.tables import Entry, Final, FinalPhase, Tournament
from web.site.models import Course, User
from web.site.text import count


@dataclass(frozen=True, slots=True)
class Part:
    """What a push would do to one assignment. `before` is the definition on the site, or None if the site has no such
    assignment; `base` is the number of that definition's version. `site_edits` are the changes made on the site since
    the folder was last pulled or pushed. A push with a `conflict` is refused. `asks` are sentences that the user must
    confirm; `notes` are sentences that need no confirmation."""

    slug: str
    definition: Definition
    before: Definition | None = None
    base: int = 0
    changes: Sequence[Difference] = ()
    conflict: bool = False
    site_edits: Sequence[Difference] = ()
    asks: Sequence[str] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What a push would do to a course. `former` are the course's settings before the push, or None if the course does
    not exist. `only_on_site` are the assignments that are missing from the folder; a push does not change them.
    """

    settings: CourseSettings
    former: CourseSettings | None
    parts: Sequence[Part]
    settings_conflict: bool = False
    only_on_site: Sequence[str] = ()

    @property
    def setting_changes(self) -> list[Difference]:
        """The changes to the course's own settings."""
        if self.former is None:
            return [Difference("course", None, self.settings.title)]
        former, new = self.former.model_dump(), self.settings.model_dump()
        return [Difference(f"course.{name}", former[name], new[name]) for name in new if former[name] != new[name]]

    @property
    def changed(self) -> list[Part]:
        """The assignments that a push would change."""
        return [part for part in self.parts if part.changes]

    @property
    def conflicts(self) -> list[str]:
        """The edits on the site since the last pull; a push would undo these edits."""
        return [
            *(["course.toml"] if self.settings_conflict else []),
            *(each.slug for each in self.parts if each.conflict),
        ]


def settings_of_course(course: Course) -> CourseSettings:
    """The settings of a course on the site, in the form of its course.toml."""
    return CourseSettings.model_construct(
        slug=course.slug, title=course.title, time_zone=course.time_zone, term=course.term
    )


def course_called(session: Session, slug: str) -> Course | None:
    """The course with that slug, or None."""
    return session.scalars(select(Course).where(Course.slug == slug)).one_or_none()


def published_assignments(session: Session, course: Course) -> dict[str, Assignment]:
    """The course's assignments that have a version, by slug."""
    wanted = select(Assignment).where(Assignment.course_id == course.id, Assignment.version > 0)
    return {each.slug: each for each in session.scalars(wanted.order_by(Assignment.id))}


def plan_push(
    session: Session, settings: CourseSettings, assignments: Mapping[str, Definition], state: FolderState
) -> Plan:
    """Plan a push of these assignments; `state` is the folder's record of the site."""
    course = course_called(session, settings.slug)
    if course is None:
        new = [
            Part(slug, definition, changes=differences(None, definition)) for slug, definition in assignments.items()
        ]
        return Plan(settings, None, new)
    former = settings_of_course(course)
    there = published_assignments(session, course)
    parts = [
        _pushed_part(session, _assignment_to_push(session, course, slug), slug, definition, state.assignments.get(slug))
        for slug, definition in assignments.items()
    ]
    conflict = settings != former and state.course != former.digest
    return Plan(settings, former, parts, conflict, sorted(there.keys() - assignments.keys()))


def carry_out(session: Session, planned: Plan, case_sets: CaseSets, by: int | None) -> dict[str, int]:
    """Carry out the whole plan. Raises Overwritten, and changes nothing, if the site was edited in the meantime.
    Returns the numbers of the published versions, by assignment. The caller must send `tournament.pair` after the
    commit."""
    course = course_called(session, planned.settings.slug)
    if (settings_of_course(course) if course else None) != planned.former:
        raise Overwritten("changed the course's settings", 0, 0)
    if course is None:
        course = Course(slug=planned.settings.slug)
        session.add(course)
    for name in ("title", "time_zone", "term"):
        setattr(course, name, getattr(planned.settings, name))
    session.flush()
    store_sets(session, case_sets)
    numbers = dict[str, int]()
    for part in planned.changed:
        assignment = _assignment_to_push(session, course, part.slug, lock=True)
        if assignment is None:
            assignment = Assignment(course_id=course.id, slug=part.slug, title=part.definition.title, game="")
            session.add(assignment)
            session.flush()
        elif part.before and assignment.version == part.base and live(session, assignment) != part.before:
            raise Overwritten("changed a setting", part.base, assignment.version)
        numbers[part.slug] = publish(session, assignment, part.definition, by, part.base).number
    return numbers


def seen_now(session: Session, planned: Plan, state: FolderState) -> FolderState:
    """The state that the folder must record once the folder and the site agree on everything in the plan."""
    course = course_called(session, planned.settings.slug)
    if course is None:
        return state
    there = published_assignments(session, course)
    seen = {slug: each for slug, each in state.assignments.items() if slug in there}
    for part in planned.parts:
        if part.slug in there:
            seen[part.slug] = seen_of(session, there[part.slug])
    return FolderState(settings_of_course(course).digest, seen)


def seen_of(session: Session, assignment: Assignment) -> SiteState:
    """The current state of an assignment on the site, in the form that a folder stores."""
    return SiteState(assignment.version, live(session, assignment).digest)


def _assignment_to_push(session: Session, course: Course, slug: str, lock: bool = False) -> Assignment | None:
    wanted = select(Assignment).where(Assignment.course_id == course.id, Assignment.slug == slug)
    return session.scalars(wanted.with_for_update() if lock else wanted).one_or_none()


def _pushed_part(
    session: Session, assignment: Assignment | None, slug: str, definition: Definition, seen: SiteState | None
) -> Part:
    if assignment is None:
        return Part(slug, definition, changes=differences(None, definition))
    asks = []
    if draft := session.get(AssignmentDraft, assignment.id):
        by, course = session.get_one(User, draft.saved_by), session.get_one(Course, assignment.course_id)
        saved = f"The draft that {by.name} last saved on the site, {LocalTime(draft.saved_at, course.zone).short},"
        asks.append(f"{saved} stays there but is overtaken: its author has to decide what becomes of it.")
    if not assignment.version:
        return Part(slug, definition, changes=differences(None, definition), asks=asks)
    before = live(session, assignment)
    changes = differences(before, definition)
    if not changes:
        return Part(slug, definition, before, assignment.version)
    conflict = seen is None or seen.digest != before.digest
    edits: Sequence[Difference] = ()
    if conflict and seen:  # the version with which the folder was last compared
        edits = differences(definition_of(session, assignment, min(seen.version, assignment.version)), before)
    asks += _asks(session, assignment, definition, changes)
    running = select(Final.tournament_id).join(Tournament, Tournament.id == Final.tournament_id)
    of_this = (Tournament.assignment_id == assignment.id, Final.phase.in_([FinalPhase.FROZEN, FinalPhase.RUNNING]))
    going = session.scalar(running.where(*of_this)) is not None
    notes = ["The final goes on with the version with which it was frozen."] if going else []
    return Part(slug, definition, before, assignment.version, changes, conflict, edits, asks, notes)


def _asks(session: Session, assignment: Assignment, definition: Definition, changes: Sequence[Difference]) -> list[str]:
    """What the user must confirm before these changes are published."""
    touched = {each.touches for each in changes}
    found = []
    if Touches.MARKS in touched:
        graded = (Submission.assignment_id == assignment.id, Submission.points.is_not(None))
        submissions, students = session.execute(
            select(func.count(), func.count(Submission.author_id.distinct())).where(*graded)
        ).one()
        if submissions:
            found.append(
                f"{count(submissions, 'graded submission')} of {count(students, 'student')} keep their points by the "
                "former version until they are graded again: `quadrille regrade`."
            )
    if Touches.SEASON in touched:
        entered = _entered(session, assignment)
        if entered:
            found.append(
                f"The season of the ladder ends, in which {count(entered, 'student')} took part, and a new one begins, "
                "in which everybody starts from zero."
            )
    due, former = definition.due_at, assignment.due_at
    if due and due != former:
        late = _entered(session, assignment, Entry.entered_at > due)
        if late:
            found.append(f"{count(late, 'student')} entered after the new deadline: too late for the final.")
    return found


def _entered(session: Session, assignment: Assignment, *more: object) -> int:
    """The number of students with an entry in the current ladders."""
    ladders = [each.id for each in current_ladders(session, assignment.id).values()]
    wanted = select(func.count(Entry.author_id.distinct())).where(Entry.tournament_id.in_(ladders), *more)  # type: ignore[arg-type]
    return session.scalar(wanted) or 0
