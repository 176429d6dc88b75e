"""The load test's own reckoning: whose turn it was, who comes when, and what is judged good."""

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from deploy.settings import Settings
from grader.marks.tables import Marking
from tests.load.__main__ import command
from tests.load.audit import Audit
from tests.load.classroom import ACCOUNTS, BadAccounts, Credentials, class_of, read_accounts, write_accounts
from tests.load.meter import CpuShare, Usage
from tests.load.night import Night, NightResult, phase
from tests.load.outbox import FEWEST, NoMailServer, absent_people, mail_server, ratios
from tests.load.turns import GradedTimes, longest_queue, waits
from tests.load.verdict import targets
from tests.load.visits import Visits
from tournament.store.database import Sessions, reading
from tournament.store.tables import Entry
from web.site.models import Membership, Role, User
from web.site.passwords import matches

START = datetime(2026, 1, 1, tzinfo=UTC)


def graded(*times: tuple[str, int, int]) -> list[GradedTimes]:
    """Submissions of (author, queued, finished), times in seconds; ids in the order given."""
    moments = [
        (author, START + timedelta(seconds=queued), START + timedelta(seconds=done)) for author, queued, done in times
    ]
    return [GradedTimes(number, *each) for number, each in enumerate(moments, 1)]


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([("ada", 0, 2)], [2]),
        ([("ada", 0, 2), ("ben", 0, 4), ("cleo", 1, 6)], [2, 2, 2]),
        # Ada's second ranks below everybody's first, although it came before.
        ([("ada", 0, 2), ("ada", 0, 6), ("ben", 1, 4)], [2, 2, 2]),
        # Who is graded out of turn has not waited, and whoever was passed over has.
        ([("ada", 0, 6), ("ben", 1, 3)], [6, 0]),
        # Ada's next counts as her second for as long as somebody waits since before her first was done.
        ([("ada", 0, 2), ("ben", 1, 6), ("ada", 3, 8)], [2, 4, 2]),
        ([("ada", 0, 2), ("ada", 4, 6), ("ben", 5, 9)], [2, 2, 3]),
    ],
)
def test_from_the_turn_to_the_report(times: list[tuple[str, int, int]], expected: list[float]) -> None:
    assert waits(graded(*times)) == expected


def test_the_longest_queue() -> None:
    assert longest_queue(graded(("ada", 0, 2), ("ben", 1, 4), ("cleo", 1, 5), ("ada", 4, 6))) == 3
    assert longest_queue([]) == 0


def outcome(**changed: object) -> NightResult:
    """A night in which everything went well, but for what is said."""
    visits = Visits()
    for page in ("home", "leaderboard"):
        for _ in range(100):
            visits.note(page, "/", 200, 0.05, 1000)
    part = CpuShare("web", 1, 0.5, 1)
    values: dict[str, object] = {
        "visits": visits,
        "waited": [2.0],
        "audit": Audit(graded(("ada", 0, 2)), []),
        "usage": Usage([part], 0.1, 2.0, 0.5, 0.4, 1.0),
        "lasted_s": 60.0,
    }
    return NightResult(**{**values, **changed})  # type: ignore[arg-type]


def slow(page: str, seconds: float) -> Visits:
    visits = outcome().visits
    for _ in range(6):  # of 106: the 95th percentile
        visits.note(page, "/", 200, seconds, 1000)
    return visits


def failed() -> Visits:
    visits = outcome().visits
    visits.fail("home", "GET / was answered with 500")
    return visits


@pytest.mark.parametrize(
    ("night", "missed"),
    [
        (outcome(), []),
        (outcome(visits=failed()), ["no failed request"]),
        (outcome(visits=slow("home", 0.4)), ["every page within 300 ms (p95)"]),
        (outcome(staff=slow("gradebook", 0.4)), ["every page of staff within 300 ms (p95)"]),
        (outcome(staff=failed()), ["no failed request"]),
        (outcome(visits=slow("leaderboard", 0.2)), ["the leaderboard within 100 ms (p95)"]),
        (outcome(audit=Audit(graded(("ada", 0, 31)), [])), ["every upload graded within 30 s of its turn"]),
        (outcome(audit=Audit(graded(("ada", 0, 2)), ["ada: …"])), ["nothing lost"]),
        (outcome(audit=Audit([], [])), ["every upload graded within 30 s of its turn", "nothing lost"]),
    ],
)
def test_targets(night: NightResult, missed: list[str]) -> None:
    found = targets(night)
    assert [target.name for target in found if not target.reached] == missed


def test_the_first_bottleneck_is_not_what_gives_way() -> None:
    parts = [
        CpuShare("web", 1, 0.5, 1),
        CpuShare("grading", 1, 0.8, 1),
        CpuShare("playing", 1, 1.0, 1),
        CpuShare("PostgreSQL", 5, 0.9, 2),
    ]
    assert Usage(parts, 0.1, 2.0, 1.0, 0.5, None).bottleneck == parts[1]
    assert Usage([], 0.1, 2.0, 1.0, 0.5, None).bottleneck is None


def test_accounts_survive_a_file() -> None:
    accounts = [Credentials("ada", 'a "quoted", one'), Credentials("ben", "x"), Credentials("tess", "y", Role.TUTOR)]
    assert read_accounts(write_accounts(accounts)) == accounts
    with pytest.raises(BadAccounts, match="login and password"):
        read_accounts("name,word\nada,x\n")
    with pytest.raises(BadAccounts, match="student, tutor or instructor"):
        read_accounts("login,password,role\nada,x,dean\n")


def test_a_class_is_made_once_and_grows(tmp_path: Path, sessions: Sessions) -> None:
    first = class_of(tmp_path, sessions, 2)
    assert class_of(tmp_path, sessions, 3)[:2] == first
    assert read_accounts((tmp_path / ACCOUNTS).read_text()) == class_of(tmp_path, sessions, 3)
    assert stat.S_IMODE((tmp_path / ACCOUNTS).stat().st_mode) == 0o600
    with reading(sessions) as session:
        users = session.scalars(select(User).order_by(User.id)).all()
        assert [user.login for user in users] == ["load00001", "load00002", "load00003"]
        assert matches(users[2].password_hash, first[0].password)
        assert session.scalars(
            select(Entry.author_id).where(Entry.author_id.is_not(None)).order_by(Entry.id)
        ).all() == [1, 2, 3]


def test_a_class_has_staff_and_something_to_mark(tmp_path: Path, sessions: Sessions) -> None:
    class_of(tmp_path, sessions, 1)
    accounts = class_of(tmp_path, sessions, 1, staff=3)
    assert [each.role for each in accounts] == [Role.STUDENT, Role.INSTRUCTOR, Role.TUTOR, Role.TUTOR]
    assert read_accounts((tmp_path / ACCOUNTS).read_text()) == accounts
    with reading(sessions) as session:
        assert session.query(Membership).count() == 4
        assert session.query(Entry).filter(Entry.author_id.is_not(None)).count() == 1
        assert session.query(Marking).one().scheme["rubric"][0]["title"] == "Style"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--accounts", "missing.csv"], "missing.csv: No such file"),
        (["--accounts", "few.csv"], "few.csv has 1 accounts; use --students 1"),
        (["--data", "nothing"], "the database is empty; run `quadrille migrate`; or give --accounts"),
    ],
)
def test_bad_input(arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("few.csv").write_text("login,password\nada,x\n")
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code in (2, 3)
    assert message in done.output


@pytest.mark.parametrize(
    ("passed_s", "told"),
    [
        (0, "the class arrives, 600 s left"),
        (300, "files are uploaded, 300 s left"),
        (601, "the last reports are awaited"),
    ],
)
def test_what_is_told_meanwhile(passed_s: float, told: str) -> None:
    assert phase(Night("http://127.0.0.1", [], minutes=5, uploads=300), passed_s) == told


def test_times_with_e_mail_are_compared_with_the_mean_of_those_without() -> None:
    def took(page: float, report: float) -> NightResult:
        visits = Visits()
        for number in range(FEWEST):
            visits.note("home", "/", 200, page, 1)
            if number:
                visits.note("rare", "/rare", 200, page, 1)
        return NightResult(visits, [report], Audit([], []), Usage([], 0, 0, 0, 0, None), 1.0)

    found = ratios([took(1, 10), took(3, 30)], took(4, 10))
    assert found["home"] == {"p50": 2, "p95": 2}
    assert found["upload to report"] == {"p50": 0.5, "p95": 0.5}
    assert "rare" not in found
    assert "all" in found


def test_a_server_that_sends_its_e_mail_elsewhere_is_refused(tmp_path: Path) -> None:
    for more in ({}, {"mail_host": "mail.example", "mail_security": "none"}, {"mail_host": "127.0.0.1"}):
        with (
            pytest.raises(NoMailServer, match="QUADRILLE_MAIL_HOST"),
            mail_server(Settings(data=tmp_path, mail_from="a@example.org", **more)),  # type: ignore[arg-type]
        ):
            pass


def test_people_who_get_e_mail_are_in_a_course_of_their_own_and_made_once(sessions: Sessions) -> None:
    first = absent_people(sessions, 3)
    assert absent_people(sessions, 2) == first[:2]
    assert [*absent_people(sessions, 4)][:3] == first
    with reading(sessions) as session:
        members = session.scalars(select(Membership).where(Membership.user_id.in_(first))).all()
    assert len({(each.course_id, each.email) for each in members}) == 3
