"""An entry's page: its standing and all its games."""

import csv
import re
from dataclasses import replace
from datetime import timedelta
from html import unescape
from io import StringIO

import pytest
from markupsafe import escape
from sqlalchemy.event import listen

from tests.web.evening import play_evening
from tests.web.records import SECRET, disqualified, whole
from tests.web.reports import good
from tests.web.school import School
from tournament.final.finals import Entrant, FinalPlan, freeze_plan, start
from tournament.final.settings import FinalSettings
from tournament.store.database import now
from tournament.store.tables import Entry, EntryState, RankSample
from web.overview.entry_history import ENTRY, GAMES_A_PAGE


def listed(page: str) -> int:
    """The number of games that a page lists."""
    return page.count(">No. ")


def test_no_games_yet(school: School) -> None:
    assert "No games yet" in school.browser("ada").get(f"/entries/{school.enter('ada')}/").text


@pytest.mark.both_databases
def test_games_won_lost_and_disqualified(school: School) -> None:
    own, bots = school.enter("ada"), school.bots()[:3]
    winner = whole().places.index(1)
    others = [[*bots[:seat], own, *bots[seat:]] for seat in (winner, (winner + 1) % 4)]
    for table in others:
        school.play(*table, record=whole())
    school.play(own, *bots, record=disqualified(0))
    school.play(own, *bots, record=disqualified(1))
    page = school.browser("ada").get(f"/entries/{own}/").text
    assert ">won</span>" in page
    assert "place 2" in page
    assert "won by" in page
    assert ">exception</span>" in page
    assert "no contest" in page
    lost = school.browser("ada").get(f"/entries/{own}/?faults=1").text
    assert listed(lost) == 1
    assert ">exception</span>" in lost


@pytest.mark.both_databases
def test_all_games_can_be_reached_page_by_page(school: School) -> None:
    own, bots, record = school.enter("ada"), school.bots()[:3], whole()
    games = [school.play(own, *bots, record=record) for _ in range(GAMES_A_PAGE + 3)]
    browser = school.browser("ben")
    first = browser.get(f"/entries/{own}/").text
    assert f"No. {games[3]}<" in first
    assert f"No. {games[2]}<" not in first
    older = browser.get(f"/entries/{own}/?before={games[3]}").text
    assert f"No. {games[2]}<" in older
    assert "Older games" not in older
    assert "There are no older games" in browser.get(f"/entries/{own}/?before={games[0]}").text


def test_a_replaced_entry_keeps_its_games(school: School) -> None:
    own = school.enter("ada")
    school.play(own, *school.bots()[:3], record=replace(whole(), seats=["a", "b", "c", "d"]))
    school.change(Entry, own, state=EntryState.REPLACED)
    page = school.browser("ada").get(f"/entries/{own}/").text
    assert "no longer ranked" in page
    assert "No. 1<" in page


def test_the_page_names_the_upload_that_entered(school: School) -> None:
    """The same file was uploaded again, only to be tested, under another name."""
    own = school.enter("ada")
    again = school.graded("ada", good(), source=f"# of ada {timedelta()}\n".encode(), filename="again.py")
    page = school.browser("ada").get(f"/entries/{own}/").text
    assert f"/submissions/{again - 1}/" in page
    assert "again.py" not in page


def test_instructors_see_whose_entry_it_is(school: School) -> None:
    own = school.enter("ada")
    assert "Ada Realname (ada)" in school.browser("ines").get(f"/entries/{own}/").text
    assert "Ada Realname" not in school.browser("ben").get(f"/entries/{own}/").text


# Pictures, and the games that their parts lead to


@pytest.fixture
def evening(school: School) -> int:
    """The second version of Ada's player, after many games; its id."""
    school.enter("ben")
    play_evening(school, school.enter("ada", ago=timedelta(hours=1)), 4)
    own = school.enter("ada")
    play_evening(school, own, 10, seed=2)
    with school.write() as session:
        for hours, rank in enumerate((1, 2, 1), 1):
            at = now() + timedelta(hours=hours)
            session.add(RankSample(entry_id=own, at=at, rank=rank, ranked=2, games=8 * hours))
    return own


def drawn(page: str) -> dict[str, list[str]]:
    """The addresses in each picture of a page."""
    found = re.findall(r'<figure class="picture" id="picture-([^"]+)".*?(<svg viewBox.*?</svg>)', page, re.DOTALL)
    return {name: [unescape(each) for each in re.findall('href="([^"]+)"', svg)] for name, svg in found}


def test_each_part_of_a_picture_leads_to_the_games_that_it_counts(school: School, evening: int) -> None:
    browser = school.browser("ben")
    pictures = drawn(browser.get(f"/entries/{evening}/").text)
    assert list(pictures) == ["win-rate", "rank", "seats", "opponents", "causes", "times"]
    assert all(pictures.values())
    for name in ("causes", "times"):
        answer = browser.get(f"/entries/{evening}/pictures/{name}.csv")
        table = list(csv.reader(StringIO(answer.data.decode("utf-8-sig"))))[1:]
        assert [listed(browser.get(each).text) for each in pictures[name]] == [
            int(row[1]) for row in table if row[1] != "0"
        ]
    older = browser.get(pictures["win-rate"][1]).text
    assert 0 < listed(older) < 40
    assert "Latest games" in older
    assert [listed(browser.get(each).text) for each in pictures["rank"]] == [8, 16, 24]
    seated = [listed(browser.get(address).text) for address in pictures["seats"]]
    assert seated == [10, 10, 10, 10]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("result=won", ["won"]),
        ("result=lost&seat=2", ["lost", "seat 2"]),
        ("faults=1", ["lost by an invalid play"]),
        ("cause=place+2&slowest=1&seat=0", ["place 2", "seat 0", "slowest call 1 ms to 10 ms"]),
        ("opponent=999", ["against somebody it has not met"]),
        ("slowest=99", ["slowest call of no such class"]),
        ("cause=%3Cscript%3E", ["&lt;script&gt;"]),
        ("result=nonsense&seat=x&opponent=99999999999999", []),
    ],
)
def test_filters_combine_and_each_can_be_removed(school: School, evening: int, query: str, words: list[str]) -> None:
    browser = school.browser("ada")
    page = browser.get(f"/entries/{evening}/?{query}").text
    chips = re.findall(r'<a class="button small" href="([^"]+)">([^<]+)<', page)
    assert [text for _, text in chips] == words
    for address, _ in chips:
        assert browser.get(unescape(address)).text.count("remove this filter") == len(words) - 1
    assert ("Remove all" in page) == (len(words) > 1)


def test_filters_that_no_game_fits_say_so(school: School, evening: int) -> None:
    page = school.browser("ada").get(f"/entries/{evening}/?slowest=4&seat=0").text
    assert "No game matches all of these filters. Remove one of the filters above." in page


@pytest.mark.both_databases
def test_filtered_games_come_page_by_page(school: School, evening: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.overview.entry_history.GAMES_A_PAGE", 3)
    browser, address, seen = school.browser("ada"), f"/entries/{evening}/?result=lost&seat=1", list[str]()
    total = re.search(r"(\d+) games? of 40", browser.get(address).text)
    while address:
        page = browser.get(address).text
        seen += re.findall(r"No\. (\d+)<", page)
        older = re.search(r'href="([^"]+)" rel="next"', page)
        address = unescape(older[1]) if older else ""
    assert total
    assert len(seen) == len(set(seen)) == int(total[1]) > 3
    assert seen == sorted(seen, key=int, reverse=True)


def test_pictures_tell_others_no_more_than_the_games(school: School, evening: int) -> None:
    page = school.browser("ben").get(f"/entries/{evening}/").text
    assert "Realname" not in page.replace("Ben Realname", ""), "only oneself, in the site's navigation"
    assert "ben-the-pseudonym" in page
    assert " style=" not in page


def test_a_page_takes_as_many_queries_however_many_games_there_are(school: School, evening: int) -> None:
    play_evening(school, school.enter("cleo", ago=timedelta(hours=1)), 1, seed=4)
    few, counts, queries = school.enter("cleo"), [], list[str]()
    play_evening(school, few, 1, seed=3)
    browser = school.browser("ines")
    listen(school.sessions().get_bind(), "before_cursor_execute", lambda *call: queries.append(call[2]))
    for entry in (few, evening):
        browser.get(f"/entries/{entry}/?seat=0")
        school.app.extensions.pop(f"quadrille-{ENTRY.name}", None)
        queries.clear()
        browser.get(f"/entries/{entry}/?seat=0")
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 20


def test_what_is_kept_of_a_page_shows_each_change_and_nobody_more_than_they_may_see(school: School) -> None:
    own, bots = school.enter("ada"), school.bots()[:3]
    other = school.enter("ben")
    school.play(own, other, *bots[:2], record=disqualified(0))
    ada, ben = (school.browser(login) for login in ("ada", "ben"))
    for _ in range(2):
        assert escape(SECRET) in ada.get(f"/entries/{own}/").text
        assert escape(SECRET) not in ben.get(f"/entries/{own}/").text
    later = school.play(own, *bots, record=whole())
    assert f"No. {later}<" in ada.get(f"/entries/{own}/").text
    school.change(Entry, other, name="renamed")
    assert "renamed" in ada.get(f"/entries/{own}/").text
    assert listed(ada.get(f"/entries/{own}/?result=fault").text) == 1


def test_a_version_leads_to_the_former_ones(school: School, evening: int) -> None:
    first = drawn(school.browser("ada").get(f"/entries/{evening}/").text)["win-rate"][0]
    assert "version 1" in school.browser("ada").get(first).text


# Withdrawing


def test_its_author_withdraws_it_and_undoes_that(school: School) -> None:
    own, ada = school.enter("ada", games=40, wins=9), school.browser("ada")
    assert "Withdraw this entry" in ada.get(f"/entries/{own}/").text
    assert ada.post(f"/entries/{own}/withdraw").status_code == 303
    page = ada.get(f"/entries/{own}/").text
    assert "This entry was withdrawn" in page
    assert "Reinstate this entry" in page
    card = ada.get("/courses/comp10001/bo/entry").text
    assert ">withdrawn</span>" in card
    assert f'<a href="/entries/{own}/">Reinstate it on its page</a>' in card
    assert "You have no player" not in card
    assert "ada-the-pseudonym" not in school.browser("ben").get(f"/tournaments/{school.tournament}/").text
    assert ada.post(f"/entries/{own}/reinstate").status_code == 303
    page = ada.get(f"/entries/{own}/").text
    assert "Withdraw this entry" in page
    assert ">withdrawn</span>" not in ada.get("/courses/comp10001/bo/entry").text
    assert "<dd>40</dd>" in page
    assert school.sent[-1] == "tournament.pair"


def test_an_instructor_withdraws_it_and_the_student_is_told(school: School) -> None:
    own, ines, ada = school.enter("ada"), school.browser("ines"), school.browser("ada")
    assert ines.post(f"/entries/{own}/withdraw").status_code == 303
    assert "was withdrawn by your instructor" in ada.get("/notices/").text
    assert "Reinstate this entry" not in ada.get(f"/entries/{own}/").text
    refused = ada.post(f"/entries/{own}/reinstate")
    assert refused.status_code == 409
    assert "only an instructor can reinstate it" in refused.text
    assert ines.post(f"/entries/{own}/reinstate").status_code == 303
    assert "was reinstated by your instructor" in ada.get("/notices/").text


def test_nobody_else_sees_or_has_the_button(school: School) -> None:
    own, ben = school.enter("ada"), school.browser("ben")
    assert "Withdraw" not in ben.get(f"/entries/{own}/").text
    assert ben.post(f"/entries/{own}/withdraw").status_code == 403


def test_twice_is_refused_with_the_reason(school: School) -> None:
    own, ada = school.enter("ada"), school.browser("ada")
    ada.post(f"/entries/{own}/withdraw")
    refused = ada.post(f"/entries/{own}/withdraw")
    assert refused.status_code == 409
    assert "Only an active entry can be withdrawn; this one is withdrawn." in refused.text


def test_in_the_middle_of_a_final_it_is_said_that_the_final_goes_on(school: School) -> None:
    own = school.enter("ada", ago=timedelta(hours=1))
    with school.write() as session:
        entry = session.get_one(Entry, own)
        entrant = Entrant(school.people["ada"], entry.player_id or 0, entry.name, 1, entry.entered_at)
        final = freeze_plan(session, school.assignment, FinalPlan("bo", [entrant], FinalSettings()))
        start(session, final.tournament_id)
        frozen = final.entries[0]
    ada = school.browser("ada")
    page = ada.get(f"/entries/{own}/").text
    assert "The final uses the entries that were frozen" in page
    assert ada.post(f"/entries/{own}/withdraw").status_code == 303
    with school.write() as session:
        assert session.get_one(Entry, frozen).state is EntryState.ACTIVE
    refused = school.browser("ines").post(f"/entries/{frozen}/withdraw")
    assert refused.status_code == 409
    assert "nobody can leave it" in refused.text
