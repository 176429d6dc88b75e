"""Playing by hand on the site: whole games by what is offered, two tabs, quotas, and what stays hidden."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any, NoReturn

import pytest
from sqlalchemy import select

from grader.store.models import Assignment, Submission
from sandbox.api import Limits, Program, Sandbox, SandboxError
from sandbox.backends.trusted import TrustedSandbox
from sandbox.choose import open_sandbox
from tests.web.school import Browser, School
from tournament import tasks
from tournament.games.api import Offer, offers
from tournament.play.conformance.games import preset_play
from tournament.play.games import GAMES, find_game
from tournament.play.record import Record
from tournament.play.replay import verify
from tournament.practice.hand_table import GIVEN_UP, awaits, position
from tournament.store.database import now, reading
from tournament.store.jobs import MAX_ATTEMPTS, JobState
from tournament.store.tables import PATIENCE, HandGame
from tournament.work.services import Services

REVISION = re.compile(r'name="revision" value="(\d+)"')
OFFER = re.compile(r'<button name="offer" value="(\d+)"')


@pytest.fixture(scope="module")
def trusted() -> Iterator[Sandbox]:
    """Where house bots run."""
    with open_sandbox("trusted") as opened:
        yield opened


class Table:
    """Somebody at a game by hand, and a worker that plays when they have played."""

    def __init__(self, school: School, trusted: Sandbox, login: str = "ada") -> None:
        self.school, self.browser = school, school.browser(login)
        self.start = f"/assignments/{school.assignment}/by-hand/"
        self.services = Services(school.sessions, school.sent.append, lambda: trusted, lambda: trusted, "worker")
        self.path = ""

    def begin(self, seed: int | None = None, **form: Any) -> None:
        """Begin a game, with the deal of that seed, until the person's turn."""
        answer = self.browser.post(self.start, {"practice": "on", **form})
        assert answer.status_code == 303, answer.text
        self.path = answer.location
        if seed is not None:
            self.school.change(HandGame, self.row.id, record=replace(self.record, seed=seed).pack())
        self.work()

    def work(self) -> None:
        while tasks.play_personal(self.services):
            pass

    def act(self, **form: Any) -> Any:
        """Send a form of the present position; the answer."""
        shown = REVISION.search(self.page())
        answer = self.browser.post(self.path, {"revision": shown[1] if shown else "0", **form})
        self.work()
        return answer

    def page(self) -> str:
        return self.browser.get(self.path).text

    @property
    def row(self) -> HandGame:
        with reading(self.school.sessions) as session:
            row = session.scalars(select(HandGame).order_by(HandGame.id.desc())).first()
            assert row
            row.record  # noqa: B018 - loaded for later
            session.expunge_all()
            return row

    @property
    def record(self) -> Record:
        return Record.unpack(self.row.record)


@pytest.fixture
def table(school: School, trusted: Sandbox) -> Table:
    return Table(school, trusted)


def play_to_the_end(table: Table, rng: Random, most: int) -> int:
    """Play what is offered, at random; how many plays it took."""
    for number in range(most):
        page = table.page()
        if "Watch the replay" in page:
            return number
        numbers = OFFER.findall(page)
        form = {"offer": rng.choice(numbers)} if numbers else composed(page)
        answer = table.act(**form)
        assert answer.status_code == 303, answer.text
    table.act(do="leave")
    return most


def composed(page: str) -> dict[str, str]:
    """The form of a composition as it stands."""
    cards = re.findall(r'<select id="\S+" name="(card-\d+)">(.*?)</select>', page)
    chosen = {name: re.search(r'value="(\d+)" selected', options) for name, options in cards}
    return {"offer": "0", **{name: found[1] for name, found in chosen.items() if found}}


SHORT = {
    "bo": "bo?stockpile_size=2",
    "phazed": "phazed?hand_limit=1&turn_limit=3",
    "go": "go?hand_size=4",
    "kotc": "kotc?hand_size=3",
    "uno": "uno?hand_size=3",
}


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_played_by_what_is_offered(table: Table, game: str) -> None:
    name = SHORT[game]
    table.school.change(Assignment, table.school.assignment, game=name)
    rng = Random(game)
    table.begin(seat=str(rng.randrange(2)))
    assert play_to_the_end(table, rng, 150) > 0
    row, record = table.row, table.record
    verify(find_game(name), record)
    assert (row.seat, row.ended in (record.ended, GIVEN_UP)) == (record.seats.index("Person"), True)
    assert table.browser.get(f"{table.path}plays/0").status_code == 200
    assert table.browser.get(f"{table.path}record.json").json == record.to_json(times=True)


def test_what_is_hidden_stays_hidden_until_the_end(table: Table) -> None:
    table.begin(seat="2", against="planner")
    record, seat = table.record, 2
    page = table.page()
    state = position(find_game("bo"), record)
    others = {card for player, hand in enumerate(state.hands) if player != seat for card in hand}
    others -= {*state.hands[seat], *(pile[-1] for pile in state.stockpiles)}
    others -= {card for piles in (*state.discards, state.builds) for pile in piles for card in pile}
    assert others
    assert not [card for card in others if f'data-card="{card}"' in page]
    assert str(record.seed) not in page
    for path in ("plays/0", "plays/", "record.json", "plays/0?part=film"):
        answer = table.browser.get(table.path + path)
        assert (answer.status_code, "still being played" in answer.text) == (404, True), path


def test_an_illegal_try_is_answered_as_a_player_would_be(table: Table) -> None:
    table.begin(seat="0")
    before = table.row.revision
    answer = table.act(do="type", value="(3, None, (None, None))")
    assert answer.status_code == 422
    assert "You said that no play is possible, but there is one, for example" in answer.text
    assert "rule: could-play" in answer.text
    for value in ("", "__import__('os')", "(" * 900, "[" * 200, "1" * 2000, "{}[", "'\\ud800'", "9" * 999):
        answer = table.act(do="type", value=value)
        assert (answer.status_code, "This play is refused" in answer.text) == (422, True), value
    for form in ({"offer": "99999"}, {"offer": "x"}, {}):
        assert table.act(**form).status_code == 422, form
    assert table.row.revision == before


def test_cards_that_were_sorted_stay_sorted_when_they_are_refused(table: Table) -> None:
    table.school.change(Assignment, table.school.assignment, game="phazed")
    table.begin(seat="0")
    assert table.act(offer="0").status_code == 303, "a card is drawn"
    answer = table.act(**{"offer": "0", "card-2": "1", "card-3": "0", "card-4": "nonsense"})
    assert (answer.status_code, "This play is refused" in answer.text) == (422, True)
    parts = re.findall(r'name="card-(\d+)">.*?value="(\d+)" selected', answer.text.replace("</select>", "\n"))
    assert parts == [("2", "1"), ("3", "0")]


def test_a_play_may_be_typed_as_a_player_returns_it(table: Table) -> None:
    table.begin(seat="0")
    game = find_game("bo")
    offer = offers(game, position(game, table.record), 0)[0]
    assert isinstance(offer, Offer)
    assert table.act(do="type", value=repr(offer.play)).status_code == 303
    assert table.record.plays[0][1] == json.loads(json.dumps(preset_play(offer)))


@pytest.mark.both_databases
def test_a_form_of_a_former_position_is_refused_kindly_and_shows_the_present_one(table: Table) -> None:
    table.begin(seat="0")
    stale = table.row.revision
    assert table.act(offer="0").status_code == 303
    plays = table.record.plays
    answer = table.browser.post(table.path, {"revision": str(stale), "offer": "0"})
    assert answer.status_code == 409
    assert "this page showed an older position" in answer.text
    assert f'value="{table.row.revision}"' in answer.text
    assert table.record.plays == plays
    live = table.browser.get(f"{table.path}live?revision={table.row.revision}")
    assert live.status_code == 204
    assert 'id="hand"' in table.browser.get(f"{table.path}live?revision={stale}").text


def test_a_form_sent_while_the_others_play_is_refused(school: School, table: Table) -> None:
    table.begin(seat="0")
    revision = table.row.revision
    school.change(HandGame, table.row.id, state=JobState.QUEUED)
    answer = table.browser.post(table.path, {"revision": str(revision), "offer": "0"})
    assert (answer.status_code, "The others are playing" in answer.text) == (409, True)


@pytest.mark.parametrize("game", ["bo", "go", "kotc"])
def test_plays_are_taken_back_in_practice(table: Table, game: str) -> None:
    table.school.change(Assignment, table.school.assignment, game=game)
    table.begin(seed=1, seat="1", against=find_game(game).bots[0].name)
    before = table.record.plays
    for _ in range(2):
        assert table.act(offer="0").status_code == 303
    while table.record.plays != before:
        assert table.act(do="back").status_code == 303
    assert "Take back" not in table.page()
    assert table.act(do="back").status_code == 303, "there is nothing to take back"


def test_no_play_is_taken_back_in_other_games(table: Table) -> None:
    assert table.browser.post(table.start, {"seat": "0"}).status_code == 303
    table.path = f"/by-hand/{table.row.id}/"
    table.work()
    table.act(offer="0")
    assert "Take back" not in table.page()
    assert table.act(do="back").status_code == 409


def test_a_game_that_was_given_up_stays_so_hence_it_is_asked_once_more(table: Table) -> None:
    table.begin(seat="0")
    table.act(offer="0")
    folded = re.search(r'<details id="leave">.*?</details>', table.page())
    assert folded
    assert "this cannot be undone" in folded[0]
    assert 'value="leave"' in folded[0]
    table.act(do="leave")
    assert table.act(do="back").status_code == 409
    assert table.row.ended == GIVEN_UP
    replay = f"{table.path}plays/{len(table.record.plays)}"
    assert "Ended: given up" in table.browser.get(replay).text
    assert "disqualified" not in table.browser.get(f"{replay}?part=film").text, "headed so everywhere"


def test_a_card_is_drawn_by_a_question(table: Table) -> None:
    table.school.change(Assignment, table.school.assignment, game="kotc")
    table.begin(seat="0", players="2")
    game = find_game("kotc")
    state = position(game, table.record)
    number = [each.text for each in offers(game, state, 0)].index("Draw a card")
    assert table.act(offer=str(number)).status_code == 303
    after = position(game, table.record)
    assert (len(after.hands[0]), awaits(game, after, 0)) == (len(state.hands[0]) + 1, True)


@pytest.mark.both_databases
def test_a_seat_that_is_left_for_five_minutes_is_given_up(school: School, table: Table) -> None:
    table.begin(seat="0")
    school.change(HandGame, table.row.id, finished_at=now() - PATIENCE - timedelta(seconds=1))
    assert "The game was given up" in table.page()
    assert "at the moment when the game was given up" in table.page()
    answer = table.browser.post(table.path, {"revision": str(table.row.revision), "offer": "0"})
    assert (answer.status_code, "played at this seat for five minutes" in answer.text) == (409, True)
    tasks.sweep_practice(table.services)
    assert (table.row.ended, table.record.ended) == (GIVEN_UP, "disqualified")
    verify(find_game("bo"), table.record)
    assert table.browser.get(f"{table.path}plays/0").status_code == 200


def test_who_awaits_nobody_is_not_given_up(school: School, table: Table) -> None:
    table.begin(seat="0")
    school.change(HandGame, table.row.id, finished_at=now() - PATIENCE + timedelta(seconds=60))
    tasks.sweep_practice(table.services)
    assert table.row.ended == ""


def test_one_game_at_a_time_and_a_quota_like_that_of_custom_games(school: School, table: Table) -> None:
    school.change(Assignment, school.assignment, custom_games_hour=2)
    table.begin()
    first = table.path
    table.begin()
    assert table.path == first, "the one that goes on"
    for _ in range(2):
        table.act(do="leave")
        answer = table.browser.post(table.start, {})
        table.path = f"/by-hand/{table.row.id}/"
        table.work()
    assert answer.status_code == 429
    assert "You have played 2 games within an hour" in answer.text
    assert int(answer.headers["Retry-After"]) > 0
    school.change(Assignment, school.assignment, custom_games_hour=0)
    assert "switched off" in table.browser.get(table.start).text
    assert table.browser.post(table.start, {}).status_code == 409
    assert "by-hand" not in table.browser.get("/courses/comp10001/bo/").text


@pytest.mark.parametrize("form", [{"players": "3"}, {"seat": "4"}, {"seat": "-1"}, {"against": "nobody"}])
def test_a_table_that_does_not_exist_is_refused(table: Table, form: dict[str, str]) -> None:
    answer = table.browser.post(table.start, form)
    assert (answer.status_code, "Choose one from the list" in answer.text) == (409, True)


def test_what_my_player_would_have_done(school: School, table: Table) -> None:
    table.begin(seat="1")
    table.act(offer="0")
    assert table.browser.post(f"{table.path}ask").status_code == 303
    assert table.row.advice == [], "only of a game that is over"
    table.act(do="leave")
    assert table.browser.post(f"{table.path}ask").status_code == 422, "there is no player yet"
    ask_with(school, table, find_game("bo").folder.joinpath("reference.py").read_bytes())
    (own, *_) = table.row.advice
    assert own["did"].startswith("plays")
    assert own["would"]
    assert own["would"] in table.page().replace("&#39;", "'") or own["same"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (b"x = 1\n", "comp10001bo_play"),
        (b"def comp10001bo_play(*args):\n    return 1\n", "A play is a tuple of three"),
        (b"def comp10001bo_play(a, b, c, d, e, f):\n    return 1 / 0\n", "ZeroDivisionError"),
    ],
)
def test_a_player_that_fails_is_told_why(school: School, table: Table, source: bytes, said: str) -> None:
    table.begin(seat="1")
    table.act(offer="0")
    table.act(do="leave")
    ask_with(school, table, source)
    assert said in table.row.advice[0]["trouble"]
    assert "disqualified" in table.page()


def ask_with(school: School, table: Table, source: bytes) -> None:
    submission = school.upload("ada", source)
    school.change(Submission, submission, state=JobState.DONE)
    assert table.browser.post(f"{table.path}ask").status_code == 303
    table.work()
    assert table.row.state is JobState.DONE


def test_only_the_person_plays_and_instructors_may_look(school: School, table: Table) -> None:
    table.begin(seat="0")
    for login, statuses in {"ben": (403, 403), "ines": (200, 403), "otto": (404, 404)}.items():
        browser: Browser = school.browser(login)
        get: Callable[[str], Any] = browser.get
        answers = get(table.path), browser.post(table.path, {"revision": "1", "offer": "0"})
        assert tuple(each.status_code for each in answers) == statuses, login
    assert 'name="offer"' not in school.browser("ines").get(table.path).text


def test_an_internal_error_is_told_and_the_game_can_be_started_again(school: School, table: Table) -> None:
    class Broken(TrustedSandbox):
        def start(self, program: Program, limits: Limits, seed: int) -> NoReturn:
            raise SandboxError("no processes are left")

    assert table.browser.post(table.start, {"seat": "0"}).status_code == 303
    table.path, row = f"/by-hand/{table.row.id}/", table.row.id
    services = Services(school.sessions, school.sent.append, Broken, Broken, "worker")
    for _ in range(MAX_ATTEMPTS):
        assert tasks.play_personal(services)
        school.change(HandGame, row, lease_until=None)
    assert "An internal error stopped this game" in table.page()
    manage = f"/assignments/{school.assignment}/manage/"
    browser = school.browser("ines")
    assert f"Game by hand {row}" in browser.get(manage).text
    assert browser.post(f"{manage}requeue/game by hand/{row}").status_code == 303
    table.work()
    assert "Your turn" in table.page()
