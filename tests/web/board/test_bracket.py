"""The page of an elimination bracket."""

import pytest

from tests.web.contract import ApiClient
from tests.web.school import School
from tournament.bracket.brackets import advance
from tournament.play.record import Record
from tournament.store.jobs import JobState
from tournament.store.tables import Block, BracketDraw, Entry, PlayedGame, Seat, Tournament
from web.site.models import User


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
    assert "Brackets are only for ladders of two-player games" in page(school)
    browser = school.browser("ines")
    answer = browser.post(path(school), {"best_of": "3"})
    assert answer.status_code == 409
    assert "a ladder of a two-player game" in answer.text


def test_before_anybody_entered(pair: School) -> None:
    assert "A bracket needs at least two students" in page(pair)


def test_before_the_first_it_shows_how_it_would_be_seeded(pair: School) -> None:
    enter_three(pair)
    html = page(pair)
    assert "No bracket has been held yet" in html
    assert html.index("cleo-the-pseudonym") < html.index("ben-the-pseudonym") < html.index("ada-the-pseudonym")
    assert html.count(">bye<") == 1
    assert "Semi-finals" in html
    assert "Start a bracket" not in html
    assert "Start a bracket now" in page(pair, "ines")


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
    assert "data-refresh" in pair.browser("ada").get(f"{path(pair)}live").text
    assert "Hold another" not in page(pair, "ines"), "while one is being played"


@pytest.mark.parametrize("best_of", ["2", "0", "-3", "many", ""])
def test_a_match_is_best_of_an_odd_number(pair: School, best_of: str) -> None:
    enter_three(pair)
    answer = pair.browser("ines").post(path(pair), {"best_of": best_of})
    assert answer.status_code == 409
    assert "odd number" in answer.text


@pytest.mark.both_databases
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
    assert "Start another bracket now" in page(pair, "ines")


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


def do(school: School, action: str, login: str = "ines") -> tuple[int, str]:
    answer = school.browser(login).post(f"{path(school)}do", {"do": action})
    return answer.status_code, answer.text


def test_it_can_be_paused_resumed_and_aborted(pair: School, sent: list[str]) -> None:
    enter_three(pair)
    assert do(pair, "pause")[0] == 409, "none is being played"
    pair.browser("ines").post(path(pair), {"best_of": "3"})
    assert "Pause the bracket" not in page(pair), "students see no buttons"
    assert [do(pair, "pause", login)[0] for login in ("ada", "otto")] == [403, 404]
    assert do(pair, "dance")[0] == 400

    assert do(pair, "pause")[0] == 303
    assert "The bracket is paused" in page(pair)
    assert 'http-equiv="refresh"' not in page(pair)
    assert play_all(pair, wins=2) == 0
    sent.clear()
    assert do(pair, "resume")[0] == 303
    assert sent == ["tournament.pair"]

    assert do(pair, "abort")[0] == 303
    html = page(pair, "ines")
    assert "This bracket was aborted. Its games are kept, but it has no winner." in html
    assert "Start another bracket now" in html
    assert "Abort for good" not in html
    code, text = do(pair, "resume")
    assert (code, "No bracket is being played that could be resumed" in text) == (409, True)
    assert pair.browser("ines").post(path(pair), {"best_of": "3"}).status_code == 303


@pytest.mark.both_databases
def test_what_our_faults_hold_up_is_told_to_instructors_and_can_be_started_again(pair: School) -> None:
    enter_three(pair)
    pair.browser("ines").post(path(pair), {"best_of": "3"})
    with pair.write() as session:
        bracket_id = session.query(BracketDraw).one().tournament_id
        advance(session, bracket_id)
        block = session.query(Block).filter_by(tournament_id=bracket_id).one()
        block.state, block.attempts, block.trouble = JobState.PARKED, 3, "SandboxError: no <memory>"
        id_ = block.id
    told = f"Block {id_} is holding up a match: SandboxError: no &lt;memory&gt;."
    assert told in page(pair, "ines")
    assert told not in page(pair)
    manage, browser = f"/assignments/{pair.assignment}/manage/", pair.browser("ines")
    assert "The ladder: bracket 1</td>" in browser.get(manage).text
    assert browser.post(f"{manage}requeue/block/{id_}").status_code == 303
    assert "is holding up a match" not in page(pair, "ines")
    assert play_all(pair, wins=2) == 2


def api(school: School, login: str) -> ApiClient:
    return ApiClient(school.app, school.token(login))


def test_the_api_tells_how_it_stands(pair: School) -> None:
    address = f"/tournaments/{pair.tournament}/bracket"
    empty = api(pair, "ada").get(address).json
    assert (empty["state"], empty["id"], empty["rounds"], empty["places"]) == (None, None, [], [])
    enter_three(pair)
    ines, ben = api(pair, "ines"), api(pair, "ben")
    preview = ben.get(address).json
    assert (preview["state"], [each["title"] for each in preview["rounds"]]) == (None, ["Semi-finals", "Final"])

    answer = ines.post(address, json={"best_of": 3})
    assert (answer.status_code, answer.json["state"], answer.json["best_of"]) == (201, "playing", 3)
    assert play_all(pair, wins=2) == 2
    found = ben.get(address).json
    assert (found["state"], found["champion"]["name"]) == ("finished", "cleo-the-pseudonym")
    assert [each["place"] for each in found["places"]] == [1, 2, 3]
    (bye, match), (final,) = (each["matches"] for each in found["rounds"])
    assert [(bye["state"], len(bye["sides"])), (match["state"], len(match["sides"]))] == [("bye", 1), ("decided", 2)]
    assert [side["mine"] for side in match["sides"]] == [True, False]
    assert [(side["seed"], side["wins"], side["won"]) for side in final["sides"]] == [(1, 2, True), (2, 0, False)]
    assert {side["student"] for side in final["sides"]} == {None}
    assert ben.get(f"/games/{final['games'][0]}/record").status_code == 200
    named = ines.get(address).json["rounds"][1]["matches"][0]["sides"][0]
    assert named["student"] == {"login": "cleo", "name": "Cleo Realname"}


def test_the_api_holds_pauses_and_aborts_for_instructors(pair: School) -> None:
    enter_three(pair)
    address = f"/tournaments/{pair.tournament}/bracket"
    ines = api(pair, "ines")
    for login, status in (("ada", 403), ("otto", 404)):
        assert api(pair, login).post(address, json={"best_of": 3}).status_code == status
        assert api(pair, login).post(f"{address}/action", json={"do": "pause"}).status_code == status
    for body, status in (({"best_of": 2}, 409), ({"best_of": "many"}, 422), ({"games": 3}, 422)):
        assert ines.post(address, json=body).status_code == status
    assert ines.post(address, data={"best_of": "3"}).status_code == 415
    assert ines.post(f"{address}/action", json={"do": "pause"}).status_code == 409
    assert ines.post(address, json={}).status_code == 201
    assert "Wait until it ends, or abort it" in ines.post(address, json={}).json["error"]["message"]
    for action, state in (("pause", "paused"), ("resume", "playing"), ("abort", "aborted")):
        assert ines.post(f"{address}/action", json={"do": action}).json["state"] == state
    assert ines.post(f"{address}/action", json={"do": "dance"}).status_code == 422


def test_the_api_knows_no_bracket_of_a_game_for_four(school: School) -> None:
    address = f"/tournaments/{school.tournament}/bracket"
    assert api(school, "ines").get(address).status_code == 404
    assert api(school, "ines").post(address, json={}).status_code == 404


def test_a_pseudonym_is_no_markup(pair: School) -> None:
    enter_three(pair)
    with pair.write() as session:
        author = session.query(User).filter_by(login="ada").one().id
        entry = session.query(Entry).filter_by(author_id=author).one().id
    pair.change(Entry, entry, name="<script>alert(1)</script>")
    assert "<script>alert" not in page(pair)
