"""Registration: people without an account create one with the code of a course that is open to them.

If the site sends e-mail, they first type their address and receive a link to the form. The address becomes their user
name. Otherwise they choose a name, to which the course's name is added. This prevents them from taking a user name that
a class list or a sign-in provider gives to somebody else.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from itsdangerous import BadSignature, URLSafeTimedSerializer
from sqlalchemy import exists, func, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from sandbox import patterns
from web.people.enrolment import enrol, plan_for
from web.people.members import DOMAIN, find_code, log
from web.people.roster import RosterError
from web.site.models import Course, FormerMember, JoinCode, Membership, User
from web.site.people_file import LONGEST, BadPeople, PeopleFile, Person, WrongLine, person, sentence

VALID: Final = timedelta(days=1)
"""How long the link to the form can be used."""

MAILBOX: Final = patterns.compile(r"[a-z0-9!#$%&'*+/=?^_`{|}~.-]+")
"""The part of an address before the @, in lower case."""

CLOSED: Final = "Only people who have an account can join this course. Ask its instructors to add you."
NOT_ADDRESS: Final = "This is not an e-mail address. Write it like ada@uni.example, without a name beside it."
OTHER_DOMAIN: Final = "This course is open only to e-mail addresses at these domains: {domains}."
HERE: Final = "There is already an account with this address. Sign in, then join the course with its code."
TAKEN: Final = (
    "Somebody in this course already has that user name or student number. Choose another user name; if the number is "
    "yours,"
    " ask the instructors."
)


def open_course(session: Session, code: str, lock: bool = False) -> tuple[Course, JoinCode]:
    """Return the course that people without an account can join with this code. Raises RosterError."""
    course, row = find_code(session, code, lock)
    if not row.registers:
        raise RosterError(CLOSED)
    return course, row


def read_address(row: JoinCode, typed: str) -> str:
    """Read the address that somebody typed, in lower case. Raises RosterError if it cannot be used here."""
    address = typed.strip().lower()
    mailbox, _, domain = address.rpartition("@")
    if len(address) > LONGEST or not (MAILBOX.fullmatch(mailbox) and DOMAIN.fullmatch(domain)):
        raise RosterError(NOT_ADDRESS)
    if row.domains and domain not in row.domains.split():
        raise RosterError(OTHER_DOMAIN.format(domains=row.domains.replace(" ", ", ")))
    return address


def has_account(session: Session, address: str) -> bool:
    """Whether an address belongs to a present or former member of a course, or is a user name."""
    columns = User.login, Membership.email, FormerMember.email
    found = select(or_(*(exists().where(func.lower(each) == address) for each in columns)))
    return bool(session.scalar(found))


def link_token(secret: str, code: str, address: str) -> str:
    """Return a token for the link in an e-mail: it proves that its holder received the e-mail at that address."""
    return str(_registration_serializer(secret).dumps([code, address]))


def confirmed(secret: str, token: str) -> tuple[str, str] | None:
    """Return the code and the address in a token; None if the token is too old or was not issued here."""
    try:
        code, address = _registration_serializer(secret).loads(token, max_age=round(VALID.total_seconds()))
    except BadSignature:
        return None
    return code, address


def _registration_serializer(secret: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(secret, salt="register with this address")


def described(course: Course, row: JoinCode, address: str, given: Mapping[str, str]) -> Person:
    """Return the person who registers. `address` is confirmed, or "" on a site that sends no e-mail. Raises RosterError
    and BadPeople."""
    if not address and row.domains:
        raise RosterError(OTHER_DOMAIN.format(domains=row.domains.replace(" ", ", ")))
    login = read_address(row, address) if address else f"{given.get('login', '').strip()}@{course.slug}"
    number = " ".join(given.get("student_number", "").split())
    who = person(login, given.get("name", "").strip(), email=address, student_number=number, section=row.section)
    if isinstance(who, WrongLine):
        raise BadPeople(sentence(who.why))
    return who


def register(session: Session, code: str, address: str, given: Mapping[str, str], password_hash: str) -> User:
    """Create an account for somebody, and make them a student of the course. Raises RosterError and BadPeople."""
    course, row = open_course(session, code, lock=True)
    who = described(course, row, address, given)
    if address and has_account(session, address):
        raise RosterError(HERE)
    plan = plan_for(session, course, PeopleFile([who]))
    if not plan.new:
        raise RosterError(TAKEN)
    try:
        enrol(session, course, plan)
    except IntegrityError as error:  # somebody else has just created this account
        raise RosterError(TAKEN) from error
    user = session.scalars(select(User).where(User.login == who.login)).one()
    user.password_hash, user.one_time = password_hash, False
    log(session, course, user.id, user.login, "", "registered with a code")
    return user
