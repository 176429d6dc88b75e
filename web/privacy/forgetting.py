"""Forgetting people. Each function works in the caller's transaction.

Pseudonymising ends the account at once and removes the name from everything that stays. Erasing also deletes the work,
as soon as no mark depends on it any more. Games with others stay, under a neutral name. The headers of finals stay too;
they are signed and contain pseudonyms and hashes of files. `web.privacy.inventory` says what happens to each table.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import (
    JSON,
    Column,
    ColumnElement,
    Table,
    Text,
    bindparam,
    cast,
    delete,
    exists,
    func,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.orm import Session

from grader.assignment.deadline import last_deadline
from grader.marks.tables import MarksPublication, PublishedMark, StaffDecision
from grader.store.models import Assignment, Change, Extension, Regrade, Submission
from sandbox import patterns
from tournament.store.jobs import PENDING
from tournament.store.mail import FailingAddress, Mail, PasswordRequest
from tournament.store.tables import (
    Block,
    CustomGame,
    CustomSeat,
    Entry,
    FinalPhase,
    GivenFile,
    HandGame,
    Player,
    StoredFingerprint,
    Trial,
    VersionComparison,
)
from tournament.store.tables import (
    Final as FinalRow,
)
from tournament.store.validation import Refusal
from web.people import roster
from web.privacy.inventory import INVENTORY, Lasts, rows_of, table_named
from web.privacy.tables import Erasure, account_hash
from web.site.models import Course, FormerMember, Membership, Role, User

SHORTEST: Final = 3
"""The shortest name that is searched for in texts, in letters: shorter names occur within other words."""

WORD: Final = r"(^|[^\pL\pN_])", r"($|[^\pL\pN_])"
LOGIN: Final = r"(^|, | and | of |^Viewed as )", r"($|, | and )"
"""Patterns for what must surround a name in texts (WORD), and a login in the log of changes (LOGIN)."""

LEADING: Final = {
    "assignment_id": "assignment",
    "submission_id": "submission",
    "tournament_id": "tournament",
    "publication_id": "marks_publication",
}
"""Columns that refer to rows of a course, each with the table of these rows."""

UNDER_WAY: Final = (FinalPhase.FROZEN, FinalPhase.RUNNING, FinalPhase.FINISHED)


class CannotForget(Refusal):
    """Somebody cannot be forgotten now; the message says why, and what to do."""


def last_event(session: Session, course_id: int) -> datetime:
    """Return the time of the last thing that happened in a course, or will happen: a deadline, an upload, a publication
    of marks, a change in its log, or the release of an assignment. Without any of these, the time at which the course
    was created. While the course has no assignment, changes do not count, because they only prepare the course."""
    course, ids = session.get_one(Course, course_id), select(Assignment.id).where(Assignment.course_id == course_id)
    wanted = (
        select(func.max(Submission.queued_at)).where(Submission.assignment_id.in_(ids)),
        select(func.max(Extension.until)).where(Extension.assignment_id.in_(ids)),
        select(func.max(MarksPublication.published_at)).where(MarksPublication.assignment_id.in_(ids)),
        select(func.max(Change.changed_at)).where(Change.course_id == course_id, ids.exists()),
    )
    assignments = session.scalars(select(Assignment).where(Assignment.course_id == course_id)).all()
    begins = [
        each.dates_of(names).visible_from
        for each in assignments
        for names in [(), *((section,) for section in each.section_dates)]
    ]
    deadlines = [last_deadline(session, each) for each in assignments]
    return max(each for each in (course.created_at, *map(session.scalar, wanted), *begins, *deadlines) if each)


def has_ended(session: Session, course_id: int, at: datetime) -> bool:
    """Whether a course has had events, and none of its events is later than this time."""
    return session.get_one(Course, course_id).created_at < last_event(session, course_id) <= at


def ended_assignments(session: Session, at: datetime) -> list[int]:
    """Return the ids of the assignments of all courses that have ended by that time."""
    rows = session.execute(select(Assignment.id, Assignment.course_id)).all()
    ended = {course_id: has_ended(session, course_id, at) for course_id in {row.course_id for row in rows}}
    return [row.id for row in rows if ended[row.course_id]]


def courses_of(session: Session, user_id: int) -> Sequence[int]:
    """Return the courses that somebody is in, was removed from, has uploaded to, or has marks in."""
    uploaded = select(Assignment.course_id).join(Submission, Submission.assignment_id == Assignment.id)
    decided = select(Assignment.course_id).join(StaffDecision, StaffDecision.assignment_id == Assignment.id)
    published = select(Assignment.course_id).join(MarksPublication, MarksPublication.assignment_id == Assignment.id)
    published = published.join(PublishedMark, PublishedMark.publication_id == MarksPublication.id)
    return session.scalars(
        select(Membership.course_id)
        .where(Membership.user_id == user_id)
        .union(
            select(FormerMember.course_id).where(FormerMember.user_id == user_id),
            uploaded.where(Submission.author_id == user_id),
            decided.where(StaffDecision.user_id == user_id),
            published.where(PublishedMark.user_id == user_id),
        )
    ).all()


def kept_until(session: Session, user_id: int, keep: timedelta) -> datetime | None:
    """Return the time until which marks may depend on somebody's work; None if they are in no course."""
    return max((last_event(session, each) + keep for each in courses_of(session, user_id)), default=None)


def forget(session: Session, user_id: int, erases: bool, keep: timedelta, at: datetime) -> Erasure:
    """Pseudonymise somebody and, with `erases`, erase them. If marks may still depend on their work, they are erased
    later, when `erase_due` lists them. Raises CannotForget."""
    row = session.get(Erasure, user_id)
    if row is None or not row.account:
        row = pseudonymise(session, user_id)
    row.erases |= erases
    if row.erases and row.erased_at is None and _may_be_erased(session, user_id, keep, at):
        _erase(session, user_id)
        row.erased_at = at
    session.flush()
    return row


def await_forgetting(session: Session, user_id: int) -> None:
    """Note that somebody must be forgotten. Unless it is done before, the scheduler does it; see `erase_due`."""
    row = session.get(Erasure, user_id) or Erasure(user_id=user_id, account="")
    row.erases = True
    session.add(row)


def require_ended(session: Session, course: Course, at: datetime) -> None:
    """Raise CannotForget unless the course has ended."""
    if (end := last_event(session, course.id)) > at:
        raise CannotForget(f"{course.title} goes on until {end:%d %B %Y}.")
    if end == course.created_at:
        raise CannotForget(f"Nothing has happened in {course.title} yet, so it has not ended.")


def students_of_ended(session: Session, course: Course, at: datetime) -> tuple[list[int], list[int]]:
    """Return the same as `students_of_course`, for a course that must have ended. Raises CannotForget."""
    require_ended(session, course, at)
    return students_of_course(session, course.id, at)


def students_of_course(session: Session, course_id: int, at: datetime) -> tuple[list[int], list[int]]:
    """Return two lists of a course's students: those who are forgotten with the course, and those who stay, since they
    teach or are in another course that has not ended."""
    members = select(Membership.user_id).where(Membership.course_id == course_id, Membership.role == Role.STUDENT)
    former = select(FormerMember.user_id).where(FormerMember.course_id == course_id)
    ended: dict[int, bool] = {}
    going, stay = list[int](), list[int]()
    for user_id in session.scalars(members.union(former)):
        others = courses_of(session, user_id)
        ended |= {each: has_ended(session, each, at) for each in others if each not in ended}
        teaches = Membership.user_id == user_id, Membership.role != Role.STUDENT
        stays = not all(ended[each] for each in others) or session.scalar(select(exists().where(*teaches)))
        (stay if stays else going).append(user_id)
    return going, stay


def erase_due(session: Session, keep: timedelta, at: datetime) -> list[int]:
    """Return the ids of people who are waiting to be erased and whose work no longer affects any mark."""
    waiting = select(Erasure.user_id).where(Erasure.erases, Erasure.erased_at.is_(None))
    return [each for each in session.scalars(waiting).all() if _may_be_erased(session, each, keep, at)]


def _may_be_erased(session: Session, user_id: int, keep: timedelta, at: datetime) -> bool:
    until = kept_until(session, user_id, keep)
    return until is None or until <= at


def repeat(session: Session, erasures: Collection[Mapping[Any, Any]]) -> None:
    """After a backup was restored, pseudonymise again everybody who has been forgotten since the backup. The scheduler
    does the erasing."""
    for each in erasures:
        user = session.get(User, each["user_id"])
        if user and account_hash(user) == each["account"]:
            row = session.get(Erasure, user.id) or pseudonymise(session, user.id, last=True)
            row.erases |= each["erases"]
    session.flush()


# Pseudonymising


def pseudonymise(session: Session, user_id: int, last: bool = False) -> Erasure:
    """End somebody's account, and remove the name from what stays. The last instructor of a course can be pseudonymised
    only with `last`. Raises CannotForget."""
    user = session.get_one(User, user_id, with_for_update=True, populate_existing=True)
    row = session.get(Erasure, user_id) or Erasure(user_id=user_id)
    row.account = account_hash(user)
    login, names = user.login, _names_of(session, user)
    courses, unique = courses_of(session, user_id), _unique_names(session, user_id, names)
    members = session.scalars(select(Membership).where(Membership.user_id == user_id)).all()
    for member in members:
        if not last and member.role is Role.INSTRUCTOR and _is_alone(session, member):
            raise CannotForget(
                f"{user.name} is the only instructor of {member.course.title}. Make somebody else its instructor first."
            )
        roster.retire(session, member, user_id)
    session.flush()
    _delete(session, user_id, Lasts.ACCOUNT)
    addresses = [each.lower() for each in (login, *names) if "@" in each]
    session.execute(delete(FailingAddress).where(FailingAddress.address.in_(addresses)))
    session.execute(delete(Mail).where(Mail.address.in_(addresses), Mail.user_id.is_(None)))
    session.execute(delete(PasswordRequest).where(PasswordRequest.typed.in_([login, *names, *addresses])))
    by = f"former-{user_id}"
    for table, kept in INVENTORY.items():
        place = _course_column(table_named(table))
        for column in [table_named(table).c[each] for each in kept.texts.split()]:
            if place is None:
                _replace_names(session, column, unique, by, true())
                continue
            _replace_names(session, column, unique, by, place.is_(None))
            _replace_names(session, column, names, by, place.in_(courses))
            if table == "setting_change" and len(login) >= SHORTEST:  # only this log calls people by their logins
                _replace_names(session, column, [login], by, place.in_(courses), LOGIN)
        if values := kept.values_for(user_id):
            session.execute(update(table_named(table)).where(rows_of(table, user_id)).values(values))
    user.generation += 1  # ends their sessions
    user.calendar += 1  # changes the address of their calendar
    session.add(row)
    session.flush()
    session.expire_all()
    return row


def _is_alone(session: Session, member: Membership) -> bool:
    others = Membership.course_id == member.course_id, Membership.user_id != member.user_id
    return not session.scalar(select(exists().where(*others, Membership.role == Role.INSTRUCTOR)))


def _names_of(session: Session, user: User) -> list[str]:
    """Return all names except the login by which texts may call somebody; longer names come before their parts."""
    found = {user.name}
    for name in ("membership", "former_member"):
        columns = table_named(name).c
        named = select(columns.pseudonym, columns.email, columns.student_number).where(rows_of(name, user.id))
        found |= {each for row in session.execute(named) for each in row}
    return sorted((each for each in found if len(each) >= SHORTEST), key=len, reverse=True)


def _unique_names(session: Session, user_id: int, names: Sequence[str]) -> list[str]:
    """Return those of the `names` that no other person has."""
    found = {*session.scalars(select(User.name).where(User.id != user_id, User.name.in_(names)))}
    for name in ("membership", "former_member"):
        columns = table_named(name).c
        for column in (columns.pseudonym, columns.email, columns.student_number):
            found |= {*session.scalars(select(column).where(columns.user_id != user_id, column.in_(names)))}
    return [each for each in names if each not in found]


def _course_column(table: Table) -> ColumnElement[int | None] | None:
    """Return the course that a table's rows belong to, as a column; None if they belong to no course."""
    if "course_id" in table.c:
        return table.c.course_id
    for name, parent in LEADING.items():
        if name in table.c:
            above = table_named(parent)
            course = _course_column(above)
            return None if course is None else select(course).where(above.c.id == table.c[name]).scalar_subquery()
    return None


def _delete(session: Session, user_id: int, lasts: Lasts) -> None:
    """Delete somebody's rows that are kept only until `lasts`, starting with rows that refer to other rows."""
    for table in reversed(table_named("user").metadata.sorted_tables):
        if INVENTORY[table.name].lasts is lasts:
            session.execute(delete(table).where(rows_of(table.name, user_id)))


def _replace_names(
    session: Session,
    column: Column[Any],
    names: Sequence[str],
    by: str,
    where: ColumnElement[bool],
    around: tuple[str, str] = WORD,
) -> None:
    """Write `by` for each of these names in the texts of a column, in the given rows, wherever the `around` patterns
    match before and after the name."""
    wanted = [form for name in names for form in {name, json.dumps(name)[1:-1]}]
    if not wanted:
        return
    either = "|".join(map(patterns.escape, names))
    whole = patterns.compile(rf"{around[0]}(?:{either}){around[1]}")

    def without(value: Any) -> Any:
        if isinstance(value, str):
            return whole.sub(rf"\1{by}\2", whole.sub(rf"\1{by}\2", value))  # neighbouring matches share a character
        if isinstance(value, list):
            return [without(each) for each in value]
        return {key: without(each) for key, each in value.items()} if isinstance(value, dict) else value

    table = column.table
    keys = [*table.primary_key.columns]
    text = cast(column, Text) if isinstance(column.type, JSON) else column
    found = select(*keys, column).where(or_(*(text.contains(each, autoescape=True) for each in wanted)), where)
    change = update(table).where(*(each == bindparam(f"key_{each.name}") for each in keys))
    for *key, value in session.execute(found).all():
        if (fresh := without(value)) != value:
            which = {f"key_{each.name}": at for each, at in zip(keys, key, strict=True)}
            session.connection().execute(change.values({column: fresh}), which)


# Erasing


def _erase(session: Session, user_id: int) -> None:
    """Delete the work of somebody who was pseudonymised, and the content of files that nobody else has uploaded. Raises
    CannotForget while some of the work is being graded or played."""
    held = select(Submission.state).where(Submission.author_id == user_id).with_for_update()
    regrades = select(Regrade.state).join(Submission, Submission.id == Regrade.submission_id)
    under_way = (
        held,
        regrades.where(Submission.author_id == user_id),
        select(CustomGame.state).where(CustomGame.asker_id == user_id),
        select(CustomGame.state).join(CustomSeat).where(CustomSeat.author_id == user_id),
        select(VersionComparison.state).where(VersionComparison.author_id == user_id),
        select(HandGame.state).where(HandGame.person_id == user_id),
    )
    entries = {*session.scalars(select(Entry.id).where(Entry.author_id == user_id))}
    if any(each in PENDING for wanted in under_way for each in session.scalars(wanted)) or _plays(session, entries):
        raise CannotForget("Something of theirs is being graded or played. Try again in some minutes.")
    finals = select(FinalRow).join(Entry, Entry.tournament_id == FinalRow.tournament_id)
    if session.scalars(finals.where(Entry.author_id == user_id, FinalRow.phase.in_(UNDER_WAY)).limit(1)).first():
        raise CannotForget("A player of theirs takes part in a final that is not published yet.")
    files = _files_of(session, user_id)
    _delete(session, user_id, Lasts.WORK)
    session.flush()
    for player in session.scalars(select(Player).where(Player.id.in_(files - _shared_files(session, files, user_id)))):
        for kind in (StoredFingerprint, Trial):
            session.execute(delete(kind).where(kind.player_id == player.id))
        player.source, player.sha256 = b"", f"erased-{player.id}"
    session.flush()
    session.expire_all()


def _plays(session: Session, entries: Collection[int]) -> bool:
    """Whether a tournament game or a comparison with one of these entries is still to be played."""
    tournaments = select(Entry.tournament_id).where(Entry.id.in_(entries))
    waiting = [
        select(drawn).where(kind.state.in_(PENDING), kind.tournament_id.in_(tournaments))
        for kind, drawn in ((Block, Block.entries), (VersionComparison, VersionComparison.opponents))
    ]
    return any({*each} & {*entries} for wanted in waiting for each in session.scalars(wanted))


def _files_of(session: Session, user_id: int) -> set[int]:
    own = select(Submission.player_id).where(Submission.author_id == user_id)
    return {*session.scalars(own), *session.scalars(select(Entry.player_id).where(Entry.author_id == user_id))} - {None}


def _shared_files(session: Session, files: Collection[int], user_id: int) -> set[int | None]:
    """Return the files among these that somebody else has uploaded too, or that were given to everybody."""
    users = (
        (Submission.player_id, Submission.author_id != user_id),
        (Entry.player_id, Entry.author_id != user_id),
        (CustomSeat.player_id, CustomSeat.author_id != user_id),
        (VersionComparison.player_id, VersionComparison.author_id != user_id),
        (HandGame.adviser_id, HandGame.person_id != user_id),
        (GivenFile.player_id, GivenFile.assignment_id.is_not(None)),
    )
    return {id_ for column, others in users for id_ in session.scalars(select(column).where(column.in_(files), others))}
