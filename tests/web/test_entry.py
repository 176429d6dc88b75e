"""An entry's page: its standing and all its games."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.web.records import disqualified, whole
from tests.web.school import School
from tournament.final.freeze import Entrant, FinalPlan, freeze
from tournament.final.lifecycle import start
from tournament.final.settings import FinalSettings
from tournament.store.tables import Entry, EntryState
from web.pages.entry import GAMES_A_PAGE


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


def test_instructors_see_whose_entry_it_is(school: School) -> None:
    own = school.enter("ada")
    assert "Ada Realname (ada)" in school.browser("ines").get(f"/entries/{own}/").text
    assert "Ada Realname" not in school.browser("ben").get(f"/entries/{own}/").text


# Withdrawing


@pytest.mark.both_databases
def test_its_author_withdraws_it_and_undoes_that(school: School) -> None:
    own, ada = school.enter("ada", games=40, wins=9), school.browser("ada")
    assert "Withdraw this entry" in ada.get(f"/entries/{own}/").text
    assert ada.post(f"/entries/{own}/withdraw").status_code == 303
    page = ada.get(f"/entries/{own}/").text
    assert "This entry was withdrawn" in page
    assert "Reinstate this entry" in page
    assert "ada-the-pseudonym" not in school.browser("ben").get(f"/tournaments/{school.tournament}/").text
    assert ada.post(f"/entries/{own}/reinstate").status_code == 303
    page = ada.get(f"/entries/{own}/").text
    assert "Withdraw this entry" in page
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
        final = freeze(session, school.assignment, FinalPlan("bo", [entrant], FinalSettings()))
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
