"""The collusion watch's page: empty, waiting, with findings, and after a fault of ours."""

import pytest

from tests.web.school import School
from tournament.db import now
from tournament.games import find_game
from tournament.models import Entry, Tournament, TournamentKind
from tournament.watch import FilesFound, Found, PairFound, Watch, watch_due

QUIET = {"games": 900, "pairs": 3, "tested": 3, "detectable": 0.15, "suspicions": [], "files": [], "compared": 3}


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
    assert "Nobody has looked yet" in shown
    assert "It proves nothing" in shown
    assert "data-refresh" not in shown
    assert path in page(school, f"/assignments/{school.assignment}/manage/")


def test_a_look_is_asked_for_and_followed(school: School, path: str) -> None:
    school.enter("ada")
    assert school.browser("ines").post(path).status_code == 303
    shown = page(school, path)
    assert "Looking at the games" in shown
    assert f'data-refresh="{path}found"' in shown
    watch_due(school.sessions)
    shown = page(school, path + "found")
    assert "data-refresh" not in shown
    assert "so nothing can be said yet" in shown
    assert "No two of them are alike" in shown
    assert "1 file compared" in shown


def test_where_nobody_stands_out_that_is_said(school: School, path: str) -> None:
    store(school, Found.model_validate(QUIET))
    shown = page(school, path)
    assert "No pair stands out" in shown
    assert "wins about 15.0% of its games more than expected" in shown
    assert "empty in at least 99 of 100 tournaments" in shown


def test_pairs_are_named_with_the_size_and_the_games(school: School, path: str) -> None:
    school.enter("ada")
    ada, ben = school.people["ada"], school.people["ben"]
    helps = PairFound(kind="helps", one=ada, other=ben, blocks=44, games=176, wins=126, expected=56.7, chance=1e-22,
                      telling=[(7, 0.9), (8, 0.8)])  # fmt: skip
    together = helps.model_copy(update={"kind": "together", "chance": 0.0004, "other": 999})
    files = [
        FilesFound(people=[ada, ben], exact=True, share=1.0),
        FilesFound(people=[ada, 999], exact=False, share=0.7),
    ]
    store(school, Found.model_validate({**QUIET, "suspicions": [helps, together], "files": files}))
    shown = page(school, path)
    for text in (
        "Ada Realname",
        "Ben Realname",
        "With the first at the table the second won 126 of 176 games; by their strengths about 57 were to be expected.",
        "less than one in a million",
        "With each other at the table one of them won 126 of 176 games",
        "one in 2,500",
        '<a href="/games/7/plays/0">game 7</a>',
        "a former student",
        "the same file, to the byte",
        "70.0% of their code",
    ):
        assert text in shown, text


def test_two_files_are_shown_beside_each_other(school: School, path: str) -> None:
    ada, ben, cleo = (school.people[login] for login in ("ada", "ben", "cleo"))
    source = find_game("bo").folder.joinpath("reference.py").read_bytes()
    for login, own in (("ada", b"own = 1 if 2 < 3 else [4][0]  # </pre><b>\n" + source), ("ben", source)):
        entry = school.enter(login)
        with school.write() as session:
            session.get_one(Entry, entry).player.source = own
    store(school, Found.model_validate({**QUIET, "files": [FilesFound(people=[ada, ben], exact=False, share=0.9)]}))
    assert f'href="{path}files/{ada}/{ben}"' in page(school, path)
    shown = page(school, f"{path}files/{ada}/{ben}")
    before, _, after = shown.partition("# &lt;/pre&gt;&lt;b&gt;")
    assert "Ada Realname" in before
    assert before.count("<mark>") == 1, "only the word that explains it"
    assert after.count("<mark>") >= 2, "the same in both"
    gone = school.browser("ines").get(f"{path}files/{ada}/{cleo}")
    assert (gone.status_code, "has no file in this tournament any more" in gone.text) == (404, True)
    assert school.browser("ada").get(f"{path}files/{ada}/{ben}").status_code == 403


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
