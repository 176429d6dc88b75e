"""Self-enrolment: people who have an account join a course with a code until it expires. Each function works in the
caller's transaction."""

import secrets
from datetime import timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from tournament.store.database import now
from web.models import Course, FormerMember, JoinCode, Membership, User
from web.people import members
from web.people.enrolment import join, pseudonyms_of
from web.people.people_file import Person, bad_name, sentence
from web.people.roster import RosterError

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # those that nobody takes for one another
LENGTH = 10
DAYS = {1: "for a day", 7: "for a week", 28: "for four weeks"}
"""For how long a code can be made."""

UNKNOWN = "No course has this code. Compare it with the one that you were given, or ask for another."


def new_code(session: Session, course: Course, by: int, days: int, section: str) -> JoinCode:
    """A code with which people join the course as students of that section; the former one ends. Raises RosterError.
    The caller holds the course."""
    section = " ".join(section.split())
    if days not in DAYS:
        raise RosterError("A code lasts for a day, a week or four weeks.")
    if section and (why := bad_name(section, "the section")):
        raise RosterError(sentence(why))
    former = session.get(JoinCode, course.id)
    if former:
        session.delete(former)
        session.flush()
    code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
    row = JoinCode(course_id=course.id, code=code, section=section, expires_at=now() + timedelta(days=days), made_by=by)
    session.add(row)
    members.log(session, course, by, "Code to join the course", "", f"new, {DAYS[days]} {section}".strip())
    return row


def end_code(session: Session, course: Course, by: int) -> None:
    """Nobody joins with the code of the course any more; those who did stay."""
    if session.scalar(select(JoinCode.course_id).where(JoinCode.course_id == course.id)) is not None:
        session.execute(delete(JoinCode).where(JoinCode.course_id == course.id))
        members.log(session, course, by, "Code to join the course", "in force", "ended")


def join_with(session: Session, user: User, typed: str) -> Course:
    """Make somebody a student of the course with this code, typed in any capitals, with or without hyphens and spaces.
    Raises RosterError."""
    code = "".join(letter for letter in typed.upper() if letter.isalnum())
    course_id = session.scalar(select(JoinCode.course_id).where(JoinCode.code == code))
    if course_id is None:
        raise RosterError(UNKNOWN)
    course = session.get_one(Course, course_id, with_for_update=True)
    row = session.get(JoinCode, course_id, populate_existing=True)
    if row is None or row.code != code:  # it was replaced at this moment
        raise RosterError(UNKNOWN)
    if row.expires_at <= now():
        raise RosterError(f"This code of {course.title} has expired. Ask the instructors for another.")
    if session.get(Membership, (user.id, course_id)):
        raise RosterError(f"You are in {course.title} already.")
    if session.get(FormerMember, (user.id, course_id)):
        raise RosterError(f"An instructor has removed you from {course.title}. Only they can bring you back.")
    person = Person(user.login, user.name, section=row.section)
    join(session, course, user.id, person, pseudonyms_of(session, course))
    members.log(session, course, user.id, user.login, "", "joined with a code")
    return course
