"""The final's page: what instructors set, see and do, and what a student is told."""

import gzip
import re
from collections.abc import Iterator
from csv import DictReader
from datetime import timedelta
from io import StringIO
from unittest.mock import ANY

import pytest
from sqlalchemy import select

from grader.store.models import Assignment, Change, Extension, Submission
from sandbox.choose import open_sandbox
from tests.tournament.finals import BOTS, CHEAT, KEY, LONG_AGO, play_out, stored_player
from tests.web.school import School
from tournament.final import finals
from tournament.final.finals import final_of, published_lines
from tournament.final.record import canonical_json, read_header
from tournament.final.verify import check_final_record
from tournament.games.signing import public_key
from tournament.store.database import Sessions, now, reading
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Entry, Final, FinalPhase, Tournament
from tournament.work.services import Services

QUICK = {"first_games": "8", "most_games": "8", "fault_limit": "4"}
SHORT = {"first_games": "4", "most_games": "4", "fault_limit": "2"}


def address(school: School, more: str = "") -> str:
    return f"/assignments/{school.assignment}/final/{more}"


def shown(school: School, login: str = "ines") -> str:
    return school.browser(login).get(address(school)).text


def send(school: School, where: str, confirmed: bool = True, **data: str) -> tuple[int, str]:
    settings = f"/assignments/{school.assignment}/settings/"
    of_ada = f"/assignments/{school.assignment}/people/{school.people['ada']}/extension"
    there = {"deadline": settings, "extension": of_ada}.get(where, address(school, where))
    answer = school.browser("ines").post(
        there, data | ({"confirm": "on"} if confirmed and data.get("do") == "publish" else {})
    )
    return answer.status_code, answer.text


def settle(school: School) -> None:
    """Give the frozen final a fixed seed and times, from which all its games follow."""
    with school.write() as session:
        found = final_of(session, school.assignment)
        assert found
        header = read_header(found.header)
        at = LONG_AGO.isoformat()
        entries = [each.model_copy(update={"entered_at": each.entered_at and at}) for each in header.entries]
        fixed = {"seed": 11, "frozen_at": at, "entries": entries, "assignment_version": None}
        found.header = canonical_json(header.model_copy(update=fixed))


def final(school: School) -> Final:
    with reading(school.sessions) as session:
        found = final_of(session, school.assignment)
        assert found
        return found


@pytest.fixture
def entered(school: School) -> School:
    """Ada and Ben play well, Cleo cheats; the deadline is over, and the ladder at rest."""
    school.change(Assignment, school.assignment, due_at=now() - timedelta(hours=1))
    school.change(Tournament, school.tournament, target_games=0)
    with school.write() as session:
        for login, source in (("ada", BOTS[0]), ("ben", BOTS[1]), ("cleo", CHEAT)):
            entry = Entry(tournament_id=school.tournament, author_id=school.people[login])
            entry.player_id, entry.name = stored_player(session, source), f"{login}-the-pseudonym"
            entry.entered_at = now() - timedelta(hours=2)
            session.add(entry)
    return school


@pytest.fixture
def services(sessions: Sessions) -> Iterator[Services]:
    made = Services(sessions, lambda task: None, open_sandbox, lambda: open_sandbox("trusted"), "worker")
    yield made
    made.close_sandboxes()


def test_it_is_the_instructors(entered: School) -> None:
    for where in ("freeze", "do"):
        assert entered.browser("ada").post(address(entered, where), {"do": "start"}).status_code == 403
        assert entered.browser("otto").post(address(entered, where), {"do": "start"}).status_code == 404
    for where in ("progress", "marks.csv", "record.jsonl.gz"):
        assert entered.browser("ada").get(address(entered, where)).status_code == 403


@pytest.mark.both_databases
def test_the_whole_way(entered: School, services: Services) -> None:
    assert "Freeze the final" in shown(entered)
    assert send(entered, "freeze", **QUICK)[0] == 303
    settle(entered)
    assert "Nothing has been played yet. The final takes 2 blocks" in shown(entered)
    entered.sent.clear()
    assert send(entered, "do", do="start")[0] == 303
    assert entered.sent == ["tournament.pair"]
    assert send(entered, "do", do="pause")[0] == 303
    assert "paused" in shown(entered)
    assert send(entered, "do", do="resume")[0] == 303
    play_out(services)
    page = shown(entered)
    assert "Marks as they would be published" in page
    assert "data-refresh" not in page
    assert "No marks have been published yet" in shown(entered, "ada")
    ines, gradebook = entered.browser("ines"), f"/assignments/{entered.assignment}/marks/"
    assert "The marks of the final have not been published" in ines.get(f"{gradebook}publication").text
    assert "Nothing was published. Check the marks below" in send(entered, "do", do="publish", confirmed=False)[1]
    assert send(entered, "do", do="publish")[0] == 303
    assert "Marks as CSV" in shown(entered)
    rows = entered.browser("ines").get(address(entered, "marks.csv")).text.replace('"', "").splitlines()
    assert [row.partition("-the-pseudonym,")[2] for row in rows[1:]] == [
        "1,1,yes,8,2,0",
        "0.5,2,yes,8,0,0",
        "0,,no,4,0,4",
    ]
    assert [row.split(",")[1] for row in rows[1:]] == ["ben", "ada", "cleo"]
    marks = DictReader(StringIO(ines.get(f"{gradebook}marks.csv").data.decode("utf-8-sig")))
    assert {row["login"]: row["Final (of 1)"] for row in marks} == {"ada": "0.5", "ben": "1", "cleo": "0"}
    told = {login: shown(entered, login) for login in ("ada", "ben", "cleo")}
    assert "Your mark: 1<" in told["ben"]
    assert "has rank 1 of 2. That is band 1 of 10, which is worth 1." in told["ben"]
    assert "Your mark: 0.5<" in told["ada"]
    assert "has rank 2 of 2. That is band 6 of 10, which is worth 0.5." in told["ada"]
    assert "It played 8 games that count and won 0. Its win rate is 0.0%; with 95% confidence" in told["ada"]
    assert "Your mark: 0" in told["cleo"]
    assert "Your player is out" in told["cleo"]


@pytest.mark.both_databases
def test_the_signed_record_is_downloaded_and_proves_the_marks(
    entered: School, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(entered, "freeze", **QUICK)
    settle(entered)
    assert entered.browser("ines").get(address(entered, "record.jsonl.gz")).status_code == 404
    send(entered, "do", do="start")
    play_out(services)
    monkeypatch.setattr(finals, "MORE_GAMES", 4)
    assert 'id="picture-final"' in shown(entered)
    assert send(entered, "do", do="more")[0] == 303
    assert "After the final had ended, it was continued with more games" in shown(entered)
    assert send(entered, "do", do="more") == (409, ANY)
    play_out(services)
    send(entered, "do", do="publish")
    assert address(entered, "record.jsonl.gz") in shown(entered)
    answer = entered.browser("ines").get(address(entered, "record.jsonl.gz"))
    assert answer.headers["Content-Disposition"] == "attachment; filename=comp10001-bo-final.jsonl.gz"
    lines = gzip.decompress(answer.data).splitlines(keepends=True)
    found = check_final_record(lines, public_key(KEY))
    assert (found.problems, found.blocks) == ([], len(lines) - 4)
    assert "raised from 8 to 12 games" in " ".join(found.notes)
    with reading(entered.sessions) as session:
        logged = session.scalars(select(Change).where(Change.setting.startswith("Maximum games"))).one()
        assert (logged.former, logged.value) == ("8", "12")
        assert list(found.standings) == published_lines(final_of(session, entered.assignment) or Final())


def test_uploads_that_hold_it_up_are_named_and_can_be_left_out(entered: School) -> None:
    waiting = entered.upload("ada")
    entered.change(Submission, waiting, queued_at=now() - timedelta(hours=2), wants_entry=True)
    status, page = send(entered, "freeze", **QUICK)
    assert status == 422
    assert re.search(
        rf'href="/submissions/{waiting}/">\s*Submission {waiting} of Ada Realname\s*</a>:\s*waiting to be', page
    )
    without = {"without": str(waiting)}
    assert send(entered, "freeze", **QUICK, **without)[0] == 422, "the box is not ticked"
    assert send(entered, "freeze", **QUICK, **without, leave="on")[0] == 303
    assert f"Submission {waiting} of ada-the-pseudonym was uploaded in time, but the final was frozen before" in shown(
        entered
    )
    assert len(final(entered).entries) > 2, "Ada's earlier entry takes part"


def test_students_see_nothing_of_a_final_before_its_marks_are_published(entered: School, services: Services) -> None:
    send(entered, "freeze", **QUICK)
    send(entered, "do", do="start")
    play_out(services)
    found = final(entered)
    places = [f"/tournaments/{found.tournament_id}/", f"/entries/{found.entries[0]}/"]
    for login, status in (("ada", 404), ("ines", 200)):
        assert [entered.browser(login).get(place).status_code for place in places] == [status] * 2
    assert "Your mark in the final" not in entered.browser("ada").get("/").text
    send(entered, "do", do="publish")
    assert f'href="{address(entered)}">Your mark in the final' in entered.browser("ada").get("/").text
    assert [entered.browser("ada").get(place).status_code for place in places] == [200] * 2


def test_who_did_not_take_part_is_told_so(entered: School, services: Services) -> None:
    with entered.write() as session:
        session.query(Entry).filter_by(author_id=entered.people["cleo"]).delete()
    entered.change(Tournament, entered.tournament, target_games=0)  # only the final is played
    for step in ("freeze", "do", "play", "publish"):
        if step == "play":
            play_out(services)
        else:
            send(entered, "freeze" if step == "freeze" else "do", do="start" if step == "do" else step, **SHORT)
    assert "You had no entry in the tournament at your deadline" in shown(entered, "cleo")
    teacher = entered.browser("ines")
    assert "1 student without an entry" in teacher.get(address(entered)).text
    assert "Cleo Realname,cleo,cleo-the-pseudonym,,,no entry,,," in teacher.get(
        address(entered, "marks.csv")
    ).text.replace('"', "")


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("first_games", "2", "at least 4"),
        ("first_games", "1e3", "This must be a whole number."),
        ("most_games", "5", "less than the first stage"),
        ("fault_limit", "9", "would remove nobody"),
        ("bands", "0", "1 to 100 bands"),
        ("marks", "top 3 = 1", "The last line must be"),
    ],
)
def test_settings_that_make_no_sense_are_told_near_the_field_and_nothing_typed_is_lost(
    entered: School, field: str, value: str, problem: str
) -> None:
    code, text = send(entered, "freeze", **{**QUICK, field: value})
    assert code == 422
    _, near = text.split(f'id="freeze-{field}"')
    assert problem in near.split("</p>")[0]
    assert value in near.split("</p>")[0]
    with entered.write() as session:
        assert final_of(session, entered.assignment) is None


def test_a_deadline_that_has_passed_is_confirmed(entered: School) -> None:
    due = (now() - timedelta(days=1)).strftime("%Y-%m-%d %H:%M")
    code, text = send(entered, "deadline", due=due)
    assert code == 422
    assert "3 students entered after it" in text
    assert 'name="confirm"' in text
    assert send(entered, "deadline", due=due, confirm="on")[0] == 303
    code, text = send(entered, "freeze", **QUICK)
    assert (code, "there is nothing to freeze" in text) == (409, True)


def test_a_ranking_that_there_is_not(entered: School) -> None:
    code, text = send(entered, "freeze", **{**QUICK, "ranking": "beauty"})
    assert (code, "This must be win rate, place or points." in text) == (422, True)


@pytest.mark.parametrize("due", ["tomorrow", "2026-13-01 00:00", "1"])
def test_a_deadline_is_a_time(entered: School, due: str) -> None:
    code, text = send(entered, "deadline", due=due)
    assert (code, "is not a date and time such as" in text) == (422, True)


def test_a_final_is_not_frozen_before_the_deadline(entered: School) -> None:
    assert send(entered, "deadline", due="2999-01-01 00:00")[0] == 303
    code, text = send(entered, "freeze", **QUICK)
    assert (code, 'the last one is <time datetime="2999-01-01T00:00:00+00:00">' in text) == (422, True)
    assert send(entered, "deadline", due="")[0] == 303
    assert "Set one before you freeze" in send(entered, "freeze", **QUICK)[1]


@pytest.mark.both_databases
def test_extensions(entered: School) -> None:
    assert send(entered, "extension", until="2999-01-01 00:00")[0] == 303
    assert "1 student has an extension" in shown(entered)
    assert "1 Jan 2999" in shown(entered, "ada")
    assert send(entered, "extension", until="")[0] == 303
    with entered.write() as session:
        assert session.query(Extension).count() == 0
    for until, problem in (
        ("2020-01-01 00:00", "must end after the deadline"),
        ("soon", "is not a date and time"),
    ):
        code, text = send(entered, "extension", until=until)
        assert (code, problem in text) == (422, True)


@pytest.mark.both_databases
def test_a_deadline_that_moves_after_the_freeze(entered: School) -> None:
    send(entered, "freeze", **QUICK)
    assert send(entered, "deadline", due="2999-01-01 00:00")[0] == 303
    assert "The final is already frozen and does not change." in entered.browser("ada").get("/notices/").text
    settings = entered.browser("ines").get(f"/assignments/{entered.assignment}/settings/").text
    assert "Changes made here do not affect it" in settings


def test_a_student_who_was_removed_from_the_course(entered: School, services: Services) -> None:
    from web.site.models import Membership

    send(entered, "freeze", **QUICK)
    with entered.write() as session:
        session.query(Membership).filter_by(user_id=entered.people["ben"]).delete()
    send(entered, "do", do="start")
    play_out(services)
    assert send(entered, "do", do="publish")[0] == 303
    assert "no longer in the course" in shown(entered)
    assert "(no longer in the course)" in entered.browser("ines").get(address(entered, "marks.csv")).text


@pytest.mark.both_databases
def test_what_cannot_be_done_now_is_refused(entered: School) -> None:
    assert send(entered, "do", do="start")[0] == 404
    assert send(entered, "do", do="dance")[0] == 400
    send(entered, "freeze", **QUICK)
    code, text = send(entered, "do", do="publish")
    assert (code, "This final is frozen; it cannot be published now." in text) == (409, True)
    code, text = send(entered, "freeze", **QUICK)
    assert (code, "already has a final; abort it before you freeze another one." in text) == (409, True)
    assert final(entered).phase is FinalPhase.FROZEN
    assert send(entered, "do", do="abort")[0] == 303
    assert "The last final was aborted" in shown(entered)
    assert entered.browser("ines").get(address(entered, "marks.csv")).status_code == 404


@pytest.mark.both_databases
def test_a_block_that_our_faults_hold_up_can_be_left_out(entered: School, services: Services) -> None:
    send(entered, "freeze", **QUICK)
    send(entered, "do", do="start")
    from tournament.blocks import pair_all

    pair_all(services)
    final_id = final(entered).tournament_id
    with entered.write() as session:
        block = session.query(Block).filter_by(tournament_id=final_id).first()
        assert block
        block.state, block.trouble, id_ = JobState.PARKED, "SandboxError: no <memory>", block.id
    progress = entered.browser("ines").get(address(entered, "progress")).text
    assert f"Block {id_} is holding up the final: SandboxError: no &lt;memory&gt;" in progress
    assert send(entered, "do", do="skip", block=str(id_ + 999))[0] == 409
    assert send(entered, "do", do="skip", block=str(id_))[0] == 303
