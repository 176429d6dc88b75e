"""Turns people's notices into e-mails, as each person has chosen, and sends these e-mails and the operator's over one
connection.

The scheduler does this alongside its other work: a request or a report only stores a notice, and does not wait for
e-mail. The notice is settled in the transaction that stores its e-mail. An e-mail is claimed with a lease before it is
sent, and marked as sent afterwards. If this process dies in between, the e-mail is sent once more when the lease has
run out, with the same `Message-ID`. It is never sent twice for any other reason.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from smtplib import SMTP
from time import monotonic
from typing import Final
from zoneinfo import ZoneInfo

from sqlalchemy import Select, delete, select, update
from sqlalchemy.orm import Session

from deploy.processes import mail
from deploy.settings import Settings
from grader.definition.local_times import UTC_ZONE, LocalTime
from grader.store.models import Assignment
from tournament.store.database import Sessions, now, reading, storing, writing
from tournament.store.mail import (
    ADDRESS,
    KEPT,
    REMEMBERED,
    SPARED,
    FailingAddress,
    Mail,
    PasswordRequest,
    When,
    choices_of,
    failing,
    note_failing,
    wait_after,
    wanted,
)
from tournament.store.notices import Notice, NoticeKind
from tournament.store.tables import installation_secret
from web.mail.message import MailPart, Sender, compose
from web.mail.reset_link import links_for
from web.site.models import Course, Membership

log = logging.getLogger(__name__)

EVERY_S: Final = 5.0
PEOPLE: Final = 50
"""The number of people whose e-mails are created in one transaction, which takes some 10 ms."""

BATCH: Final = 50
LEASE: Final = timedelta(minutes=5)
"""If a batch of e-mails has not been sent within this time, other processes may send it. After half of this time, no
further e-mail of the batch is started."""

MORNING: Final = 8  # o'clock, in the time zone of the course


def keep_sending(settings: Settings, sessions: Sessions, rest: Callable[[float], None]) -> None:
    """Regularly create and send e-mails; this never returns."""
    while True:
        rest(EVERY_S)
        try:
            while answer_requests(sessions):
                pass
            while make_mail(sessions, now()):
                pass
            while send_batch(settings, sessions, now()):
                pass
        except Exception:  # any error: the next round may succeed, and nothing else depends on this one
            log.exception("no e-mail could be made or sent")


def forget_old(sessions: Sessions, at: datetime) -> None:
    """Delete old e-mails, refused addresses and password requests, and give up notices that have waited longer than
    KEPT."""
    with writing(sessions) as session:
        session.execute(update(Notice).where(Notice.mail_at < at - KEPT).values(mail_at=None))
        session.execute(delete(Mail).where(Mail.made_at < at - REMEMBERED))
        session.execute(delete(FailingAddress).where(FailingAddress.since < at - SPARED))
        session.execute(delete(PasswordRequest).where(PasswordRequest.asked_at < at - KEPT))


# Turning notices into e-mails


@dataclass(slots=True)
class _Places:
    """Where to send a person's notices: their addresses by course, their courses (for time zones and titles), and the
    language that they have chosen."""

    own_language: str = ""
    addresses: dict[int, str] = field(default_factory=dict)
    courses: dict[int, Course] = field(default_factory=dict)

    def of(self, course_id: int | None) -> list[str]:
        """Return the person's address in the course or, for a notice that concerns no course, all their addresses."""
        found = self.addresses.values() if course_id is None else [self.addresses.get(course_id, "")]
        return sorted({each for each in found if each})

    def zone(self, course_id: int | None) -> ZoneInfo:
        """Return the time zone of the course, or else of the person's latest course."""
        known = self.courses.get(course_id or max(self.courses, default=0))
        return known.zone if known else UTC_ZONE

    def title(self, course_id: int | None) -> str:
        """Return the title that begins the e-mail's subject."""
        return self.courses[course_id].title if course_id in self.courses else "Quadrille"

    def language(self, course_id: int | None) -> str:
        """Return the language that the person has chosen, or that of the course, or "" if neither is set."""
        course = self.courses.get(course_id or 0)
        return self.own_language or (course.language if course else "")


def make_mail(sessions: Sessions, at: datetime) -> int:
    """Create e-mails from the due notices of some people. Returns how many notices were handled: put into an e-mail,
    put off until morning, or found to need none."""
    due = (Notice.mail_at <= at, Notice.mail_at >= at - KEPT)
    with reading(sessions) as session:  # usually nothing is due, and reading blocks no writers
        people = session.scalars(select(Notice.user_id).where(*due).distinct().limit(PEOPLE)).all()
    if not people:
        return 0
    with writing(sessions) as session:
        rows = select(Notice).where(Notice.user_id.in_(people), *due).order_by(Notice.id)
        notices = session.scalars(rows.with_for_update(skip_locked=True)).all()
        courses = _courses_of(session, notices)
        chosen, places = choices_of(session, people), _places_of(session, people)
        digests = defaultdict[tuple[int, str], list[tuple[Notice, int | None]]](list)
        for notice in notices:
            course = courses.get(notice.assignment_id or 0)
            here, when = places[notice.user_id], wanted(chosen, notice.user_id, notice.kind)
            morning = next_morning(notice.told_at, here.zone(course))
            if when is When.DAILY and at < morning and notice.read_at is None:
                notice.mail_at = morning
                continue
            notice.mail_at = None
            for address in here.of(course) if notice.read_at is None and when is not When.NEVER else ():
                if when is When.DAILY:
                    digests[notice.user_id, address].append((notice, course))
                else:
                    session.add(_mail_of(here, address, [(notice, course)]))
        session.add_all(_mail_of(places[user], address, told) for (user, address), told in digests.items())
    return len(notices)


def _courses_of(session: Session, notices: Sequence[Notice]) -> dict[int, int]:
    """Return the courses that the notices are about, by assignment."""
    ids = {each.assignment_id for each in notices if each.assignment_id is not None}
    return dict(session.execute(select(Assignment.id, Assignment.course_id).where(Assignment.id.in_(ids))).all())


def _places_of(session: Session, people: Sequence[int]) -> dict[int, _Places]:
    members = session.scalars(select(Membership).where(Membership.user_id.in_(people))).all()
    refused, found = failing(session, {each.email for each in members}), defaultdict[int, _Places](_Places)
    for member in members:
        here = found[member.user_id]
        here.courses[member.course_id], here.own_language = member.course, member.user.language
        if ADDRESS.fullmatch(member.email) and member.email not in refused:
            here.addresses[member.course_id] = member.email
    return found


def next_morning(told_at: datetime, zone: ZoneInfo) -> datetime:
    """Return the first morning in the zone after `told_at`."""
    local = told_at.astimezone(zone)
    morning = local.replace(hour=MORNING, minute=0, second=0, microsecond=0)
    return morning if morning > local else morning + timedelta(days=1)


def _mail_of(places: _Places, address: str, told: Sequence[tuple[Notice, int | None]]) -> Mail:
    (first, course), several = told[0], len(told) > 1
    parts = [
        MailPart(
            kind=notice.kind,
            subject=notice.subject,
            text=notice.text,
            at=LocalTime(notice.told_at, places.zone(of)).in_words,
            links=[[f"/notices/{notice.id}/{number}", link[2]] for number, link in enumerate(notice.links)],
            language=places.language(of),
        )
        for notice, of in told
    ]
    title = places.title(course) if len({of for _, of in told}) == 1 else "Quadrille"
    subject = f"{title}: {len(told)} notices" if several else f"{title}: {first.subject}"
    return Mail(user_id=first.user_id, address=address, subject=subject, parts=parts)


def answer_requests(sessions: Sessions) -> bool:
    """Create e-mails for some of the people who asked to choose a password; returns whether there were any."""
    with reading(sessions) as session:
        if session.scalar(select(PasswordRequest.id).limit(1)) is None:
            return False
    with writing(sessions) as session:
        secret = installation_secret(session)
        asked = select(PasswordRequest).order_by(PasswordRequest.id).limit(PEOPLE)
        for each in session.scalars(asked.with_for_update(skip_locked=True)).all():
            session.add_all(links_for(session, each, secret))
            session.flush()
    return True


def add_for_operator(session: Session, settings: Settings, subject: str, text: str) -> None:
    """Store an e-mail to the operator for sending, if the settings provide for such e-mail."""
    if mail.is_set_up(settings) and settings.mail_to:
        titled = f"Quadrille {settings.site}: {subject}".replace(" :", ":")
        part = MailPart(kind=NoticeKind.ALERT, subject=subject, text=text, at="", links=[])
        session.add(Mail(subject=titled, parts=[part]))


# Sending


def send_batch(settings: Settings, sessions: Sessions, at: datetime) -> int:
    """Send some of the e-mails that are due; returns how many were sent or given up. An e-mail that the server does not
    accept is kept, logged, and tried again at growing intervals."""
    with reading(sessions) as session:  # reading first, as for notices
        if session.scalar(due(at).limit(1)) is None:
            return 0
    left, secret = storing(sessions, lambda session: (take(session, at, BATCH), installation_secret(session)))
    sender, until = Sender(settings.mail_from, settings.address, secret), monotonic() + LEASE.total_seconds() / 2
    settled, connected = 0, False
    try:
        with mail.signed_in(settings) as server:
            connected = True
            while left and monotonic() < until:
                settled += _send_mail(settings, sessions, server, left[0], sender, at)
                left.pop(0)
    except mail.MailError as error:
        failed = 1 if connected else len(left)  # a lost connection says nothing about the other e-mails
        log.error("e-mail: %s", error)
        for row in left[:failed]:
            put_off(sessions, row, str(error), at)
        del left[:failed]
    for row in left:
        note(sessions, row, next_at=at)
    return settled


def due(at: datetime, calls: bool = False) -> Select[Mail]:
    """Return a query for the e-mails that are due, or with `calls` for the webhook calls that are due."""
    of_kind = Mail.webhook_id.is_not(None) if calls else Mail.webhook_id.is_(None)
    return select(Mail).where(Mail.next_at <= at, of_kind)


def take(session: Session, at: datetime, most: int, calls: bool = False) -> list[Mail]:
    """Take a lease on some of the e-mails or calls that are due, and return them."""
    first = due(at, calls).order_by(Mail.next_at, Mail.id).limit(most)
    rows = session.scalars(first.with_for_update(skip_locked=True)).all()
    for row in rows:
        row.next_at, row.attempts = at + LEASE, row.attempts + 1
    session.flush()
    session.expunge_all()
    return list(rows)


def _send_mail(settings: Settings, sessions: Sessions, server: SMTP, row: Mail, sender: Sender, at: datetime) -> int:
    """Send one e-mail; returns 1 if it was sent or given up, otherwise 0. Raises OSError or SMTPException if the
    connection is lost."""
    try:
        mail.deliver(server, compose(row, row.address or settings.mail_to, sender))
    except mail.Refused as error:
        reason = str(error)
        if error.by_address and row.address:
            storing(sessions, lambda session: note_failing(session, row.address, reason, now()))
        if not error.for_good:
            put_off(sessions, row, reason, at)
            return 0
    except ValueError as error:  # an address or a subject with a line end
        reason = str(error)
    else:
        note(sessions, row, next_at=None, sent_at=now(), trouble="")
        return 1
    log.error("an e-mail is given up (%s): %s", row.subject, reason)
    note(sessions, row, next_at=None, trouble=reason)
    return 1


def put_off(sessions: Sessions, row: Mail, reason: str, at: datetime) -> None:
    """Schedule the e-mail or call to be tried again, or give it up if it is too old."""
    what = "a call of a webhook" if row.webhook_id else "an e-mail"
    if at - row.made_at > KEPT:
        log.error("%s could not be sent (%s): %s. It is not tried any more.", what, row.subject, reason)
        note(sessions, row, next_at=None, trouble=reason)
        return
    log.warning("%s could not be sent (%s): %s. It will be tried again.", what, row.subject, reason)
    note(sessions, row, next_at=at + wait_after(row.attempts), trouble=reason)


def note(sessions: Sessions, row: Mail, **values: object) -> None:
    """Record what happened to an e-mail, unless its lease has run out and another process has taken it."""
    ours = (Mail.id == row.id, Mail.attempts == row.attempts)
    storing(sessions, lambda session: session.execute(update(Mail).where(*ours).values(**values)))
