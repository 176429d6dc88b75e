"""Games of house bots that show how a game goes, and the rules pages with a worked turn."""

import re

import pytest
from flask import Flask

from grader.store.models import Assignment
from tests.web.school import School
from tournament.play.games import GAMES, find_game
from tournament.play.replay import frames
from web.replay.frames import HOUSE_GAME, WORKED_TURN, example_of
from web.site.assets import emblem

RULES = "/courses/comp10001/bo/rules"
CARD = re.compile(r"(?:10|[2-9AJQK])[♠♥♦♣]")


@pytest.mark.parametrize("slug", GAMES)
def test_the_sentences_of_a_worked_turn_fit_the_game(slug: str) -> None:
    """A change of the golden games shows here: every card named is on the table, before or after the play."""
    found = example_of(slug, WORKED_TURN)
    assert found
    shown = frames(find_game(slug), found.record)
    assert 4 <= len(found.steps) <= 10
    before = ""
    for number, sentence in found.steps:
        table = str(shown[number].table) + shown[number].caption
        cards = [card.replace("10", "0").translate(str.maketrans("♠♥♦♣", "SHDC")) for card in CARD.findall(sentence)]
        assert [card for card in cards if card not in before + table] == [], sentence
        before = table


@pytest.mark.parametrize("slug", GAMES)
def test_rules_have_contents_a_table_and_a_worked_turn(school: School, slug: str) -> None:
    school.change(Assignment, school.assignment, game=slug)
    text = school.browser("ada").get(RULES).text
    contents = re.findall(r'<li lang="en"><a href="#([^"]+)">', text)
    assert len(contents) > 3
    assert [id_ for id_ in contents if text.count(f'id="{id_}"') != 1] == []
    assert 'data-brief="worked-turn"' in text
    assert f"{slug}-replay" in text or f"{slug}-table" in text
    assert '<span class="emblem" aria-hidden="true"><svg' in text
    address = "/courses/comp10001/bo/worked-turn/plays/"
    assert school.browser("ada").get(f"{address}1").status_code == 200
    found = example_of(slug, WORKED_TURN)
    film = school.browser("ada").get(f"{address}0?part=film", headers={"Accept-Encoding": "identity"}).json
    assert found
    assert len(film["drawings"]) == len(found.steps)


LIFTED = 1.4  # `brightness` of the hues in dark colours, see site.css
PAPERS = {"light": ("fbfaf6", "ffffff"), "dark": ("14181a", "1b2022")}


def luminance(colour: str, lifted: float = 1.0) -> float:
    """Of a colour such as `8a3fa0`, as WCAG defines it."""
    parts = [min(1.0, int(colour[at : at + 2], 16) / 255 * lifted) for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_each_game_has_a_hue_of_its_own_that_can_be_seen(common_site: Flask) -> None:
    with common_site.test_request_context():
        found = {slug: re.findall(r'<svg class="hue"><rect [^>]*fill="#(\w+)"', emblem(slug)) for slug in GAMES}
    hues = [hue for (hue,) in found.values()]
    assert len({*hues}) == len(GAMES)
    for hue in hues:
        for paper in PAPERS["light"]:
            assert (luminance(paper) + 0.05) / (luminance(hue) + 0.05) >= 3, hue
        for paper in PAPERS["dark"]:
            assert (luminance(hue, LIFTED) + 0.05) / (luminance(paper) + 0.05) >= 3, hue


def test_where_there_is_nothing_yet_house_bots_play(school: School) -> None:
    ada, assignment = school.browser("ada"), "/courses/comp10001/bo/"
    for page, button in (
        (assignment, "Upload your first player"),
        (f"/tournaments/{school.tournament}/", "Upload a player"),
    ):
        text = ada.get(page).text
        assert ('data-brief="house-game"' in text, f">{button}</a>" in text) == (True, True), page
    entry = school.enter("ada")
    assert 'data-brief="house-game"' in ada.get(f"/entries/{entry}/").text
    assert 'data-brief="house-game"' not in ada.get(assignment).text, "there is an upload"
    assert example_of("bo", HOUSE_GAME) is not None
