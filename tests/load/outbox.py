"""E-mail during a deadline night: notices to people who are not there, which the server's scheduler sends to a mail
server of this test, and how much longer everybody else waits meanwhile."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any

from aiosmtpd.controller import Controller
from sqlalchemy import select

from deploy.courses import new_course
from deploy.settings import Settings
from tests.bench.figures import percentile
from tests.load.night import Night, NightResult, play
from tests.load.visits import Visits
from tournament.store.database import Sessions, writing
from tournament.store.notices import NoticeKind, tell
from web.site.host_name import is_loopback
from web.site.models import Course, Membership, Role, User

COURSE = "load-test-mail"
PATIENCE_S, LOOK_S = 300.0, 0.5
FEWEST = 20  # requests of a kind whose percentiles are compared
PERCENTS = (50, 95)


class NoMailServer(Exception):
    """The server under test sends no e-mail to this machine; the message says what to set."""


class Taken:
    """Counts the messages that the mail server takes."""

    def __init__(self) -> None:
        self.number, self.last = 0, 0.0

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        self.number, self.last = self.number + 1, monotonic()
        return "250 taken"


@dataclass(frozen=True, slots=True)
class Posted:
    """A night in which messages were sent, and how many seconds after the first notice the last one arrived."""

    night: NightResult
    sent: int
    within_s: float


@contextmanager
def mail_server(settings: Settings) -> Iterator[Taken]:
    """A mail server where the settings say that there is one. Raises NoMailServer."""
    if not (settings.mail_from and is_loopback(settings.mail_host) and settings.mail_security == "none"):
        raise NoMailServer(
            "start the server with QUADRILLE_MAIL_HOST=127.0.0.1 QUADRILLE_MAIL_PORT=8025 QUADRILLE_MAIL_SECURITY=none "
            "QUADRILLE_MAIL_FROM=site@example.org in settings.env of its data folder"
        )
    taken = Taken()
    server = Controller(taken, settings.mail_host, settings.mail_port)
    server.start()
    try:
        yield taken
    finally:
        server.stop()


def absent_people(sessions: Sessions, number: int) -> Sequence[int]:
    """People with an address who never sign in, in a course of their own."""
    with writing(sessions) as session:
        course = session.scalar(select(Course).where(Course.slug == COURSE))
        if course is None:
            course = new_course(session, COURSE, "Load test of e-mail", [])
        members = select(Membership.user_id).where(Membership.course_id == course.id).order_by(Membership.user_id)
        known = list(session.scalars(members))
        for count in range(len(known), number):
            login = f"absent{count:05}"
            user = User(login=login, name=login, password_hash="")
            session.add(user)
            session.flush()
            place = {"pseudonym": login, "email": f"{login}@example.org", "role": Role.STUDENT}
            session.add(Membership(user_id=user.id, course_id=course.id, **place))
            known.append(user.id)
    return known[:number]


async def play_with_mail(
    night: Night, say: Callable[[str], None], sessions: Sessions, people: Sequence[int], taken: Taken
) -> Posted:
    """Play a night in whose busiest part these people get a notice each, as when marks are published."""
    told_at = list[float]()

    def tell_all() -> None:
        told_at.append(monotonic())
        with writing(sessions) as session:
            for user_id in people:
                tell(session, user_id, None, "Your marks are published", "They are on the site.", (), NoticeKind.MARKS)

    async def post() -> None:
        await asyncio.sleep(night.arrival_s)
        await asyncio.to_thread(tell_all)

    before = taken.number
    played, _ = await asyncio.gather(play(night, say), post())
    waiting_until = monotonic() + PATIENCE_S
    while taken.number - before < len(people) and monotonic() < waiting_until:
        await asyncio.sleep(LOOK_S)
    return Posted(played, taken.number - before, taken.last - told_at[0])


def times_of(outcome: NightResult) -> Mapping[str, Sequence[float]]:
    """Seconds of each kind of request with enough of them, of all together, and from upload to report."""

    def of(title: str, visits: Visits) -> dict[str, Sequence[float]]:
        kinds = {f"{title}{page}": times for page, times in visits.seconds.items() if len(times) >= FEWEST}
        return {f"{title}all": [each for times in visits.seconds.values() for each in times], **kinds}

    return {**of("", outcome.visits), **of("staff: ", outcome.staff), "upload to report": outcome.waited}


def ratios(without: Sequence[NightResult], with_mail: NightResult) -> dict[str, dict[str, float]]:
    """How many times as long each kind took with e-mail as in the nights without it, by percentile."""
    others = [times_of(each) for each in without]
    found = dict[str, dict[str, float]]()
    for kind, times in times_of(with_mail).items():
        pools = [each[kind] for each in others if each.get(kind)]
        if times and len(pools) == len(others):
            usual = {p: sum(percentile(pool, p) for pool in pools) / len(pools) for p in PERCENTS}
            found[kind] = {f"p{p}": percentile(times, p) / usual[p] for p in PERCENTS if usual[p]}
    return found
