"""Archives of finished courses: readable with nothing but the standard library, verified, and then the course is gone
without a trace while nobody else's rows have changed."""

import csv
import json
from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from io import StringIO
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import ZipFile

import pytest
from pyrage import decrypt
from pyrage.x25519 import Identity
from sqlalchemy import Engine, func, select, update

from deploy.database import METADATA
from deploy.processes.retention import archive_due, forget_due, forget_each
from deploy.settings import Settings, load
from deploy.storage import course_archives
from deploy.storage.archive import BadBackup
from deploy.storage.course_archives import SUMS, archive, default_path, remove
from grader.marks.record_check import check_marks
from grader.store.models import Assignment, Submission
from sandbox.choose import open_sandbox
from tests.tournament.factory import make_entries, make_tournament, play, won_by
from tests.tournament.finals import BOTS, freeze_some, play_out
from tests.web import reports
from tests.web.conftest import *  # noqa: F403  # the class of the site
from tests.web.privacy.conftest import known
from tests.web.school import HASHED, School
from tournament.final.finals import publish
from tournament.final.verify import check_final_record
from tournament.ladder.thinning import thin
from tournament.store.database import now, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Entry, Final, FinalPhase, Player, Tournament
from tournament.work.services import Services
from web.privacy.belonging import belonging, count_rows
from web.privacy.forgetting import CannotForget, forget
from web.privacy.inventory import INVENTORY, Lasts, table_named
from web.site.models import Course, Membership, Role, User

__all__ = ["known"]

KEEP = timedelta(days=365)
HOSTILE = (
    *("../../etc/passwd", "=HYPERLINK(1).py", "a\\b/../..\\c.py", "<script>alert(1)</script>.py", "con:.py"),
    "\n.py",
)

NOT_ARCHIVED = {
    "assignment_draft", "authoring_job", "block", "case_failures", "compared_pair", "comparison", "custom_batch",
    "custom_game", "custom_seat", "game", "given_file", "hand_game", "join_code", "lti_course", "lti_item",
    "lti_member", "lti_score", "mail", "marking_hold", "matchups", "notice", "opened_work", "rank_sample", "seat",
    "shared_game", "trial", "void_attempt", "watch", "webhook",
}  # fmt: skip
"""Tables of a course that its archive has in another form, or not at all."""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return configured(tmp_path / "data")


def configured(folder: Path, lines: str = "") -> Settings:
    """The settings of a data folder with these lines, and the key of records."""
    folder.mkdir()
    (folder / "settings.env").write_text(lines)
    chosen = load(folder)
    assert chosen.record_key
    return chosen


def engine_of(school: School) -> Engine:
    with reading(school.sessions) as session:
        return session.get_bind().engine  # type: ignore[no-any-return]


def archived(school: School, settings: Settings, **more: Any) -> course_archives.ArchivedCourse:
    path = settings.data / "archives" / "it.zip"
    return archive(settings, engine_of(school), school.course, path, **more)


def contents(path: Path) -> dict[str, bytes]:
    with ZipFile(path) as file:
        assert file.testzip() is None
        return {name: file.read(name) for name in file.namelist()}


def table(content: bytes) -> list[dict[str, str]]:
    return [*csv.DictReader(StringIO(content.decode("utf-8-sig"), newline=""))]


def rows_elsewhere(school: School) -> dict[str, list[Any]]:
    """All rows that do not belong to the course, by table."""
    ours = belonging(table_named("course"), school.course)
    found = dict[str, list[Any]]()
    with reading(school.sessions) as session:
        for each in METADATA.sorted_tables:
            wanted = select(each).order_by(*each.primary_key)
            if each.name in ours:
                mine = session.execute(select(*each.primary_key).where(ours[each.name])).all()
                keys = {tuple(row) for row in mine}
                places = [[*each.columns].index(key) for key in each.primary_key]
                every = session.execute(wanted).all()
                found[each.name] = [row for row in every if tuple(row[at] for at in places) not in keys]
            else:
                found[each.name] = [*session.execute(wanted)]
    return found


def beside(school: School) -> None:
    """Another course with games, in which Cleo is too, and in which somebody uploaded the same file as Ada."""
    with school.write() as session:
        ladder = make_tournament(session)
        entries = make_entries(session, ladder, 4)
        play(session, ladder, entries, [won_by(seat) for seat in range(4)])
        course_id = session.get_one(Assignment, ladder.assignment_id).course_id
        session.add(Membership(user_id=school.people["cleo"], course_id=course_id, role=Role.STUDENT, pseudonym="C"))
        shared = session.scalars(select(Entry.player_id).where(Entry.author_id == school.people["ben"])).first()
        entries[0].player_id = shared


@pytest.mark.both_databases
def test_the_archive_can_be_read_with_the_standard_library(known: School, settings: Settings) -> None:
    for name in HOSTILE:
        known.graded("ben", reports.good(), source=name.encode(), filename=name)
    told = list[str]()
    done = archived(known, settings, told=told.append)
    found = contents(done.path)
    sums = dict(reversed(line.split("  ", 1)) for line in found[SUMS].decode().splitlines())
    assert sums == {name: sha256(content).hexdigest() for name, content in found.items() if name != SUMS}
    assert len(found) == done.files
    assert told[-1] == "reading it again"
    assert {each["login"]: each["name"] for each in table(found["people.csv"])}["ada"] == "Ada Realname"
    assert {each["user"] for each in table(found["tables/membership.csv"])} == {"ada", "ben", "cleo", "ines"}
    (marked,) = [each for each in table(found["assignments/bo/marks.csv"]) if each["login"] == "ada"]
    assert marked["student_number"] == "4711-0815"
    (published,) = [name for name in found if name.startswith("assignments/bo/published-marks-")]
    lines = found[published].splitlines(keepends=True)
    assert check_marks(lines, "").problems == []
    for name, content in found.items():
        if name.endswith(".csv"):
            heading, *rows = csv.reader(StringIO(content.decode("utf-8-sig"), newline=""))
            assert all(len(row) == len(heading) for row in rows), name
            assert not any(cell[:1] in ("=", "+", "@", "\t") for row in rows for cell in row), name
        if name.endswith((".json", ".jsonl")):
            [json.loads(line) for line in (content.splitlines() if name.endswith("l") else [content])]
    comments = table(found["tables/code_comment.csv"])
    assert ("Well done, Ada Realname.", "ines") in {(each["text"], each["written_by"]) for each in comments}
    assert table(found["tables/review_request.csv"])[0]["answer"] == "Dear Ada Realname, no."
    assert table(found["tables/extension.csv"])[0]["assignment"] == "bo"
    assert table(found["tables/setting_change.csv"])


@pytest.mark.both_databases
def test_results_records_and_replays_of_games_are_in_it(known: School, settings: Settings) -> None:
    found = contents(archived(known, settings).path)
    ladder = "assignments/bo/tournaments/standard"
    seats = table(found[f"{ladder}/games.csv"])
    assert [each["login"] for each in seats] == ["ada", "ben", "", ""]
    assert seats[0]["fault"]
    (line,) = found[f"{ladder}/records.jsonl"].splitlines()
    assert json.loads(line)["record"]["plays"]
    (replay,) = [name for name in found if "/replays/" in name]
    page = found[replay].decode()
    assert "ada-the-pseudonym" in page
    assert 'src="' not in page.replace('src="data:', "")
    assert replay in found["index.html"].decode()
    assert {each["login"] for each in table(found[f"{ladder}/standings.csv"])} >= {"ada", "ben"}


def test_names_of_files_are_ours_and_no_secret_is_in_it(known: School, settings: Settings) -> None:
    for name in HOSTILE:
        known.graded("ben", reports.good(), source=name.encode(), filename=name)
    with known.write() as session:
        session.get_one(User, known.people["ben"]).login = "../ben"
    found = contents(archived(known, settings).path)
    assert {name.encode() for name in HOSTILE} <= {*found.values()}
    for name in found:
        path = PurePosixPath(name)
        assert not path.is_absolute()
        assert ".." not in path.parts
        assert name.isprintable()
        assert not {*'\\:*?"<>|'} & {*name}
    whole = b"".join(found.values())
    for secret in (HASHED.encode(), b"t" * 24, b"s" * 24, settings.record_key.encode(), settings.secret_key.encode()):
        assert secret not in whole
    assert b"<script>alert" not in found["index.html"]
    columns = {column for kept in INVENTORY.values() for column in kept.archived.split()}
    assert not {"password_hash", "secret", "token", "sha256", "share", "code", "request_key", "trace"} & columns


def test_each_table_of_a_course_is_in_the_archive_or_was_left_out_on_purpose() -> None:
    tables = {*belonging(table_named("course"), 1)}
    kept = {name for name, each in INVENTORY.items() if each.archived}
    assert kept <= tables
    assert tables - kept == NOT_ARCHIVED
    for name in kept:
        assert {*INVENTORY[name].archived.split()} <= {*METADATA.tables[name].c.keys()}


@pytest.mark.both_databases
def test_after_the_removal_nothing_of_the_course_is_left_and_nothing_else_has_changed(
    known: School, settings: Settings
) -> None:
    beside(known)
    done = archived(known, settings)
    before = rows_elsewhere(known)
    alone = remove(engine_of(known), done)
    assert {*alone} == {known.people["ada"], known.people["ben"]}, "Cleo is in another course"
    assert forget_each(known.sessions, alone, KEEP, now()) == alone
    with reading(known.sessions) as session:
        assert not any(count_rows(session, table_named("course"), known.course).values())
        names = {*session.scalars(select(User.login))}
        assert {"cleo", "ines", "otto"} < names
        assert not {"ada", "ben"} & names
        kept = session.scalar(select(func.count()).select_from(Player))
        assert kept == 5, "those of the other course, and the one that Ben had uploaded there, too"
    after, going = rows_elsewhere(known), {known.people["ada"], known.people["ben"]}
    assert {*after.pop("player")} < {*before.pop("player")}
    assert {row.user_id for row in after.pop("erasure")} - {row.user_id for row in before.pop("erasure")} == going
    assert [row.id for row in before.pop("mail") if row.user_id not in going] == [row.id for row in after.pop("mail")]
    for name, rows in before.items():
        whose = INVENTORY[name].whose or "id"
        if name == "password_request":  # deleted by what was typed
            continue
        ends = name == "user" or INVENTORY[name].lasts is Lasts.ACCOUNT
        kept_rows = [
            [row for row in each if not (ends and getattr(row, whose) in going)] for each in (rows, after[name])
        ]
        assert kept_rows[0] == kept_rows[1], name
    assert known.browser("cleo").get("/").status_code == 200


@pytest.mark.both_databases
def test_nothing_is_removed_while_it_is_used_or_after_it_was_changed(known: School, settings: Settings) -> None:
    done = archived(known, settings)
    done.path.unlink()
    busy = known.upload("ben")
    with pytest.raises(CannotForget, match="is being graded or played"):
        archived(known, settings)
    with pytest.raises(CannotForget, match="is being graded or played"):
        remove(engine_of(known), done)
    known.change(Submission, busy, state=JobState.DONE)
    with pytest.raises(CannotForget, match="has changed"):
        remove(engine_of(known), done)
    with known.write() as session:
        session.get_one(Assignment, known.assignment).due_at = now() + timedelta(days=1)
    with pytest.raises(CannotForget, match="goes on until"):
        archived(known, settings)
    with reading(known.sessions) as session:
        assert session.get(Course, known.course)


def test_a_damaged_archive_is_found_before_anything_is_removed(
    known: School, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify = course_archives._verify

    def spoilt(path: Path, sums: Mapping[str, str]) -> None:
        content = bytearray(path.read_bytes())
        content[len(content) // 3] ^= 1
        path.write_bytes(content)
        verify(path, sums)

    monkeypatch.setattr(course_archives, "_verify", spoilt)
    with pytest.raises(BadBackup, match="damaged"):
        archived(known, settings)
    assert [*(settings.data / "archives").iterdir()] == []


def test_who_was_erased_before_is_not_in_it(known: School, settings: Settings) -> None:
    with known.write() as session:
        forget(session, known.people["ada"], True, timedelta(), now() + timedelta(days=1))
    found = contents(archived(known, settings).path)
    whole = b"".join(content for name, content in found.items())
    for telling in (b"Ada Realname", b"4711-0815", b"ada@uni.example", b"ada-the-pseudonym", b"Ada wrote this"):
        assert telling not in whole, telling


def test_a_thinned_game_has_its_result_and_no_replay(known: School, settings: Settings) -> None:
    assert thin(known.sessions, now() + timedelta(days=1), [known.assignment]) == 1
    found = contents(archived(known, settings).path)
    assert len(table(found["assignments/bo/tournaments/standard/games.csv"])) == 4
    assert found["assignments/bo/tournaments/standard/records.jsonl"] == b""
    assert not [name for name in found if "/replays/" in name]


def test_with_a_key_it_is_encrypted_like_a_backup(known: School, tmp_path: Path) -> None:
    key = Identity.generate()
    done = archived(known, configured(tmp_path / "data", f"QUADRILLE_BACKUP_KEY={key.to_public()}\n"))
    assert done.path.name == "it.zip.age"
    plain = tmp_path / "plain.zip"
    plain.write_bytes(decrypt(done.path.read_bytes(), [key]))
    assert "index.html" in contents(plain)
    assert [path.name for path in done.path.parent.iterdir()] == ["it.zip.age"]


@pytest.mark.both_databases
def test_the_scheduler_archives_and_removes_courses_that_ended_long_ago(known: School, tmp_path: Path) -> None:
    chosen = configured(tmp_path / "data", "QUADRILLE_ARCHIVE_DAYS=30\n")
    elsewhere = tmp_path / "container"
    elsewhere.mkdir()
    (elsewhere / "settings.env").write_text("QUADRILLE_ARCHIVE_DAYS=30\n")
    assert archive_due(load(elsewhere), known.sessions, now() + timedelta(days=31)) == [], "it has no data folder"
    assert archive_due(load(tmp_path), known.sessions, now() + timedelta(days=9999)) == []
    assert archive_due(chosen, known.sessions, now() + timedelta(days=29)) == []
    (made,) = archive_due(chosen, known.sessions, now() + timedelta(days=31))
    assert "index.html" in contents(Path(made))
    with reading(known.sessions) as session:
        assert [*session.scalars(select(Course.slug))] == ["other"], "nothing has happened there yet"
        assert {"ada", "ben"} < {*session.scalars(select(User.login))}
    gone = {known.people[each] for each in ("ada", "ben", "cleo")}
    assert {*forget_due(chosen, known.sessions, now())} == gone
    with reading(known.sessions) as session:
        assert not {"ada", "ben"} & {*session.scalars(select(User.login))}
    assert archive_due(chosen, known.sessions, now() + timedelta(days=31)) == []


def test_a_removal_that_is_refused_leaves_no_archive(
    known: School, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> list[int]:
        raise CannotForget("No.")

    monkeypatch.setattr(course_archives, "remove", refuse)
    with pytest.raises(CannotForget):
        course_archives.archive_and_remove(settings, engine_of(known), known.course)
    assert [*(settings.data / "archives").iterdir()] == []


def test_a_final_has_its_signed_record_and_all_its_games(school: School, settings: Settings) -> None:
    with open_sandbox("trusted") as box:
        services = Services(school.sessions, lambda task: None, lambda: box, lambda: box, "worker")
        number = freeze_some(school.sessions, *BOTS[:2], *BOTS[:2])
        with writing(school.sessions) as session:
            assignment = session.get_one(Tournament, number).assignment_id
            course = session.get_one(Assignment, assignment).course_id
        with pytest.raises(CannotForget, match=r"final of A course|graded or played|Nothing has"):
            archive(settings, engine_of(school), course, default_path(settings, "x"))
        play_out(services)
    with school.write() as session:
        publish(session, number)
        session.execute(update(Assignment).where(Assignment.id == assignment).values(due_at=now() - timedelta(days=1)))
        session.execute(update(Course).where(Course.id == course).values(created_at=now() - timedelta(days=9)))
        assert session.get_one(Final, number).phase is FinalPhase.PUBLISHED
        slug = session.get_one(Tournament, number).slug
    found = contents(archive(settings, engine_of(school), course, default_path(settings, "final")).path)
    (record,) = [name for name in found if name.endswith(f"tournaments/{slug}/signed-record.jsonl")]
    folder = record.rpartition("/")[0]
    checked = check_final_record(iter(found[record].splitlines(keepends=True)), "")
    assert checked.problems == []
    games = {each["game"] for each in table(found[f"{folder}/games.csv"])}
    assert {name for name in found if name.startswith(f"{folder}/replays/")} == {
        f"{folder}/replays/{game}.html" for game in games
    }
