"""A term of thirty students in three sections, in a real browser: from Canvas's class list to Canvas's gradebook.

The deadline is the night in which the clocks of Melbourne move from 2:00 to 3:00. What the totals must be is computed
here once more, in a few lines of their own.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page, expect
from sqlalchemy import select, update

from grader.authoring.versions import publish
from grader.definition.model import Definition
from grader.definition.question import FunctionQuestion
from grader.store.models import Assignment, Submission
from grader.submissions.work import grade_next
from sandbox.choose import open_sandbox
from tests.tournament.finals import BOTS, play_out, stored_player
from tests.web.school import HASHED, Browser, School
from tests.web.site.test_browser import chromium, signed_in, site  # noqa: F401 - fixtures
from tournament.store.database import Sessions
from tournament.store.tables import Entry, Tournament
from tournament.work.services import Services
from web.site.models import Membership, User

DUE = datetime(2026, 10, 3, 15, 30, tzinfo=UTC)  # 1:30 in Melbourne, half an hour before the clocks move
DUE_TYPED, LATER_TYPED = "2026-10-04T01:30", "2026-10-06 01:30"
EXTENDED = (3, 9, 15)  # until 47 hours after the deadline, since that night has one hour less
STYLE = 4
ENTERED = range(8)

# How long after the deadline a student uploads, and how many days have started by then, without an extension. The
# first day ends when the clocks show 1:30 again, which is after 23 hours; grace is 30 minutes, the end is at 72 hours.
UPLOADS = [
    (timedelta(hours=-2), 0),
    (timedelta(minutes=20), 0),
    (timedelta(hours=3), 1),
    (timedelta(hours=22, minutes=50), 1),
    (timedelta(hours=23, minutes=10), 2),
    (timedelta(hours=80), None),
]


@dataclass(frozen=True)
class Pupil:
    """One of the thirty. `late`: the days that have started after their own deadline; None: too late to count."""

    number: int

    @property
    def login(self) -> str:
        return f"s{self.number:02}"

    @property
    def name(self) -> str:
        return f"Pupil {self.number:02}"

    @property
    def section(self) -> str:
        return f"T{self.number % 3 + 1}"

    @property
    def uploads(self) -> timedelta:
        return UPLOADS[self.number % 6][0]

    @property
    def late(self) -> int | None:
        return 0 if self.number in EXTENDED else UPLOADS[self.number % 6][1]

    @property
    def right(self) -> int:
        """Of the two questions."""
        return 1 if self.number % 4 == 3 else 2

    @property
    def style(self) -> int:
        return self.number % (STYLE + 1)

    @property
    def source(self) -> bytes:
        wrong = b"" if self.right == 2 else b"+1"
        return b"def f(x):\n    return x\n\n\ndef g(x):\n    return 2 * x%s\n" % wrong


PUPILS = [Pupil(number) for number in range(30)]


def warm_up(pupil: Pupil) -> float:
    """The mark of Warm-up: 10% of the 2 points less for each day that has started, and up to 4 for the style."""
    points = 0.0 if pupil.late is None else max(0.0, pupil.right - 0.1 * 2 * pupil.late)
    return round(points + pupil.style, 2)


def total(pupil: Pupil, finals: dict[str, float]) -> float:
    """What Warm-up (40) and the final (60) give in all."""
    return round(40 * warm_up(pupil) / (2 + STYLE) + 60 * finals.get(pupil.login, 0.0), 2)


def canvas(marks: dict[str, dict[str, float]]) -> str:
    """The gradebook as Canvas exports it, with these columns of marks by login."""
    out = StringIO()
    rows = csv.writer(out)
    rows.writerow(["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *marks, "Current Score"])
    rows.writerow(["    Points Possible", "", "", "", "", *("100.0" for _ in marks), "(read only)"])
    for each in PUPILS:
        person = [f"{each.number:02}, Pupil", 100 + each.number, 9000 + each.number, each.login]
        cells = (f"{of[each.login]:g}" if each.login in of else "" for of in marks.values())
        rows.writerow([*person, each.section, *cells, ""])
    rows.writerow(["Student, Test", 99, "", "0cd8d2a9", "T1", *("" for _ in marks), ""])
    return out.getvalue()


def given(content: str | bytes, name: str) -> dict[str, str | bytes]:
    return {"name": name, "mimeType": "text/csv", "buffer": content.encode() if isinstance(content, str) else content}


@pytest.fixture
def services(sessions: Sessions) -> Iterator[Services]:
    made = Services(sessions, lambda task: None, open_sandbox, lambda: open_sandbox("trusted"), "worker")
    yield made
    made.close_sandboxes()


class Term:
    """The class, its two assignments, and the instructor's browser."""

    def __init__(self, school: School, page: Page, services: Services) -> None:
        self.school, self.page, self.services = school, page, services
        self.bo = school.assignment
        self.uploads: dict[str, int] = {}
        with school.write() as session:
            for login in ("ada", "ben", "cleo"):
                session.delete(session.get_one(Membership, (school.people[login], school.course)))
            warm_up = Assignment(course_id=school.course, slug="warm-up", title="Warm-up", game="")
            session.add(warm_up)
            session.flush()
            asked = [
                FunctionQuestion(slug=f"q{at}", title=f, function=f, parameters=("x",), examples=f">>> {f}(1)\n{at}")
                for at, f in ((1, "f"), (2, "g"))
            ]
            publish(session, warm_up, Definition(title="Warm-up", questions=tuple(asked)), None, 0)
            self.warm_up = warm_up.id

    def of(self, assignment: int, more: str) -> str:
        return f"/assignments/{assignment}/{more}"

    def enrol(self) -> None:
        """The roster comes from Canvas, the tutors from a pasted list; then everybody has chosen a password."""
        page = self.page
        for file in (canvas({}), "login,name,role,section\ntess,Tess Tutor,tutor,T1;T2\ntheo,Theo Tutor,tutor,T3\n"):
            page.goto(self.of(self.warm_up, "people/add/"))
            page.set_input_files("#file", given(file, "people.csv"))  # type: ignore[arg-type]
            page.get_by_role("button", name="Preview").first.click()
            page.get_by_role("button", name="Add ").click()
            expect(page.get_by_role("heading", name="One-time passwords")).to_be_visible()
        with self.school.write() as session:
            session.execute(update(User).values(password_hash=HASHED, one_time=False))
            self.ids: dict[str, int] = {user.login: user.id for user in session.scalars(select(User))}
        self.pupils = {self.ids[each.login]: each for each in PUPILS}

    def set_deadline(self, assignment: int) -> None:
        page = self.page
        page.goto(self.of(assignment, "settings/#deadline"))
        page.fill("#due", DUE_TYPED)
        page.get_by_role("button", name="Save the settings").click()
        page.get_by_role("checkbox", name="Yes, I am sure").check()
        page.get_by_role("button", name="Save the settings").click()
        page.locator("summary", has_text="Deadline").click()
        expect(page.get_by_text("The deadline was")).to_be_visible()

    def set_zone(self) -> None:
        page = self.page
        page.goto("/courses/comp10001/settings/")
        page.fill("#time_zone", "Australia/Melbourne")
        page.get_by_role("button", name="Save the settings").click()
        expect(page.get_by_text("Australia/Melbourne").first).to_be_visible()

    def upload(self) -> None:
        """Everybody uploads; the files are graded, and get the times of the story."""
        for each in PUPILS:
            data = {"file": (BytesIO(each.source), "warm_up.py"), "mode": "test"}
            browser = self.school.browser(each.login)
            form = "/courses/comp10001/warm-up/"
            assert browser.post(f"{form}submissions", data, form, content_type="multipart/form-data").status_code == 303
        while grade_next(self.services):
            pass
        with self.school.write() as session:
            for upload in session.scalars(select(Submission).where(Submission.assignment_id == self.warm_up)):
                self.uploads[self.pupils[upload.author_id].login] = upload.id
                upload.queued_at = DUE + next(
                    each.uploads for each in PUPILS if self.ids[each.login] == upload.author_id
                )

    def extend(self) -> None:
        page = self.page
        page.goto(self.of(self.warm_up, "extensions/"))
        lines = "".join(f"{9000 + number},{LATER_TYPED},ill\n" for number in EXTENDED)
        page.set_input_files("#file", given("student,until,reason\n" + lines, "ill.csv"))  # type: ignore[arg-type]
        page.get_by_role("region", name="From a file").locator("button").click()
        expect(page.locator("tbody tr")).to_have_count(len(EXTENDED))
        expect(page.locator("tbody tr").first).to_contain_text("Pupil 03")

    def set_rules(self) -> None:
        """10% for each started day, half an hour of grace, an end, and marks for style."""
        page = self.page
        page.goto(self.of(self.warm_up, "marks/rules"))
        for name, value in (("grace_minutes", "30"), ("percent", "10"), ("cut_off_hours", "72")):
            page.fill(f"#rules-{name}", value)
        page.fill("#rules-rubric", f"Style = {STYLE}")
        self._preview_and_save("Save the rules")
        page.goto(self.of(self.bo, "marks/rules"))
        page.fill("#rules-points_worth", "0")
        page.fill("#rules-tournament_worth", "10")
        self._preview_and_save("Save the rules")

    def _preview_and_save(self, button: str) -> None:
        self.page.get_by_role("button", name="Preview").click()
        self.page.get_by_role("button", name=button).click()
        expect(self.page.locator("main")).not_to_contain_text("Preview of")

    def play_final(self) -> None:
        """Eight have entered a player; the ladder rests."""
        self.school.change(Tournament, self.school.tournament, target_games=0)
        with self.school.write() as session:
            for number in ENTERED:
                source = BOTS[1 + number % 2] + b"\n# %d" % number
                entry = Entry(tournament_id=self.school.tournament, author_id=self.ids[PUPILS[number].login])
                entry.player_id, entry.name = stored_player(session, source), f"Badger {number}"
                entry.entered_at = DUE - timedelta(hours=1)
                session.add(entry)
        page = self.page
        page.goto(self.of(self.bo, "final/"))
        for name, value in (("first_games", "4"), ("most_games", "4"), ("fault_limit", "2")):
            page.fill(f"#freeze-{name}", value)
        page.get_by_role("button", name="Freeze the final").click()
        page.get_by_role("button", name="Start the final").click()
        play_out(self.services)
        page.goto(self.of(self.bo, "final/"))
        page.get_by_label("I have looked at").check()
        page.get_by_role("button", name="Publish").click()
        with page.expect_download() as file:
            page.get_by_role("link", name="Marks as CSV").click()
        rows = csv.DictReader(StringIO(Path(file.value.path()).read_text("utf-8-sig")))
        self.finals = {row["login"]: float(row["mark"]) for row in rows if row["mark"]}
        assert len(self.finals) == len(ENTERED)

    def totals(self) -> dict[str, float]:
        """The totals in the file of the course, by login."""
        self.page.goto("/courses/comp10001/gradebook/")
        with self.page.expect_download() as file:
            self.page.get_by_role("link", name="CSV").first.click()
        rows = [*csv.DictReader(StringIO(Path(file.value.path()).read_text("utf-8-sig")))]
        return {row["login"]: float(row[next(name for name in row if name.startswith("Total"))] or 0) for row in rows}

    def weigh(self) -> None:
        page = self.page
        page.goto("/courses/comp10001/gradebook/")
        page.get_by_text("Weights and late days").click()
        page.fill(f"#weights-weight-{self.warm_up}", "40")
        page.fill(f"#weights-weight-{self.bo}", "60")
        self._preview_and_save("Save")

    def publish(self) -> None:
        for assignment in (self.warm_up, self.bo):
            self.page.goto(self.of(assignment, "marks/publication"))
            for box in self.page.get_by_role("checkbox").all():
                box.check()
            self.page.get_by_role("button", name="Publish").click()
            expect(self.page.get_by_role("button", name="Publish again")).to_be_visible()

    def fill(self) -> None:
        """Canvas's file comes back with the marks of both assignments, and otherwise as it was."""
        columns = {"Warm-up (71)": {}, "Project 2: Comp10001-Bo (72)": {}}  # type: dict[str, dict[str, float]]
        page = self.page
        page.goto("/courses/comp10001/gradebook/files/")
        page.set_input_files("#file", given(canvas(columns), "canvas.csv"))  # type: ignore[arg-type]
        page.get_by_role("button", name="Choose the columns").click()
        page.get_by_role("button", name="Fill in the file").click()
        expect(page.get_by_role("heading", name="30 students found in the file")).to_be_visible()
        with page.expect_download() as file:
            page.get_by_role("link", name="Download the file").click()
        marks = [{each.login: warm_up(each) for each in PUPILS}, {of: 10 * mark for of, mark in self.finals.items()}]
        assert Path(file.value.path()).read_bytes().decode() == canvas(dict(zip(columns, marks, strict=True)))


def mark(tutor: Browser, term: Term, pupil: Pupil) -> None:
    """Mark the style of somebody by hand, as a tutor, and comment on a line."""
    data = {"rubric-r1": str(pupil.style), "remark": f"Seen by a tutor of {pupil.section}.", "was": "0"}
    assert tutor.post(term.of(term.warm_up, f"marks/{term.ids[pupil.login]}/"), data).status_code == 303
    comment = {"file": "warm_up.py", "line": "6", "comment": f"{pupil.name}, why {pupil.right}?"}
    address = f"/submissions/{term.uploads[pupil.login]}/comments"
    assert tutor.post(address, comment).status_code == 303


@pytest.mark.full
def test_a_term(chromium: Chromium, site: tuple[School, str], services: Services) -> None:  # noqa: F811
    school, address = site
    with signed_in(chromium, address, "ines", refused="422") as page:
        term = Term(school, page, services)
        term.enrol()
        term.set_zone()
        term.set_deadline(term.warm_up)
        term.set_deadline(term.bo)
        term.upload()
        term.extend()
        term.set_rules()
        term.play_final()
        for login, sections in (("tess", ("T1", "T2")), ("theo", ("T3",))):
            tutor = school.browser(login)
            for pupil in PUPILS:
                if pupil.section in sections:
                    mark(tutor, term, pupil)
                else:
                    assert tutor.get(term.of(term.warm_up, f"marks/{term.ids[pupil.login]}/")).status_code == 404
        term.weigh()
        term.publish()
        assert term.totals() == {each.login: total(each, term.finals) for each in PUPILS}
        term.fill()
    with signed_in(chromium, address, "s04", viewport={"width": 390, "height": 844}) as page:
        page.goto("/notices/")
        page.get_by_role("link", name="Line 6 of warm_up.py").click()
        expect(page.get_by_text("Pupil 04, why 2?")).to_be_visible()
        page.goto(f"/assignments/{term.warm_up}/marks/{term.ids['s04']}/")
        expect(page.get_by_role("heading", name="How this mark was calculated")).to_be_visible()
        expect(page.get_by_text("Seen by a tutor of T2.")).to_be_visible()
        expect(page.locator("tfoot strong")).to_have_text(f"{warm_up(PUPILS[4]):g}")
