"""A student of whom everything is kept that the site keeps: whatever of her is left, or shown, is found by it."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from grader.definition.question import Shows
from grader.grading.report import Report
from grader.marks.comments import comment_on, delete_comment
from grader.marks.mark import Decision
from grader.marks.requests import RequestKind, RequestState, answer, ask
from grader.marks.tables import Decided, decide
from grader.store.models import Assignment, Extension, Submission
from tests.web import records, reports
from tests.web.school import School
from tournament.store.database import now, reading
from tournament.store.jobs import JobState
from tournament.store.mail import FailingAddress, Mail, MailChoice, PasswordRequest, When
from tournament.store.notices import NoticeKind, tell
from tournament.store.tables import CustomGame, CustomSeat, HandGame, SharedGame
from web.people import members
from web.sign_on.tables import SignOnIdentity
from web.site.models import Course, Membership
from web.site.store import PrivacySettings

ADA = {"student_number": "4711-0815", "email": "ada@uni.example", "section": "Monday", "group": "Ravens"}
SECRET_REMARK = "a remark that only staff read"
REASON = "she told us that she is ill"
DELETED = "a comment that was deleted"


HIDDEN_CALL = reports.HIDDEN.call


def having(school: School, **values: object) -> None:
    """Run the site with these settings of data protection, and the defaults of the others."""
    web = school.app.extensions["quadrille"]
    school.app.extensions["quadrille"] = replace(web, privacy=PrivacySettings(**values))  # type: ignore[arg-type]


def graded_upload(school: School) -> int:
    """The id of Ada's upload that has a report."""
    with reading(school.sessions) as session:
        own = select(Submission.id).where(Submission.author_id == school.people["ada"], Submission.report.is_not(None))
        return session.scalars(own).one()


def without_hidden_cases() -> Report:
    """A report that tells students only how many hidden cases passed."""
    whole = reports.bad()
    return replace(whole, questions=[replace(each, shows=Shows.NUMBER) for each in whole.questions])


@pytest.fixture
def known(school: School) -> School:
    """The class, in which everything happened to Ada."""
    ada, ines, id_ = school.people["ada"], school.people["ines"], school.assignment
    graded = school.graded("ada", without_hidden_cases(), source=b"# Ada wrote this\n")
    own, other = school.enter("ada", timedelta(hours=2)), school.enter("ben")
    game = school.play(own, other, *school.bots()[:2], record=records.disqualified(0))
    with school.write() as session:
        course = session.get_one(Course, school.course)
        member = session.get_one(Membership, (ada, school.course))
        for name, value in ADA.items():
            setattr(member, name, value)
        session.get_one(Assignment, id_).due_at = now() - timedelta(hours=1)
        session.add(SignOnIdentity(user_id=ada, issuer="https://id.example", subject="a-1", known_as="ada@uni.example"))
        session.add(MailChoice(user_id=ada, kind=NoticeKind.COMMENT, choice=When.NEVER))
        session.add(
            Mail(user_id=ada, address="ada@uni.example", subject="To you, Ada Realname", parts=[{"a": "Hello"}])
        )
        session.add(Mail(user_id=ines, address="ines@uni.example", subject="About", parts=[{"a": ["Ada Realname"]}]))
        session.add(FailingAddress(address="ada@uni.example", reason="no such person"))
        session.add(PasswordRequest(typed="ada"))
        session.add(Extension(assignment_id=id_, user_id=ada, until=now() - timedelta(minutes=1), reason=REASON))
        session.add(SharedGame(game_id=game, token="t" * 24, shared_by=ada))
        tell(session, ines, id_, "Ada Realname has asked", "Ada Realname (ada@uni.example) has a question.")
        tell(session, ada, id_, "Your file is graded", "Look at it.")
        submission = session.get_one(Submission, graded)
        comment_on(session, submission, ines, ("player.py", 1), "Well done, Ada Realname.")
        removed = comment_on(session, submission, ines, ("player.py", 1), DELETED)
        delete_comment(session, removed.id)
        request = ask(session, submission, "q1", RequestKind.REMARK, "Please look again. Ada Realname")
        session.flush()
        answer(session, request.id, ines, RequestState.ANSWERED, "Dear Ada Realname, no.")
        decision = Decision({}, "Good work, Ada Realname.", False, 7.0, "An oral test of Ada Realname.")
        decide(session, id_, ines, [Decided(ada, "ada", decision)], now())
        members.log(session, course, ines, "Role of ada", "student", "student, says Ada Realname")
        asked = CustomGame(tournament_id=school.tournament, asker_id=ada, seed=1, state=JobState.DONE, ended="over")
        asked.record, asked.share = records.whole().pack(), "s" * 24
        asked.seats = [CustomSeat(seat=0, label="ada-the-pseudonym", author_id=ada, entry_id=own)]
        theirs = CustomGame(tournament_id=school.tournament, asker_id=school.people["ben"], seed=1, state=JobState.DONE)
        theirs.seats = [CustomSeat(seat=0, label="ada-the-pseudonym", author_id=ada, entry_id=own)]
        session.add_all([asked, theirs])
        session.add(
            HandGame(assignment_id=id_, person_id=ada, seat=0, bots=[], practice=False, record=b"", state=JobState.DONE)
        )
    school.token("ada")
    publication = f"/assignments/{id_}/marks/publication"
    done = school.browser("ines").post(publication, {"do": "publish", "confirm": "on"})
    assert done.status_code == 303, done.text
    with school.write() as session:
        decide(
            session,
            id_,
            ines,
            [Decided(ada, "ada", Decision({}, SECRET_REMARK, False, 7.0, "Later.", revision=1))],
            now(),
        )
    return school
