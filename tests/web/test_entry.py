"""An entry's page: its standing and all its games."""

from dataclasses import replace

from tests.web.records import disqualified, whole
from tests.web.school import School
from tournament.models import Entry, EntryState
from web.pages.entry import GAMES_A_PAGE


def test_no_games_yet(school: School) -> None:
    assert "No games yet" in school.browser("ada").get(f"/entries/{school.enter('ada')}/").text


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


def test_instructors_see_whose_entry_it_is(school: School) -> None:
    own = school.enter("ada")
    assert "Ada Realname (ada)" in school.browser("ines").get(f"/entries/{own}/").text
    assert "Ada Realname" not in school.browser("ben").get(f"/entries/{own}/").text
