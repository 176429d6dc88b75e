"""The collusion watch's page: empty, waiting, with findings, and after an internal error."""

from datetime import timedelta
from hashlib import sha256

import pytest

from grader.store.models import Assignment
from tests.web.school import School
from tournament.play.games import find_game
from tournament.store.database import now
from tournament.store.tables import Entry, Tournament, TournamentKind, Watch
from tournament.watch.watches import FilesFound, Found, PairFound, ask_for_watch, watch_due
from web.people.roster import remove
from web.site.models import Course

REFERENCE = find_game("bo").folder.joinpath("reference.py").read_bytes()

QUIET = {
    "games": 900,
    "pairs": 3,
    "tested": 3,
    "detectable": 0.15,
    "detectable_less": 0.12,
    "unseen": 0.25,
    "suspicions": [],
    "files": [],
    "compared": 3,
}


@pytest.fixture
def path(school: School) -> str:
    return f"/tournaments/{school.tournament}/watch/"


def page(school: School, path: str) -> str:
    return school.browser("ines").get(path).text


def store(school: School, found: Found | None = None, trouble: str = "") -> None:
    data = found.model_dump(mode="json") if found else {}
    with school.write() as session:
        session.add(Watch(tournament_id=school.tournament, done_at=now(), trouble=trouble, found=data))


def test_before_the_first_look_it_explains_itself(school: School, path: str) -> None:
    shown = page(school, path)
    assert "No check has been run yet" in shown
    assert "Neither of these proves anything" in shown
    assert "data-refresh" not in shown
    assert path in page(school, f"/assignments/{school.assignment}/manage/")


def test_a_look_is_asked_for_and_followed(school: School, path: str) -> None:
    school.enter("ada")
    assert school.browser("ines").post(path).status_code == 303
    shown = page(school, path)
    assert "Checking the games" in shown
    assert f'data-refresh="{path}found"' in shown
    assert "First, a grading worker reads 1 file" in shown
    assert school.sent[-1] == "grader.grade"
    school.read_files()
    watch_due(school.sessions)
    shown = page(school, path + "found")
    assert "data-refresh" not in shown
    assert "so there is no result yet" in shown
    assert "No two files are similar" in shown
    assert "1 file compared" in shown


def test_where_nobody_stands_out_that_is_said(school: School, path: str) -> None:
    store(school, Found.model_validate(QUIET))
    shown = page(school, path)
    assert "No pair stands out" in shown
    assert "wins about 15.0% of its games more than expected, or about 12.0% less," in shown
    assert "In 25.0% of the pairs, one student wins so rarely" in shown
    assert "empty in at least 99 of 100 tournaments" in shown


@pytest.mark.both_databases
def test_pairs_are_named_with_the_size_and_the_games(school: School, path: str) -> None:
    school.enter("ada")
    school.enter("ben")
    ada, ben = school.people["ada"], school.people["ben"]
    helps = PairFound(kind="helps", one=ada, other=ben, blocks=44, games=176, wins=126, expected=56.7, chance=1e-22,
                      telling=[(7, 0.9), (8, 0.8)])  # fmt: skip
    together = helps.model_copy(update={"kind": "together", "chance": 0.0004, "other": 999})
    against = helps.model_copy(update={"kind": "against", "one": ben, "other": ada, "wins": 9})
    files = [
        FilesFound(people=[ada, ben], exact=True, share=1.0),
        FilesFound(people=[ada, 999], exact=False, share=0.7),
    ]
    store(school, Found.model_validate({**QUIET, "suspicions": [helps, together, against], "files": files}))
    shown = page(school, path)
    for text in (
        "Ada Realname",
        "Ben Realname",
        "With the first player at the table, the second won 126 of 176 games. Given their strengths, about 57 wins "
        "were expected.",
        "whether the first player helps on purpose or is the victim",
        "seems to play against",
        "With the first player at the table, the second won 9 of 176 games",
        "whether the second player is a victim or loses on purpose",
        "less than one in a million",
        "With both at the table, one of them won 126 of 176 games",
        "one in 2,500",
        '<a href="/games/7/plays/0">game 7</a>',
        "a former student",
        "identical files",
        "70.0% of the shorter file’s code",
    ):
        assert text in shown, text


def enter(school: School, login: str, source: bytes, ago: timedelta = timedelta()) -> int:
    """Enter that file."""
    entry = school.enter(login, ago)
    with school.write() as session:
        player = session.get_one(Entry, entry).player
        player.source, player.sha256 = source, sha256(source).hexdigest()
    return entry


def test_two_files_are_shown_beside_each_other(school: School, path: str) -> None:
    one = enter(school, "ada", b"own = 1 if 2 < 3 else [4][0]  # </pre><b>\n" + REFERENCE)
    other = enter(school, "ben", REFERENCE)
    link = f"{path}entries/{one}/{other}"
    with school.write() as session:
        ask_for_watch(session, school.tournament)
    school.read_files()
    watch_due(school.sessions)
    assert f'href="{link}"' in page(school, path)
    shown = page(school, link)
    before, _, after = shown.partition("# &lt;/pre&gt;&lt;b&gt;")
    assert "Ada Realname" in before
    assert before.count("<mark>") == 1, "only the word that explains it"
    assert after.count("<mark>") >= 2, "the same in both"
    assert "A234567890JQK&#34;\nRED_SUITS = &#34;HD&#34;\n<mark>NUMBERS" in after, "each line is a line"
    gone = school.browser("ines").get(f"{path}entries/{one}/9999")
    assert (gone.status_code, "not entries of two students" in gone.text) == (404, True)
    assert school.browser("ada").get(link).status_code == 403


def leave(school: School, login: str) -> None:
    """Remove them from the course, as an instructor can."""
    with school.write() as session:
        course = session.get_one(Assignment, school.assignment).course_id
        remove(session, session.get_one(Course, course), school.people[login], school.people["ines"])


def test_evidence_outlives_whatever_a_student_does(school: School, path: str) -> None:
    one, other = enter(school, "ada", REFERENCE), enter(school, "ben", b"# mine\n" + REFERENCE, timedelta(hours=1))
    with school.write() as session:
        ask_for_watch(session, school.tournament)
    school.read_files()
    watch_due(school.sessions)
    link = f"{path}entries/{one}/{other}"
    before = page(school, link)
    ben = school.browser("ben")
    assert ben.post(f"/entries/{other}/withdraw").status_code == 303
    enter(school, "ben", b"x = 1\n")
    for happens in (lambda: None, lambda: leave(school, "ben")):
        happens()
        shown = page(school, path)
        assert f'href="{link}"' in shown
        assert "Ben Realname" in shown
        assert "version 1, withdrawn" in shown
        files = page(school, link)
        assert files.count("<mark>") == before.count("<mark>") > 1
        assert "Ben Realname" in files


def test_what_was_found_before_entries_were_kept_leads_to_the_latest(school: School, path: str) -> None:
    one, other = enter(school, "ada", REFERENCE), enter(school, "ben", REFERENCE + b"x = 1\n")
    ids = [school.people["ada"], school.people["ben"]]
    files = {"people": ids, "exact": False, "share": 0.9}
    store(school, Found.model_validate({**QUIET, "files": [files]}))
    school.browser("ben").post(f"/entries/{other}/withdraw")
    assert f'href="{path}entries/{one}/{other}"' in page(school, path)
    assert "<h1>Two files side by side</h1>" in page(school, f"{path}entries/{one}/{other}")


def test_files_that_could_not_be_read_are_named(school: School, path: str) -> None:
    entry = enter(school, "ada", b"x = [")
    with school.write() as session:
        ask_for_watch(session, school.tournament)
    school.read_files()
    watch_due(school.sessions)
    shown = page(school, path)
    assert "Files that could not be compared" in shown
    assert f'href="/entries/{entry}/">Ada Realname' in shown
    assert "Python cannot read it as a program" in shown


def test_after_a_fault_of_ours_what_was_found_before_stays(school: School, path: str) -> None:
    store(school, Found.model_validate(QUIET), trouble="OSError: <disk>")
    shown = page(school, path)
    assert "OSError: &lt;disk&gt;" in shown
    assert "No pair stands out" in shown


def test_a_bracket_has_none(school: School) -> None:
    with school.write() as session:
        bracket = Tournament(
            assignment_id=school.assignment, slug="bracket", title="B", game="bo", kind=TournamentKind.BRACKET
        )
        session.add(bracket)
        session.flush()
        id_ = bracket.id
    assert school.browser("ines").get(f"/tournaments/{id_}/watch/").status_code == 404
