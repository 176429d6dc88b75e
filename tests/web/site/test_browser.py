"""What the site's own scripts do, in a real browser: dropping, pasting, counting down, stepping through a game."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Thread

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Route, expect
from werkzeug.serving import make_server

from grader.grading.report import Report, pack
from grader.store.models import Assignment, Submission
from grader.submissions.work import Progress
from sandbox.api import Verdict
from sandbox.archives import pack as packed_files
from sandbox.choose import open_sandbox
from tests.browsers import headless
from tests.papers import examples_only
from tests.programs import UNO, add_programs
from tests.services import PATIENCE_S
from tests.web.axe import EVERYBODY, check_page, check_shown, load
from tests.web.editor.test_edit import work
from tests.web.evening import play_evening
from tests.web.practice.test_compare import add_pair, compared, new_version
from tests.web.practice.test_custom_games import batch_games, batch_of, played
from tests.web.program_reports import failing, uncompiled
from tests.web.records import ON_TURN, PLAYS, disqualified, whole
from tests.web.reports import PASSED, good
from tests.web.school import PASSWORD, TOKEN, School
from tests.whole.stack import eventually
from tournament.store.jobs import JobState
from tournament.store.tables import installation_secret
from web.people import members, registration
from web.site.models import Course

expect.set_options(timeout=PATIENCE_S * 1000)

DROP = """([zone, name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name, {type: "text/x-python"}));
    for (const kind of ["dragenter", "dragover", "drop"])
        zone.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
}"""
PASTE = """text => {
    const data = new DataTransfer();
    data.setData("text", text);
    document.body.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true}));
}"""


WATCH = """() => {
    window.captions = [];
    const note = () => captions.push(document.querySelector(".caption strong")?.textContent);
    new MutationObserver(note).observe(document.body, {childList: true, subtree: true, characterData: true});
}"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A headless browser."""
    with headless() as browser:
        yield browser


@pytest.fixture
def site(school: School) -> Iterator[tuple[School, str]]:
    """A class, and the address of its site."""
    server = make_server("127.0.0.1", 0, school.app, threaded=True)
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield school, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()


@contextmanager
def signed_in(
    chromium: Browser, address: str, login: str = "ada", refused: str = "", **options: object
) -> Iterator[Page]:
    """A page of somebody who has signed in; anything that the browser complains of fails the test, except an answer
    with the status `refused`."""
    context: BrowserContext = chromium.new_context(base_url=address, **options)  # type: ignore[arg-type]
    page, complaints = context.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(complaint(message)) if message.type == "error" else None)
    sign_in(context, login)
    yield page
    context.close()
    assert [each for each in complaints if not (refused and f"status of {refused}" in each)] == []


def sign_in(context: BrowserContext, login: str) -> None:
    """Send the form without showing it: to draw two pages takes longer than the rest of many tests."""
    token = TOKEN.search(context.request.get("/sign-in").text())
    assert token
    filled: dict[str, str | float | bool] = {"csrf_token": token[1], "login": login, "password": PASSWORD}
    reply = context.request.post("/sign-in", form=filled, headers={"Referer": "/"}, max_redirects=0)
    assert (reply.status, reply.headers["location"]) == (303, "/")


def complaint(message: ConsoleMessage) -> str:
    """What the browser complains of, and where."""
    return f"{message.text} {message.location['url']}"


def test_the_form_signs_in(chromium: Browser, site: tuple[School, str]) -> None:
    with signed_in(chromium, site[1]) as page:
        page.context.clear_cookies()
        page.goto("/sign-in")
        page.fill("#login", "ada")
        page.fill("#password", PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{site[1]}/")


def test_a_dropped_file_is_uploaded(chromium: Browser, site: tuple[School, str]) -> None:
    with signed_in(chromium, site[1]) as page:
        page.goto("/courses/comp10001/bo/")
        page.evaluate(DROP, [page.query_selector(".drop"), "dropped.py", "x = 1\n"])
        expect(page.locator("[data-chosen]")).to_have_text("dropped.py, 6 bytes, is ready to upload.")
        page.get_by_role("button", name="Upload").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("dropped.py")


def test_chosen_files_and_zips_are_listed_with_what_is_missing(chromium: Browser, site: tuple[School, str]) -> None:
    school, address = site
    with school.write() as session:
        add_programs(session, school.course, UNO)
    given = {path: text.encode() for path, text in UNO.given.items()}
    packed = packed_files(
        {f"uno/{path}": content for path, content in {**given, "a.o": b"", "notes.txt": b"x"}.items()}
    )
    with signed_in(chromium, address, refused="422") as page:
        page.goto("/courses/comp10001/uno/")
        chosen = page.locator("[data-chosen]")
        page.evaluate(DROP, [page.query_selector(".drop"), "deck.cpp", "x"])
        expect(chosen).to_contain_text("Missing: cards/Deck.cpp.")
        expect(chosen).to_contain_text("Not required, so not used: deck.cpp.")
        page.set_input_files("#file", {"name": "uno.zip", "mimeType": "application/zip", "buffer": packed})
        expect(chosen).to_contain_text("Found: cards/Deck.cpp.")
        expect(chosen).to_contain_text("2 files handed out: your changes there will be replaced.")
        expect(chosen).to_contain_text("Not required, so not used: notes.txt.")
        page.set_input_files("#file", {"name": "main.cpp", "mimeType": "text/plain", "buffer": b"x"})
        page.get_by_role("button", name="Upload").click()
        expect(page.locator("#upload-error")).to_contain_text("1 file is missing")
        page.get_by_role("button", name="Upload without the missing file").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("main.cpp")


def test_pasted_text_is_uploaded_and_kept_if_the_session_has_ended(chromium: Browser, site: tuple[School, str]) -> None:
    with signed_in(chromium, site[1]) as page:
        page.goto("/courses/comp10001/bo/")
        page.evaluate(PASTE, "y = 2\n")
        expect(page.locator("#text")).to_have_value("y = 2\n")
        page.context.clear_cookies()
        page.get_by_role("button", name="Upload").click()
        expect(page.locator("p.note.warn")).to_contain_text("Your session has ended")
        page.get_by_label("User name").fill("ada")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator("#text")).to_have_value("y = 2\n")
        assert page.evaluate("sessionStorage.getItem('unsent')") is None
        page.get_by_role("button", name="Upload").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("pasted.py")


def test_a_file_too_large_is_refused_before_it_is_sent(chromium: Browser, site: tuple[School, str]) -> None:
    with signed_in(chromium, site[1]) as page:
        page.goto("/courses/comp10001/bo/")
        page.evaluate(DROP, [page.query_selector(".drop"), "large.py", "#" * (300 << 10)])
        expect(page.locator("[data-chosen]")).to_contain_text("300 KiB; the limit is 256 KiB")
        page.get_by_role("button", name="Upload").click()
        expect(page).to_have_url(f"{site[1]}/courses/comp10001/bo/")


def test_the_page_follows_the_grading_by_itself(chromium: Browser, site: tuple[School, str]) -> None:
    school, address = site
    id_ = school.upload("ada")
    with signed_in(chromium, address) as page:
        page.goto(f"/submissions/{id_}/")
        expect(page.get_by_role("heading", name="Waiting to be graded")).to_be_visible()
        done = school.graded("ben", good())
        with school.write() as session:
            finished = session.get_one(Submission, done)
            values = {name: getattr(finished, name) for name in ("state", "report", "qualifies", "points")}
        school.change(Submission, id_, **values)
        expect(page.get_by_role("heading", name="Report")).to_be_visible()


OPENED = "details => details.filter(each => each.open && each.id).map(each => each.id)"


def test_a_live_report_ends_as_a_reload_would_show_it(chromium: Browser, site: tuple[School, str]) -> None:
    school, address = site
    id_, asked = school.upload("ada"), examples_only("bo")
    progress = Progress(asked)
    school.change(Submission, id_, state=JobState.RUNNING, progress=progress.to_json())
    with signed_in(chromium, address) as page:
        page.goto(f"/submissions/{id_}/")
        for question in asked.questions:
            case = replace(PASSED, question=question.slug)
            progress.hear(case)
            school.change(Submission, id_, progress=progress.to_json())
            expect(page.locator(f"#question-{question.slug}")).to_have_attribute("open", "")
            first = page.locator(f"#question-{asked.questions[0].slug} summary").first
            if question is asked.questions[0]:
                first.focus()
            expect(first).to_be_focused()  # whatever is replaced around it
        page.locator("#question-q2 summary").click()
        chosen = "q2" if page.locator("#question-q2").get_attribute("open") is not None else ""
        done = [replace(good().questions[0], slug=question.slug) for question in asked.questions]
        report = Report(True, 4.0, 4.0, done, [])
        school.change(Submission, id_, state=JobState.DONE, report=pack(report), qualifies=True, points=4.0)
        expect(page.get_by_role("heading", name="Report")).to_be_visible()
        here = page.locator("details.question").evaluate_all(OPENED)
        page.reload()
        reloaded = page.locator("details.question").evaluate_all(OPENED)
        assert here == [*reloaded, *([f"question-{chosen}"] if chosen else [])], "but for what the reader has opened"


@pytest.mark.parametrize("script", [True, False])
def test_a_refused_upload_shows_its_error_on_a_phone(chromium: Browser, site: tuple[School, str], script: bool) -> None:
    phone = {"viewport": {"width": 360, "height": 640}, "java_script_enabled": script}
    with signed_in(chromium, site[1], refused="422", **phone) as page:
        page.goto("/courses/comp10001/bo/")
        page.set_input_files("#file", {"name": "bad.py", "mimeType": "text/x-python", "buffer": b"\xff\xfe"})
        with page.expect_response(lambda answer: answer.request.method == "POST") as refused:
            page.get_by_role("button", name="Upload").click()
        assert refused.value.status == 422
        expect(page.locator("#upload-error")).to_be_in_viewport()
        expect(page.locator("#upload-error")).to_be_focused()


def test_the_countdown_opens_the_way(chromium: Browser, site: tuple[School, str]) -> None:
    school, address = site
    school.enter("ada", ago=timedelta(seconds=597))
    id_ = school.graded("ada", good())
    with signed_in(chromium, address) as page:
        page.goto(f"/submissions/{id_}/")
        button = page.get_by_role("button", name="Enter this player")
        expect(button).to_be_enabled()
        button.click()
        expect(page.get_by_role("heading", name="Entered in the tournament")).to_be_visible()


DUE = datetime(2098, 11, 29, 12, 59, tzinfo=UTC)


@pytest.mark.parametrize(
    ("reader", "due", "shown"),
    [
        ("Europe/Berlin", DUE, "29 Nov 2098, 13:59 CET (23:59 AEDT)"),
        ("America/New_York", DUE, "29 Nov 2098, 07:59 GMT-5 (23:59 AEDT)"),
        ("Pacific/Auckland", DUE, "30 Nov 2098, 01:59 GMT+13 (29 Nov, 23:59 AEDT)"),
        ("Asia/Kathmandu", DUE, "29 Nov 2098, 18:44 GMT+5:45 (23:59 AEDT)"),
        ("Australia/Sydney", DUE, "29 Nov 2098, 23:59"),  # where the clocks show the same
        ("Australia/Brisbane", DUE - timedelta(days=180), "2 Jun 2098, 22:59"),  # and here, but in winter only
    ],
)
def test_a_reader_in_another_zone_sees_both_times(
    chromium: Browser, site: tuple[School, str], reader: str, due: datetime, shown: str
) -> None:
    school, address = site
    school.change(Course, school.course, time_zone="Australia/Melbourne")
    school.change(Assignment, school.assignment, due_at=due)
    with signed_in(chromium, address, timezone_id=reader) as page:
        page.goto("/courses/comp10001/bo/")
        expect(page.get_by_text("Your deadline is").locator("time")).to_have_text(shown)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (
            "2026-11-29T23:59",
            "Students see Sun 29 Nov 2026, 23:59 (UTC+11:00) in Australia/Melbourne. "
            "In your time zone, it is Sun 29 Nov 2026, 07:59 (UTC-05:00) in America/New_York.",
        ),
        ("2026-10-04T02:30", "The clocks in Australia/Melbourne skip this time. Choose an earlier or a later time."),
        (
            "2027-04-04T02:30",
            "Students see Sun 4 Apr 2027, 02:30 (UTC+10:00) in Australia/Melbourne. "
            "In your time zone, it is Sat 3 Apr 2027, 12:30 (UTC-04:00) in America/New_York. "
            "This time occurs twice; the later one is used.",
        ),
        ("", ""),
    ],
)
def test_beside_a_date_that_is_typed_stands_what_students_will_see(
    chromium: Browser, site: tuple[School, str], typed: str, told: str
) -> None:
    school, address = site
    school.change(Course, school.course, time_zone="Australia/Melbourne")
    with signed_in(chromium, address, "ines", timezone_id="America/New_York") as page:
        page.goto(f"/assignments/{school.assignment}/settings/#deadline")
        page.get_by_label("Deadline (time in Australia/Melbourne)").fill(typed)
        expect(page.locator("#due-told")).to_have_text(told)


def test_a_game_is_stepped_through_by_keyboard(chromium: Browser, site: tuple[School, str]) -> None:
    school, address = site
    game = school.play(school.enter("ada"), *school.bots()[:3], record=disqualified(0))
    with signed_in(chromium, address) as page:
        page.goto(f"/games/{game}/plays/0")
        caption = page.locator(".caption strong")
        for key, expected in (("ArrowRight", "1"), ("ArrowRight", "2"), ("ArrowLeft", "1"), ("End", str(PLAYS + 1))):
            page.keyboard.press(key)
            expect(caption).to_have_text(expected)
        expect(page).to_have_url(f"{address}/games/{game}/plays/{PLAYS + 1}")
        expect(page.get_by_role("heading", name="ada-the-pseudonym: exception")).to_be_visible()
        page.locator("[data-replay] input[type=range]").focus()
        page.keyboard.press("Home")
        expect(caption).to_have_text("Deal")
        page.keyboard.press("ArrowRight")
        expect(caption).to_have_text("1")
        page.keyboard.press("+")
        expect(page.get_by_label("Speed")).to_have_value("2")
        page.keyboard.press("t")
        expect(caption).not_to_have_text("1")
        page.get_by_role("link", name="Offending play").click()
        expect(caption).to_have_text(str(PLAYS + 1))
        page.evaluate(WATCH)
        page.get_by_label("Speed").select_option("8")
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page.get_by_role("button", name="Pause")).to_be_visible()
        eventually(lambda: page.evaluate("captions").count("1"))


def test_a_game_is_searched_for_turns_and_seen_from_a_seat(chromium: Browser, site: tuple[School, str]) -> None:
    school, address = site
    bots = school.bots()
    game = school.play(bots[0], school.enter("ada"), *bots[1:3], record=disqualified(0, Verdict.ILLEGAL))
    with signed_in(chromium, address) as page:
        page.goto(f"/games/{game}/plays/0")
        expect(page.locator("[data-timeline] polyline")).to_have_count(4)
        expect(page.locator("[data-timeline] .fault")).to_have_count(1)
        caption = page.locator(".caption")
        page.get_by_role("button", name="My next play").click()
        expect(caption).to_contain_text("ada-the-pseudonym")
        first = int(page.locator(".caption strong").inner_text())
        page.keyboard.press("t")
        expect(page.locator(".caption strong")).not_to_have_text(str(first))
        expect(caption).not_to_contain_text("ada-the-pseudonym plays")
        page.keyboard.press("s")
        expect(page).to_have_url(re.compile(rf"/games/{game}/plays/\d+$"))
        page.get_by_role("link", name="1: ada-the-pseudonym").click()
        expect(page.get_by_role("img", name="hidden card").first).to_be_visible()
        expect(page).to_have_url(re.compile(r"\?seat=1$"))
        page.keyboard.press("ArrowRight")
        expect(page).to_have_url(re.compile(r"\?seat=1$"))
        boxes = [page.locator(f".seat-{seat}").bounding_box() for seat in range(4)]
        assert max(box["y"] for box in boxes if box) == (boxes[1] or {})["y"]


def test_without_scripts_everything_is_there(chromium: Browser, site: tuple[School, str]) -> None:
    school, address = site
    game = school.play(school.enter("ada", ago=timedelta(hours=1)), *school.bots()[:3], record=disqualified(0))
    with signed_in(chromium, address, java_script_enabled=False) as page:
        page.goto("/courses/comp10001/bo/")
        page.set_input_files("#file", {"name": "plain.py", "mimeType": "text/x-python", "buffer": b"x = 1\n"})
        page.get_by_role("button", name="Upload").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("plain.py")
        page.goto(f"/games/{game}/plays/0")
        page.get_by_role("link", name="Next").click()
        expect(page.locator(".caption strong")).to_have_text("1")


def test_an_own_call_is_copied_and_downloaded_as_a_test(chromium: Browser, site: tuple[School, str]) -> None:
    school, address = site
    game = school.play(*school.bots()[:3], school.enter("ada"), record=disqualified(ON_TURN, Verdict.ILLEGAL))
    with signed_in(chromium, address, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.goto(f"/games/{game}/plays/0")
        offer = page.locator("[data-test]")
        expect(offer).to_be_hidden()
        page.keyboard.press("End")
        expect(offer).to_be_visible()
        offer.get_by_role("link", name="Copy").click()
        expect(page.locator("#said")).to_have_text("Copied")
        with page.expect_download() as saved:
            offer.get_by_role("link", name="Download as a test").click()
        assert saved.value.suggested_filename == f"test_games_{game}_plays_{PLAYS + 1}.py"
        text = saved.value.path().read_text()
        assert "result = comp10001bo_play(" in text
        assert page.evaluate("navigator.clipboard.readText()") == text
        page.keyboard.press("ArrowLeft")
        expect(offer).to_be_visible()  # a legal play of its own


def test_a_phone_shows_all_of_my_versions(chromium: Browser, site: tuple[School, str]) -> None:
    school, address = site
    school.enter("ada", games=100, wins=30)
    with signed_in(chromium, address, viewport={"width": 360, "height": 740}) as page:
        page.goto(f"/assignments/{school.assignment}/versions/")
        table = page.get_by_role("region", name="My versions: table")
        assert table.evaluate("it => it.scrollWidth <= it.clientWidth")


def pages_of(school: School) -> dict[str, list[str]]:
    """The addresses of pages with much on them, by the login of whoever reads them."""
    entry, submission = school.enter("ada", games=100, wins=30), school.graded("ada", good())
    game = school.play(entry, *school.bots()[:3], record=disqualified(0))
    pictured = school.enter("ben")
    play_evening(school, pictured, 6)
    waiting, assignment, ladder = school.upload("ada"), f"/assignments/{school.assignment}", school.tournament
    students = [
        "/",
        "/account/",
        "/account/mail/",
        "/account/data/",
        "/notices/",
        "/courses/comp10001/bo/",
        "/courses/comp10001/bo/rules",
    ]
    students += ["/join/", "/courses/comp10001/pseudonym/", "/courses/comp10001/bo/worked-turn/plays/1"]
    students += [f"/entries/{entry}/", f"/entries/{pictured}/?seat=0"]
    students += [f"/submissions/{submission}/", f"/submissions/{waiting}/"]
    students += [f"/submissions/{submission}/code/", f"/submissions/{waiting}/code/compared/"]
    programs = [school.graded("ada", each) for each in (failing(), uncompiled())]
    students += [f"/submissions/{each}/" for each in programs]
    students += [f"/games/{game}/offence", f"/tournaments/{ladder}/custom-games/", f"{assignment}/final/"]
    batch, comparison = batch_of(school, 5), compared(school, new_version(school))
    for number, record in enumerate([whole(), disqualified(3)]):
        played(school, batch_games(school, batch)[number], record)
    for number in range(25):
        add_pair(school, comparison, number, whole(), disqualified(0) if number % 5 == 0 else whole())
    students += [f"/custom-batches/{batch}/", f"/comparisons/{comparison}/", f"{assignment}/versions/"]
    students += ["/courses/comp10001/gradebook/", f"{assignment}/marks/1/", f"{assignment}/people/1/history"]
    teachers = [
        f"{assignment}/{page}/"
        for page in ("manage", "queue", "people", "requests", "people/1", "people/add", "opened", "settings", "final")
    ]
    teachers += [f"{assignment}/{page}" for page in ("marks/", "marks/rules", "marks/publication", "marks/files/")]
    teachers += [
        f"{assignment}/marks/1/",
        f"{assignment}/marking/?section=none",
        f"{assignment}/extensions/",
        *(f"/courses/comp10001/people/{page}" for page in ("", "add/", "1/")),
        "/courses/comp10001/gradebook/",
    ]
    parts = ("", "text/", "starter/", "questions/", "questions/q1/", "tournaments/", "players/", "try/", "publish/")
    teachers += [f"{assignment}/edit/{part}" for part in (*parts, "versions/", "versions/1/", "preview/")]
    with school.write() as session:
        editor = f"/assignments/{add_programs(session, school.course, UNO)}/edit"
    parts = ("", "files/given/", "files/given/main.cpp", "files/submissions/", "cases/", "cases/01-two/")
    teachers += [f"{editor}/try/", *(f"{editor}/questions/uno/{part}" for part in parts)]
    teachers += ["/courses/comp10001/", "/courses/comp10001/webhooks/", "/new-course/"]
    teachers += ["/courses/comp10001/new-assignment/", "/courses/comp10001/settings/"]
    teachers += [f"/submissions/{submission}/code/{query}" for query in ("?comment=1", "compared/?who=a")]
    teachers += [f"{assignment}/insight/", f"{assignment}/insight/funnel/2/", f"{assignment}/insight/funnel/0/"]
    teachers += [f"/tournaments/{ladder}/{page}" for page in ("", "watch/", "bracket/")]
    return {"ada": students, "ines": teachers}


@pytest.mark.full
def test_every_page_fits_a_small_telephone_and_is_for_everybody(chromium: Browser, site: tuple[School, str]) -> None:
    school, address = site
    for login, paths in pages_of(school).items():
        with signed_in(chromium, address, login, viewport={"width": 360, "height": 740}) as page:
            for path in paths:
                check_page(page, path, 360)


@pytest.mark.parametrize("script", [True, False])
def test_on_a_phone_the_menu_opens_and_closes_by_keyboard(
    chromium: Browser, site: tuple[School, str], script: bool
) -> None:
    phone = {"width": 360, "height": 740}
    with signed_in(chromium, site[1], java_script_enabled=script, viewport=phone) as page:
        page.goto("/")
        menu, notices = page.get_by_role("button", name="Menu"), page.get_by_role("link", name="Notices", exact=True)
        expect(notices).to_be_hidden()
        menu.press("Enter")
        expect(notices).to_be_visible()
        if script:
            load(page)
            check_shown(page, 360, EVERYBODY)
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Courses", exact=True)).to_be_focused()
        page.keyboard.press("Escape")
        expect(notices).to_be_hidden()
        expect(menu).to_be_focused()
        if script:
            menu.press("Enter")
            page.get_by_role("button", name="Sign out").focus()
            page.keyboard.press("Tab")
            expect(notices).to_be_hidden()
            expect(page.locator("main :focus")).to_have_count(1)
        page.set_viewport_size({"width": 1280, "height": 740})
        expect(notices).to_be_visible()
        expect(menu).to_be_hidden()


def test_the_way_of_a_new_person_into_a_course_fits_a_small_telephone(
    chromium: Browser, site: tuple[School, str]
) -> None:
    school, address = site
    with school.write() as session:
        code = members.new_code(session, session.get_one(Course, school.course), school.people["ines"], 7, "", "")
        token = registration.link_token(installation_secret(session), code.code, "zoe@uni.example")
        paths = [f"/register/?code={code.code}", "/register/", f"/register/{token}"]
    context = chromium.new_context(base_url=address, viewport={"width": 360, "height": 740})
    page = context.new_page()
    for path in paths:
        check_page(page, path, 360)
    page.get_by_label("Name", exact=True).fill("Zoe Zhang")
    page.get_by_label("Password").fill("a rather new password")
    page.get_by_role("button", name="Create the account and join").click()
    expect(page.get_by_text("Your user name is zoe@uni.example.")).to_be_visible()
    context.close()


def test_among_texts_that_are_alike_the_pale_one_is_found(chromium: Browser, site: tuple[School, str]) -> None:
    with signed_in(chromium, site[1], viewport={"width": 360, "height": 740}) as page:
        check_page(page, "/", 360)
        page.emulate_media(color_scheme="light")
        page.get_by_role("link").last.evaluate("it => it.style.color = 'gray'")
        with pytest.raises(AssertionError, match="color-contrast"):
            check_shown(page, 360, ["color-contrast"])


def test_an_instructor_makes_a_problem_set_and_a_student_sees_it(chromium: Browser, site: tuple[School, str]) -> None:
    school, address = site
    with signed_in(chromium, address, "ines") as page, open_sandbox("trusted") as box:
        page.goto("/courses/comp10001/")
        page.get_by_role("link", name="New assignment").click()
        page.get_by_role("radio", name="Your own questions").check()
        expect(page.get_by_label("Game", exact=True)).to_be_hidden()
        page.get_by_role("textbox", name="Title").fill("Warm-up")
        expect(page.get_by_role("textbox", name="Address")).to_have_value("warm-up")
        page.get_by_role("button", name="Create the assignment").click()
        held: list[Route] = []
        page.route("**/draft.js*", lambda route: held.append(route))
        page.get_by_role("link", name="Text", exact=True).click()
        page.get_by_label("What students read").fill("Have **fun**.")  # before the script has come
        held[0].continue_()
        page.unroute("**/draft.js*")
        expect(page.locator("[data-rendered] strong")).to_have_text("fun")
        expect(page.locator("[data-saved]")).to_have_text("Saved.")
        page.get_by_role("link", name="Questions", exact=True).click()
        page.get_by_label("Title").fill("Double it")
        page.get_by_label("Function that students write").fill("double")
        page.get_by_role("button", name="Add the question").click()
        page.get_by_label("Parameters", exact=True).fill("number")
        page.get_by_label("Examples").fill(">>> double(2)\n4\n>>> double(\n")
        expect(page.locator("[data-trouble=examples]")).to_contain_text("line 3")
        page.get_by_label("Examples").fill(">>> double(2)\n4\n")
        expect(page.locator("[data-trouble=examples]")).to_be_hidden()
        page.get_by_label("cases.py").fill("def cases(rng):\n    yield (21,)\n")
        page.get_by_label("solution.py").fill("def double(number):\n    return 2 * number\n")
        page.get_by_role("button", name="Save the draft").click()
        page.get_by_role("link", name="Try it", exact=True).first.click()
        page.get_by_role("button", name="Grade it").click()
        expect(page.get_by_text("Waiting for a grading worker")).to_be_visible()
        work(school, box)
        expect(page.get_by_text("2 of 2 passed")).to_be_visible()
        page.get_by_role("link", name="Publish", exact=True).click()
        page.get_by_role("button", name="Publish version 1").click()
        expect(page.get_by_text("Waiting for a grading worker")).to_be_visible()
        work(school, box)
        expect(page.get_by_text("There is nothing to publish.")).to_be_visible()
        expect(page.get_by_text("Nothing is published yet")).to_have_count(0)
        expect(page.get_by_text("Version 1 is published.")).to_have_count(2)
    with signed_in(chromium, address) as page:
        page.goto("/")
        page.get_by_role("link", name="Warm-up", exact=True).click()
        expect(page.locator(".prose strong")).to_have_text("fun")
        expect(page.get_by_text("Double it")).to_be_visible()


def test_the_input_of_a_case_is_copied_and_saved(chromium: Browser, site: tuple[School, str]) -> None:
    school, address = site
    id_ = school.graded("ada", failing())
    with signed_in(chromium, address) as page:
        page.goto(f"/submissions/{id_}/")
        save = page.get_by_role("button", name="Save input").first
        copy = page.locator(".copied", has=save).locator("[data-copy]").first
        copy.click()
        expect(copy).to_have_text(re.compile("Copied|Selected"))
        expect(copy).to_have_text("Copy input")
        with page.expect_download() as saved:
            save.click()
        assert saved.value.suggested_filename == "01-two.in"
        assert saved.value.path().read_text() == "Ada\nBen\n"


@pytest.mark.parametrize("script", [True, False])
def test_the_longest_error_of_a_refused_form_is_in_view(
    chromium: Browser, site: tuple[School, str], script: bool
) -> None:
    """On a phone, in a form at the end of a long page."""
    school, address = site
    phone = {"viewport": {"width": 360, "height": 640}, "java_script_enabled": script}
    with signed_in(chromium, address, "ines", refused="422", **phone) as page:
        page.goto(f"/assignments/{school.assignment}/settings/")
        page.locator("summary", has_text="Custom games").click()
        page.get_by_label("Games that each member may request per hour").fill("many")
        page.get_by_role("button", name="Save the settings").click()
        problem, field = page.locator(".problem").first, page.locator("[aria-invalid=true]")
        expect(field).to_be_focused()
        expect(problem).to_be_in_viewport(ratio=1)
        assert str(problem.get_attribute("id")) in str(field.get_attribute("aria-describedby")).split()


def test_what_is_not_saved_is_named_and_leaving_asks_first(chromium: Browser, site: tuple[School, str]) -> None:
    school, address = site
    asked: list[str] = []
    with signed_in(chromium, address, "ines", refused="422") as page:
        page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
        page.goto("/new-course/")
        page.get_by_label("Time zone").fill("nowhere")
        page.get_by_role("button", name="Create the course").click()
        expect(page.get_by_label("Title")).to_be_focused()  # the first of several wrong fields
        page.goto(f"/assignments/{school.assignment}/settings/#custom-games")  # a link opens the group
        bar = page.locator(".savebar")
        expect(bar).to_be_in_viewport(ratio=1)
        page.get_by_label("Games that each member may request per hour").fill("many")
        expect(bar).to_contain_text("Not saved yet: Games that each member may request per hour")
        page.get_by_role("button", name="Save the settings").click()
        expect(bar).to_contain_text("Not saved yet: Games that each member")
        assert asked == [], "saving is not leaving"
        page.get_by_role("link", name="Courses").first.click()
        page.wait_for_url(f"{address}/")
        assert asked == ["beforeunload"]


@pytest.mark.parametrize("script", [True, False])
def test_a_worked_turn_is_stepped_through_on_the_rules_page(
    chromium: Browser, site: tuple[School, str], script: bool
) -> None:
    address = f"{site[1]}/courses/comp10001/bo"
    with signed_in(chromium, site[1], java_script_enabled=script) as page:
        page.goto(f"{address}/rules")
        page.get_by_role("link", name="Piles").click()
        expect(page.get_by_role("heading", name="Piles")).to_be_in_viewport()
        expect(page.locator(".caption")).to_contain_text("Player 1 begins a turn")
        page.get_by_role("link", name="Next", exact=True).click()
        expect(page.locator(".caption")).to_contain_text("A King or a 2 starts a build pile")
        expect(page).to_have_url(f"{address}/rules#piles-2" if script else f"{address}/worked-turn/plays/1")
