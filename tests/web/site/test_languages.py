"""In which language a reader gets a page, and what becomes of its sentences, numbers and times."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select

from deploy.processes.outbox import make_mail
from deploy.processes.stall_alert import START_AGAIN
from tests.web.course.test_course_settings import change_course
from tests.web.school import Browser, School
from tournament.play.games import GAMES
from tournament.play.golden import golden_records
from tournament.play.replay import frames
from tournament.store.database import now
from tournament.store.mail import Mail
from tournament.store.notices import NoticeKind, tell
from web.mail.message import Sender, compose
from web.site import languages, text
from web.site.languages import said, speaking
from web.site.models import Course, Membership, User

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}
MELBOURNE = ZoneInfo("Australia/Melbourne")


@pytest.mark.parametrize(
    ("person", "course", "browser", "shown"),
    [
        ("", "", {}, "en-GB"),
        ("", "", GERMAN, "de"),
        ("", "", {"Accept-Language": "fr"}, "en-GB"),
        ("", "", {"Accept-Language": ";;;,\x80"}, "en-GB"),
        ("", "en", GERMAN, "en-GB"),
        ("", "de", {}, "de"),
        ("en", "de", GERMAN, "en-GB"),
        ("de", "en", {}, "de"),
        ("tlh", "", GERMAN, "de"),
        ("", "../de", {}, "en-GB"),
    ],
)
def test_the_person_chooses_the_language_or_else_the_course_or_else_the_browser(
    school: School, person: str, course: str, browser: dict[str, str], shown: str
) -> None:
    school.change(User, school.people["ada"], language=person)
    school.change(Course, school.course, language=course)
    page = school.browser("ada").get("/courses/comp10001/bo/", headers=browser).text
    assert f'<html lang="{shown}">' in page
    assert ("Abmelden" in page, "Sign out" in page) == (shown == "de", shown != "de")


def test_somebody_chooses_a_language_on_the_account_page(school: School) -> None:
    ada = school.browser("ada")
    for code, shown in (("de", "de"), ("en", "en-GB"), ("xx", "de"), ("", "de")):
        assert ada.post("/account/language", {"language": code}).status_code == 303
        page = ada.get("/account/", headers=GERMAN).text
        assert f'<html lang="{shown}">' in page
        chosen = f'<option value="{code}" lang="{code}" selected>' if code in languages.LANGUAGES else "selected>"
        assert chosen in page


def test_an_instructor_chooses_the_language_of_a_course_and_it_is_logged(school: School) -> None:
    ines = school.browser("ines")
    assert change_course(ines, language="de").status_code == 303
    page = ines.get("/courses/comp10001/settings/").text
    assert '<html lang="de">' in page
    assert '<option value="de" selected>Deutsch</option>' in page
    with school.write() as session:
        assert session.get_one(Course, school.course).language == "de"
    assert '<html lang="de">' in school.browser("ben").get("/courses/comp10001/bo/").text
    change_course(ines, language="klingon")
    with school.write() as session:
        assert session.get_one(Course, school.course).language == ""


def test_the_api_speaks_english(school: School) -> None:
    school.change(User, school.people["ada"], language="de")
    headers = {"Authorization": f"Bearer {school.token('ada')}", **GERMAN}
    answer = Browser(school.app).get("/api/v1/submissions/999999", headers=headers)
    assert answer.status_code == 404
    assert "There is no" in answer.get_json()["error"]["message"]


def test_an_error_is_told_in_the_language_of_the_reader(school: School) -> None:
    page = school.browser("ada").get("/nowhere", headers=GERMAN)
    assert page.status_code == 404
    assert "<h1>Seite nicht gefunden</h1>" in page.text
    assert "Fehler 404" in page.text


SENTENCES = [
    ("Copied", "Kopiert"),
    ("1,200 games", "1.200 Spiele"),
    ("1 game", "1 Spiel"),
    ("2.5 points", "2,5 Punkte"),
    ("41.7%", "41,7 %"),
    ("0.3 ms", "0,3 ms"),
    ("0.5×", "0,5×"),
    ("C++17, C11 and Python 3", "C++17, C11 und Python 3"),
    (
        "play took more than the 2 s of computing time allowed. It was on line 4 at that moment.",
        "play hat mehr als die erlaubten 2 s Rechenzeit gebraucht. In diesem Moment war Zeile 4 an der Reihe.",
    ),
    ("Choose a file or paste its contents.", "Wählen Sie eine Datei, oder fügen Sie ihre Zeilen ein."),
    ("--games must be a number from 1 to 10000.", "--games braucht eine Zahl von 1 bis 10000."),
    (
        "Submission 3 (a.py): Q2: 1 of 1,001 cases passed; the question is new.",
        "Abgabe 3 (a.py): Q2: 1 von 1.001 Testfällen bestanden; sie wurde zuvor nicht gestellt.",
    ),
    ("On 7♥: the same colour, and one higher or lower.", "Auf 7♥: dieselbe Farbe, und im Wert benachbart."),
    ("Give the token a name of 1 to 60 characters.", "Der Name muss 1 bis 60 Zeichen haben."),
    ("Saved. Copied", "Gespeichert. Kopiert"),
    ("nobody worded this", "nobody worded this"),
    ("Give the token a name of 1 to 60 characters", "Give the token a name of 1 to 60 characters"),
    ("", ""),
]


@pytest.mark.parametrize(("english", "german"), SENTENCES)
def test_a_sentence_is_found_with_the_values_in_it(english: str, german: str) -> None:
    assert said(english) == english
    with speaking("de"):
        assert said(english) == german
    with speaking("tlh"):
        assert said(english) == english


def test_the_alert_of_a_stall_is_translated() -> None:
    with speaking("de"):
        assert said(f"{START_AGAIN} The reason: Saved.").startswith("Es ist ein interner Fehler")
        assert said(f"{START_AGAIN} The reason: Saved.").endswith(" Der Grund: Gespeichert.")


FOLLOWING = [
    "Nobody was removed. Tick the box to confirm.",
    "There is no game Xaver. Available: Bo.",
    "Give the token a name of 1 to 60 characters.",
    "A bracket needs at least two players.",
    "Saved.",
]


def test_messages_that_follow_each_other_are_translated_one_by_one() -> None:
    """A message may have several sentences, and the values of one do not reach into the next."""
    with speaking("de"):
        assert all(said(each) != each for each in FOLLOWING)
        for messages in permutations(FOLLOWING, 3):
            assert said(" ".join(messages)) == " ".join(map(said, messages))


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("There is no game Xaver. Please. Available: Bo.", "Ein Spiel Xaver. Please gibt es nicht. Es gibt: Bo."),
        ("nobody worded this. Copied", "nobody worded this. Kopiert"),
    ],
)
def test_a_value_may_contain_a_sentence_if_nothing_else_fits(english: str, german: str) -> None:
    with speaking("de"):
        assert said(english) == german


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("Returned the string 'yes', expected 'no'.", "Zurückgegeben: der String 'yes', erwartet: 'no'."),
        ("“1,200” is not a number of minutes.", "„1,200“ ist keine Zahl von Minuten."),
        ("Player 1 discards 3♥", "Spieler 1 legt 3♥ ab"),
        ("J. Doe discards K♠; Pairs discards 5♦", "J. Doe legt K♠ ab; Pairs legt 5♦ ab"),
        ("Pairs discards 5♦; J. Doe discards K♠", "Pairs legt 5♦ ab; J. Doe legt K♠ ab"),
        (
            "Pairs groups A♦ 2♣, K♠ K♣: 9 points; J. Doe groups nothing: −3 points",
            "Pairs gruppiert A♦ 2♣, K♠ K♣: 9 Punkte; J. Doe gruppiert nichts: −3 Punkte",
        ),
        ("Pairs is disqualified. Saved.", "Pairs ist disqualifiziert. Gespeichert."),
        ("Keeps its Eights plays the queen of diamonds", "Keeps its Eights spielt Karo Dame"),
        ("Returns a string where a boolean is right", "Zurückgegeben: ein String; richtig: ein Wahrheitswert"),
    ],
)
def test_quoted_values_and_names_stay_as_they_are(english: str, german: str) -> None:
    with speaking("de"):
        assert said(english) == german


@pytest.mark.parametrize("slug", GAMES)
def test_every_play_is_translated_and_the_names_of_the_players_stay(slug: str) -> None:
    names = ("Pairs", "Keeps its Eights", "J. Doe", "Winner")
    record = golden_records(GAMES[slug])["mixed"]
    record = replace(record, seats=names[: len(record.seats)])
    played = [*frames(GAMES[slug], record)]
    with speaking("de"):
        assert said(record.ended) != record.ended
        for caption in {each.caption for each in played} - {""}:
            german = said(caption)
            assert german != caption
            assert [german.count(name) for name in names] == [caption.count(name) for name in names]


def test_numbers_and_times_are_written_as_in_the_language() -> None:
    at = datetime(2026, 10, 4, 12, 59, tzinfo=UTC)
    told = "The deadline is Sun 4 Oct 2026, 23:59 AEDT (UTC+11:00)."
    assert text.number(1234.5, 2) == "1,234.50"
    assert ">Sun 4 Oct 2026, 23:59 AEDT<" in text.clock_html(at, MELBOURNE)
    assert ">Sun 4 Oct 2026, 23:59 AEDT (UTC+11:00)<" in text.zoned(told)
    with speaking("de"):
        assert text.number(1234.5, 2) == "1.234,50"
        assert ">So., 4. Okt. 2026, 23:59 AEDT<" in text.clock_html(at, MELBOURNE)
        assert ">So., 4. Okt. 2026, 23:59 AEDT (UTC+11:00)<" in text.zoned(told)


NOTICE = (
    "Your deadline for Project 2 is Sun 4 Oct 2026, 23:59 AEDT (UTC+11:00)",
    "An instructor has moved it; it was Sat 3 Oct 2026, 23:59 AEST (UTC+10:00). "
    "The final uses your last entry before your deadline.",
)


@pytest.mark.parametrize(("person", "course", "german"), [("de", "", True), ("", "de", True), ("en", "de", False)])
def test_an_email_is_in_the_language_of_the_person_or_else_of_the_course(
    school: School, person: str, course: str, german: bool
) -> None:
    school.change(User, school.people["ada"], language=person)
    school.change(Course, school.course, language=course)
    links = [("report", 1, "The report")]
    with school.write() as session:
        session.get_one(Membership, (school.people["ada"], school.course)).email = "ada@example.org"
        tell(session, school.people["ada"], school.assignment, *NOTICE, links, NoticeKind.DEADLINE)
    assert make_mail(school.sessions, now() + timedelta(seconds=60))
    with school.write() as session:
        (row,) = session.scalars(select(Mail)).all()
        message = compose(row, row.address, Sender("q@example.org", "https://q.example.org", "secret"))
    plain, html = (str(part.get_content()) for part in message.iter_parts())
    assert ("Ihre Abgabefrist für Project 2 ist So., 4. Okt. 2026, 23:59 AEDT" in message["Subject"]) == german
    for shown in (plain, html):
        assert ("Sa., 3. Okt. 2026, 23:59 AEST" in shown, "An instructor has moved it" in shown) == (german, not german)
        assert ("The final uses" in shown) != german
        assert ("Der Bericht" in shown, "Wählen, was per E-Mail kommt" in shown) == (german, german)
    assert f'<html lang="{"de" if german else "en"}">' in html
    page = school.browser("ada").get("/notices/").text
    assert ("An instructor has moved it" in page) == (person != "de"), "this page is about no course"


@pytest.mark.parametrize(
    ("sentence", "german"),
    [
        ("Saved: Deadline; Time zone.", "Gespeichert: Abgabefrist; Zeitzone."),
        ("Season ended: Bonus in March.", "Saison beendet: Bonus in March."),
        ("The ladder: Ranked by", "The ladder: Reihung nach"),
        ("place", "Platz"),
        (":;" * 500, ":;" * 500),
    ],
)
def test_labels_and_items_are_translated_each_and_titles_stay(sentence: str, german: str) -> None:
    with speaking("de"):
        assert said(sentence) == german
