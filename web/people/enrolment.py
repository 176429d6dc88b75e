"""Adding people to a course: first planning what would happen to each, then carrying the plan out, for the site, its
API and `quadrille course`; and which pseudonyms a course allows."""

import secrets
import unicodedata
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from importlib.resources import files

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import Session

from grader.store.models import section_names
from sandbox import patterns
from tournament.store.notices import NoticeKind, tell
from web.site.models import PARTICULARS, Course, FormerMember, Membership, User
from web.site.passwords import new_account
from web.site.people_file import WORDS, BadPeople, PeopleFile, Person, WrongLine, separated

SHOWN = 5  # wrong lines in an error
COLOURS = (
    *("Amber", "Azure", "Black", "Blue", "Bronze", "Coral", "Copper", "Crimson"),
    *("Golden", "Green", "Grey", "Indigo", "Ivory", "Jade", "Olive", "Orange"),
)
ANIMALS = (
    *("Badger", "Beaver", "Crane", "Dolphin", "Falcon", "Ferret", "Gecko", "Heron"),
    *("Ibex", "Jackdaw", "Koala", "Lynx", "Marten", "Newt", "Otter", "Owl"),
)


@dataclass(frozen=True, slots=True)
class KnownPeople:
    """The facts that a plan needs: the existing logins by their lowercase form (`accounts`), the logins of those in the
    course (`members`) and of those removed from it (`removed`), the `pseudonyms` of both in the form that `looks`
    returns, and the `particulars` of the members by login."""

    accounts: Mapping[str, str] = field(default_factory=dict)
    members: AbstractSet[str] = frozenset()
    removed: AbstractSet[str] = frozenset()
    pseudonyms: AbstractSet[str] = frozenset()
    particulars: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EnrolmentPlan:
    """What would be done: accounts to create (`new`), accounts that only join the course (`joining`), members whose
    student number, e-mail, section or group differs in the file (`updating`), other `members` and people who were
    `removed`, who are all left unchanged, and lines that are `wrong`."""

    new: Sequence[Person]
    joining: Sequence[Person]
    members: Sequence[Person]
    removed: Sequence[Person]
    wrong: Sequence[WrongLine]
    updating: Sequence[Person] = ()

    @property
    def adding(self) -> Sequence[Person]:
        """The people whom the plan adds to the course."""
        return [*self.new, *self.joining]


def plan(known: KnownPeople, sheet: PeopleFile) -> EnrolmentPlan:
    """Plan what to do with each person listed in a file."""
    cases: dict[str, list[Person]] = {"new": [], "joining": [], "updating": [], "members": [], "removed": []}
    wrong, seen, taken = [*sheet.wrong], dict[str, Person](), {*known.pseudonyms}
    owners = {key: login for login, each in known.particulars.items() for key in _unique(each)}
    for person in _in_sections(known, sheet):
        case = _becomes(known, person)
        added = case in ("new", "joining")
        why = _trouble(known, person, seen, taken if added else frozenset()) or _shared_particular(person, owners)
        if why:
            wrong.append(WrongLine(person.line, why))
            continue
        cases[case].append(person)
        seen[person.login.lower()] = person
        owners |= dict.fromkeys(_unique(person.particulars), person.login)
        if added and person.pseudonym:
            taken.add(looks(person.pseudonym))
    return EnrolmentPlan(**cases, wrong=sorted(wrong, key=lambda each: each.line))


def _in_sections(known: KnownPeople, sheet: PeopleFile) -> Sequence[Person]:
    if not sheet.canvas:
        return sheet.people
    of_course = section_names(each.get("section", "") for each in known.particulars.values())
    sections = separated([each.section for each in sheet.people], of_course)
    return [replace(each, section=section) for each, section in zip(sheet.people, sections, strict=True)]


def _becomes(known: KnownPeople, person: Person) -> str:
    if person.login in known.members:
        present = known.particulars.get(person.login, {})
        other = any(value and value != present.get(name) for name, value in person.particulars.items())
        return "updating" if other else "members"
    if person.login in known.removed:
        return "removed"
    return "joining" if person.login.lower() in known.accounts else "new"


def _unique(particulars: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the particulars that must differ between people, in lower case."""
    return [(name, value.lower()) for name in ("email", "student_number") if (value := particulars.get(name, ""))]


def _shared_particular(person: Person, owners: Mapping[tuple[str, str], str]) -> str:
    for key in _unique(person.particulars):
        if (owner := owners.get(key, person.login)) != person.login:
            return f"the {WORDS[key[0]]} “{key[1]}” of {person.login} also belongs to {owner}"
    return ""


def _trouble(known: KnownPeople, person: Person, seen: Mapping[str, Person], taken: AbstractSet[str]) -> str:
    if former := seen.get(person.login.lower()):
        if former.section != person.section:
            own = f"“{person.login}” is also in the section {former.section}"
            return f"{own}; write all sections on one line, separated by semicolons"
        return f"the login “{person.login}” appears twice"
    same = known.accounts.get(person.login.lower(), person.login)
    if same != person.login:
        return f"there is an account “{same}”, which differs from “{person.login}” only in upper and lower case"
    if person.pseudonym and looks(person.pseudonym) in taken:
        return f"the pseudonym “{person.pseudonym}” of {person.login} belongs to somebody else in this course"
    return ""


def known_of(session: Session, course: Course, people: Sequence[Person]) -> KnownPeople:
    """Return the facts in the database about a course and these people."""
    logins = {person.login for person in people}
    alike = or_(func.lower(User.login).in_({login.lower() for login in logins}), User.login.in_(logins))
    found = sorted(session.scalars(select(User.login).where(alike)), key=logins.__contains__)  # exact matches last
    kept = [getattr(Membership, name) for name in PARTICULARS]
    members = session.execute(_names(Membership, course.id).add_columns(*kept)).all()
    removed = session.execute(_names(FormerMember, course.id)).all()
    return KnownPeople(
        accounts={login.lower(): login for login in found},
        members={login for login, *_ in members},
        removed={login for login, _ in removed},
        pseudonyms={looks(pseudonym) for _, pseudonym, *_ in (*members, *removed)},
        particulars={login: dict(zip(PARTICULARS, rest, strict=True)) for login, _, *rest in members},
    )


def pseudonyms_of(session: Session, course: Course) -> set[str]:
    """Return the pseudonyms of a course's present and removed members, in the form that `looks` returns."""
    rows = (session.execute(_names(kind, course.id)) for kind in (Membership, FormerMember))
    return {looks(pseudonym) for found in rows for _, pseudonym in found}


def _names(kind: type[Membership] | type[FormerMember], course_id: int) -> Select[str, str]:
    """Return the logins and pseudonyms of the members, or former members, of a course."""
    return select(User.login, kind.pseudonym).join(User, User.id == kind.user_id).where(kind.course_id == course_id)


def plan_for(session: Session, course: Course, sheet: PeopleFile) -> EnrolmentPlan:
    """Plan what to do with each person of a file in this course."""
    return plan(known_of(session, course, sheet.people), sheet)


def refuse_wrong(wrong: Sequence[WrongLine]) -> None:
    """Refuse a file as a whole if a line of it is wrong. Raises BadPeople."""
    if wrong:
        more = f"; and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
        raise BadPeople("; ".join(str(each) for each in wrong[:SHOWN]) + more)


def enrol(session: Session, course: Course, what: EnrolmentPlan) -> dict[str, str]:
    """Carry out a plan and return the one-time password of each new login."""
    taken = pseudonyms_of(session, course) | {looks(each.pseudonym) for each in what.adding if each.pseudonym}
    made = [(person, *new_account(session, person.login, person.name)) for person in what.new]
    session.flush()
    for person, user, _ in made:
        join(session, course, user.id, person, taken)
    joining = select(User.login, User.id).where(User.login.in_([person.login for person in what.joining]))
    ids = dict(session.execute(joining).all())
    for person in what.joining:
        join(session, course, ids[person.login], person, taken)
        subject, text = f"You are now in {course.title}", "An instructor has added you."
        tell(session, ids[person.login], None, subject, text, kind=NoticeKind.ACCOUNT)
    _update(session, course, what.updating)
    session.flush()
    return {person.login: password for person, _, password in made}


def _update(session: Session, course: Course, people: Sequence[Person]) -> None:
    """Update members from a file; values that are empty there stay unchanged."""
    given = {each.login: each.particulars for each in people}
    members = select(Membership, User.login).join(User).where(Membership.course_id == course.id)
    for member, login in session.execute(members.where(User.login.in_(given))):
        for name, value in given[login].items():
            setattr(member, name, value or getattr(member, name))


def join(session: Session, course: Course, user_id: int, person: Person, taken: set[str]) -> None:
    """Make a user a member. Without a pseudonym, the user gets one that is not in `taken`. Adds the pseudonym to
    `taken`."""
    pseudonym = person.pseudonym or free_pseudonym(taken)
    taken.add(looks(pseudonym))
    own = {"role": person.role, "pseudonym": pseudonym, **person.particulars}
    session.add(Membership(user_id=user_id, course_id=course.id, **own))


def free_pseudonym(taken: AbstractSet[str]) -> str:
    """Return an unused pseudonym of a colour and an animal, with a number once all combinations are in use."""
    names = [f"{colour} {animal}" for colour in COLOURS for animal in ANIMALS]
    free = [name for name in names if looks(name) not in taken]
    if free:
        return secrets.choice(free)
    name, number = secrets.choice(names), len(taken)
    while looks(f"{name} {number}") in taken:
        number += 1
    return f"{name} {number}"


SHORTEST_PSEUDONYM, LONGEST_PSEUDONYM = 2, 24  # characters of a chosen pseudonym
TYPED = 500  # characters before normalisation
SIGNS = " -'’._"
ALONE = {"LATIN", "CYRILLIC", "GREEK"}
"""Scripts with letters that look like letters of other scripts; a name with letters of one of these scripts may use no
other script."""

LOOK_ALIKES = str.maketrans(
    "авекмнорстухіјѕһԁԛԝѵαβεικνορτυχηωøđħłı01|5",
    "abekmhopctyxijshdqwvabeikvoptuxnwodhiioiis",
)
SAME = (("l", "i"), ("rn", "m"), ("vv", "w"))

NOT_ALLOWED = "“{}” contains a word that is not allowed here. Choose another pseudonym."


def tidy(name: str) -> str:
    """Return a name as it is stored: with composed characters and single spaces. The characters of a name that is far
    too long are not composed, since composing could be slow and the name is refused anyway."""
    return " ".join((name if len(name) > TYPED else unicodedata.normalize("NFKC", name)).split())


def looks(name: str) -> str:
    """Return a text that is equal for names that can be mistaken for one another: without accents, capitals, signs and
    spaces, and with a single letter in place of all that look alike."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    letters = "".join(each for each in plain if unicodedata.category(each)[0] in "LN").translate(LOOK_ALIKES)
    for shape, letter in SAME:
        letters = letters.replace(shape, letter)
    return letters or name.casefold()


def why_not_pseudonym(name: str) -> str:
    """Return the reason why a student may not choose this pseudonym, as a sentence; "" if they may. This does not check
    whether the pseudonym is taken."""
    if not SHORTEST_PSEUDONYM <= len(name) <= LONGEST_PSEUDONYM:
        return f"A pseudonym has {SHORTEST_PSEUDONYM} to {LONGEST_PSEUDONYM} characters; this one has {len(name)}."
    wrong = next((each for each in name if unicodedata.category(each)[0] not in "LMN" and each not in SIGNS), "")
    if wrong:
        shown = f"“{wrong}”" if wrong.isprintable() else "an invisible character"
        return f"{shown} cannot be part of a pseudonym: use letters, digits, spaces, hyphens, dots and apostrophes."
    if not name[0].isalnum() or not any(each.isalpha() for each in name):
        return "A pseudonym begins with a letter or a digit, and contains a letter."
    if any("\u0300" <= each <= "\u036f" for each in unicodedata.normalize("NFC", name)):
        return "A pseudonym has at most one accent on a letter."
    scripts = {unicodedata.name(each, "").partition(" ")[0] for each in name if each.isalpha()}
    if len(scripts) > 1 and scripts & ALONE:
        return (
            "A pseudonym can use letters from only one alphabet, because letters from different alphabets can look "
            "the same."
        )
    whole = looks(name)
    words = {looks(word) for word in patterns.compile(r"[^\pL\pN]+").split(name) if word} | {whole}
    refused = not words.isdisjoint(ALONE_REFUSED) or any(word in whole for word in REFUSED) or whole.startswith(FORMER)
    return NOT_ALLOWED.format(name) if refused else ""


_LINES = (files("web.people") / "refused_words.txt").read_text("utf-8").splitlines()
REFUSED = {looks(line) for line in _LINES if line[:1].isalpha()}
ALONE_REFUSED = {looks(line[1:]) for line in _LINES if line.startswith("=")}
FORMER = looks("Former player")  # how removed people are shown, see `web.people.roster.neutral`
