"""Custom games on the site: asking, the quota, replays, sharing."""

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import select

from grader.store.models import Assignment, Submission
from sandbox.api import Verdict
from tests.web.records import SECRET, disqualified, whole
from tests.web.school import School
from tournament.play.record import Record
from tournament.store.database import now, reading
from tournament.store.jobs import JobState
from tournament.store.tables import CustomGame, Entry, EntryState

NONCE = re.compile(r'name="nonce" value="([^"]+)"')


@pytest.fixture
def page(school: School) -> str:
    """Where they are asked for."""
    return f"/tournaments/{school.tournament}/custom-games/"


def seats(school: School, *first: str) -> list[str]:
    """Those, and house bots on the other seats, as the form sends them."""
    return [*first, *(f"entry:{bot}" for bot in school.bots())][:4]


def asked(school: School, login: str, *first: str, seed: str = "") -> int:
    """The game that this person asked for."""
    page = f"/tournaments/{school.tournament}/custom-games/"
    answer = school.browser(login).post(page, {"seat": seats(school, *first), "seed": seed})
    assert answer.status_code == 303, answer.text
    with reading(school.sessions) as session:
        return session.scalars(select(CustomGame.id).order_by(CustomGame.id.desc())).first() or 0


@pytest.mark.both_databases
def test_a_form_that_is_sent_twice_asks_for_one_game(school: School, page: str) -> None:
    browser = school.browser("ada")
    nonce = NONCE.search(browser.get(page).text)
    assert nonce
    form = {"seat": seats(school), "seed": "7", "nonce": nonce[1]}
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: school.browser("ada").post(page, form), range(2)))
    assert [answer.status_code for answer in answers] == [303, 303]
    assert browser.post(page, {**form, "seed": "8"}).status_code == 303, "another game"
    assert school.browser("ben").post(page, form).status_code == 303, "somebody else's"
    with reading(school.sessions) as session:
        games = session.execute(select(CustomGame.asker_id, CustomGame.seed).order_by(CustomGame.id)).all()
    ada, ben = school.people["ada"], school.people["ben"]
    assert games == [(ada, 7), (ada, 8), (ben, 7)]


def played(school: School, game: int, record: Record) -> None:
    """It has been played, and went like that."""
    with school.write() as session:
        row = session.get_one(CustomGame, game)
        faults = {note.seat: note.verdict.value for note in record.faults}
        for seat in row.seats:
            seat.place, seat.points = record.places[seat.seat], record.points[seat.seat]
            seat.verdict = faults.get(seat.seat)
        row.record, row.ended, row.state, row.finished_at = record.pack(), record.ended, JobState.DONE, now()
        row.tell("was played", "Won by somebody.")


def test_everybody_on_the_leaderboard_and_ones_own_players_are_offered(school: School, page: str) -> None:
    own, other = school.enter("ada"), school.enter("ben")
    submission = school.upload("ada", b"# another\n", name="another.py")
    school.change(Submission, submission, state=JobState.DONE, qualifies=True)
    text = school.browser("ada").get(page).text
    assert f'<option value="entry:{own}">ada-the-pseudonym, version 1</option>' in text
    assert f'<option value="entry:{other}">ben-the-pseudonym</option>' in text
    assert f'<option value="submission:{submission}">submission {submission}, another.py</option>' in text
    assert text.count("<select") == 4
    chosen = re.findall(r'value="([^"]+)" selected', text)
    assert chosen[0] == f"entry:{own}"
    assert set(chosen[1:]) <= {f"entry:{bot}" for bot in school.bots()}
    assert "20 games left (limit: 20 per hour)" in text
    assert "Realname" not in text.replace("Ada Realname", "")


@pytest.mark.both_databases
def test_a_game_is_asked_for_and_listed(school: School, page: str) -> None:
    entry = school.enter("ada")
    school.sent.clear()
    game = asked(school, "ada", f"entry:{entry}", f"entry:{entry}", seed="42")
    assert school.sent == ["tournament.play"]
    browser = school.browser("ada")
    text = browser.get(page).text
    assert ">waiting<" in text
    assert "There is no estimate of the time yet" in text
    assert "ada-the-pseudonym, ada-the-pseudonym #2" in text
    assert f'data-refresh="{page}list"' in text
    played(school, game, whole())
    assert "You have 1 new notice<" in browser.get("/account/").text, "they are not looking at it"
    text = browser.get(page).text
    assert "data-refresh" not in text
    assert "new notice" not in text, "now they are"
    assert f'href="/custom-games/{game}/plays/0"' in text
    again = re.search(r'href="([^"]+seed=42)"', text)
    assert again
    assert f'value="entry:{entry}" selected' in browser.get(again[1].replace("&amp;", "&")).text
    assert "No games yet." in school.browser("ben").get(page).text


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"seed": "many"}, "A seed is a whole number, such as 42."),
        ({"seed": "-1"}, "A seed is a whole number, such as 42."),
        ({"seed": "9" * 18}, "A seed is a whole number from 0 to"),
        ({"seat": []}, "Comp10001-Bo is for 4 players"),
        ({"seat": ["entry:1"]}, "you filled 1"),
        ({"seat": ["entry:999999"] * 4}, "is not in this tournament"),
        ({"seat": ["entry:99999999999"] * 4}, "is not in this tournament"),
        ({"seat": ["someone"] * 4}, "is not in this tournament"),
        ({"seat": ["submission:999999"] * 4}, "is not one of yours in this assignment"),
    ],
)
def test_what_makes_no_sense_is_said_beside_the_form(
    school: School, page: str, form: dict[str, Any], words: str
) -> None:
    answer = school.browser("ada").post(page, {"seat": seats(school), **form})
    assert answer.status_code == 409
    assert words in answer.text
    with reading(school.sessions) as session:
        assert session.scalars(select(CustomGame)).all() == []


def test_others_submissions_and_entries_that_left_cannot_be_seated(school: School, page: str) -> None:
    entry = school.enter("ben")
    bens = school.upload("ben")
    school.change(Submission, bens, state=JobState.DONE, qualifies=True)
    browser = school.browser("ada")
    answer = browser.post(page, {"seat": seats(school, f"submission:{bens}")})
    assert (answer.status_code, "is not one of yours in this assignment" in answer.text) == (409, True)
    own = school.upload("ada", b"# own\n")
    answer = browser.post(page, {"seat": seats(school, f"submission:{own}")})
    assert (answer.status_code, "has not been graded" in answer.text) == (409, True)
    school.change(Entry, entry, state=EntryState.WITHDRAWN)
    answer = browser.post(page, {"seat": seats(school, f"entry:{entry}")})
    assert (answer.status_code, "ben-the-pseudonym is no longer in this tournament" in answer.text) == (409, True)


@pytest.mark.both_databases
def test_the_quota_is_a_setting_and_says_when_the_next_one_is_possible(school: School, page: str) -> None:
    ines, settings = school.browser("ines"), f"/assignments/{school.assignment}/settings/"
    assert f'href="{settings}#custom-games"' in ines.get(page).text
    assert ines.post(settings, {"quota": "1"}, settings).status_code == 303
    changed = ines.get(settings).text
    assert re.search('name="quota"[^>]* value="1"', changed)
    assert '<th scope="row">Custom games an hour</th><td>20</td><td>1</td>' in changed
    asked(school, "ada")
    refused = school.browser("ada").post(page, {"seat": seats(school)})
    assert refused.status_code == 429
    assert 3540 < int(refused.headers["Retry-After"]) <= 3600
    assert "You have played 1 custom game within an hour" in refused.text
    assert "in 60 minutes" in refused.text
    asked(school, "ben")
    for quota in ("-1", "many", "1001", ""):
        again = ines.post(settings, {"quota": quota}, settings)
        assert (again.status_code, bool(re.search(f'name="quota"[^>]* value="{quota}"', again.text))) == (422, True)
        assert "whole number" in again.text
    ines.post(settings, {"quota": "0"}, settings)
    assert "switched off" in school.browser("ada").get(page).text
    assert "switched off" in school.browser("ada").post(page, {"seat": seats(school)}).text


def test_who_asked_sees_the_replay_and_the_insides_of_their_own_player_only(school: School) -> None:
    entry = school.enter("ada")
    game = asked(school, "ada", f"entry:{entry}", f"entry:{school.enter('ben')}")
    played(school, game, disqualified(1))
    text = school.browser("ada").get(f"/custom-games/{game}/record.json").text
    assert "output of seat 0" in text
    assert "output of seat 1" not in text
    assert "traceback <" not in text
    assert "output of seat 1" in school.browser("ines").get(f"/custom-games/{game}/record.json").text
    assert school.browser("ben").get(f"/custom-games/{game}/plays/0").status_code == 403


def test_a_traceback_names_the_file_as_it_was_uploaded(school: School) -> None:
    game = asked(school, "ada", f"entry:{school.enter('ada')}")
    school.rename_uploads("heron.py")
    played(school, game, disqualified(0))
    (fault,) = school.browser("ada").get(f"/custom-games/{game}/record.json").json["faults"]
    assert 'File "heron.py", line 3' in fault["traceback"]


def test_a_shared_replay_is_for_whoever_has_the_address_until_it_is_taken_back(school: School) -> None:
    entry = school.enter("ada")
    game = asked(school, "ada", f"entry:{entry}")
    played(school, game, disqualified(0, Verdict.RTE))
    ada, replay = school.browser("ada"), f"/custom-games/{game}/plays/0"
    assert ada.post(f"/custom-games/{game}/share", {"do": "share"}, replay).status_code == 303
    address = re.search(r'value="http://localhost(/shared/[\w-]+/)"', ada.get(replay).text)
    assert address
    stranger = school.browser(None)
    shown = stranger.get(address[1], follow_redirects=True)
    assert shown.status_code == 200
    assert "ada-the-pseudonym" in shown.text
    assert 'name="robots" content="noindex"' in shown.text
    film = stranger.get(f"{address[1]}plays/0?part=film").text
    for number in range(14):
        text = stranger.get(f"{address[1]}plays/{number}").text + film
        for private in (
            "Realname",
            "output of seat",
            "traceback",
            "message <",
            f"got {SECRET[:7]}",
            "/entries/",
            "comp10001",
        ):
            assert private not in text, private
    assert stranger.get("/shared/an-address-that-nobody-was-given/plays/0").status_code == 404
    ada.post(f"/custom-games/{game}/share", {"do": "unshare"}, replay)
    assert stranger.get(f"{address[1]}plays/0").status_code == 404
    assert "has stopped sharing it" in stranger.get(f"{address[1]}plays/0").text


def test_only_who_asked_shares(school: School) -> None:
    game = asked(school, "ada")
    assert school.browser("ada").post(f"/custom-games/{game}/share", {"do": "share"}).status_code == 404, "nothing yet"
    played(school, game, whole())
    assert school.browser("ines").post(f"/custom-games/{game}/share", {"do": "share"}).status_code == 403


def test_after_the_deadline_one_can_still_play(school: School) -> None:
    school.change(Assignment, school.assignment, due_at=now())
    assert asked(school, "ada")


def test_a_game_that_was_parked_is_seen_by_the_instructor_and_started_again(school: School, page: str) -> None:
    game = asked(school, "ada")
    school.change(CustomGame, game, state=JobState.PARKED, attempts=3, trouble="SandboxError: broken")
    assert "delayed by an internal error" in school.browser("ada").get(page).text
    assert "20 games left" in school.browser("ada").get(page).text
    ines, manage = school.browser("ines"), f"/assignments/{school.assignment}/manage/"
    assert "SandboxError: broken" in ines.get(manage).text
    assert ines.post(f"{manage}requeue/custom game/{game}", form=manage).status_code == 303
    with reading(school.sessions) as session:
        assert session.get_one(CustomGame, game).state is JobState.QUEUED


def batch_of(school: School, deals: int, *first: str, rotates: str = "yes") -> int:
    """The batch that Ada asked for."""
    page = f"/tournaments/{school.tournament}/custom-games/"
    form = {"seat": seats(school, *first), "deals": str(deals), "rotates": rotates}
    answer = school.browser("ada").post(page, form)
    assert answer.status_code == 303, answer.text
    return int(answer.headers["Location"].rstrip("/").rpartition("/")[2])


def batch_games(school: School, batch: int) -> list[int]:
    """Its games, deal by deal."""
    with reading(school.sessions) as session:
        wanted = select(CustomGame.id).where(CustomGame.batch_id == batch).order_by(CustomGame.number)
        return list(session.scalars(wanted))


def test_a_batch_says_what_it_costs_and_shows_its_result_as_a_picture(school: School, page: str) -> None:
    entry, browser = school.enter("ada"), school.browser("ada")
    text = browser.get(page).text
    assert "5 (uses 5 games)</span>" in text
    assert "20 (uses 20 games)</span>" in text
    school.sent.clear()
    batch = batch_of(school, 5, f"entry:{entry}")
    assert school.sent == ["tournament.play"] * 5
    assert "20 (uses 20 games, more than you have left)" in browser.get(page).text
    address = f"/custom-batches/{batch}/"
    text = browser.get(address).text
    assert "0 of 5 games played" in text
    assert "There is no estimate of the time yet" in text
    first, second, *_, last = batch_games(school, batch)
    for game in batch_games(school, batch)[:4]:
        played(school, game, disqualified(3) if game == second else whole())
    text = browser.get(f"{address}live").text
    assert "4 of 5 games played" in text
    assert re.search(r"About \d+ s until all these games have been played", text)
    assert f'href="/custom-games/{second}/offence"' in text
    assert f'href="/custom-games/{first}/plays/0"' in text
    assert "Places, deal by deal" in text
    assert '<th scope="col" class="number">Deal 5</th>' in text
    asked(school, "ada", f"entry:{entry}", f"entry:{entry}")
    assert re.search(r"Your game is waiting or being played. It should end in about \d+ s", browser.get(page).text)
    played(school, last, whole())
    text = browser.get(address).text
    assert "data-refresh" not in text
    assert "was disqualified in 1 game: choose a game marked ! to see the play." in text
    assert f'href="{address}"' in browser.get(page).text
    number = browser.get(f"/custom-games/{second}/offence").headers["Location"].rpartition("/")[2]
    assert browser.get(f"/custom-games/{second}/plays/{int(number) + 1}").status_code == 404, "the fault is the end"


def test_a_batch_that_nobody_won_says_so(school: School) -> None:
    batch = batch_of(school, 5)
    for game in batch_games(school, batch):
        played(school, game, disqualified(3))
    text = school.browser("ada").get(f"/custom-batches/{batch}/").text
    assert "Nobody won a game" in text
    assert "won more games" not in text


def test_what_is_left_of_a_batch_is_cancelled_by_its_asker(school: School, page: str) -> None:
    batch = batch_of(school, 5)
    first, *later = batch_games(school, batch)
    school.change(CustomGame, first, state=JobState.RUNNING)
    address = f"/custom-batches/{batch}/"
    assert "Cancel the games not yet played" not in school.browser("ines").get(address).text
    browser = school.browser("ada")
    assert browser.post(f"{address}cancel", form=address).status_code == 303
    text = browser.get(address).text
    assert "4 games cancelled; they do not use up your quota." in text
    assert "4 games were not played and do not use up the quota." in text
    assert "19 games left (limit: 20 per hour)" in browser.get(page).text
    played(school, first, whole())
    assert "Your 5 custom games have ended" in browser.get("/notices/").text
    with reading(school.sessions) as session:
        assert {session.get_one(CustomGame, each).state for each in later} == {JobState.CANCELLED}


@pytest.mark.parametrize(
    ("deals", "words"),
    [("many", "From 1 to 20 deals"), ("0", "From 1 to 20 deals"), ("21", "From 1 to 20 deals"), ("²", "From 1 to 20")],
)
def test_a_number_of_deals_that_makes_no_sense_is_refused(school: School, page: str, deals: str, words: str) -> None:
    answer = school.browser("ada").post(page, {"seat": seats(school), "deals": deals})
    assert (answer.status_code, words in answer.text) == (409, True)
