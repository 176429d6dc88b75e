"""Adding people to a course, for the site and its API. What is done is logged."""

from collections.abc import Callable

from sqlalchemy.exc import IntegrityError

from tournament.store.validation import Refusal
from web.models import Course
from web.people import members
from web.people.enrolment import EnrolmentPlan, enrol, plan_for, refuse_wrong
from web.people.people_file import PeopleFile
from web.site.access import Seen
from web.site.store import write


class CourseChanged(Refusal):
    """What would be done now is not what was agreed to, so nothing was done."""

    code = "conflict"

    def __init__(self) -> None:
        super().__init__(
            "Somebody has changed the course or these accounts since you looked. Nothing was done. Please look again."
        )


def nothing_wrong(plan: EnrolmentPlan) -> bool:
    """The agreement of a program, which agrees if no line is wrong. Raises BadPeople."""
    refuse_wrong(plan.wrong)
    return True


def add(seen: Seen, sheet: PeopleFile, agreed: Callable[[EnrolmentPlan], bool]) -> tuple[EnrolmentPlan, dict[str, str]]:
    """Put the people of a file into the course if the plan is `agreed` to. Return the plan, and the one-time password
    of each new login. Raises CourseChanged."""
    with write() as session:
        course = session.get_one(Course, seen.viewer.course.id, with_for_update=True)
        plan = plan_for(session, course, sheet)
        if not agreed(plan):
            raise CourseChanged
        try:
            passwords = enrol(session, course, plan)
        except IntegrityError as error:  # another course has made one of these accounts at this moment
            raise CourseChanged from error
        added = members.listed([person.login for person in plan.adding])
        members.log(session, course, seen.viewer.user_id, "People added", "", added)
        updated = members.listed([person.login for person in plan.updating])
        members.log(session, course, seen.viewer.user_id, "Numbers, e-mails, sections and groups", "", updated)
    return plan, passwords
