"""Replays, and what of a fault is shown to whom."""

import json
import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from sandbox.api import Verdict
from sandbox.choose import open_sandbox
from tests.web.reading import as_shown
from tests.web.records import ON_TURN, PLAYS, SECRET, disqualified, whole
from tests.web.school import School
from tournament.play.games import find_game
from tournament.play.record import FaultNote, Output, Record
from tournament.play.replay import verify
from tournament.play.table import house_bot, play_files
from tournament.store.tables import Entry, PlayedGame

SEEN = {  # what of the fault of Ada's player: Ada, Ben (who played too), Ines
    Verdict.RTE: {"message": "yny", "call": "yny", "got": "yny", "traceback": "yny", "output of seat 0": "yny"},
    Verdict.ILLEGAL: {"message": "yyy", "call": "yyy", "got": "yyy", "traceback": "yny", "output of seat 0": "yny"},
}


@pytest.fixture
def entries(school: School) -> list[int]:
    """Ada's, Ben's and two house bots'."""
    return [school.enter("ada"), school.enter("ben"), *school.bots()[:2]]


def test_every_play_has_a_page(school: School, entries: list[int]) -> None:
    record = whole()
    game, browser = school.play(*entries, record=record), school.browser("cleo")
    deal = browser.get(f"/games/{game}/", follow_redirects=True).text
    assert "The cards are dealt." in deal
    assert f'href="/games/{game}/plays/1"' in deal
    last = browser.get(f"/games/{game}/plays/{len(record.plays)}").text
    assert "bo-replay" in last
    assert 'aria-disabled="true"' in last
    assert browser.get(f"/games/{game}/plays/{len(record.plays) + 1}").status_code == 404


def test_a_game_with_options_is_drawn_like_any_other(school: School, entries: list[int]) -> None:
    game, browser = find_game("bo?stockpile_size=3&turn_limit=1"), school.browser("cleo")
    with open_sandbox("trusted") as trusted:
        bots = [house_bot(game, bot.name) for bot in game.bots]
        (record,) = play_files(game, bots, 1, 1, trusted, trusted)
    page = browser.get(f"/games/{school.play(*entries, record=record)}/plays/{len(record.plays)}").text
    assert "bo-replay" in page
    assert "Turn 1 of 1" in page
    assert "/game-files/bo/replay.css" in page


@pytest.mark.parametrize(("attempt", "told"), [(0, False), (1, False), (2, True)])
def test_a_game_that_was_dealt_again_says_so(school: School, entries: list[int], attempt: int, told: bool) -> None:
    game, browser = school.play(*entries, record=replace(whole(), attempt=attempt)), school.browser("ada")
    assert ("Attempt 2: an earlier attempt was cut off" in browser.get(f"/games/{game}/plays/0").text) == told
    assert browser.get(f"/games/{game}/record.json").json.get("attempt", 0) == attempt


def drawing(film: dict[str, Any], number: int) -> str:
    """The drawing after so many plays, put together as `replay.js` does."""
    pieces = (
        film["card"].join(film["parts"][part] for part in film["pieces"][each]) for each in film["drawings"][number]
    )
    return str(film["section"]).join(pieces)


def test_the_film_has_every_drawing(school: School, entries: list[int]) -> None:
    record, browser = whole(), school.browser("ada")
    plays = f"/games/{school.play(*entries, record=record)}/plays"
    answer = browser.get(f"{plays}/0?part=film")
    film = answer.json
    assert len(film["drawings"]) == len(film["seats"]) == len(film["measure"]["values"]) == len(record.plays) + 1
    assert "<html" not in drawing(film, 3)
    for number in (0, 4, len(record.plays)):
        assert as_shown(drawing(film, number)) in browser.get(f"{plays}/{number}").text
    assert len(film["pieces"]) < sum(map(len, film["drawings"]))


def test_a_film_that_the_browser_has_is_not_sent_again(school: School, entries: list[int]) -> None:
    film, browser = f"/games/{school.play(*entries, record=whole())}/plays/0?part=film", school.browser("ada")
    answer = browser.get(film)
    assert answer.cache_control.private
    assert answer.cache_control.no_cache
    unchanged = browser.get(film, headers={"If-None-Match": answer.headers["ETag"]})
    assert (unchanged.status_code, unchanged.data) == (304, b"")
    plain = browser.get(film, headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    assert plain.json == answer.json


@pytest.mark.parametrize(("record", "shared"), [(whole(), True), (disqualified(0), False)])
def test_a_film_is_shared_by_the_table_unless_it_shows_a_fault(
    school: School, entries: list[int], record: Record, shared: bool
) -> None:
    noisy = replace(record, outputs=[Output("printed by ada"), *record.outputs[1:]])
    film = f"/games/{school.play(*entries, record=noisy)}/plays/0?part=film"
    adas, bens = (school.browser(login).get(film) for login in ("ada", "ben"))
    assert (adas.headers["ETag"] == bens.headers["ETag"]) == shared
    assert ("printed by ada" in adas.text) == (not shared)
    assert "printed by ada" not in bens.text


def test_a_replay_that_was_shown_before_has_a_new_name_at_once(school: School, entries: list[int]) -> None:
    plays, browser = f"/games/{school.play(*entries, record=whole())}/plays/0", school.browser("ben")
    tag = browser.get(f"{plays}?part=film").headers["ETag"]
    assert "ada-the-pseudonym" in browser.get(plays).text
    school.change(Entry, entries[0], name="renamed")
    film = browser.get(f"{plays}?part=film", headers={"If-None-Match": tag})
    for answer in (film, browser.get(plays)):
        assert answer.status_code == 200
        assert "renamed" in answer.text
        assert "ada-the-pseudonym" not in answer.text


def test_a_seat_sees_its_own_hand_only(school: School, entries: list[int]) -> None:
    plays = f"/games/{school.play(*entries, record=whole())}/plays"
    browser = school.browser("ben")
    everybody, one = (browser.get(f"{plays}/2{view}").text for view in ("", "?seat=1"))
    assert everybody.count('aria-label="hidden card"') == 0
    assert one.count('aria-label="hidden card"') > 0
    assert f'href="{plays}/3?seat=1"' in one
    assert 'class="bottom-1 sided"' in one
    film = browser.get(f"{plays}/0?seat=1&part=film").json
    assert as_shown(drawing(film, 2)) in one
    assert browser.get(f"{plays}/0?seat=4").status_code == 404


def test_the_own_seat_is_at_the_bottom(school: School, entries: list[int]) -> None:
    plays = f"/games/{school.play(*entries, record=whole())}/plays"
    assert 'class="bottom-1 sided"' in school.browser("ben").get(f"{plays}/0").text
    assert 'class="bottom-0"' in school.browser("cleo").get(f"{plays}/0").text


def test_a_turn_begins_where_another_seat_plays(school: School, entries: list[int]) -> None:
    record = whole()
    game = school.play(*entries, record=replace(record, times_ms=[0.04] + [0.25] * (len(record.plays) - 1)))
    film = school.browser("ada").get(f"/games/{game}/plays/0?part=film").json
    turns = [seats for seats, opens in zip(film["seats"], film["opens"], strict=True) if opens]
    assert all(one != other for one, other in pairwise(turns))
    page = school.browser("ada").get(f"/games/{game}/plays/0").text
    assert [time in page for time in ("&lt; 0.1 ms", "0.2 ms", "0.0 ms")] == [True, True, False]


@pytest.mark.parametrize("view", ["", "?seat=2"])
def test_a_play_beyond_the_end_is_told_from_a_broken_page(school: School, entries: list[int], view: str) -> None:
    record = whole()
    game, browser = school.play(*entries, record=record), school.browser("ada")
    beyond = browser.get(f"/games/{game}/plays/{len(record.plays) + 1}{view}")
    assert beyond.status_code == 404
    assert f"This game has {len(record.plays)} plays" in beyond.text
    end = f"/games/{game}/plays/{len(record.plays)}{view}"
    assert f'<a href="{end}">See how it ended</a>' in beyond.text
    assert browser.get(end).status_code == 200


@pytest.mark.parametrize("place", ["plays/1", "offence", "plays/0?part=film", "plays/1?part=test&of=0"])
def test_a_game_by_rules_that_are_gone_is_not_shown_by_others(school: School, entries: list[int], place: str) -> None:
    record, browser = replace(whole(), version="0"), school.browser("ada")
    game = school.play(*entries, record=record)
    answer = browser.get(f"/games/{game}/{place}")
    assert answer.status_code == 410
    assert "version 0 of the rules of Comp10001-Bo" in answer.text
    assert browser.get(f"/games/{game}/record.json").json["version"] == "0"


OFFERED = re.compile(r'<p class="row" data-test="(\d)"( hidden)?>')


def test_the_own_calls_are_offered_as_tests(school: School, entries: list[int]) -> None:
    record = whole()
    plays, browser = f"/games/{school.play(*entries, record=record)}/plays", school.browser("ben")
    film = browser.get(f"{plays}/0?part=film").json
    for number in range(8):
        mine = number > 0 and record.plays[number - 1][0] == 1
        assert OFFERED.findall(browser.get(f"{plays}/{number}").text) == [("1", "" if mine else " hidden")]
        assert film["asked"][number] == ([record.plays[number - 1][0]] if number else [])
        answer = browser.get(f"{plays}/{number}?part=test&of=1")
        assert answer.status_code == (200 if mine else 404)
    assert not OFFERED.findall(school.browser("cleo").get(f"{plays}/1").text)


def test_a_test_is_named_like_its_place_and_tells_only_what_its_seat_saw(school: School, entries: list[int]) -> None:
    school.rename_uploads("my heron.py")
    record = disqualified(ON_TURN, Verdict.ILLEGAL)
    game, browser = school.play(*entries[::-1], record=record), school.browser("ada")
    number = PLAYS + 1
    answer = browser.get(f"/games/{game}/plays/{number}?part=test&of={ON_TURN}")
    assert answer.mimetype == "text/plain"
    assert answer.headers["Content-Disposition"] == f"inline; filename=test_games_{game}_plays_{number}.py"
    assert f"http://localhost/games/{game}/plays/{number}" in answer.text
    assert "with_name('my heron.py')" in answer.text
    compile(answer.text, "test.py", "exec")
    assert "ben-the-pseudonym" not in answer.text
    assert school.browser("ben").get(f"/games/{game}/plays/{number}?part=test&of={ON_TURN}").status_code == 404
    assert school.browser("ben").get(f"/games/{game}/plays/{number}?part=test").status_code == 404


@pytest.mark.parametrize("verdict", [Verdict.MLE, Verdict.EXIT])
def test_what_cannot_go_wrong_at_home_is_not_offered(school: School, entries: list[int], verdict: Verdict) -> None:
    plays = f"/games/{school.play(*entries, record=disqualified(0, verdict))}/plays/{PLAYS + 1}"
    browser = school.browser("ada")
    assert OFFERED.findall(browser.get(plays).text) == [("0", " hidden")]
    assert browser.get(f"{plays}?part=test&of=0").status_code == 404


def test_the_offending_play_is_found_at_once(school: School, entries: list[int]) -> None:
    game = school.play(*entries, record=disqualified(0, Verdict.ILLEGAL))
    browser = school.browser("ada")
    answer = browser.get(f"/games/{game}/offence", follow_redirects=True)
    assert answer.request.path == f"/games/{game}/plays/{PLAYS + 1}"
    for words in ("Illegal play", "rule: not-held", "Call", "Returned", "Traceback"):
        assert words.lower() in answer.text.lower()
    entry_page = browser.get(f"/entries/{entries[0]}/").text
    assert f'href="/games/{game}/offence"' in entry_page


@pytest.mark.parametrize("verdict", SEEN)
def test_the_insides_of_a_player_are_its_authors(school: School, entries: list[int], verdict: Verdict) -> None:
    game = school.play(*entries, record=disqualified(0, verdict))
    places = (f"/games/{game}/plays/{PLAYS + 1}", f"/games/{game}/plays/0?part=film", f"/games/{game}/record.json")
    for viewer, login in enumerate(("ada", "ben", "ines")):
        browser = school.browser(login)
        for place in places:
            text = browser.get(place).text
            for word, seen in SEEN[verdict].items():
                shown = f"{word} &lt;script" in text or f"{word} <script" in text
                assert shown == (seen[viewer] == "y"), f"{login} at {place}: {word}"


@pytest.mark.parametrize("login", ["ada", "ines"])
def test_a_traceback_names_the_file_as_it_was_uploaded(school: School, entries: list[int], login: str) -> None:
    school.rename_uploads("my <heron>.py")
    game, browser = school.play(*entries, record=disqualified(0)), school.browser(login)
    assert "File &#34;my &lt;heron&gt;.py&#34;, line 3" in browser.get(f"/games/{game}/plays/{PLAYS + 1}").text
    (fault,) = browser.get(f"/games/{game}/record.json").json["faults"]
    assert 'File "my <heron>.py", line 3' in fault["traceback"]


@pytest.mark.parametrize(("login", "name"), [("ada", "MyBot"), ("ben", "KOTCBot")])
def test_a_call_is_written_as_its_author_types_it(school: School, login: str, name: str) -> None:
    golden = json.loads((find_game("kotc").folder / "golden" / "mixed.json").read_text())
    full = Record.from_json(golden)
    note = FaultNote(0, Verdict.ILLEGAL, "not-held", "You do not hold it.", 4, call="kotc_play(['6H'], '6C')")
    record = replace(full, plays=full.plays[:4], times_ms=[], outputs=[], faults=[note], places=[2, 2])
    entries = [school.enter("ada"), school.enter("ben")]
    with school.write() as session:
        session.get_one(Entry, entries[0]).player.source = b"class MyBot(kotc.KOTCBot):\n    pass\n"
    plays, browser = f"/games/{school.play(*entries, record=record)}/plays", school.browser(login)
    last = len(browser.get(f"{plays}/0?part=film").json["drawings"]) - 1
    assert f"kotc.turn({name}, [&#39;6H&#39;], &#39;6C&#39;)" in browser.get(f"{plays}/{last}").text


@pytest.mark.parametrize("verdict", SEEN)
def test_the_list_of_games_tells_no_more(school: School, entries: list[int], verdict: Verdict) -> None:
    school.play(*entries, record=disqualified(0, verdict))
    for viewer, login in enumerate(("ada", "ben", "ines")):
        page = school.browser(login).get(f"/entries/{entries[0]}/").text
        assert ("message &lt;script" in page) == (SEEN[verdict]["message"][viewer] == "y")


def test_what_a_player_printed_is_shown_and_not_obeyed(school: School, entries: list[int]) -> None:
    game = school.play(*entries, record=disqualified(0, Verdict.ILLEGAL))
    page = school.browser("ada").get(f"/games/{game}/plays/{PLAYS + 1}").text
    assert SECRET not in page
    assert "output of seat 0 &lt;script&gt;" in page


def test_the_own_output_is_shown_without_a_fault_of_ones_own(school: School, entries: list[int]) -> None:
    game = school.play(*entries, record=disqualified(0, Verdict.ILLEGAL))
    page = school.browser("ben").get(f"/games/{game}/plays/0").text
    assert "output of seat 1" in page
    assert "output of seat 0" not in page


def test_a_record_can_be_replayed_elsewhere(school: School, entries: list[int]) -> None:
    game = school.play(*entries, record=whole())
    answer = school.browser("ada").get(f"/games/{game}/record.json")
    assert "attachment" in answer.headers["Content-Disposition"]
    verify(find_game("bo"), Record.from_json(answer.json))


def test_the_games_own_stylesheet_is_served_for_long(school: School, entries: list[int]) -> None:
    browser = school.browser("ada")
    page = browser.get(f"/games/{school.play(*entries, record=whole())}/plays/0").text
    address = page.partition('href="/game-files/')[2].partition('"')[0]
    style = browser.get(f"/game-files/{address}")
    assert style.mimetype == "text/css"
    assert style.cache_control.max_age == 31536000


@pytest.mark.parametrize("name", ["bo/reference.py", "bo/rules.py", "bo/replay.html", "nothing/replay.css", "bo/.."])
def test_no_other_file_of_a_game_is_served(school: School, name: str) -> None:
    assert school.browser("ada").get(f"/game-files/{name}").status_code == 404


def test_who_sat_in_a_game_shares_it_with_anyone(school: School, entries: list[int]) -> None:
    game = school.play(*entries, record=disqualified(0, Verdict.RTE))
    ada, ben, stranger = school.browser("ada"), school.browser("ben"), school.browser(None)
    replay = f"/games/{game}/plays/0"
    sent = ada.post(
        f"/games/{game}/share", {"do": "share"}, replay, headers={"Referer": f"http://localhost/games/{game}/plays/3"}
    )
    assert (sent.status_code, sent.location) == (303, f"/games/{game}/plays/3#share"), "the place is kept"
    address = re.search(r'value="http://localhost(/shared-games/[\w-]+/)"', ada.get(replay).text)
    assert address
    assert address[0] in ben.get(replay).text
    shown = stranger.get(address[1], follow_redirects=True)
    assert shown.status_code == 200
    assert "ada-the-pseudonym" in shown.text
    film = stranger.get(f"{address[1]}plays/0?part=film").text
    for number in range(PLAYS + 2):
        text = stranger.get(f"{address[1]}plays/{number}").text + film
        for private in ("Realname", "output of seat", "traceback", "message &lt;", "got &lt;"):
            assert private not in text
    assert ben.post(f"/games/{game}/share", {"do": "unshare"}, replay).status_code == 303
    assert stranger.get(f"{address[1]}plays/0").status_code == 404
    assert "Share this replay" not in school.browser("cleo").get(replay).text


def test_a_thinned_game_shows_its_result_and_says_why_nothing_else_is_left(school: School, entries: list[int]) -> None:
    game = school.play(*entries, record=disqualified(1))
    token = school.token("ada")
    school.browser("ada").post(f"/games/{game}/share", {"do": "share"})
    shared = school.browser("ada").get(f"/games/{game}/plays/0").text.split("/shared-games/")[1].split("/")[0]
    school.change(PlayedGame, game, record=b"")
    for browser in (school.browser("ada"), school.browser("ben"), school.browser("ines")):
        for path in ("", "plays/0", "plays/17", "offence"):
            page = browser.get(f"/games/{game}/{path}", follow_redirects=True)
            assert page.status_code == 200
            assert "The plays of this game were deleted" in page.text
            assert "ada-the-pseudonym" in page.text
            assert "record.json" not in page.text
        gone = browser.get(f"/games/{game}/record.json")
        assert (gone.status_code, "were deleted" in gone.text) == (410, True)
    public = school.browser(None).get(f"/shared-games/{shared}/plays/0")
    assert (public.status_code, "were deleted" in public.text) == (410, True)
    for kind in ("record", "replay"):
        answer = school.browser(None).get(f"/api/v1/games/{game}/{kind}", headers={"Authorization": f"Bearer {token}"})
        assert (answer.status_code, "were deleted" in answer.text) == (410, True)
    assert school.browser("ada").get("/account/data/export.zip").status_code == 200
