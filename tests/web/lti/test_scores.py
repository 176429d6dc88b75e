"""Marks reach the gradebook of a platform, once, whatever happens to it; and only those of its own students."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from deploy.storage.restore import _give_up_mail
from grader.marks.mark import Decision
from grader.marks.tables import Decided, StaffDecision, decide
from tests.web.lti.failing import FailingPlatform
from tests.web.school import School
from tournament.store.database import now
from tournament.store.mail import KEPT
from web.lti import scores
from web.lti.services import PlatformServices
from web.lti.tables import LtiCourse, LtiItem, LtiMember, LtiScore, Sends
from web.sign_on.tables import SignOnIdentity
from web.site import outside
from web.site.models import Membership

PUBLISH = "/assignments/{}/marks/publication"


class Gradebook:
    """The course's connection, and time that passes."""

    def __init__(self, school: School, platform: FailingPlatform, sends: Sends = Sends.PUBLISHED) -> None:
        self.school, self.platform, self.link = school, platform, platform.add_to(school)
        self.services = PlatformServices(school.sessions, frozenset({"127.0.0.1"}))
        self.at = now()
        with school.write() as store:
            store.get_one(LtiCourse, self.link).sends = sends
            for login in ("ada", "ben"):
                self.add(store, login)

    def add(self, store: Session, login: str) -> None:
        """Somebody who is connected, and in the course there."""
        issuer, id_ = store.get_one(LtiCourse, self.link).platform.provider.issuer, self.school.people[login]
        store.add(SignOnIdentity(user_id=id_, issuer=issuer, subject=f"s-{login}", known_as=login))
        store.add(LtiMember(lti_course_id=self.link, user_id=id_, subject=f"s-{login}"))

    def mark(self, login: str, total: float) -> None:
        with self.school.write() as store:
            id_ = self.school.people[login]
            row = store.get(StaffDecision, (self.school.assignment, id_))
            decision = Decision(override=total, reason="as agreed", revision=row.revision if row else 0)
            decide(store, self.school.assignment, self.school.people["ines"], [Decided(id_, login, decision)], now())

    def publish(self, do: str = "publish") -> None:
        browser = self.school.browser("ines")
        address = PUBLISH.format(self.school.assignment)
        assert browser.post(address, {"do": do, "confirm": "on"}, form=address).status_code == 303

    def go_on(self, later: timedelta = timedelta()) -> None:
        """What the scheduler does at a look, some time later."""
        scores.queue(self.school.sessions)
        self.at = max(self.at + later, now())
        while scores.send_batch(self.school.sessions, self.services, self.at):
            pass

    @property
    def sent(self) -> list[tuple[str, float | None]]:
        return [(each["userId"], each.get("scoreGiven")) for each in self.platform.scores]

    def rows(self) -> list[LtiScore]:
        with self.school.write() as store:
            found = list(store.scalars(select(LtiScore).order_by(LtiScore.id)))
            store.expunge_all()
            return found


@pytest.fixture
def book(school: School, failing: FailingPlatform) -> Gradebook:
    return Gradebook(school, failing)


def test_a_mark_is_sent_when_it_is_published_and_once(book: Gradebook) -> None:
    book.mark("ada", 7.5)
    book.go_on()
    assert book.sent == [], "not before that"
    book.publish()
    for _ in range(3):
        book.go_on()
    assert book.sent == [("s-ada", 7.5)]
    (said,) = book.platform.scores
    assert said["activityProgress"] == "Completed"
    assert said["gradingProgress"] == "FullyGraded"
    assert "7.5 of" in said["comment"]
    assert datetime.fromisoformat(said["timestamp"]).tzinfo
    (item,) = book.platform.items
    assert (item["label"], item["resourceId"]) == ("Project 2: Comp10001-Bo", f"quadrille-{book.school.assignment}")
    assert said["scoreMaximum"] == item["scoreMaximum"]
    assert "POST /items/0/scores" in book.platform.asked, "the query of a column's address stays behind its path"


def test_changes_are_sent_and_others_are_not(book: Gradebook) -> None:
    book.mark("ada", 7)
    book.mark("ben", 3)
    book.publish()
    book.go_on()
    book.mark("ada", 8)
    book.go_on()
    assert len(book.sent) == 2, "not before it is published again"
    book.publish()
    book.go_on()
    assert book.sent[2:] == [("s-ada", 8)]
    assert len(book.platform.items) == 1


def test_what_is_withdrawn_is_taken_back(book: Gradebook) -> None:
    book.mark("ada", 7)
    book.publish()
    book.go_on()
    book.publish("withdraw")
    book.go_on()
    book.go_on()
    assert book.sent == [("s-ada", 7), ("s-ada", None)]
    assert book.platform.scores[-1]["gradingProgress"] == "NotReady"
    assert "scoreGiven" not in book.platform.scores[-1]


def test_live_marks_follow_without_a_publication(school: School, failing: FailingPlatform) -> None:
    book = Gradebook(school, failing, Sends.LIVE)
    book.mark("ada", 5)
    book.go_on()
    book.mark("ada", 6)
    book.go_on()
    assert book.sent == [("s-ada", 5), ("s-ada", 6)]


def test_nothing_is_sent_unless_an_instructor_has_chosen_that(school: School, failing: FailingPlatform) -> None:
    book = Gradebook(school, failing, Sends.NEVER)
    book.mark("ada", 5)
    book.publish()
    book.go_on()
    assert failing.asked == []


def test_only_students_of_both_courses_have_marks_there(book: Gradebook) -> None:
    """Cleo is not in the course there; Otto is, and not in the course here."""
    with book.school.write() as store:
        book.add(store, "otto")
    for login in ("ada", "cleo"):
        book.mark(login, 5)
    book.publish()
    book.go_on()
    assert book.sent == [("s-ada", 5)]


def test_who_leaves_before_it_is_sent_gets_none(book: Gradebook) -> None:
    book.mark("ada", 5)
    book.publish()
    scores.queue(book.school.sessions)
    with book.school.write() as store:
        store.delete(store.get_one(Membership, (book.school.people["ada"], book.school.course)))
    book.go_on()
    assert book.sent == []
    assert book.rows()[0].answer == scores.NOT_HERE


def status(code: int, **headers: str) -> Callable[[], Response]:
    return lambda: Response(f"no: {code}", code, headers=headers)


PASSES: dict[str, Callable[[], Response]] = {
    "403, as Canvas answers who asks too often": status(403),
    "429": status(429),
    "500": status(500),
    "503": status(503),
    "a token that is none": lambda: Response("<html>"),
    "elsewhere": lambda: Response(status=302, headers={"Location": "/items/0/scores"}),
}


@pytest.mark.parametrize("where", ["/token", "/items", "/items/0/scores"])
@pytest.mark.parametrize("how", PASSES)
def test_what_passes_is_tried_again_until_it_is_sent_once(book: Gradebook, where: str, how: str) -> None:
    if how == "a token that is none" and where != "/token":
        return
    book.mark("ada", 5)
    book.publish()
    book.platform.instead[where] = PASSES[how]
    book.go_on()
    asked = len(book.platform.asked)
    book.go_on(timedelta(seconds=30))
    assert len(book.platform.asked) == asked, "it is left alone for a minute"
    (row,) = book.rows()
    assert row.answer
    assert row.next_at
    book.platform.instead.clear()
    book.go_on(timedelta(minutes=2))
    assert book.sent == [("s-ada", 5)]
    assert len(book.platform.items) == 1


def test_the_waits_grow_and_the_platform_may_ask_for_more(book: Gradebook) -> None:
    book.mark("ada", 5)
    book.publish()
    book.platform.instead["/items/0/scores"] = status(500)
    waits = []
    for _ in range(9):
        book.go_on(timedelta(hours=1))
        waits.append(round((book.rows()[0].next_at or book.at).timestamp() - book.at.timestamp()) // 60)
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    book.platform.instead["/items/0/scores"] = status(429, **{"Retry-After": "2400"})
    book.mark("ben", 1)
    book.publish()
    book.go_on(timedelta(hours=1))
    assert book.rows()[1].next_at == book.at + timedelta(minutes=40)


def test_a_platform_that_is_gone_for_an_hour_gets_each_mark_once(
    book: Gradebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.lti.services.OutsideSession", lambda inside: Gone())
    for number, login in enumerate(("ada", "ben")):
        book.mark(login, number + 1)
    book.publish()
    for _ in range(7):
        book.go_on(timedelta(minutes=10))
    assert book.platform.asked == []
    monkeypatch.undo()
    book.go_on(timedelta(hours=1))
    book.go_on(timedelta(hours=1))
    assert sorted(book.sent) == [("s-ada", 1), ("s-ben", 2)]


class Gone:
    """A session whose server does not answer."""

    def __enter__(self) -> "Gone":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def request(self, *_: object, **__: object) -> Response:
        raise ConnectionRefusedError("nobody listens")


def test_a_slow_platform_is_asked_once_for_a_batch(book: Gradebook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "READ_S", 0.2)
    book.mark("ada", 1)
    book.mark("ben", 2)
    book.publish()
    book.platform.instead["/token"] = lambda: (__import__("time").sleep(0.6), Response("{}"))[1]
    book.go_on()
    assert book.platform.asked.count("POST /token") == 1
    assert all("timed out" in row.answer for row in book.rows())


def test_a_token_that_has_ended_is_replaced_at_once(book: Gradebook) -> None:
    book.mark("ada", 1)
    book.publish()
    book.go_on()
    once = [Response("ended", 401)]
    usual = Response("{}", 200)
    book.platform.instead["/items/0/scores"] = lambda: once.pop() if once else usual
    book.mark("ada", 2)
    book.publish()
    book.go_on()
    assert book.platform.asked.count("POST /token") == 2
    assert book.rows()[-1].sent_at


def test_a_platform_that_has_the_mark_already_settles_it(book: Gradebook) -> None:
    book.mark("ada", 1)
    book.publish()
    book.platform.instead["/items/0/scores"] = status(409)
    book.go_on()
    (row,) = book.rows()
    assert row.sent_at
    assert row.next_at is None
    assert "409" in row.answer


@pytest.mark.parametrize("code", [400, 404, 410, 422])
def test_what_never_passes_is_given_up_at_once_and_can_be_read_and_tried_again(book: Gradebook, code: int) -> None:
    book.mark("ada", 1)
    book.publish()
    book.platform.instead["/items/0/scores"] = status(code)
    book.go_on()
    address, browser = "/courses/comp10001/platforms/", book.school.browser("ines")
    page = browser.get(address).text
    assert f"no: {code}" in page
    assert "not sent" in page
    book.go_on(timedelta(hours=3))
    assert book.platform.asked.count("POST /items/0/scores") == 1
    book.platform.instead.clear()
    assert browser.post(f"{address}{book.link}/", {"do": "again"}, form=address).status_code == 303
    book.go_on()
    assert book.sent == [("s-ada", 1)]


def test_after_two_days_it_is_given_up(book: Gradebook) -> None:
    book.mark("ada", 1)
    book.publish()
    book.platform.instead["/items/0/scores"] = status(500)
    book.go_on()
    book.go_on(KEPT + timedelta(minutes=5))
    (row,) = book.rows()
    assert row.next_at is None
    assert row.answer.startswith("Given up after two days: 500")


def test_a_later_mark_replaces_one_that_waits(book: Gradebook) -> None:
    book.mark("ada", 1)
    book.publish()
    book.platform.instead["/items/0/scores"] = status(500)
    book.go_on()
    book.mark("ada", 2)
    book.publish()
    book.platform.instead.clear()
    book.go_on(timedelta(hours=2))
    assert book.sent == [("s-ada", 2)]
    assert book.rows()[0].answer == scores.REPLACED


def test_whoever_dies_while_sending_sends_the_same_again_with_the_same_time(
    book: Gradebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    book.mark("ada", 1)
    book.publish()
    with monkeypatch.context() as patch:
        patch.setattr(scores, "_note_outcome", lambda *_, **__: None)
        book.go_on()
    book.go_on(timedelta(minutes=14))
    assert len(book.sent) == 1, "its lease has not run out"
    book.go_on(timedelta(minutes=2))
    first, second = book.platform.scores
    assert first == second


def test_a_column_whose_answer_got_lost_is_found_again(book: Gradebook) -> None:
    book.mark("ada", 1)
    book.publish()
    book.go_on()
    with book.school.write() as store:
        store.delete(store.scalars(select(LtiItem)).one())
    book.mark("ada", 2)
    book.publish()
    book.go_on()
    assert len(book.platform.items) == 1
    assert len(book.sent) == 2


INSIDE = ["https://10.0.0.1/scores", "https://127.0.0.1:1/scores", "https://169.254.169.254/", "http://93.184.216.34/"]


@pytest.mark.parametrize("address", INSIDE)
def test_nothing_is_sent_into_an_internal_network(book: Gradebook, address: str) -> None:
    book.services = PlatformServices(book.school.sessions, frozenset())
    with book.school.write() as store:
        link = store.get_one(LtiCourse, book.link)
        link.platform.token_url = address
    book.mark("ada", 1)
    book.publish()
    book.go_on()
    (row,) = book.rows()
    assert "InternalAddress" in row.answer
    assert book.platform.asked == []


def test_the_end_of_a_connection_ends_what_waits(book: Gradebook) -> None:
    book.mark("ada", 1)
    book.publish()
    scores.queue(book.school.sessions)
    address, browser = "/courses/comp10001/platforms/", book.school.browser("ines")
    browser.post(f"{address}{book.link}/", {"do": "end"}, form=address)
    book.go_on()
    assert book.sent == []
    with book.school.write() as store:
        assert store.scalar(select(func.count()).select_from(LtiCourse)) == 0


def test_who_is_not_connected_any_more_gets_no_mark_there(book: Gradebook) -> None:
    """Somebody else there may have been connected by mistake: their column is not that of this account."""
    book.mark("ada", 1)
    book.publish()
    scores.queue(book.school.sessions)
    with book.school.write() as store:
        store.execute(delete(SignOnIdentity))
    book.go_on()
    assert book.sent == []
    assert book.rows()[0].answer == scores.NOT_HERE
    book.mark("ada", 2)
    book.publish()
    book.go_on()
    assert len(book.rows()) == 1, "nor is it meant to be"


def test_who_comes_back_gets_the_mark_that_was_not_sent(book: Gradebook) -> None:
    book.mark("ada", 5)
    book.publish()
    scores.queue(book.school.sessions)
    with book.school.write() as store:
        (identity,) = store.scalars(select(SignOnIdentity).where(SignOnIdentity.subject == "s-ada"))
        store.delete(identity)
    book.go_on()
    with book.school.write() as store:
        store.execute(delete(LtiMember).where(LtiMember.subject == "s-ada"))
        store.flush()
        book.add(store, "ada")
    book.go_on()
    assert book.sent == [("s-ada", 5)]


@pytest.mark.parametrize("how", ["7", "null", '{"id": 3}', "<html>"])
def test_an_odd_list_of_columns_is_tried_again_later(book: Gradebook, how: str) -> None:
    book.mark("ada", 5)
    book.publish()
    book.platform.instead["/items"] = lambda: Response(how)
    book.go_on()
    (row,) = book.rows()
    assert row.next_at
    assert row.answer.startswith("its answer")


def test_an_error_with_one_mark_does_not_keep_the_others(book: Gradebook, monkeypatch: pytest.MonkeyPatch) -> None:
    for login in ("ada", "ben"):
        book.mark(login, 5)
    book.publish()
    usual = scores.body

    def odd(row: LtiScore, subject: str) -> dict[str, object]:
        if subject == "s-ada":
            raise KeyError("odd")
        return usual(row, subject)

    monkeypatch.setattr(scores, "body", odd)
    book.go_on()
    assert book.sent == [("s-ben", 5)]
    (waits,) = [row for row in book.rows() if row.sent_at is None]
    assert waits.next_at
    assert "KeyError" in waits.answer


def test_a_restored_backup_sends_no_mark_that_waited(book: Gradebook) -> None:
    book.mark("ada", 5)
    book.publish()
    scores.queue(book.school.sessions)
    with book.school.write() as store:
        _give_up_mail(store.connection())
    book.go_on()
    assert book.sent == []
    assert [row.answer for row in book.rows()] == ["restored from a backup"]
