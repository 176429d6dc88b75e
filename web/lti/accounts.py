"""Find the account on this site for a person from a platform, and the person's place in the course that is connected
with the platform's course.

An account is found as in `web.sign_on.linking`: never by an e-mail address, and by a claim only if the account belongs
to a student of the same course. A launch can add people to the course, but never changes a role.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from tournament.store.validation import Refusal
from web.lti.messages import CLAIM, GRADES, MEMBERS, Claims, claimed, text_in
from web.lti.tables import LtiCourse, LtiMember, LtiPlatform
from web.people import members
from web.people.enrolment import join, pseudonyms_of
from web.sign_on import linking
from web.sign_on.linking import NO_ACCOUNT, NotConnected
from web.sign_on.protocol import Claimed, as_text
from web.site.models import Course, FormerMember, Membership, Role, User
from web.site.people_file import Person, bad_particulars

ROLES: Final[Mapping[str, Role]] = {
    "TeachingAssistant": Role.TUTOR,
    "Instructor": Role.INSTRUCTOR,
    "Administrator": Role.INSTRUCTOR,
    "Mentor": Role.OBSERVER,
    "Learner": Role.STUDENT,
}
"""The role in a course for each of the platforms' role names. The first match decides, since a teaching assistant is
often also an instructor."""

IN_COURSE: Final = "http://purl.imsglobal.org/vocab/lis/v2/membership"
TEST: Final = "http://purl.imsglobal.org/vocab/lti/system/person#TestUser"

REMOVED: Final = "An instructor has removed you from {title}. Only they can bring you back."
NO_ROLE: Final = "{title} does not say that you teach, study or observe in this course, so you were not added to it."
A_TEST: Final = (
    "You opened this link as the test student of {title}, who has no account here. To see what a student sees, open "
    "a student's page here and choose “View as this student”."
)


class NotAdmitted(Refusal):
    """A person sent by a platform cannot enter the course; the message says why."""

    status = 403


def role_of(roles: Any) -> Role | None:
    """The role in the course for the roles of a launch or a list of people; None if they give no role. University-wide
    roles give no rights in a course."""
    listed = [each for each in roles if isinstance(each, str)] if isinstance(roles, Sequence) else []
    words = {_word(each) for each in listed}
    return next((role for word, role in ROLES.items() if word in words), None)


def _word(role: str) -> str:
    """The principal role in a role's URI, without its sub-role: `Learner#Instructor` is a learner."""
    place, _, word = role.partition("#")
    principal = place.removeprefix(IN_COURSE).strip("/")
    if not place.startswith(IN_COURSE) or principal == "":
        return word if place == IN_COURSE else role
    return word if (principal, word) == ("Instructor", "TeachingAssistant") else principal


def is_test(roles: Any) -> bool:
    """Whether the roles are those of a platform's test student."""
    return isinstance(roles, Sequence) and TEST in roles


def connected_course(store: Session, platform: LtiPlatform, claims: Claims) -> LtiCourse | None:
    """The platform's course from which a message comes; None if it is not connected with a course on this site."""
    place = (claims[f"{CLAIM}deployment_id"], text_in(claims, "context", "id"))
    wanted = select(LtiCourse).where(LtiCourse.platform_id == platform.id)
    return store.scalar(wanted.where(LtiCourse.deployment == place[0], LtiCourse.context == place[1]))


def note_services(link: LtiCourse, claims: Claims) -> None:
    """Store what a message says about the services of the platform's course."""
    link.title = text_in(claims, "context", "title") or link.title
    link.members_url = text_in(claims, MEMBERS, "context_memberships_url") or link.members_url
    link.items_url = text_in(claims, GRADES, "lineitems") or link.items_url
    if text_in(claims, "custom", "section"):
        link.rlid = text_in(claims, "resource_link", "id")


def admitted(store: Session, link: LtiCourse, claims: Claims) -> User:
    """The account of a person who comes from a connected course. If necessary, the account is created, connected and
    added to the course on this site. Raises NotConnected and NotAdmitted."""
    roles, platform = claims.get(f"{CLAIM}roles"), link.platform
    if is_test(roles):
        raise NotAdmitted(A_TEST.format(title=platform.title))
    person, role = claimed(platform, claims), role_of(roles)
    course = store.get_one(Course, link.course_id, with_for_update=True)
    user = linking.known(store, person) or _first_time(store, link, person, role)
    if store.get(Membership, (user.id, course.id)) is None:
        if store.get(FormerMember, (user.id, course.id)):
            raise NotAdmitted(REMOVED.format(title=course.title))
        if role is None:
            raise NotAdmitted(NO_ROLE.format(title=platform.title))
        section = section_of(claims.get(f"{CLAIM}custom"))
        add(store, course, user, replace(of_platform(person, user), role=role, section=section), platform.title)
    store.merge(LtiMember(lti_course_id=link.id, user_id=user.id, subject=person.subject))
    return user


def _first_time(store: Session, link: LtiCourse, person: Claimed, role: Role | None) -> User:
    platform = link.platform
    found = linking.owner(store, platform.provider, person)
    here = store.get(Membership, (found.id, link.course_id)) if found else None
    if found and here and here.role is Role.STUDENT and role is Role.STUDENT:
        linking.take(store, found, platform.provider, person)
        return found
    if not platform.creates or role is None:
        raise NotConnected(NO_ACCOUNT.format(title=platform.title, known_as=person.known_as))
    user = linking.make(store, platform.provider, replace(person, login=login_of(person)))
    linking.attach(store, user, person)
    return user


def login_of(person: Claimed) -> str:
    """The login for a new account."""
    return person.login or person.subject


def section_of(custom: Any) -> str:
    """The sections in the custom parameter `section`, which is text or Canvas's list; "" if the value is not allowed in
    a file of people, or is a placeholder that the platform has not replaced."""
    said = as_text(custom.get("section")) if isinstance(custom, dict) else ""
    found = "; ".join(filter(None, (part.strip(' "[]') for part in said.split(","))))
    return "" if found.startswith("$") or bad_particulars({"section": found}, "") else found


def of_platform(person: Claimed, user: User | None = None) -> Person:
    """Convert a platform's person to a line of a file of people, without values that are not allowed there."""
    said = {"student_number": person.student_number, "email": person.mail}
    fit = {name: "" if bad_particulars({name: value}, "") else value for name, value in said.items()}
    login = user.login if user else login_of(person)
    name = user.name if user else person.name or login
    return Person(login, name, student_number=fit["student_number"], email=fit["email"])


def add(store: Session, course: Course, user: User, person: Person, title: str) -> None:
    """Add a person to a course. The caller has locked the course row."""
    others = store.execute(select(Membership.student_number, Membership.email).where(Membership.course_id == course.id))
    taken = {value.lower() for row in others for value in row}
    number, email = ("" if each.lower() in taken else each for each in (person.student_number, person.email))
    unshared = replace(person, student_number=number, email=email)
    join(store, course, user.id, unshared, pseudonyms_of(store, course))
    members.log(store, course, user.id, user.login, "", f"joined from {title} as {person.role}")
