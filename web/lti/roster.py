"""Read the people of a platform's course (names and roles), preview what would be done with each person, in the same
way as for a file of people, and do it. If an instructor has chosen this, new students, and no other people, are added
every hour.

Test students are left out. People who are connected with an account keep the account, even if the platform has changed
their names. A new account is connected with the person for whom it is created; an existing account is never connected.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from tournament.store.database import Sessions, now, writing
from web.lti.accounts import is_test, of_platform, role_of, section_of
from web.lti.messages import CLAIM, name_in
from web.lti.services import READS_MEMBERS, PlatformServices, ServiceFailed, below
from web.lti.tables import LtiCourse, LtiMember
from web.people import members
from web.people.enrolment import EnrolmentPlan, enrol, plan_for
from web.sign_on import linking
from web.sign_on.protocol import Claimed, as_text
from web.sign_on.tables import SignOnIdentity
from web.site.models import Course, Role, User
from web.site.people_file import MOST, PeopleFile, Person, WrongLine, person

PAGE: Final = "200"  # people in one request
TAKEN: Final = "{who}: there is already an account “{login}” here, but it is not connected to this person"
DOUBLED: Final = "{who}: somebody else on the platform also has the login “{login}”"


@dataclass(frozen=True, slots=True)
class PlatformPerson:
    """A person in a platform's course."""

    claimed: Claimed
    role: Role
    section: str


def fetched(services: PlatformServices, link: LtiCourse) -> list[PlatformPerson]:
    """The people whom the platform lists for its course. Raises ServiceFailed."""
    query = {"limit": PAGE, **({"rlid": link.rlid} if link.rlid else {})}
    found = list[PlatformPerson]()
    for page in services.pages(link.platform, READS_MEMBERS, below(link.members_url, **query), "members"):
        listed = page.get("members") if isinstance(page, dict) else None
        if not isinstance(listed, list):
            raise ServiceFailed("its answer lists no members")
        found += [each for each in map(_person_in, [link] * len(listed), listed) if each]
        if len(found) > MOST:
            raise ServiceFailed(f"the course has more than {MOST:,} people")
    return found


def _person_in(link: LtiCourse, said: Any) -> PlatformPerson | None:
    """A member of the platform's course; None for a person who is not active in the course, has no role, or is a test
    student."""
    if not isinstance(said, dict) or said.get("status", "Active") != "Active" or is_test(said.get("roles")):
        return None
    subject, role = as_text(said.get("user_id")), role_of(said.get("roles"))
    if not subject or role is None:
        return None
    claimed = Claimed(
        issuer=link.platform.provider.issuer,
        subject=subject,
        login=as_text(said.get("ext_user_username")),
        name=name_in(said),
        mail=as_text(said.get("email")),
        mail_verified=False,
        student_number=as_text(said.get("lis_person_sourcedid")),
    )
    return PlatformPerson(claimed, role, _section(said.get("message")))


def _section(messages: Any) -> str:
    """The sections in a member's parameter `section`, which Canvas sends in the member's messages."""
    for each in messages if isinstance(messages, list) else ():
        if isinstance(each, dict) and (found := section_of(each.get(f"{CLAIM}custom"))):
            return found
    return ""


@dataclass(frozen=True, slots=True)
class Roster:
    """The people of a platform's course, in `people` by their logins on this site, and in `sheet` as in a file.
    `accounts` has the accounts of connected people, by subject."""

    people: Mapping[str, PlatformPerson]
    sheet: PeopleFile
    accounts: Mapping[str, User]


def roster(store: Session, link: LtiCourse, found: Sequence[PlatformPerson]) -> Roster:
    """Find the logins and accounts that a platform's people have on this site."""
    connected = select(SignOnIdentity.subject, User).join(User)
    connected = connected.where(SignOnIdentity.issuer == link.platform.provider.issuer)
    subjects = SignOnIdentity.subject.in_({each.claimed.subject for each in found})
    known, people = dict(store.execute(connected.where(subjects)).all()), dict[str, PlatformPerson]()
    sheet, wrong = list[Person](), list[WrongLine]()
    for number, each in enumerate(found, 1):
        one = of_platform(each.claimed, known.get(each.claimed.subject))
        particulars = {**one.particulars, "section": each.section}
        read = person(one.login, one.name, each.role, line=number, **particulars)
        if isinstance(read, WrongLine):
            wrong.append(replace(read, why=f"{each.claimed.known_as}: {read.why}"))
        elif people.get(read.login, each).claimed.subject != each.claimed.subject:
            wrong.append(WrongLine(number, DOUBLED.format(who=each.claimed.known_as, login=read.login)))
        else:
            people.setdefault(read.login, each)
            sheet.append(read)
    return Roster(people, PeopleFile(sheet, wrong), known)


def planned(store: Session, link: LtiCourse, present: Roster) -> EnrolmentPlan:
    """Plan what to do with each person. A login identifies an account only if the platform's settings allow this."""
    plan = plan_for(store, link.course, present.sheet)
    by_login = link.platform.link_by == "login"

    def own(each: Person) -> bool:
        claimed = present.people[each.login].claimed
        return claimed.subject in present.accounts or (by_login and claimed.login == each.login)

    taken = [
        WrongLine(each.line, TAKEN.format(who=present.people[each.login].claimed.known_as, login=each.login))
        for each in plan.joining
        if not own(each)
    ]
    return replace(
        plan,
        joining=[each for each in plan.joining if own(each)],
        updating=[each for each in plan.updating if own(each)],
        wrong=sorted([*plan.wrong, *taken], key=lambda each: each.line),
    )


def carry_out(store: Session, link: LtiCourse, by: int, present: Roster, plan: EnrolmentPlan) -> None:
    """Carry out a plan. New accounts have no password: their owners sign in through the platform. The caller has locked
    the course row."""
    enrol(store, link.course, plan)
    accounts = {**present.accounts}
    for each in plan.new:
        claimed = present.people[each.login].claimed
        user = store.scalars(select(User).where(User.login == each.login)).one()
        linking.attach(store, user, claimed)  # this also invalidates the one-time password
        accounts[claimed.subject] = user
    for one in present.people.values():
        if account := accounts.get(one.claimed.subject):
            store.merge(LtiMember(lti_course_id=link.id, user_id=account.id, subject=one.claimed.subject))
    for what, changed in {"People added": plan.adding, "People updated": plan.updating}.items():
        if changed:
            members.log(store, link.course, by, what, "", members.listed([each.login for each in changed]))
    link.read_at, link.trouble = now(), ""


def follow(sessions: Sessions, services: PlatformServices, link: LtiCourse) -> None:
    """Add the new students of a platform's course. Do not add staff, or people with an account that is not connected.
    Update the section and the e-mail address of connected people from the platform."""
    try:
        found, why = fetched(services, link), ""
    except ServiceFailed as error:
        found, why = [], str(error)
    with writing(sessions) as store:
        course = store.get_one(Course, link.course_id, with_for_update=True)  # locked first, as everywhere
        row = store.get_one(LtiCourse, link.id, with_for_update=True)
        if why:
            row.read_at, row.trouble = now(), why
            return
        present = roster(store, row, found)
        plan = plan_for(store, course, present.sheet)
        fit = replace(
            plan,
            new=[each for each in plan.new if each.role is Role.STUDENT and row.platform.creates],
            joining=(),
            updating=[each for each in plan.updating if present.people[each.login].claimed.subject in present.accounts],
        )
        carry_out(store, row, row.connected_by, present, fit)
