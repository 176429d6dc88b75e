"""Links with which people choose a password. This module decides who can get a link, and creates the link's token,
which identifies the person, the password to replace, and the time at which the token was created.

Instructors enter the e-mail addresses. So a link is sent only if it does not let an instructor into an account that
they could not change anyway (`web.people.roster`). People who have forgotten their password get a link if they have
never taught, and if all their present and former courses have the same address for them. Invited people have a password
that nobody knows; the instructor who invites them has created the account or may replace its password.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final

from itsdangerous import BadSignature, URLSafeTimedSerializer
from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from tournament.store.database import now
from tournament.store.mail import ADDRESS, Mail, PasswordRequest
from web.mail.message import MailPart
from web.people import registration
from web.people.roster import RosterError
from web.site.models import FormerMember, Membership, Role, User

VALID: Final = timedelta(minutes=30)
INVITED: Final = timedelta(days=14)
"""How long an invitation can be used."""

AGAIN: Final = timedelta(minutes=10)
"""The time in which a person gets only one link, however often a link is requested."""

SUBJECT: Final = "Quadrille: choose a new password"
CHOOSE: Final = "Choose your password"


def owner_of(session: Session, secret: str, token: str) -> User | None:
    """The person whose password may be replaced with this token; None if the token is too old or has been used. The
    token of an invitation works only until a first password is chosen."""
    for first, valid in ((False, VALID), (True, INVITED)):
        with suppress(BadSignature):
            user_id, password = _reset_serializer(secret, first).loads(token, max_age=round(valid.total_seconds()))
            owner = session.get(User, user_id)
            return (
                owner if owner and _password_fingerprint(owner) == password and (owner.one_time or not first) else None
            )
    return None


def _reset_serializer(secret: str, first: bool = False) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(secret, salt="choose a first password" if first else "choose a new password")


def _password_fingerprint(owner: User) -> str:
    """A hash that changes with the password, so that a link stops working when the password changes."""
    return sha256(f"{owner.generation} {owner.password_hash}".encode()).hexdigest()[:32]


def links_for(session: Session, asked: PasswordRequest, secret: str) -> list[Mail]:
    """Return the e-mails that answer a request, and delete the request."""
    session.delete(asked)
    if asked.user_id is not None:
        return _to_invite(session, asked, secret)
    return _to_register(session, asked, secret) if asked.code else _to_replace(session, asked, secret)


def _to_invite(session: Session, asked: PasswordRequest, secret: str) -> list[Mail]:
    """The invitation for a person whose account an instructor created, or whose password an instructor replaced with
    one that nobody knows. No invitation is sent if the person has chosen a password since, or if their address in the
    course has changed."""
    named = Membership.user_id == asked.user_id, Membership.email == asked.typed
    member = session.scalars(select(Membership).where(*named).limit(1)).first()
    if member is None or not member.user.one_time:
        return []
    owner, course = member.user, member.course
    text = (
        f"You have an account for {course.title}. Your user name is “{owner.login}”. Choose your password with the "
        f"link, which can be used once, within {INVITED.days} days."
    )
    links = [
        [
            f"/sign-in/reset/{_reset_serializer(secret, first=True).dumps([owner.id, _password_fingerprint(owner)])}",
            CHOOSE,
        ]
    ]
    part = _reset_part("Your account", text, links, owner.language or course.language)
    return [Mail(user_id=owner.id, address=asked.typed, subject=f"{course.title}: your account", parts=[part])]


def _to_register(session: Session, asked: PasswordRequest, secret: str) -> list[Mail]:
    """The answer to a person who wants to create an account with the code of a course. It contains nothing that they
    typed, since the address may belong to somebody else."""
    try:
        course, row = registration.open_course(session, asked.code)
        address = registration.read_address(row, asked.typed)
    except RosterError:  # the code has expired since
        return []
    subject = f"{course.title}: your account"
    if _sent_lately(session, Mail.address == address, Mail.subject == subject):
        return []
    if registration.has_account(session, address):
        text = (
            f"Somebody, hopefully you, wants to create an account with this address, to join {course.title}. There is "
            f"one"
            " already. Sign in to join. If you have forgotten your password, ask for a new one. If it was not you, "
            "ignore this e-mail."
        )
        links = [[f"/join/?code={row.code}", "Sign in and join"], ["/sign-in/forgotten", "Forgotten your password?"]]
    else:
        text = (
            f"Somebody, hopefully you, wants to create an account with this address, to join {course.title}. The link "
            "works once and expires after a day. If it was not you, ignore this e-mail."
        )
        token = registration.link_token(secret, row.code, address)
        links = [[f"/register/{token}", "Create your account"]]
    part = _reset_part("Your account", text, links, course.language)
    return [Mail(address=address, subject=subject, parts=[part])]


def _to_replace(session: Session, asked: PasswordRequest, secret: str) -> list[Mail]:
    """The answer to a person who has forgotten their password."""
    typed = asked.typed.lower()
    named = select(Membership.user_id).where(func.lower(Membership.email) == typed)
    whose = (User.id.in_(named)) if "@" in typed else (func.lower(User.login) == typed)
    found = []
    for owner in session.scalars(select(User).where(whose).limit(5)) if typed else ():
        if _sent_lately(session, Mail.user_id == owner.id, Mail.subject == SUBJECT):
            continue
        members = session.scalars(select(Membership).where(Membership.user_id == owner.id)).all()
        if address := _certain_address(session, owner, members):
            token = str(_reset_serializer(secret).dumps([owner.id, _password_fingerprint(owner)]))
            text = (
                f"Somebody, hopefully you, has asked for a new password for “{owner.login}”. The link works once and "
                "expires after half an hour. If it was not you, ignore this e-mail: your password stays the same."
            )
            links = [[f"/sign-in/reset/{token}", "Choose a new password"]]
            spoken = (owner.language, *(each.course.language for each in members))
            part = _reset_part("Choose a new password", text, links, next(filter(None, spoken), ""))
            found.append(Mail(user_id=owner.id, address=address, subject=SUBJECT, parts=[part]))
    return found


def _reset_part(heading: str, text: str, links: list[list[str]], language: str) -> dict[str, Any]:
    """The content of an e-mail with a link for choosing a password. It has no kind, since people cannot turn off e-mail
    that they requested."""
    return dict(MailPart(kind="", subject=heading, text=text, at="", links=links, language=language))


def _sent_lately(session: Session, *which: ColumnElement[bool]) -> bool:
    """Whether a matching e-mail was sent within AGAIN."""
    return session.scalar(select(Mail.id).where(*which, Mail.made_at > now() - AGAIN).limit(1)) is not None


def _certain_address(session: Session, owner: User, members: Sequence[Membership]) -> str:
    """The person's e-mail address, if it is the same in all their courses and they have never taught; else ""."""
    former = session.scalars(select(FormerMember).where(FormerMember.user_id == owner.id)).all()
    addresses = {each.strip().casefold() for each in [*(row.email for row in members), *(row.email for row in former)]}
    taught = owner.once_taught or any(each.role is not Role.STUDENT for each in members)
    certain = members and len(addresses) == 1 and not taught
    return members[0].email if certain and ADDRESS.fullmatch(members[0].email) else ""
