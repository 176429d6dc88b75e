"""Send marks to the gradebooks of platforms (assignment and grade services).

The marks that a platform should have are compared with the marks that were last sent to it, and each difference becomes
a row to be sent. So a mark is sent when it is published or changed, and removed from the platform when it is withdrawn,
regardless of who does this and how often marks are compared. Like an e-mail, a row is claimed with a lease and marked
as sent afterwards. If the process dies in between, the row is sent again with the same time, which tells the platform
that it already has this mark.
"""

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from time import monotonic
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, delete, func, or_, select, update
from sqlalchemy.orm import Session

from grader.marks.book import mark_book, totals_of
from grader.marks.tables import publication_of
from grader.store.models import Assignment
from tournament.store.database import Sessions, now, reading, storing, writing
from tournament.store.mail import KEPT, LONGEST_WAIT, wait_after
from web.lti import keys
from web.lti.deep_linking import RESOURCE_ID, column
from web.lti.roster import follow
from web.lti.services import GRADES, SHOWN, PlatformServices, ServiceFailed, below
from web.lti.tables import LtiCourse, LtiItem, LtiLaunch, LtiMember, LtiScore, Sends
from web.sign_on.tables import SignOnIdentity
from web.site.models import Membership, Role

log = logging.getLogger(__name__)

EVERY_S: Final = 5.0
LIVE_EVERY_S: Final = 60.0
HOURLY: Final = timedelta(hours=1)
BATCH: Final = 50
LEASE: Final = timedelta(minutes=15)  # enough for a batch in which every request takes the longest possible time
OLD_TIME: Final = 409  # the platform already has this mark, or a later one

REPLACED: Final = "replaced by a later mark before it was sent"
NOT_HERE: Final = "the student is no longer in this course"
UNTOLD: Final = (REPLACED, NOT_HERE)  # answers of rows that were not sent to the platform
NO_ITEMS: Final = "the platform offers no gradebook to this course"
GIVEN_UP: Final = "Given up after two days: "

Wanted = Mapping[int, tuple[float | None, float]]
"""Each student's mark, with the highest possible mark."""


def keep_up(inside: frozenset[str], sessions: Sessions, rest: Callable[[float], None]) -> None:
    """Send marks and update lists of people in an endless loop."""
    services, live_at = PlatformServices(sessions, inside), float("-inf")
    while True:
        rest(EVERY_S)
        try:
            live = monotonic() - live_at > LIVE_EVERY_S
            if live:
                live_at = monotonic()
                _hourly(sessions, services)
            queue(sessions, live)
            while send_batch(sessions, services, now()):
                pass
        except Exception:  # any error: the next round may succeed, and nothing else depends on this one
            log.exception("nothing could be exchanged with the platforms")


def _hourly(sessions: Sessions, services: PlatformServices) -> None:
    """Replace the signing key if it is old, delete old launches, and read the lists of people for courses that add new
    students automatically. This is called each minute, but each list is read only once an hour."""
    with reading(sessions) as store:
        links = store.scalars(select(LtiCourse)).all()
    keys.rotate(sessions)
    with writing(sessions) as store:
        store.execute(delete(LtiLaunch).where(LtiLaunch.made_at < now() - HOURLY))
    for each in links:
        if each.follows and each.members_url and (each.read_at is None or each.read_at < now() - HOURLY):
            with _apart(each.id):
                follow(sessions, services, each)


@contextmanager
def _apart(link_id: int) -> Iterator[None]:
    """Do not let a failure for one course of a platform stop the work for other courses."""
    try:
        yield
    except Exception:  # any error: one platform's answer must not affect the others
        log.exception("nothing could be exchanged with the course %d of a platform", link_id)


def queue(sessions: Sessions, live: bool = True) -> None:
    """Create rows for marks that platforms should have but have not been sent. Live marks are included only if
    `live`."""
    modes = [Sends.PUBLISHED, Sends.LIVE] if live else [Sends.PUBLISHED]
    with reading(sessions) as store:  # usually no row is needed, and reading blocks no writers
        links = store.scalars(select(LtiCourse).where(LtiCourse.sends.in_(modes))).all()
        lacking = list[int]()
        for link in links:
            with _apart(link.id):
                lacking += [link.id] if _missing(store, link) else []
    for id_ in lacking:
        with _apart(id_), writing(sessions) as store:
            for row in _missing(store, store.get_one(LtiCourse, id_, with_for_update=True)):
                _replace_unsent(store, row)
                store.add(row)


def _replace_unsent(store: Session, row: LtiScore) -> None:
    about = ("lti_course_id", "assignment_id", "user_id")
    same = [getattr(LtiScore, name) == getattr(row, name) for name in about]
    unsent = update(LtiScore).where(*same, LtiScore.next_at.is_not(None))
    store.execute(unsent.values(next_at=None, answer=REPLACED))


def _missing(store: Session, link: LtiCourse) -> list[LtiScore]:
    there = select(LtiMember.user_id).join(Membership, Membership.user_id == LtiMember.user_id)
    there = there.where(LtiMember.lti_course_id == link.id, Membership.course_id == link.course_id)
    there = there.join(SignOnIdentity, _is_present(link))
    students = set(store.scalars(there.where(Membership.role == Role.STUDENT)))
    assignments = select(Assignment).where(Assignment.course_id == link.course_id, Assignment.version > 0)
    found = list[LtiScore]()
    for assignment in store.scalars(assignments.where(Assignment.archived.is_(False))):
        sent, wanted = _last_received(store, link, assignment.id), _wanted_totals(store, link, assignment, students)
        for id_ in students & {*sent, *wanted}:
            given, most = wanted.get(id_, (None, sent[id_].most if id_ in sent else 0.0))
            if given == (sent[id_].given if id_ in sent else None) and (given is None or most == sent[id_].most):
                continue
            about = {"lti_course_id": link.id, "assignment_id": assignment.id, "user_id": id_}
            comment = "" if given is None else f"{given:g} of {most:g} in {assignment.title}"
            found.append(LtiScore(**about, given=given, most=most, comment=comment))
    return found


def _is_present(link: LtiCourse) -> ColumnElement[bool]:
    """The SQL condition that a person in the platform's course is still connected with the account."""
    same = (SignOnIdentity.user_id == LtiMember.user_id, SignOnIdentity.subject == LtiMember.subject)
    return and_(*same, SignOnIdentity.issuer == link.platform.provider.issuer)


def _last_received(store: Session, link: LtiCourse, assignment_id: int) -> dict[int, LtiScore]:
    """For each student, the latest row that the platform has received or may still receive."""
    ids = select(func.max(LtiScore.id)).where(
        LtiScore.lti_course_id == link.id,
        LtiScore.assignment_id == assignment_id,
        or_(LtiScore.sent_at.is_not(None), LtiScore.answer.not_in(UNTOLD)),
    )
    return {
        row.user_id: row
        for row in store.scalars(select(LtiScore).where(LtiScore.id.in_(ids.group_by(LtiScore.user_id))))
    }


def send_again(store: Session, link: LtiCourse) -> None:
    """Retry rows that were given up, unless they have been replaced since."""
    for id_ in store.scalars(select(LtiScore.assignment_id).where(LtiScore.lti_course_id == link.id).distinct()):
        for row in _last_received(store, link, id_).values():
            if row.next_at is None and row.sent_at is None:
                row.made_at = row.next_at = now()
                row.attempts = 0


def _wanted_totals(store: Session, link: LtiCourse, assignment: Assignment, students: set[int]) -> Wanted:
    publication = publication_of(store, assignment.id)
    if link.sends is Sends.LIVE:
        book = mark_book(store, assignment, students, questions=False)
        return {id_: (mark.total, book.most) for id_, mark in book.marks.items()}
    if publication is None:
        return {}
    return {id_: (total, publication.header["most"]) for id_, total in totals_of(store, publication).items()}


# Sending


def send_batch(sessions: Sessions, services: PlatformServices, at: datetime) -> int:
    """Send a batch of rows that are due, and return the number of rows. If a platform does not answer, or reports too
    many requests, the other rows for that course wait too."""
    with reading(sessions) as store:
        if store.scalar(select(LtiScore.id).where(LtiScore.next_at <= at).limit(1)) is None:
            return 0
    taken, troubles = storing(sessions, lambda store: _take(store, at)), dict[int, ServiceFailed]()
    for row in taken:
        try:
            if row.lti_course_id in troubles:
                raise troubles[row.lti_course_id]
            _send_row(sessions, services, row)
        except ServiceFailed as error:
            if error.passes and error.status not in (401, 403):
                troubles[row.lti_course_id] = error
            _settle(sessions, row, error, at)
        except Exception as error:  # any error: a strange answer about one mark must not stop the others
            log.exception("a mark could not be sent to a platform")
            _settle(sessions, row, ServiceFailed(f"{type(error).__name__}: {error}"[:SHOWN]), at)
    return len(taken)


def _take(store: Session, at: datetime) -> list[LtiScore]:
    """Claim a batch of rows that are due, with a lease."""
    due = select(LtiScore).where(LtiScore.next_at <= at).order_by(LtiScore.next_at, LtiScore.id).limit(BATCH)
    rows = store.scalars(due.with_for_update(skip_locked=True)).all()
    for row in rows:
        row.next_at, row.attempts = at + LEASE, row.attempts + 1
    store.flush()
    store.expunge_all()
    return list(rows)


def _send_row(sessions: Sessions, services: PlatformServices, row: LtiScore) -> None:
    """Send a row whose student is still in both courses. Raises ServiceFailed."""
    with reading(sessions) as store:
        link = store.get_one(LtiCourse, row.lti_course_id)
        own = (LtiMember.lti_course_id == link.id, LtiMember.user_id == row.user_id)
        member = store.scalar(select(LtiMember).join(SignOnIdentity, _is_present(link)).where(*own))
        here = store.get(Membership, (row.user_id, link.course_id))
    if member is None or here is None or here.role is not Role.STUDENT:
        _note_outcome(sessions, row, next_at=None, answer=NOT_HERE)
        return
    url = below(_column_address(sessions, services, link, row), "scores")
    answer = services.ask(link.platform, GRADES, "POST", url, "score", json.dumps(body(row, member.subject)))
    _note_outcome(sessions, row, next_at=None, sent_at=now(), answer=f"{answer.status_code} {answer.reason}")


def _settle(sessions: Sessions, row: LtiScore, error: ServiceFailed, at: datetime) -> None:
    """Settle a row that failed: retry it later, give it up, or count it as sent if the platform has the mark."""
    if error.status == OLD_TIME:
        _note_outcome(
            sessions, row, next_at=None, sent_at=now(), answer=f"{error} (the platform has this mark or a later one)"
        )
    elif error.passes and at - row.made_at <= KEPT:
        asked = timedelta(seconds=min(error.wait_s, LONGEST_WAIT.total_seconds()))
        _note_outcome(sessions, row, next_at=at + max(wait_after(row.attempts), asked), answer=str(error))
    else:
        log.warning("a mark for a platform is given up: %s", error)
        _note_outcome(sessions, row, next_at=None, answer=f"{GIVEN_UP if error.passes else ''}{error}")


def body(row: LtiScore, subject: str) -> dict[str, Any]:
    """A mark in the format that platforms read; a withdrawn mark has no score."""
    back = row.given is None
    return {
        "userId": subject,
        "timestamp": row.made_at.isoformat(timespec="microseconds"),
        "activityProgress": "Initialized" if back else "Completed",
        "gradingProgress": "NotReady" if back else "FullyGraded",
        **({} if back else {"scoreGiven": row.given, "scoreMaximum": row.most, "comment": row.comment}),
    }


def _column_address(sessions: Sessions, services: PlatformServices, link: LtiCourse, row: LtiScore) -> str:
    """The address of the assignment's column. If there is no such column, it is created. Raises ServiceFailed."""
    with reading(sessions) as store:
        known = store.get(LtiItem, (link.id, row.assignment_id))
        asked = column(store, store.get_one(Assignment, row.assignment_id))
    if known:
        return known.url
    if not link.items_url:
        raise ServiceFailed(NO_ITEMS)
    wanted = below(link.items_url, resource_id=RESOURCE_ID.format(row.assignment_id))
    pages = list(services.pages(link.platform, GRADES, wanted, "items"))
    if not all(isinstance(each, list) for each in pages):
        raise ServiceFailed("its answer lists no columns")
    listed = [each for page in pages for each in page if isinstance(each, dict)]
    made = next((each for each in listed if each.get("resourceId") == asked["resourceId"]), None)
    if made is None:
        answer = services.ask(link.platform, GRADES, "POST", link.items_url, "item", json.dumps(asked))
        try:
            made = answer.json()
        except ValueError as error:
            raise ServiceFailed("its answer is not JSON") from error
    if not isinstance(made, dict) or not isinstance(url := made.get("id"), str):
        raise ServiceFailed("its answer names no column")
    with writing(sessions) as store:
        store.merge(LtiItem(lti_course_id=link.id, assignment_id=row.assignment_id, url=url))
    return url


def _note_outcome(sessions: Sessions, row: LtiScore, **values: object) -> None:
    """Record the outcome of a row, unless its lease has run out. A row that was replaced meanwhile is not retried."""
    ours = [LtiScore.id == row.id, LtiScore.attempts == row.attempts]
    if values["next_at"] is not None:
        ours.append(LtiScore.next_at.is_not(None))
    storing(sessions, lambda store: store.execute(update(LtiScore).where(*ours).values(**values)))
