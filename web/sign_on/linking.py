"""Finds the account of a person at a provider, by the issuer and the subject alone. Person and account are connected
once, in one of three ways:

- by a claim that the provider's settings define as the login or the student number (`link_by`). An account that has
  been connected is never taken over by another subject, since a login may have been given to somebody else;
- by the person, when signed in both here and at the provider;
- by creating an account, for people of certain mail domains if the provider has verified their address.

An e-mail address alone connects nobody, since people who can change their address at a provider could then take over
any account. Everybody in a class list has an account, so `link_by` without `create` lets in only people on the class
lists.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from tournament.store.notices import NoticeKind, tell
from tournament.store.validation import Refusal
from web.sign_on.protocol import Claimed
from web.sign_on.provider import Provider
from web.sign_on.tables import SignOnIdentity
from web.site.auth import takes_password
from web.site.models import FormerMember, Membership, Role, User
from web.site.people_file import WrongLine, person, sentence
from web.site.store import sentence as full
from web.site.store import under_way, write


class NotConnected(Refusal):
    """Somebody at a provider is not connected with an account here, or is connected with another one; the message says
    what to do."""

    code = "conflict"


OTHER_SUBJECT = (
    "The account {login} is connected with somebody else at {title}. If it is yours, ask the person who runs the server"
    " to end that connection: quadrille course disconnect {login}"
)
NO_ACCOUNT = (
    "{title} has signed you in as {known_as}, but no account here is connected with that. If you have an account, sign"
    " in with your password, then connect it on your account page. If not, ask your instructor to add you."
)
LOGIN_TAKEN = (
    "There is an account {login} already. If it is yours, sign in with your password, then connect it on your account"
    " page. If not, ask your instructor to add you."
)
UNVERIFIED = "{title} has not verified your e-mail address, so no account was made. Verify it there, then try again."
NO_LOGIN = "No account can be made with what {title} says about you: {why} Ask your instructor to add you."
CONNECTED_ELSEWHERE = "You are connected with another account at {title} already. Disconnect it first."
ANOTHERS = (
    "{known_as} at {title} is connected with another account here. Sign in with that one, or disconnect it there."
)
ONLY_WAY = "This is your only way to sign in. Ask your instructor for a password first."
AT_ONCE = "Somebody has just signed in as you at the same moment. Please try again."
MAINTENANCE = "Quadrille is under maintenance: {reason} New people can sign in when it is over."


@contextmanager
def connecting() -> Iterator[Session]:
    """Yield a transaction for connecting somebody. Raises NotConnected during maintenance, or if another request
    connects them at the same moment."""
    if stop := under_way():
        raise NotConnected(MAINTENANCE.format(reason=full(stop.reason)))
    try:
        with write() as store:
            yield store
    except IntegrityError as error:
        raise NotConnected(AT_ONCE) from error


def known(store: Session, claimed: Claimed) -> User | None:
    """Return the account that is connected with the person; None if there is none."""
    mine = (SignOnIdentity.issuer == claimed.issuer, SignOnIdentity.subject == claimed.subject)
    return store.scalar(select(User).join(SignOnIdentity).where(*mine))


def admit(store: Session, provider: Provider, claimed: Claimed) -> None:
    """Connect a person at their first sign-in with their account, which is created if necessary and if the provider's
    settings allow that. Raises NotConnected."""
    found = owner(store, provider, claimed)
    if found is None:
        attach(store, _made(store, provider, claimed), claimed)
        return
    take(store, found, provider, claimed)


def take(store: Session, found: User, provider: Provider, claimed: Claimed) -> None:
    """Connect a person with the account that a claim has identified, and notify the account's owner. Raises
    NotConnected."""
    if _identity(store, found.id, claimed.issuer):
        raise NotConnected(OTHER_SUBJECT.format(login=found.login, title=provider.title))
    attach(store, found, claimed)
    text = f"You were signed in there as {claimed.known_as}. If that was not you, tell your instructor."
    tell(store, found.id, None, f"You can sign in with {provider.title} now", text, kind=NoticeKind.ACCOUNT)


def owner(store: Session, provider: Provider, claimed: Claimed) -> User | None:
    """Return the account identified by the claim that the settings trust; None if there is none."""
    if provider.link_by == "login":
        return _with_login(store, claimed.login)
    if provider.link_by == "student_number" and claimed.student_number:
        return _with_number(store, claimed.student_number)
    return None


def _with_login(store: Session, login: str) -> User | None:
    """Return the account with this login. Case is ignored only in ASCII logins, since different non-ASCII letters can
    be equal after a change of case."""
    same = func.lower(User.login) == login.lower() if login.isascii() else User.login == login
    found = store.scalars(select(User).where(same)).all()
    return found[0] if len(found) == 1 else None


def _with_number(store: Session, number: str) -> User | None:
    """Return the student who has that number in all their present and former courses. Instructors enter student numbers
    for their own course only, so one who adds somebody's account to a course must not control who signs in to the
    account's other courses."""
    ids = set(store.scalars(select(Membership.user_id).where(Membership.student_number == number)))
    if len(ids) != 1:
        return None
    user = store.get_one(User, *ids)
    rows = [*store.scalars(select(Membership).where(Membership.user_id == user.id))]
    former = store.scalars(select(FormerMember.student_number).where(FormerMember.user_id == user.id))
    student = not user.once_taught and all(row.role is Role.STUDENT for row in rows)
    return user if student and {*former, *(row.student_number for row in rows)} == {number} else None


def _made(store: Session, provider: Provider, claimed: Claimed) -> User:
    domain = claimed.mail.rpartition("@")[2].lower()
    if provider.create != "mail_domains" or domain not in provider.mail_domains:
        raise NotConnected(NO_ACCOUNT.format(title=provider.title, known_as=claimed.known_as))
    if not claimed.mail_verified:
        raise NotConnected(UNVERIFIED.format(title=provider.title))
    return make(store, provider, claimed)


def make(store: Session, provider: Provider, claimed: Claimed) -> User:
    """Create an account with the person's login at the provider, and without a password. Raises NotConnected."""
    described = person(claimed.login, claimed.name or claimed.login)
    if isinstance(described, WrongLine):
        raise NotConnected(NO_LOGIN.format(title=provider.title, why=sentence(described.why)))
    if store.scalar(select(User.id).where(func.lower(User.login) == claimed.login.lower())) is not None:
        raise NotConnected(LOGIN_TAKEN.format(login=claimed.login))
    user = User(login=described.login, name=described.name, password_hash="")  # no password has this hash
    store.add(user)
    store.flush()
    return user


def connect(store: Session, user_id: int, provider: Provider, claimed: Claimed) -> None:
    """Connect a person with the account in which they are already signed in. Raises NotConnected."""
    owner = known(store, claimed)
    if owner is not None and owner.id == user_id:
        return
    if owner is not None:
        raise NotConnected(ANOTHERS.format(known_as=claimed.known_as, title=provider.title))
    if _identity(store, user_id, claimed.issuer):
        raise NotConnected(CONNECTED_ELSEWHERE.format(title=provider.title))
    attach(store, store.get_one(User, user_id), claimed)


def _identity(store: Session, user_id: int, issuer: str) -> SignOnIdentity | None:
    mine = (SignOnIdentity.user_id == user_id, SignOnIdentity.issuer == issuer)
    return store.scalar(select(SignOnIdentity).where(*mine))


def attach(store: Session, user: User, claimed: Claimed) -> None:
    """Store a connection of an account. This ends the account's one-time password, which others have seen."""
    if user.one_time:
        user.password_hash, user.one_time = "", False
    row = SignOnIdentity(user_id=user.id, issuer=claimed.issuer, subject=claimed.subject, known_as=claimed.known_as)
    store.add(row)
    store.flush()


def identities(store: Session, user_id: int) -> Sequence[SignOnIdentity]:
    """Return the connections of this account with people at providers."""
    mine = select(SignOnIdentity).where(SignOnIdentity.user_id == user_id)
    return store.scalars(mine.order_by(SignOnIdentity.id)).all()


def disconnect(store: Session, user_id: int, identity_id: int) -> str:
    """End one of this person's connections, and all their sessions. Returns the issuer; "" if the connection does not
    exist. Raises NotConnected if the person could not sign in any more."""
    own = identities(store, user_id)
    ended = [each for each in own if each.id == identity_id]
    if not ended:
        return ""
    user = store.get_one(User, user_id)
    if len(own) == 1 and not (user.password_hash and takes_password(user.login)):
        raise NotConnected(ONLY_WAY)
    store.delete(ended[0])
    user.generation += 1
    return ended[0].issuer
