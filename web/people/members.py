"""The people of a course: adding them with a file, or letting them join with a code; the pseudonym and the role of a
member, the time zone of the course, and the log of who changed what. All functions except `add` work in the caller's
transaction."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from grader.definition.local_times import find_zone
from grader.store.models import Assignment, Change, Submission, note_course_change
from sandbox import patterns
from tournament.store.database import now
from tournament.store.mail import ADDRESS, PasswordRequest, failing
from tournament.store.notices import NoticeKind, tell
from tournament.store.validation import ChangedMeanwhile
from web.people.enrolment import (
    EnrolmentPlan,
    enrol,
    free_pseudonym,
    join,
    looks,
    plan_for,
    pseudonyms_of,
    tidy,
    why_not_pseudonym,
)
from web.people.roster import RosterError, has_entered, rename
from web.site import languages
from web.site.access import InCourse
from web.site.models import PARTICULARS, Course, FormerMember, JoinCode, Membership, Role, User
from web.site.people_file import WORDS, PeopleFile, Person, bad_name, bad_particulars, sentence
from web.site.store import settings, write

ENTERED = (
    "You have entered a tournament, so others know you by your pseudonym, and you cannot change it any more. An "
    "instructor can change it if there is a reason."
)
PSEUDONYM_OF = "Pseudonym of {}"  # as in the log
LISTED = 20  # names in a line of the log
MEANS = {
    Role.STUDENT: "You are now a student in this course and can no longer see the work of others.",
    Role.TUTOR: "You are now a tutor in this course: you can see the reports, files and replays of the students in "
    "your sections.",
    Role.OBSERVER: "You are now an observer in this course: you can see the work of all its students, but cannot "
    "change anything.",
    Role.INSTRUCTOR: "You are now an instructor in this course: you can see everybody's work, and change everything "
    "that the other instructors can.",
}


def log(session: Session, course: Course, by: int, what: str, former: str, value: str) -> None:
    """Log a change to a course or its people; see `note_course_change`."""
    note_course_change(session, course.id, by, what, former, value)


def listed(logins: Sequence[str]) -> str:
    """Return several logins as a line of the log shows them."""
    more = len(logins) - LISTED
    return ", ".join(logins[:LISTED]) + (f" and {more} more" if more > 0 else "")


def change_pseudonym(session: Session, course: Course, user_id: int, pseudonym: str, reason: str) -> tuple[str, str]:
    """Give a member another pseudonym ("" stands for a made-up one), and tell them the reason. In past games, the new
    pseudonym replaces the former one. Returns the former and the new pseudonym. Raises RosterError. The caller has
    locked the course row."""
    member, reason = _member(session, course, user_id), " ".join(reason.split())
    pseudonym = tidy(pseudonym) or free_pseudonym(pseudonyms_of(session, course))
    if why := bad_name(pseudonym, "the pseudonym") or bad_name(reason, "the reason"):
        raise RosterError(sentence(why))
    former = _replace(session, course, member, pseudonym)
    if pseudonym != former:
        text = f"An instructor has changed the name that your fellow students see; it was {former}. Reason: {reason}"
        tell(session, user_id, None, f"You play as {pseudonym} in {course.title} now", text, kind=NoticeKind.ACCOUNT)
    return former, pseudonym


def choose_pseudonym(session: Session, course: Course, user_id: int, pseudonym: str) -> str:
    """Let a member who has not entered a tournament yet choose their own pseudonym, and return the new one. Raises
    RosterError. The caller has locked the course row, so that two people cannot get the same pseudonym."""
    member, pseudonym = _member(session, course, user_id), tidy(pseudonym)
    if has_entered(session, course.id, user_id):
        raise RosterError(ENTERED)
    if why := why_not_pseudonym(pseudonym):
        raise RosterError(why)
    if looks(pseudonym) in map(looks, _not_for(session, course, member)):
        raise RosterError(f"“{pseudonym}” was replaced by an instructor, or is another person's name. Choose another.")
    former = _replace(session, course, member, pseudonym)
    if pseudonym != former:
        log(session, course, user_id, PSEUDONYM_OF.format(member.user.login), former, pseudonym)
    return pseudonym


def _not_for(session: Session, course: Course, member: Membership) -> list[str]:
    """Return the names that the member may not choose: the real names of others in the course, and those of the
    member's pseudonyms that instructors have replaced."""
    names = select(User.name).join(Membership, Membership.user_id == User.id)
    names = names.where(Membership.course_id == course.id, User.id != member.user_id)
    replaced = select(Change.former).where(
        Change.course_id == course.id,
        Change.setting == PSEUDONYM_OF.format(member.user.login),
        Change.changed_by != member.user_id,
    )
    return [*session.scalars(names), *session.scalars(replaced)]


def _replace(session: Session, course: Course, member: Membership, pseudonym: str) -> str:
    """Replace a member's pseudonym and return the former one. Submissions that wait to enter are renamed first. This
    waits for any process that is entering one of them and has locked its row, so that the resulting entry is renamed
    too."""
    former = member.pseudonym
    if looks(pseudonym) in pseudonyms_of(session, course) - {looks(former)}:
        raise RosterError(
            f"“{pseudonym}” is the pseudonym of somebody else who is or was in this course, or too similar to such a"
            " pseudonym."
        )
    if pseudonym != former:
        of_course = select(Assignment.id).where(Assignment.course_id == course.id)
        own = Submission.author_id == member.user_id, Submission.assignment_id.in_(of_course)
        session.execute(update(Submission).where(*own).values(entry_name=pseudonym))
        rename(session, course.id, member.user_id, former, pseudonym)
        member.pseudonym = pseudonym
    return former


def change_particulars(
    session: Session, course: Course, user_id: int, given: Mapping[str, str]
) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Set the student number, e-mail, section and group of a member, and return the former and the new values. Raises
    RosterError."""
    member = _member(session, course, user_id)
    fresh = {name: " ".join(given.get(name, "").split()) for name in PARTICULARS}
    if why := bad_particulars(fresh, member.user.name):
        raise RosterError(sentence(why))
    others = select(Membership).where(Membership.course_id == course.id, Membership.user_id != user_id)
    for name in ("email", "student_number"):
        same = func.lower(getattr(Membership, name)) == fresh[name].lower()
        other = session.scalars(others.where(same).limit(1)).first() if fresh[name] else None
        if other:
            raise RosterError(f"The {WORDS[name]} “{fresh[name]}” belongs to {other.user.name} ({other.user.login}).")
    former = {name: getattr(member, name) for name in PARTICULARS}
    for name, value in fresh.items():
        setattr(member, name, value)
    return former, fresh


def change_role(session: Session, course: Course, by: int, user_id: int, role: Role) -> Role:
    """Give a member another role, and return the former one. Raises RosterError.

    Only an instructor can change roles, and nobody can change their own role, so a course always keeps an instructor.
    """
    member, asking = _member(session, course, user_id), session.get(Membership, (by, course.id), populate_existing=True)
    if asking is None or asking.role is not Role.INSTRUCTOR:
        raise RosterError("You no longer teach this course.")
    if by == user_id:
        raise RosterError("You cannot change your own role. Another instructor of this course can.")
    former, member.role = member.role, role
    if former is not role:
        member.user.once_taught |= former is Role.INSTRUCTOR
        tell(session, user_id, None, f"Your role in {course.title} has changed", MEANS[role], kind=NoticeKind.ACCOUNT)
    return former


def assign(session: Session, course: Course, by: int, user_id: int, role: Role, section: str | None) -> str:
    """Give a member another role and, unless `section` is None, another section. Log both changes, and return the
    member's section. Raises RosterError."""
    member = _member(session, course, user_id)
    former = change_role(session, course, by, user_id, role)
    log(session, course, by, f"Role of {member.user.login}", former, role)
    if section is not None:
        given = {name: getattr(member, name) for name in PARTICULARS} | {"section": section}
        before, after = change_particulars(session, course, user_id, given)
        log(session, course, by, f"Section of {member.user.login}", before["section"], after["section"])
    return member.section


def change_time_zone(session: Session, course: Course, by: int, name: str) -> str:
    """Give a course another time zone, log it, and return the former one. Raises UnknownZone.

    Deadlines remain the same instants; only the time zone in which they are shown changes.
    """
    former, course.time_zone = course.time_zone, find_zone(name).key
    log(session, course, by, "Time zone of the course", former, course.time_zone)
    return former


def change_language(session: Session, course: Course, by: int, code: str) -> None:
    """Choose the language of a course's pages for people who have not chosen one; "" stands for the language that each
    browser asks for."""
    former, course.language = course.language, languages.chosen(code)
    log(session, course, by, "Language of the course", former, course.language)


def _member(session: Session, course: Course, user_id: int) -> Membership:
    member = session.get(Membership, (user_id, course.id), populate_existing=True)
    if member is None:
        raise RosterError("They are not in this course.")
    return member


# Adding people, for the site and its API


def invites() -> bool:
    """Whether people get a link to choose their own password, instead of a one-time password from an instructor."""
    return settings().mail_links and settings().passwords_for is None


def invite(session: Session, people: Mapping[str, str]) -> set[str]:
    """Request e-mails with links by which these people choose passwords that nobody else knows. `people` maps logins to
    addresses; returns the logins whose addresses can be used."""
    refused = failing(session, people.values())
    found = {login: each for login, each in people.items() if ADDRESS.fullmatch(each) and each not in refused}
    for login, id_ in session.execute(select(User.login, User.id).where(User.login.in_(found))):
        session.add(PasswordRequest(user_id=id_, typed=found[login]))
    return set(found)


OTHERWISE = (
    "Somebody has changed the course or these accounts since you opened this page. Nothing was done. Please check the "
    "list again."
)


def add(
    seen: InCourse, sheet: PeopleFile, check: Callable[[EnrolmentPlan], None]
) -> tuple[EnrolmentPlan, dict[str, str]]:
    """Put the people of a file into the course, unless `check` refuses the plan. Return the plan, and the one-time
    password of each new login that is not invited by e-mail. Raises ChangedMeanwhile."""
    with write() as session:
        course = session.get_one(Course, seen.viewer.course.id, with_for_update=True)
        plan = plan_for(session, course, sheet)
        check(plan)
        try:
            passwords = enrol(session, course, plan)
        except IntegrityError as error:  # another course has just created one of these accounts
            raise ChangedMeanwhile(OTHERWISE) from error
        for login in invite(session, {each.login: each.email for each in plan.new}) if invites() else ():
            del passwords[login]
        added = listed([person.login for person in plan.adding])
        log(session, course, seen.viewer.user_id, "People added", "", added)
        updated = listed([person.login for person in plan.updating])
        log(session, course, seen.viewer.user_id, "Numbers, e-mails, sections and groups", "", updated)
    return plan, passwords


# Joining with a code; `web.people.registration` is for people without an account

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without characters that look alike
LENGTH = 10
DAYS = {1: "for a day", 7: "for a week", 28: "for four weeks"}
"""How many days a code can last, with the words for each choice."""

DOMAIN = patterns.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
"""The domain of an e-mail address in lower case; domains beyond ASCII are written as `xn--…`."""

UNKNOWN = "No course has this code. Compare it with the one that you were given, or ask for another."


def new_code(
    session: Session, course: Course, by: int, days: int, section: str, domains: str | None = None
) -> JoinCode:
    """Create a code with which people join the course as students of that section; the former code ends. Unless
    `domains` is None, people without an account can create one with an address at one of these domains, or at any
    domain if `domains` is "". Raises RosterError. The caller has locked the course row."""
    section = " ".join(section.split())
    if days not in DAYS:
        raise RosterError("A code is valid for a day, a week or four weeks.")
    if section and (why := bad_name(section, "the section")):
        raise RosterError(sentence(why))
    former = session.get(JoinCode, course.id)
    if former:
        session.delete(former)
        session.flush()
    code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
    row = JoinCode(course_id=course.id, code=code, section=section, expires_at=now() + timedelta(days=days), made_by=by)
    row.registers, row.domains = domains is not None, read_domains(domains or "")
    session.add(row)
    anybody = f"open to people without an account: {row.domains or 'any address'}" if row.registers else ""
    log(session, course, by, "Code to join the course", "", " ".join(f"new, {DAYS[days]} {section} {anybody}".split()))
    return row


def end_code(session: Session, course: Course, by: int) -> None:
    """End the course's code: nobody can join with it any more. People who have joined with it stay in the course."""
    if session.scalar(select(JoinCode.course_id).where(JoinCode.course_id == course.id)) is not None:
        session.execute(delete(JoinCode).where(JoinCode.course_id == course.id))
        log(session, course, by, "Code to join the course", "in force", "ended")


def read_domains(typed: str) -> str:
    """Read the mail domains that an instructor typed, in lower case and separated by spaces. Raises RosterError."""
    found = [each.removeprefix("@").lower() for each in typed.replace(",", " ").replace(";", " ").split()]
    if wrong := next((each for each in found if not DOMAIN.fullmatch(each)), ""):
        raise RosterError(f"“{wrong}” is not the domain of an e-mail address, such as uni.example.")
    return " ".join(dict.fromkeys(found))


def find_code(session: Session, typed: str, lock: bool = False) -> tuple[Course, JoinCode]:
    """Find the code that somebody typed, and its course. Capitals, hyphens and spaces make no difference. With `lock`,
    the course row is locked. Raises RosterError if the code is not valid."""
    code = "".join(letter for letter in typed.upper() if letter.isalnum())
    course_id = session.scalar(select(JoinCode.course_id).where(JoinCode.code == code))
    if course_id is None:
        raise RosterError(UNKNOWN)
    course = session.get_one(Course, course_id, with_for_update=lock)
    row = session.get(JoinCode, course_id, populate_existing=True)
    if row is None or row.code != code:  # it has just been replaced
        raise RosterError(UNKNOWN)
    if row.expires_at <= now():
        raise RosterError(f"This code of {course.title} has expired. Ask the instructors for another.")
    return course, row


def join_with(session: Session, user: User, typed: str) -> Course:
    """Make somebody a student of the course that has this code. Raises RosterError."""
    course, row = find_code(session, typed, lock=True)
    if session.get(Membership, (user.id, course.id)):
        raise RosterError(f"You are in {course.title} already.")
    if session.get(FormerMember, (user.id, course.id)):
        raise RosterError(f"An instructor has removed you from {course.title}. Only they can bring you back.")
    person = Person(user.login, user.name, section=row.section)
    join(session, course, user.id, person, pseudonyms_of(session, course))
    log(session, course, user.id, user.login, "", "joined with a code")
    return course
