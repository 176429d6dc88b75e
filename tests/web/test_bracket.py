"""The page of an elimination bracket."""

import pytest

from tests.web.school import School
from tournament.brackets import advance
from tournament.jobs import JobState
from tournament.models import Block, BracketDraw, Entry, PlayedGame, Seat, Tournament
from tournament.record import Record
from web.models import User


@pytest.fixture
def pair(school: School) -> School:
    """The class with a game for two."""
    school.change(Tournament, school.tournament, game="kotc")
    return school


def path(school: School) -> str:
    return f"/tournaments/{school.tournament}/bracket/"


def page(school: School, login: str = "ada") -> str:
    answer = school.browser(login).get(path(school))
    assert answer.status_code == 200
    return " ".join(answer.text.split())


def enter_three(school: School) -> None:
    for wins, login in enumerate(("ada", "ben", "cleo")):
        school.enter(login, games=100, wins=20 + 20 * wins, blocks=50)


def play_all(school: School, wins: int) -> int:
    """Play every match of the bracket, its side 0 winning so many of the two games of a block; how many blocks."""
    with school.write() as session:
        draw = session.query(BracketDraw).one()
        bracket_id = draw.tournament_id
    blocks = 0
    while True:
        with school.write() as session:
            advance(session, bracket_id)
            due = session.query(Block).filter_by(tournament_id=bracket_id, state=JobState.QUEUED).all()
            if not due:
                return blocks
            for block in due:
                blocks += 1
                block.state = JobState.DONE
                for seating in range(2):
                    _store(session, block, seating, first_wins=seating < wins)


def _store(session: object, block: Block, seating: int, first_wins: bool) -> None:
    order = block.entries if seating == 0 else block.entries[::-1]
    places = [1 if (entry == block.entries[0]) is first_wins else 2 for entry in order]
    record = Record("kotc", block.seed, ["A", "B"], [], "won", places, [0.0, 0.0])
    game = PlayedGame(block_id=block.id, seating=seating, tournament_id=block.tournament_id, ended="won", plays=0,
                      record=record.pack())  # fmt: skip
    game.seats = [
        Seat(seat=seat, entry_id=entry, place=places[seat], points=0.0, counts=True) for seat, entry in enumerate(order)
    ]
    session.add(game)  # type: ignore[attr-defined]


def test_a_game_for_four_has_none(school: School) -> None:
    assert "Brackets are held on ladders of games for two players" in page(school)
    browser = school.browser("ines")
    answer = browser.post(path(school), {"best_of": "3"})
    assert answer.status_code == 400
    assert "a game for two" in answer.text


def test_before_anybody_entered(pair: School) -> None:
    assert "A bracket needs at least two students" in page(pair)


def test_before_the_first_it_shows_how_it_would_be_seeded(pair: School) -> None:
    enter_three(pair)
    html = page(pair)
    assert "No bracket has been held yet" in html
    assert html.index("cleo-the-pseudonym") < html.index("ben-the-pseudonym") < html.index("ada-the-pseudonym")
    assert html.count(">bye<") == 1
    assert "Semi-finals" in html
    assert "Hold a bracket" not in html
    assert "Hold a bracket now" in page(pair, "ines")


def test_only_instructors_hold_one(pair: School, sent: list[str]) -> None:
    enter_three(pair)
    assert pair.browser("ada").post(path(pair), {"best_of": "3"}).status_code == 403
    assert pair.browser("otto").post(path(pair), {"best_of": "3"}).status_code == 404
    sent.clear()
    assert pair.browser("ines").post(path(pair), {"best_of": "3"}).status_code == 303
    assert sent == ["tournament.pair"]
    html = page(pair)
    assert "The bracket is being played" in html
    assert 'http-equiv="refresh"' in html
    assert "Hold another" not in page(pair, "ines"), "while one is being played"


@pytest.mark.parametrize("best_of", ["2", "0", "-3", "many", ""])
def test_a_match_is_best_of_an_odd_number(pair: School, best_of: str) -> None:
    enter_three(pair)
    answer = pair.browser("ines").post(path(pair), {"best_of": best_of})
    assert answer.status_code == 400
    assert "odd number" in answer.text


def test_a_bracket_while_it_is_played_and_after(pair: School) -> None:
    enter_three(pair)
    pair.browser("ines").post(path(pair), {"best_of": "3"})
    with pair.write() as session:
        advance(session, session.query(BracketDraw).one().tournament_id)
    html = page(pair)
    assert html.count("not known yet") == 1
    assert "Champion" not in html
    assert play_all(pair, wins=2) == 2
    html = page(pair)
    assert "Champion: <strong>" in html
    assert "being played" not in html
    assert 'http-equiv="refresh"' not in html
    assert html.count('class="side won') == 2
    assert html.count("game 1</a>") == 2
    assert [html.count(f'<li value="{place}"') for place in (1, 2, 3)] == [1, 1, 1]
    assert "Hold another bracket now" in page(pair, "ines")


def test_a_game_beyond_the_decision_is_not_shown(pair: School) -> None:
    enter_three(pair)
    pair.browser("ines").post(path(pair), {"best_of": "3"})
    assert play_all(pair, wins=1) == 4
    html = page(pair)
    assert html.count("game 3</a>") == 2
    assert "game 4</a>" not in html


def test_the_own_side_is_marked_and_names_are_for_instructors(pair: School) -> None:
    enter_three(pair)
    html = page(pair, "ben")
    assert html.count('class="side mine"') == 1
    assert "Cleo Realname" not in html
    assert "Cleo Realname" in page(pair, "ines")


def test_a_pseudonym_is_no_markup(pair: School) -> None:
    enter_three(pair)
    with pair.write() as session:
        author = session.query(User).filter_by(login="ada").one().id
        entry = session.query(Entry).filter_by(author_id=author).one().id
    pair.change(Entry, entry, name="<script>alert(1)</script>")
    assert "<script>alert" not in page(pair)
