"""Forgetting people: the name goes at once, the work when no mark rests on it, and what was signed still verifies."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import select

from deploy.database import METADATA
from grader.marks.mark import Decision
from grader.marks.publishing import record
from grader.marks.record_check import check_marks
from grader.marks.tables import Decided, MarksPublication, decide
from grader.store.models import Assignment, Change, Regrade, RegradeBatch, Submission
from sandbox.choose import open_sandbox
from tests.tournament.finals import BOTS, KEY, freeze_some, play_out, record_of
from tests.web.privacy.conftest import DELETED, SECRET_REMARK
from tests.web.school import Browser, School
from tournament.final.finals import export
from tournament.final.record import signed
from tournament.final.verify import check_final_record
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.jobs import JobState
from tournament.store.notices import tell
from tournament.store.tables import (
    Block,
    CustomGame,
    CustomSeat,
    Entry,
    Final,
    HandGame,
    Player,
    Seat,
    VersionComparison,
)
from tournament.store.tournament_tables import Ranking
from tournament.work.services import Services
from web.people import members, roster
from web.privacy.forgetting import (
    CannotForget,
    erase_due,
    forget,
    has_ended,
    last_event,
    pseudonymise,
    repeat,
    students_of_ended,
)
from web.privacy.inventory import counts
from web.privacy.tables import Consent, Erasure
from web.site.models import Course, Membership, Role, User


@pytest.fixture
def services(sessions: Sessions) -> Iterator[Services]:
    with open_sandbox("trusted") as box:
        yield Services(sessions, lambda task: None, lambda: box, lambda: box, "worker")


CALENDAR = re.compile(r"/calendar/[\w.-]+\.ics")
KEEP, NONE = timedelta(days=365), timedelta()
TELLING = ("Ada Realname", "ada@uni.example", "4711-0815", "Ravens", "ada-the-pseudonym", "of ada", '"ada"', "a-1")


def everything(sessions: Sessions) -> str:
    """All that the database holds, as text, without the files that people have uploaded."""
    with reading(sessions) as session:
        rows = [(table.name, [*session.execute(select(table)).mappings()]) for table in METADATA.sorted_tables]
    kept = {"source", "archive", "record", "definition", "names"}
    plain = [{"table": name, **{k: v for k, v in row.items() if k not in kept}} for name, each in rows for row in each]
    return json.dumps(plain, default=str)


def forgotten(school: School, login: str = "ada", erases: bool = False, keep: timedelta = KEEP) -> Erasure:
    with school.write() as session:
        row = forget(session, school.people[login], erases, keep, now())
        session.refresh(row)
        session.expunge(row)
        return row


@pytest.mark.both_databases
def test_after_pseudonymising_nothing_names_the_person(known: School) -> None:
    before = everything(known.sessions)
    assert [each for each in TELLING if each not in before] == []
    forgotten(known)
    after = everything(known.sessions)
    assert [each for each in TELLING if each in after] == []
    assert f"Former person {known.people['ada']}" in after
    assert "Well done" in after, "what staff wrote stays, without the name"
    assert SECRET_REMARK in after


@pytest.mark.both_databases
def test_the_account_ends_at_once(known: School) -> None:
    token, browser = known.token("ada"), known.browser("ada")
    calendar = CALENDAR.search(browser.get("/account/").text)
    assert calendar
    assert Browser(known.app).get(calendar[0]).status_code == 200
    forgotten(known)
    assert Browser(known.app).get(calendar[0]).status_code == 404
    assert browser.get("/account/").status_code == 303
    api = Browser(known.app).get("/api/v1/notices", headers={"Authorization": f"Bearer {token}"})
    assert api.status_code == 401
    with reading(known.sessions) as session:
        found = counts(session, known.people["ada"])
    ended = {"sign_on_identity", "api_token", "mail_choice", "mail", "notice", "shared_game"}
    assert not ended & {*found}
    assert {"submission", "published_mark", "entry"} <= {*found}


def test_players_leave_the_ladders_and_keep_their_games_under_a_neutral_name(known: School) -> None:
    forgotten(known)
    page = known.browser("ben").get(f"/tournaments/{known.tournament}/").text
    assert "ada-the-pseudonym" not in page
    with reading(known.sessions) as session:
        entries = session.scalars(select(Entry).where(Entry.author_id == known.people["ada"])).all()
        assert {each.name for each in entries} == {f"Former player {known.people['ada']}"}
        assert all(each.state.value == "withdrawn" for each in entries)


@pytest.mark.both_databases
def test_work_is_erased_only_when_no_mark_rests_on_it(known: School) -> None:
    row = forgotten(known, erases=True, keep=KEEP)
    assert row.erased_at is None
    ada = known.people["ada"]
    with known.write() as session:
        assert [*erase_due(session, KEEP, now())] == []
        assert [*erase_due(session, KEEP, now() + timedelta(days=366))] == [ada]
        assert forget(session, ada, True, KEEP, now() + timedelta(days=366)).erased_at
    with reading(known.sessions) as session:
        assert {*counts(session, ada)} == {"user", "entry", "seat"}, "games are others' too"
        files = session.scalars(select(Player).join(Entry).where(Entry.author_id == ada)).all()
        assert [each.source for each in files] == [b""]
    text = everything(known.sessions)
    for gone in ("Well done", DELETED, SECRET_REMARK, "she told us that she is ill", "Please check the list again"):
        assert gone not in text, gone


def test_a_file_that_others_have_uploaded_too_stays(known: School) -> None:
    mine = known.upload("ada", b"# the same\n")
    known.upload("ben", b"# the same\n")
    known.change(Submission, mine, state=JobState.DONE)
    forgotten(known, erases=True, keep=NONE - timedelta(days=1))
    with reading(known.sessions) as session:
        assert session.scalar(select(Player.id).where(Player.source == b"# the same\n"))


def test_the_pages_of_others_still_work(known: School) -> None:
    with reading(known.sessions) as session:
        game = session.scalars(select(Seat.game_id).join(Entry).where(Entry.author_id == known.people["ada"])).first()
    forgotten(known, erases=True, keep=NONE)
    ines, id_ = known.browser("ines"), known.assignment
    for path in ("manage", "people", "marks", "insight", "queue"):
        assert ines.get(f"/assignments/{id_}/{path}/").status_code == 200, path
    for path in (
        f"/games/{game}/plays/0",
        f"/tournaments/{known.tournament}/",
        f"/tournaments/{known.tournament}/watch/",
    ):
        assert known.browser("ben").get(path).status_code in (200, 403), path
        assert ines.get(path).status_code == 200, path


@pytest.mark.both_databases
def test_the_record_of_published_marks_verifies_before_and_after(known: School) -> None:
    assert written(known).count(b"Ada Realname") > 0
    assert check_marks(written(known).splitlines(keepends=True)).problems == []
    forgotten(known)
    after = written(known)
    assert (after.count(b"Ada Realname"), check_marks(after.splitlines(keepends=True)).problems) == (0, [])
    forgotten(known, erases=True, keep=NONE)
    found = check_marks(written(known).splitlines(keepends=True))
    assert (found.problems, known.people["ada"] in found.totals) == ([], False)


def written(school: School) -> bytes:
    """The signed record of the marks, as their page writes it."""
    with reading(school.sessions) as session:
        publication = session.scalars(select(MarksPublication)).one()
        people = {user.id: {"name": user.name} for user in session.scalars(select(User))}
        return b"".join(signed(record(session, publication, people), KEY))


@pytest.mark.slow
@pytest.mark.both_databases
def test_the_record_of_a_final_verifies_after_its_players_were_erased(services: Services, sessions: Sessions) -> None:
    final = freeze_some(sessions, *BOTS[:4])
    play_out(services)
    before = record_of(sessions, final)
    assert check_final_record(before).problems == []
    with writing(sessions) as session:
        authors = {*session.scalars(select(Entry.author_id).where(Entry.author_id.is_not(None)))}
        for author in authors:
            assert forget(session, author or 0, True, NONE, now()).erased_at
    with reading(sessions) as session:
        after = [*signed(export(session, session.get_one(Final, final)), KEY)]
    assert check_final_record(after).problems == []
    assert after == before, "not a byte of it has changed"


def test_the_only_instructor_stays_until_there_is_another(known: School) -> None:
    with pytest.raises(CannotForget, match="Make somebody else its instructor first"):
        forgotten(known, "ines")
    with known.write() as session:
        assert session.get_one(User, known.people["ines"]).login == "ines", "nothing has changed"
        session.get_one(Membership, (known.people["ben"], known.course)).role = Role.INSTRUCTOR
    forgotten(known, "ines")
    assert "Ines Realname" not in everything(known.sessions)
    assert known.browser("ben").get(f"/assignments/{known.assignment}/marks/").status_code == 200


@pytest.mark.parametrize("state", [JobState.QUEUED, JobState.RUNNING])
def test_nothing_is_erased_while_it_is_graded(known: School, state: JobState) -> None:
    waiting = known.upload("ada")
    forgotten(known)
    known.change(Submission, waiting, state=state)
    with pytest.raises(CannotForget, match="being graded or played"):
        forgotten(known, erases=True, keep=NONE - timedelta(days=1))
    with reading(known.sessions) as session:
        assert session.get(Submission, waiting)


def test_nothing_is_erased_while_a_game_with_its_player_waits(known: School) -> None:
    bots = known.bots()
    with known.write() as session:
        own = session.scalars(select(Entry).where(Entry.author_id == known.people["ada"])).first()
        assert own
        session.add(Block(tournament_id=known.tournament, seed=1, entries=[own.id, *bots]))
    with pytest.raises(CannotForget, match="being graded or played"):
        forgotten(known, erases=True, keep=NONE)


def test_what_waits_to_be_graded_is_cancelled_with_the_account(known: School) -> None:
    waiting = known.upload("ada", wants_entry=True)
    forgotten(known)
    with reading(known.sessions) as session:
        assert session.get_one(Submission, waiting).state is JobState.CANCELLED


def test_a_course_is_forgotten_when_it_has_ended_and_only_those_who_are_in_no_other(known: School) -> None:
    later = now() + timedelta(days=1)
    known.change(Assignment, known.assignment, due_at=now() + timedelta(hours=1))
    with known.write() as session:
        course, other = (
            session.get_one(Course, known.course),
            session.scalars(select(Course).where(Course.slug == "other")).one(),
        )
        with pytest.raises(CannotForget, match="goes on until"):
            students_of_ended(session, course, now())
        session.add(Membership(user_id=known.people["ben"], course_id=other.id, role=Role.STUDENT, pseudonym="b"))
        session.add(
            Assignment(course_id=other.id, slug="next", title="Next", game="", due_at=later + timedelta(days=9))
        )
        session.flush()
        going, stay = students_of_ended(session, course, later)
        assert (len(going), len(stay)) == (2, 1)
        for user_id in going:
            forget(session, user_id, False, KEEP, later)
        names = {each.login: each.name for each in session.scalars(select(User))}
    assert names["ben"] == "Ben Realname"
    assert names["ines"] == "Ines Realname"
    assert {"ada", "cleo"} & {*names} == set()


@pytest.mark.both_databases
def test_after_an_older_backup_the_same_people_are_forgotten_again_and_nobody_else(school: School) -> None:
    with reading(school.sessions) as session:
        made = session.get_one(User, school.people["ada"]).created_at
    row = forgotten(school)
    known = {"user_id": row.user_id, "account": row.account, "erases": True}
    stranger = {"user_id": school.people["ben"], "account": row.account, "erases": True}
    with school.write() as session:  # as a backup brings her back
        session.delete(session.get_one(Erasure, row.user_id))
        user = session.get_one(User, row.user_id)
        user.login, user.name, user.created_at = "ada", "Ada Realname", made
        session.flush()
        repeat(session, [known, stranger, {"user_id": 99999, "account": "", "erases": False}])
    with reading(school.sessions) as session:
        assert session.get_one(User, school.people["ada"]).name.startswith("Former person")
        assert session.get_one(Erasure, school.people["ada"]).erases
        assert session.get_one(User, school.people["ben"]).name == "Ben Realname"


def test_consent_ends_with_the_account(school: School) -> None:
    with school.write() as session:
        session.add(Consent(user_id=school.people["ada"], sha256="0"))
        pseudonymise(session, school.people["ada"])
        assert session.get(Consent, (school.people["ada"], "0")) is None


def test_names_are_replaced_as_whole_words_and_logins_only_in_the_log(school: School) -> None:
    """“ben” is a word of other texts; in the log alone people are called by their logins."""
    with school.write() as session:
        course = session.get_one(Course, school.course)
        tell(session, school.people["ada"], None, "A bench for ben", "Ben Realname, (Ben Realname) and Ben Realnames")
        members.log(session, course, school.people["ines"], "Mark of ben", "benign", "ben, ben")
    forgotten(school, "ben")
    text = everything(school.sessions)
    who = f"former-{school.people['ben']}"
    for shown in ("A bench for ben", f"{who}, ({who}) and Ben Realnames", f"Mark of {who}", "benign", f"{who}, {who}"):
        assert shown in text, shown


def test_marks_by_hand_keep_the_work_of_somebody_who_was_removed(school: School) -> None:
    """Without uploads, only marks lead to the course once it is not known any more who was removed from it."""
    cleo, ines = school.people["cleo"], school.people["ines"]
    with school.write() as session:
        by_hand = Decided(cleo, "cleo", Decision({}, "", False, 5.0, "An oral test."))
        decide(session, school.assignment, ines, [by_hand], now())
        roster.remove(session, session.get_one(Course, school.course), cleo, ines)
    assert forgotten(school, "cleo", erases=True).erased_at is None


def test_a_course_that_begins_later_or_goes_on_has_not_ended(school: School) -> None:
    begins = now() + timedelta(days=60)
    school.change(Assignment, school.assignment, visible_from=begins)
    with school.write() as session:
        assert last_event(session, school.course) == begins
    school.change(Assignment, school.assignment, visible_from=None)
    changed = now() + timedelta(minutes=5)
    with school.write() as session:
        session.add(
            Change(
                course_id=school.course,
                assignment_id=school.assignment,
                changed_by=school.people["ines"],
                changed_at=changed,
                setting="Deadline",
                former="",
                value="x",
            )
        )
        session.flush()
        assert last_event(session, school.course) == changed


def test_a_course_in_which_nothing_has_happened_is_not_forgotten(school: School) -> None:
    with school.write() as session:
        course = session.scalars(select(Course).where(Course.slug == "other")).one()
        with pytest.raises(CannotForget, match="Nothing has happened in Another course yet"):
            students_of_ended(session, course, now() + timedelta(days=9999))


def test_a_course_that_is_being_prepared_has_not_ended_and_its_log_names_nobody_who_was_forgotten(
    school: School,
) -> None:
    """It has no assignment, but people, whom the other course of theirs must not take along when it ends."""
    ben, otto = school.people["ben"], school.people["otto"]
    with school.write() as session:
        other = session.scalars(select(Course).where(Course.slug == "other")).one()
        session.add(Membership(user_id=ben, course_id=other.id, role=Role.STUDENT, pseudonym="ben-there"))
        members.log(session, other, otto, "People added", "", "ben, eve")
        members.log(session, other, otto, "Pseudonym of ben", "Ben Realname", "ben-there")
        course = session.get_one(Course, school.course)
        members.log(session, course, school.people["ines"], "Title of the course", "", course.title)
        session.flush()
        assert not has_ended(session, other.id, now() + timedelta(days=1))
        _, stay = students_of_ended(session, course, now() + timedelta(days=9999))
        assert ben in stay
    forgotten(school, "ben")
    text, who = everything(school.sessions), f"former-{ben}"
    for shown in (f"{who}, eve", f"Pseudonym of {who}"):
        assert shown in text, shown
    assert "Ben Realname" not in text


def test_after_a_backup_of_somebody_pseudonymised_who_was_erased_since_they_are_to_be_erased(school: School) -> None:
    row = forgotten(school)
    with school.write() as session:
        repeat(session, [{"user_id": row.user_id, "account": row.account, "erases": True}])
        assert session.get_one(Erasure, row.user_id).erases


def test_names_in_texts_of_other_courses_stay(known: School) -> None:
    """Another Ada may be in them."""
    with known.write() as session:
        other = session.scalars(select(Course).where(Course.slug == "other")).one()
        task = Assignment(course_id=other.id, slug="task", title="Task", game="")
        namesake = User(login="ada2", name="Ada Realname", password_hash="")
        session.add_all([task, namesake])
        session.flush()
        for place, text in ((task.id, "there"), (None, "nowhere"), (known.assignment, "here")):
            tell(session, known.people["otto"], place, "Of ada", f"Ada Realname is {text}.")
        tell(session, known.people["otto"], None, "A number", "4711-0815 is hers alone.")
        members.log(session, other, known.people["otto"], "Role of ada", "", "ada, ben")
    forgotten(known)
    text, who = everything(known.sessions), f"former-{known.people['ada']}"
    for shown in ("Ada Realname is there.", "Ada Realname is nowhere.", f"{who} is here.", f"{who} is hers alone."):
        assert shown in text, shown
    assert "ada, ben" in text


def test_logins_in_the_log_are_those_of_people(school: School) -> None:
    """A login may be a word of the log, too."""
    with school.write() as session:
        session.get_one(User, school.people["ben"]).login = "late"
        session.get_one(User, school.people["cleo"]).login = "no"
        course, ines = session.get_one(Course, school.course), school.people["ines"]
        members.log(session, course, ines, "Mark of late", "late uploads", "ada, late, cleo and 3 more")
        members.log(session, course, ines, "Viewed as late", "a late one", "yes or no")
        members.log(session, course, ines, "Kit", "yes", "no")
    for login in ("ben", "cleo"):
        forgotten(school, login)
    text, who = everything(school.sessions), f"former-{school.people['ben']}"
    for shown in (f"Mark of {who}", "late uploads", f"ada, {who}, cleo", f"Viewed as {who}", "a late one", '"no"'):
        assert shown in text, shown


@pytest.mark.parametrize("what", ["regrade", "custom", "custom of somebody else", "comparison", "opponent", "by hand"])
def test_nothing_is_erased_while_something_else_of_theirs_is_under_way(known: School, what: str) -> None:
    ada, ben = known.people["ada"], known.people["ben"]
    forgotten(known)
    with known.write() as session:
        entries = {each.author_id: each for each in session.scalars(select(Entry)) if each.author_id}
        upload = session.scalars(select(Submission).where(Submission.author_id == ada)).first()
        assert upload
        if what == "regrade":
            batch = RegradeBatch(assignment_id=known.assignment, asked_by=None, reason="A mistake")
            session.add(Regrade(batch=batch, submission_id=upload.id))
        elif what.startswith("custom"):
            asker = ada if what == "custom" else ben
            seat = CustomSeat(seat=0, label="a", author_id=asker if what == "custom" else ada, entry_id=entries[ada].id)
            session.add(CustomGame(tournament_id=known.tournament, asker_id=asker, seed=1, seats=[seat]))
        elif what in ("comparison", "opponent"):
            own = entries[ada if what == "comparison" else ben]
            session.add(
                VersionComparison(
                    tournament_id=known.tournament,
                    author_id=own.author_id,
                    submission_id=upload.id,
                    player_id=upload.player_id,
                    entry_id=own.id,
                    ranking=Ranking.PLACE,
                    seed=1,
                    opponents=[entries[ada].id],
                    most_pairs=1,
                )
            )
        else:
            session.add(
                HandGame(assignment_id=known.assignment, person_id=ada, seat=0, bots=[], practice=False, record=b"")
            )
    with pytest.raises(CannotForget, match="being graded or played"):
        forgotten(known, erases=True, keep=NONE - timedelta(days=1))
