"""Creates courses and their assignments in the caller's transaction."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from grader.authoring.course_folder.course import bad_slug, builtin
from grader.authoring.versions import publish
from grader.definition.local_times import DEFAULT_ZONE, find_zone
from grader.definition.question import SLUG
from grader.store.models import Assignment
from tournament.games.api import Game
from tournament.games.options import ChosenGame
from web.second_factor.tables import Passkey, SecondFactor
from web.sign_on.tables import SignOnIdentity
from web.site.models import Course, User
from web.site.passwords import replace_password


class BadCourse(Exception):
    """The course cannot be created, or there is no course or person with that name; the message says which."""


def new_course(
    session: Session, slug: str, title: str, games: Sequence[Game[Any]], time_zone: str = DEFAULT_ZONE
) -> Course:
    """Create a course with an assignment for each game. Raises BadCourse, UnknownZone."""
    if not SLUG.fullmatch(slug):
        raise BadCourse(bad_slug(slug))
    title = " ".join(title.split())
    if not title or not title.isprintable():
        raise BadCourse("a course needs a title, which students see on every page, e.g. “Foundations of Computing”")
    if session.scalar(select(Course.id).where(Course.slug == slug)) is not None:
        raise BadCourse(f"there is already a course {slug!r}")
    course = Course(slug=slug, title=title, time_zone=find_zone(time_zone).key)
    session.add(course)
    session.flush()
    for game in games:
        add_assignment(session, course, game)
    return course


def find_course(session: Session, slug: str) -> Course:
    """Return the course with that slug. Raises BadCourse."""
    course = session.scalars(select(Course).where(Course.slug == slug)).one_or_none()
    if course is None:
        known = ", ".join(session.scalars(select(Course.slug).order_by(Course.slug))) or "none yet"
        raise BadCourse(f"there is no course {slug!r}; available: {known}")
    return course


def add_assignment(session: Session, course: Course, game: Game[Any]) -> Assignment:
    """Add the assignment that comes with a game and publish it, with its tournaments and their house bots."""
    assignment = Assignment(course_id=course.id, slug=game.slug, title=game.title, game=game.name)
    session.add(assignment)
    session.flush()
    chosen = game.chosen if isinstance(game, ChosenGame) else {}
    definition = builtin(game.slug).model_copy(update={"options": chosen})
    publish(session, assignment, definition, by=None, base=0)
    return assignment


def new_password(session: Session, login: str) -> str:
    """Give somebody a one-time password, which ends their sessions and API tokens. Raises BadCourse."""
    return replace_password(session, find_user(session, login))


def disconnect(session: Session, login: str) -> Sequence[str]:
    """End all of a person's connections with providers of single sign-on, and their sessions. Returns the person's
    names at these providers. Raises BadCourse."""
    user = find_user(session, login)
    ended = delete(SignOnIdentity).where(SignOnIdentity.user_id == user.id).returning(SignOnIdentity.known_as)
    user.generation += 1
    return session.scalars(ended).all()


def remove_factor(session: Session, login: str) -> bool:
    """Remove a person's second factor, both app and passkeys, and end their sessions; returns whether they had one.
    Raises BadCourse."""
    user = find_user(session, login)
    session.execute(delete(Passkey).where(Passkey.user_id == user.id))
    removed = delete(SecondFactor).where(SecondFactor.user_id == user.id).returning(SecondFactor.user_id)
    had_one = session.scalar(removed) is not None
    if had_one:
        user.generation += 1
    return had_one


def find_user(session: Session, login: str) -> User:
    """Return the account with that login. Raises BadCourse."""
    user = session.scalars(select(User).where(User.login == login)).one_or_none()
    if user is None:
        raise BadCourse(f"nobody has the login {login!r}")
    return user
