"""The leaderboard and the standings as a file."""

import csv
import re
from collections.abc import Sequence
from datetime import timedelta
from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import select, update

from tests.web.school import School
from tournament.store.tables import Entry, EntryState, Ranking, Tournament, TournamentState
from web.overview.standings import trust_in_ranks
from web.site.models import Membership, User

MARKUP = "<img src=x onerror=alert(1)>"


def board(school: School, login: str) -> str:
    return school.browser(login).get(f"/tournaments/{school.tournament}/").text


def test_an_empty_board_says_what_will_appear(school: School) -> None:
    page = board(school, "ada")
    assert "No player is ranked yet" in page
    assert "house bot" in page


def test_students_see_pseudonyms_and_instructors_names(school: School) -> None:
    school.enter("ben", games=100, wins=50)
    student, instructor = board(school, "ada"), board(school, "ines")
    assert "ben-the-pseudonym" in student
    assert "Ben Realname" not in student
    assert "Ben Realname" in instructor


def test_a_name_that_changes_is_seen_although_the_rows_are_kept(school: School) -> None:
    school.enter("ben", games=100, wins=50)
    assert "Ben Realname" in board(school, "ines")
    with school.write() as session:
        session.execute(update(User).where(User.login == "ben").values(name="Ben Othername"))
    changed = board(school, "ines")
    assert "Ben Othername" in changed
    assert "Ben Realname" not in changed


def test_the_own_row_is_marked(school: School) -> None:
    school.enter("ada", games=100, wins=50)
    school.enter("ben", games=100, wins=20)
    rows = [row for row in board(school, "ben").split("<tr") if 'class="mine' in row]
    assert len(rows) == 1
    assert "ben-the-pseudonym" in rows[0]


def test_a_row_says_how_far_it_can_be_trusted(school: School) -> None:
    school.enter("ada", games=40, wins=20)
    school.enter("ben", games=400, wins=190)
    page = board(school, "cleo")
    assert page.count("provisional</span>") == 1
    assert "50.0%" in page
    assert "35.0–65.0%" in page
    assert "1–2" in page, "the ranks that they may share"


def test_the_sentence_on_trust_is_computed(school: School) -> None:
    assert "a rank is accurate to about" not in board(school, "ada")
    for login, wins in (("ada", 60), ("ben", 58), ("cleo", 56)):
        school.enter(login, games=200, wins=wins)
    assert "With the 200 games that a typical player has played so far, a rank is accurate to about ±1 place." in board(
        school, "ada"
    )


@pytest.mark.parametrize(("widths", "places"), [((0, 1, 1), 1), ((1, 2, 3), 1), ((3, 3, 3), 2), ((0, 0, 0), 0)])
def test_half_a_place_is_not_rounded_to_none(widths: Sequence[int], places: int) -> None:
    rows: list[Any] = [SimpleNamespace(rank_interval=(1, 1 + each), games=9, group=1) for each in widths]
    trust = trust_in_ranks(rows)
    assert trust
    assert trust.places == places


def test_who_is_out_is_last_and_has_no_rank(school: School) -> None:
    school.enter("ada", games=40, wins=40, faults=10, state=EntryState.OUT)
    school.enter("ben", games=40, wins=1)
    page = board(school, "ada")
    assert page.index("ben-the-pseudonym") < page.index("ada-the-pseudonym")
    assert ">out</span>" in page


@pytest.mark.parametrize(("state", "words"), [("paused", "have paused this tournament"), ("closed", "final standings")])
def test_the_state_of_the_tournament_is_told(school: School, state: str, words: str) -> None:
    school.change(Tournament, school.tournament, state=TournamentState(state))
    assert words in board(school, "ada")


def test_a_name_is_text(school: School) -> None:
    school.change(Entry, school.enter("ada"), name=MARKUP)
    school.change(User, school.people["ada"], name=MARKUP)
    assert MARKUP not in board(school, "ada") + board(school, "ines")
    assert "&lt;img src=x" in board(school, "ben")


def test_the_table_is_not_sent_again_while_it_is_the_same(school: School) -> None:
    browser, address = school.browser("ada"), f"/tournaments/{school.tournament}/board"
    tag = browser.get(address).headers["ETag"]
    assert browser.get(address, headers={"If-None-Match": tag}).status_code == 304
    school.enter("ada", games=1)
    assert browser.get(address, headers={"If-None-Match": tag}).status_code == 200


def standings(school: School) -> list[dict[str, str]]:
    answer = school.browser("ines").get(f"/tournaments/{school.tournament}/standings.csv")
    assert answer.mimetype == "text/csv"
    assert answer.headers["Content-Disposition"] == "attachment; filename=comp10001-bo-standard.csv"
    return list(csv.DictReader(StringIO(answer.data.decode("utf-8-sig"))))


@pytest.mark.both_databases
def test_the_standings_have_a_line_for_every_student(school: School) -> None:
    school.enter("ada", games=200, wins=50, faults=2)
    school.enter("ben", ago=timedelta(minutes=20), games=10, wins=1, state=EntryState.OUT)
    lines = {line["login"]: line for line in standings(school)}
    assert lines.keys() == {"ada", "ben", "cleo"}
    ada = lines["ada"]
    assert (ada["rank"], ada["name"], ada["games"], ada["wins"], ada["win_rate"], ada["errors"]) == (
        "1",
        "Ada Realname",
        "200",
        "50",
        "0.2500",
        "2",
    )
    assert (lines["ben"]["rank"], lines["ben"]["status"]) == ("", "out")
    assert (lines["cleo"]["status"], lines["cleo"]["games"]) == ("not entered", None)


def test_a_name_cannot_be_a_formula(school: School) -> None:
    school.enter("ada", games=1)
    school.change(User, school.people["ada"], name='=HYPERLINK("https://evil.example")')
    with school.write() as session:
        session.get_one(Membership, (school.people["cleo"], school.course)).pseudonym = "+1"
    lines = {line["login"]: line for line in standings(school)}
    assert lines["ada"]["name"].startswith("'=")
    assert lines["cleo"]["pseudonym"] == "'+1"


def row_of(page: str, name: str) -> str:
    return next(row for row in page.split("<tr") if name in row)


@pytest.mark.both_databases
def test_a_rank_has_an_interval_a_group_and_a_rating(school: School) -> None:
    school.enter("ada", games=400, wins=200, rating=1612.4)
    school.enter("ben", games=400, wins=195)
    school.enter("cleo", games=400, wins=20)
    page = board(school, "ines")
    ada, ben, cleo = (row_of(page, f"{login}-the-pseudonym") for login in ("ada", "ben", "cleo"))
    assert "1 <small>(1–2)</small>" in ada
    assert "not yet separate from ranks 1 to 2" in ben
    assert ">3</td>" in cleo
    assert ["group" in row.partition(">")[0] for row in (ada, ben, cleo)] == [False, False, True]
    assert ">1612</td>" in ada
    assert "2 groups of players can be told apart." in page


@pytest.mark.parametrize(
    ("ranking", "header", "first", "figure"),
    [
        (Ranking.PLACE, "Mean place", "ada", "1.50"),
        (Ranking.POINTS, "Mean points", "ben", "3.00"),
    ],
)
def test_what_a_tournament_ranks_by_is_shown(
    school: School, ranking: Ranking, header: str, first: str, figure: str
) -> None:
    school.change(Tournament, school.tournament, ranking=ranking)
    school.enter("ada", games=4, wins=2, places=6, points=4)
    school.enter("ben", games=4, wins=3, places=9, points=12)
    page = board(school, "cleo")
    assert header in page
    row = row_of(page, f"{first}-the-pseudonym")
    assert "1 <small>(1–2)</small>" in row
    assert f">{figure}</td>" in row, "no interval yet, after no whole block"


@pytest.mark.both_databases
def test_on_a_large_board_people_see_their_own_doings_at_once_and_others_soon(
    school: School, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.overview.standings.LARGE", 0)
    monkeypatch.setattr("web.overview.standings.FRESH_S", 3600.0)
    assert "ben-the-pseudonym" not in board(school, "ada")
    school.enter("ben")
    assert "ben-the-pseudonym" not in board(school, "ada"), "it is kept"
    assert "ben-the-pseudonym" in board(school, "ben")
    assert "ben-the-pseudonym" in board(school, "ada"), "it was worked out anew"


def test_a_small_board_is_never_old(school: School) -> None:
    assert "ben-the-pseudonym" not in board(school, "ada")
    school.enter("ben")
    assert "ben-the-pseudonym" in board(school, "ada")


@pytest.mark.both_databases
def test_several_entries_of_a_student_are_told_apart(school: School) -> None:
    school.change(Tournament, school.tournament, active_limit=2)
    old = school.enter("ada", ago=timedelta(hours=1), games=100, wins=40)
    school.enter("ada", games=100, wins=30)
    school.enter("ben", games=100, wins=20)
    board = f"/tournaments/{school.tournament}/"
    own, other = (school.browser(login).get(board).text for login in ("ada", "ben"))
    for shown in (own, other):
        assert "<small>version 1</small>" in shown
        assert "<small>version 2</small>" in shown
    assert (own.count(">you</span>"), other.count(">you</span>")) == (2, 1)
    card = school.browser("ada").get("/courses/comp10001/bo/entry").text
    assert "version 2, entered" in card
    assert f'<a href="/entries/{old}/">version 1, rank 1</a>' in card


def many(school: School, count: int) -> None:
    """So many players of others, ranked by their number."""
    with school.write() as session:
        source = session.scalars(select(Entry).where(Entry.bot.is_(None))).one()
        for number in range(count):
            user = User(login=f"student{number}", name=f"Student Number{number}", password_hash="x")
            session.add(user)
            session.flush()
            session.add(
                Entry(
                    tournament_id=source.tournament_id, author_id=user.id, player_id=source.player_id,
                    name=f"player-{number:03}", version=1, games=200, wins=150 - number,
                )
            )  # fmt: skip


def test_a_large_board_comes_in_pages_and_leads_to_the_own_row(school: School) -> None:
    school.enter("ada", games=200, wins=1)
    many(school, 120)
    ada = school.browser("ada")
    address = f"/tournaments/{school.tournament}/"
    first = ada.get(address).text
    assert first.count("<tr") == 101
    assert "player-000" in first
    assert "ada-the-pseudonym" not in first.partition("<tbody>")[2]
    link = re.search(r'href="([^"]+)#(entry-\d+)">Jump to your row', first)
    assert link
    own = ada.get(link[1]).text
    assert f'id="{link[2]}" class="mine' in own
    assert "player-000" not in own
    assert "page 2 of 2" in own
    assert ada.get(f"{address}?page=99").text.count("page 2 of 2") == 2
    board, other = (ada.get(f"{address}board?page={number}") for number in (1, 2))
    assert board.headers["ETag"] != other.headers["ETag"]


def test_a_player_is_found_by_a_part_of_the_name(school: School) -> None:
    school.enter("ada", games=200, wins=1)
    many(school, 120)
    address = f"/tournaments/{school.tournament}/?find=PLAYER-11"
    found = school.browser("ada").get(address).text
    assert found.count("<tr") == 11
    assert "10 rows with “PLAYER-11” in the name" in found
    assert school.browser("ada").get(f"/tournaments/{school.tournament}/?find=Ada+Real").text.count("<tr") == 0
    assert school.browser("ines").get(f"/tournaments/{school.tournament}/?find=Ada+Real").text.count("<tr") == 2
    nothing = school.browser("ada").get(f"/tournaments/{school.tournament}/?find=<b>").text
    assert "0 rows with “&lt;b&gt;” in the name" in nothing
