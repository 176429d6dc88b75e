"""The editor of assignments: drafts, trying them, and publishing them."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from sqlalchemy import select
from werkzeug.test import TestResponse

from grader.authoring.course_folder.course import builtin
from grader.authoring.course_folder.writing import write_assignment
from grader.authoring.drafts import definition_in
from grader.authoring.jobs import publish_due
from grader.authoring.versions import definition_of
from grader.authoring.versions import publish as publish_version
from grader.definition.local_times import UTC_ZONE
from grader.definition.model import to_json
from grader.store.models import Assignment, AssignmentDraft, AssignmentVersion, AuthoringJob, Submission
from grader.submissions.work import grade_next
from sandbox.api import Fault, Limits, Program, Sandbox, SandboxError, Session
from sandbox.choose import open_sandbox
from tests.web.reports import good
from tests.web.school import Browser, School
from tournament.games.options import options_of
from tournament.play.games import find_game
from tournament.store.jobs import MAX_ATTEMPTS, JobState
from tournament.work.services import Services

SOLUTION = "def double(number):\n    return 2 * number\n"
QUESTION = {
    "title": "Double it",
    "function": "double",
    "parameters": "number",
    "text": "Return twice the number.",
    "examples": ">>> double(2)\n4\n",
    "cases": "def cases(rng):\n    for _ in range(5):\n        yield (rng.randrange(100),)\n",
    "solution": SOLUTION,
    "points": "2.5",
    "call_s": "1",
    "gate": "none",
    "shows": "twin",
    "kind": "exact",
    "visible": "on",
}


@pytest.fixture(scope="module")
def trusted() -> Iterator[Sandbox]:
    """A sandbox without a jail, which is fast: what is tested here is what surrounds it."""
    with open_sandbox("trusted") as opened:
        yield opened


def work(school: School, sandbox: Sandbox) -> None:
    """What a grading worker finds to do."""
    services = Services(school.sessions, school.sent.append, lambda: sandbox, lambda: sandbox, "worker")
    while grade_next(services):
        pass


def new_set(school: School, browser: Browser) -> int:
    """A problem set with one question, in a draft; its assignment."""
    made = browser.post(
        "/courses/comp10001/new-assignment/", {"slug": "warm-up", "title": "Warm-up", "source": "empty"}
    )
    assignment = int(re.findall(r"/assignments/(\d+)/edit/", made.location)[0])
    edit = f"/assignments/{assignment}/edit"
    browser.post(f"{edit}/questions/add", {"slug": "q1", "title": "Double it", "function": "double"})
    save(browser, f"{edit}/questions/q1/", **QUESTION)
    return assignment


def save(browser: Browser, path: str, **form: str) -> int:
    """Send a form of the editor as it is shown, with that typed into it."""
    was = re.findall(r'name="was" value="(\w*)"', browser.get(path).text)[0]
    return browser.post(path, {"was": was, **form}).status_code


def send(browser: Browser, path: str, **typed: str) -> None:
    """Send the form that saves, with all its fields as the page shows them, but for what is typed."""
    form = Form()
    form.feed(browser.get(path).text)
    if form.fields:
        assert browser.post(path, {**form.fields, **typed}).status_code == 303


class Form(HTMLParser):
    """The fields of the form of a page that is saved as one types."""

    def __init__(self) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self.inside, self.area, self.choice = False, "", ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name = given.get("name") or ""
        if tag == "form":
            self.inside = "data-draft" in given
        if not self.inside:
            return
        if tag == "input" and (given.get("type") != "checkbox" or "checked" in given):
            self.fields[name] = given.get("value") or ("on" if given.get("type") == "checkbox" else "")
        elif tag == "select":
            self.choice = name
        elif tag == "option" and (self.choice not in self.fields or "selected" in given):
            self.fields[self.choice] = given.get("value") or ""
        elif tag == "textarea":
            self.area, self.fields[name] = name, ""

    def handle_data(self, data: str) -> None:
        if self.area:
            self.fields[self.area] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self.area:
            self.fields[self.area] = self.fields[self.area].removeprefix("\n")
            self.area = ""
        if tag == "form":
            self.inside = False


def content(school: School, assignment: int) -> dict[str, Any]:
    with school.write() as session:
        return session.get_one(AssignmentDraft, assignment).content


def test_a_problem_set_is_made_tried_published_and_solved(school: School, trusted: Sandbox) -> None:
    ines, ada = school.browser("ines"), school.browser("ada")
    assignment = new_set(school, ines)
    edit = f"/assignments/{assignment}/edit"
    assert ada.get("/courses/comp10001/warm-up/").status_code == 404
    assert ines.get("/courses/comp10001/warm-up/").location == f"{edit}/"
    assert ines.post(f"{edit}/try/", {"what": "solution"}).status_code == 303
    assert ines.post(f"{edit}/try/", {"what": "check"}).status_code == 303
    work(school, trusted)
    tried = ines.get(f"{edit}/try/").text
    assert "6 of 6 passed" in tried
    assert "Everything is right." in tried
    assert ines.post(f"{edit}/publish/", {"when": "now"}).status_code == 303
    assert re.search(r"Waiting for a grading worker\.\s+This task is next\.", ines.get(f"{edit}/publish/").text)
    school.upload("ada")
    assert "1 student upload comes first." in ines.get(f"{edit}/publish/").text
    work(school, trusted)
    assert "Version 1 is published." in ines.get(f"{edit}/publish/").text
    page = ada.get("/courses/comp10001/warm-up/").text
    assert "Double it" in page
    ada.post("/courses/comp10001/warm-up/submissions", {"mode": "test", "text": SOLUTION})
    work(school, trusted)
    with school.write() as session:
        submission = session.scalars(select(Submission).where(Submission.assignment_id == assignment)).one()
        assert (submission.state, submission.points, submission.version) == (JobState.DONE, 2.5, 1)


def test_what_is_wrong_with_a_draft_is_listed_with_links_and_keeps_it_from_being_published(school: School) -> None:
    ines = school.browser("ines")
    edit = f"/assignments/{new_set(school, ines)}/edit"
    wrong = {**QUESTION, "points": "many", "examples": ">>> double(1)\n2\n>>> triple(1)\n3\n", "solution": ""}
    assert save(ines, f"{edit}/questions/q1/", **wrong) == 303
    assert save(ines, f"{edit}/", title="", due_at="tomorrow", visible_from="", game="") == 303
    page = ines.get(f"{edit}/publish/").text
    for link, said in {
        "questions/q1/#points": "This must be a number.",
        "questions/q1/#examples": "</a>, line 3: this must be a call to double, not to triple.",
        "questions/q1/#cases": "There is no questions/q1/solution.py, which defines the right answers.",
        "#title": "This must have at least 1 character.",
        "#due_at": "“tomorrow” is not a date and time such as",
    }.items():
        assert f'href="{edit}/{link}"' in page
        assert said in page
    assert "Publish version" not in page
    assert ines.post(f"{edit}/publish/", {"when": "now"}).status_code == 422
    assert 'value="many"' in ines.get(f"{edit}/questions/q1/").text, "what was typed is kept"


@pytest.mark.parametrize(("same_part", "status"), [(True, 409), (False, 303)])
def test_of_two_instructors_who_edit_the_same_part_the_second_is_told_and_loses_nothing(
    school: School, same_part: bool, status: int
) -> None:
    ines = school.browser("ines")
    assignment = new_set(school, ines)
    edit = f"/assignments/{assignment}/edit"
    path = f"{edit}/questions/q1/"
    was = re.findall(r'name="was" value="(\w*)"', ines.get(path).text)[0]
    if same_part:
        save(ines, path, **{**QUESTION, "text": "Somebody else’s words."})
    else:
        save(ines, f"{edit}/text/", text="Other words.")
    answer = ines.post(path, {**QUESTION, "was": was, "title": "Mine"})
    assert answer.status_code == status
    if same_part:
        assert "Ines Realname has changed this part since you opened it" in answer.text
        assert 'value="Mine"' in answer.text
        assert "Somebody else’s words." in answer.text
        again = re.findall(r'name="was" value="(\w*)"', answer.text)[0]
        assert ines.post(path, {**QUESTION, "was": again, "title": "Mine"}).status_code == 303
    assert "Mine" in str(content(school, assignment)["questions"])


def test_a_script_saves_and_is_told_what_is_wrong(school: School) -> None:
    ines = school.browser("ines")
    assignment = new_set(school, ines)
    path = f"/assignments/{assignment}/edit/questions/q1/"
    was = re.findall(r'name="was" value="(\w*)"', ines.get(path).text)[0]
    answer = ines.post(path, {**QUESTION, "was": was, "points": "-1"}, headers={"X-Draft": "1"})
    assert answer.json is not None
    assert "This must be at least 0." in answer.json["problems"]
    assert ines.post(path, {**QUESTION, "was": was}, headers={"X-Draft": "1"}).status_code == 409
    assert ines.post(path, {**QUESTION, "was": answer.json["was"]}, headers={"X-Draft": "1"}).status_code == 200


@pytest.mark.parametrize("slug", ["bo", "phazed", "go", "kotc", "uno"])
def test_a_built_in_assignment_goes_through_the_editor_unchanged(school: School, slug: str) -> None:
    """What nobody changes stays as it is: the definition made on the site equals that in the folder."""
    ines = school.browser("ines")
    made = ines.post(
        "/courses/comp10001/new-assignment/", {"slug": f"{slug}-2", "title": "", "source": "game", "game": slug}
    )
    edit = made.location.rstrip("/")
    assignment = int(re.findall(r"/assignments/(\d+)/", made.location)[0])
    pages = ["", "text/", "starter/", "players/", "tournaments/", "questions/"]
    for path in (*pages, *(f"questions/{each.slug}/" for each in builtin(slug).questions)):
        send(ines, f"{edit}/{path}")
    with school.write() as session:
        draft = session.get_one(AssignmentDraft, assignment)
        assert to_json(definition_in(draft.content)) == to_json(builtin(slug))


def publish(school: School, browser: Browser, assignment: int, sandbox: Sandbox) -> None:
    browser.post(f"/assignments/{assignment}/edit/publish/", {"when": "now"})
    work(school, sandbox)


def numbers(school: School, assignment: int) -> list[int]:
    with school.write() as session:
        wanted = select(AssignmentVersion.number).where(AssignmentVersion.assignment_id == assignment)
        return list(session.scalars(wanted.order_by(AssignmentVersion.number)))


def test_a_publication_that_comes_second_changes_nothing_and_can_follow_the_first(
    school: School, trusted: Sandbox
) -> None:
    ines = school.browser("ines")
    assignment = new_set(school, ines)
    edit = f"/assignments/{assignment}/edit"
    publish(school, ines, assignment, trusted)
    save(ines, f"{edit}/text/", text="Mine.")
    with school.write() as session:  # as a push from a folder does
        row = session.get_one(Assignment, assignment)
        publish_version(session, row, definition_of(session, row).model_copy(update={"title": "Theirs"}), None, 1)
    page = ines.get(f"{edit}/publish/").text
    assert "Somebody using the command line published version 2 after this draft was started from version 1" in page
    publish(school, ines, assignment, trusted)
    assert "Nothing was published." in ines.get(f"{edit}/publish/").text
    assert numbers(school, assignment) == [1, 2]
    assert ines.post(f"{edit}/publish/over").status_code == 303
    publish(school, ines, assignment, trusted)
    assert numbers(school, assignment) == [1, 2, 3]


def test_what_is_typed_while_a_draft_is_published_stays_in_the_draft(school: School, trusted: Sandbox) -> None:
    ines = school.browser("ines")
    assignment = new_set(school, ines)
    ines.post(f"/assignments/{assignment}/edit/publish/", {"when": "now"})
    save(ines, f"/assignments/{assignment}/edit/text/", text="Later words.")
    work(school, trusted)
    with school.write() as session:
        draft = session.get_one(AssignmentDraft, assignment)
        assert (draft.base, draft.content["text"]) == (1, "Later words.")
    publish(school, ines, assignment, trusted)
    assert numbers(school, assignment) == [1, 2]
    with school.write() as session:
        assert session.get(AssignmentDraft, assignment) is None


def test_a_draft_is_published_at_its_time_and_its_author_is_told(school: School, trusted: Sandbox) -> None:
    ines = school.browser("ines")
    assignment = new_set(school, ines)
    edit = f"/assignments/{assignment}/edit"
    assert ines.post(f"{edit}/publish/", {"when": "later", "at": "2020-01-01T10:00"}).status_code == 422
    assert "Enter a date and time such as" in ines.post(f"{edit}/publish/", {"when": "later", "at": ""}).text
    assert ines.post(f"{edit}/publish/", {"when": "later", "at": "2999-01-01T10:00"}).status_code == 303
    assert 'value="2999-01-01T10:00"' in ines.get(f"{edit}/publish/").text
    at = datetime(2999, 1, 1, 10, tzinfo=UTC)
    with school.write() as session:
        assert publish_due(session, at - timedelta(seconds=1)) == 0
        assert publish_due(session, at) == 1
    work(school, trusted)
    assert numbers(school, assignment) == [1]
    assert "Version 1 of Warm-up was published" in ines.get("/notices/").text


def test_a_wrong_draft_is_not_published_at_its_time_and_its_author_is_told(school: School) -> None:
    ines = school.browser("ines")
    assignment = new_set(school, ines)
    ines.post(f"/assignments/{assignment}/edit/publish/", {"when": "later", "at": "2999-01-01T10:00"})
    save(ines, f"/assignments/{assignment}/edit/questions/q1/", **{**QUESTION, "points": "x"})
    with school.write() as session:
        assert publish_due(session, datetime(2999, 2, 1, tzinfo=UTC)) == 0
    assert "Warm-up was not published" in ines.get("/notices/").text


def test_what_the_check_finds_keeps_a_draft_from_being_published(school: School, trusted: Sandbox) -> None:
    ines = school.browser("ines")
    assignment = new_set(school, ines)
    edit = f"/assignments/{assignment}/edit"
    save(ines, f"{edit}/questions/q1/", **{**QUESTION, "solution": "def double(number):\n    return 3 * number\n"})
    publish(school, ines, assignment, trusted)
    page = ines.get(f"{edit}/publish/").text
    assert "Nothing was published." in page
    assert f'href="{edit}/questions/q1/#solution"' in page
    assert numbers(school, assignment) == []


def test_a_killed_worker_does_not_publish_twice_and_three_internal_errors_park_the_job(school: School) -> None:
    ines = school.browser("ines")
    assignment = new_set(school, ines)
    ines.post(f"/assignments/{assignment}/edit/publish/", {"when": "now"})
    for _ in range(MAX_ATTEMPTS):
        work(school, Broken())
        with school.write() as session:
            session.scalars(select(AuthoringJob)).one().lease_until = None
    assert numbers(school, assignment) == []
    assert (
        "An internal error happened several times in a row" in ines.get(f"/assignments/{assignment}/edit/publish/").text
    )
    assert "nothing was published" in ines.get("/notices/").text


class Broken(Sandbox):
    """A sandbox that starts nothing."""

    name = "broken"

    def open(self, program: Program, limits: Limits, seed: int) -> Session | Fault:
        raise SandboxError("it does not start")

    def close(self) -> None:
        pass


def test_any_version_can_be_taken_as_a_new_draft(school: School, trusted: Sandbox) -> None:
    ines = school.browser("ines")
    assignment = new_set(school, ines)
    edit = f"/assignments/{assignment}/edit"
    publish(school, ines, assignment, trusted)
    save(ines, f"{edit}/", title="Second", due_at="", visible_from="", game="")
    publish(school, ines, assignment, trusted)
    assert "Title: Warm-up → Second" in ines.get(f"{edit}/versions/2/").text
    assert ines.post(f"{edit}/versions/1/take").status_code == 303
    assert "Title: Second → Warm-up" in ines.get(f"{edit}/publish/").text
    publish(school, ines, assignment, trusted)
    assert numbers(school, assignment) == [1, 2, 3]
    assert "version 2" in ines.get(f"{edit}/versions/").text


def test_changed_options_are_announced_as_a_new_season_and_changed_points_as_changed_marks(school: School) -> None:
    school.graded("ada", good())
    school.enter("ada")
    ines, edit = school.browser("ines"), f"/assignments/{school.assignment}/edit"
    page = ines.get(f"{edit}/questions/").text
    first = re.findall(r'name="points-([\w-]+)"', page)[0]
    send(ines, f"{edit}/questions/", **{f"points-{first}": "7"})
    send(ines, f"{edit}/", **{f"option-{options_of(find_game('bo'))[0].name}": "3"})
    page = ines.get(f"{edit}/publish/").text
    assert "<strong>The season of the ladder ends.</strong> 1 student entry leaves the ladder" in page
    assert "<strong>Marks could change.</strong> 1 submission has been graded" in page


def test_publishing_after_a_change_on_the_settings_page_keeps_the_pages_value(school: School, trusted: Sandbox) -> None:
    ines, edit = school.browser("ines"), f"/assignments/{school.assignment}/edit"
    settings, ladder = f"/assignments/{school.assignment}/settings/", f"ladder-{school.tournament}"
    save(ines, f"{edit}/text/", text="A draft from before the settings were changed.")
    slug = re.findall(r'name="(gate-[\w-]+)"', ines.get(settings).text)[0]
    chosen = {
        "due": "2999-01-01T10:00",
        "trial_games": "12",
        "quota": "7",
        slug: "all",
        f"{ladder}-target_games": "444",
    }
    assert ines.post(settings, chosen).status_code == 303
    page = ines.get(f"{edit}/publish/").text
    assert "Text: " in page
    for changed in ("Deadline: ", "trial games", "custom games", "must pass", "rests"):
        assert changed not in page.partition("What changes</h2>")[2].partition("</section>")[0]
    publish(school, ines, school.assignment, trusted)
    page = ines.get(settings).text
    assert "Version 2 is published" in ines.get(f"{edit}/publish/").text
    for name, value in chosen.items():
        expected = f'value="{value}" selected' if name == slug else f'value="{value}"'
        assert expected in page.partition(f'name="{name}"')[2][:500], name


def test_each_setting_has_one_home_and_the_other_place_links_to_it(school: School) -> None:
    ines, edit = school.browser("ines"), f"/assignments/{school.assignment}/edit"
    settings = f"/assignments/{school.assignment}/settings/"
    for path, fields in {
        "": ("due_at", "trial_games", "custom_games_hour"),
        "tournaments/": ("target_games-standard",),
        "questions/": ("gate-q1",),
    }.items():
        page = ines.get(f"{edit}/{path}").text
        assert f'href="{settings}' in page
        assert not any(f'name="{each}"' in page for each in fields)
    assert f'href="{edit}/"' in ines.get(settings).text
    ines.post(f"{edit}/tournaments/add", {"slug": "bonus", "title": "Bonus"})
    assert 'name="target_games-bonus"' in ines.get(f"{edit}/tournaments/").text, "a new one brings its own"
    assert 'name="due_at"' in ines.get(f"/assignments/{new_set(school, ines)}/edit/").text, "not published yet"


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"slug": "Bad Slug", "title": "x", "source": "empty"}, "Use up to 40 lowercase letters"),
        ({"slug": "bo", "title": "x", "source": "empty"}, "already has a page at the address bo"),
        ({"slug": "new", "title": "", "source": "empty"}, "Give the assignment a title."),
        ({"slug": "new", "source": "game", "game": "chess"}, "There is no game"),
        ({"slug": "new", "source": "copy"}, "Choose an assignment or a zip file."),
    ],
)
def test_an_assignment_that_cannot_be_made_is_explained(school: School, form: dict[str, str], field: str) -> None:
    answer = school.browser("ines").post("/courses/comp10001/new-assignment/", form)
    assert answer.status_code == 422
    assert field in answer.text


def zipped(files: Mapping[str, bytes]) -> tuple[BytesIO, str]:
    out = BytesIO()
    with ZipFile(out, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return BytesIO(out.getvalue()), "course.zip"


def test_an_assignment_comes_from_a_zip_of_its_folder_and_problems_name_files_and_lines(school: School) -> None:
    ines = school.browser("ines")
    files = write_assignment(builtin("bo"), UTC_ZONE)
    form = {"slug": "from-zip", "source": "copy"}
    made = ines.post(
        "/courses/comp10001/new-assignment/", {**form, "zip": zipped(files)}, content_type="multipart/form-data"
    )
    assignment = int(re.findall(r"/assignments/(\d+)/", made.location)[0])
    assert definition_in(content(school, assignment)) == builtin("bo")
    bad = {**files, "assignment.toml": b'title = "x"\nnonsense = 1\n'}
    answer = ines.post(
        "/courses/comp10001/new-assignment/", {**form, "zip": zipped(bad)}, content_type="multipart/form-data"
    )
    assert answer.status_code == 422
    assert "assignment.toml:2: There is no setting nonsense here." in answer.text


def test_a_copy_leaves_the_dates_out_and_an_assignment_without_submissions_can_be_deleted(school: School) -> None:
    ines = school.browser("ines")
    school.change(Assignment, school.assignment, due_at=datetime(2999, 1, 1, tzinfo=UTC))
    form = {"slug": "again", "title": "Again", "source": "copy", "copy": str(school.assignment)}
    copy = int(re.findall(r"/assignments/(\d+)/", ines.post("/courses/comp10001/new-assignment/", form).location)[0])
    copied = content(school, copy)
    assert (copied["title"], copied["due_at"], copied["game"]) == ("Again", None, "bo")
    listed = ines.get("/courses/comp10001/").text
    assert "draft, not published" in listed
    assert re.findall(r'href="([^"]*kit.zip)"', listed) == ["/courses/comp10001/bo/kit.zip"]  # the draft has none yet
    assert ines.post(f"/assignments/{copy}/delete", {"confirm": "on"}).status_code == 303
    assert ines.get(f"/assignments/{copy}/edit/").status_code == 404
    school.upload("ada")
    assert ines.post(f"/assignments/{school.assignment}/delete", {"confirm": "on"}).status_code == 422
    assert ines.post(f"/assignments/{school.assignment}/archive", {"do": "archive"}).status_code == 303
    assert school.browser("ada").get("/courses/comp10001/bo/").status_code == 404
    assert ines.get("/courses/comp10001/bo/kit.zip").status_code == 200


def test_a_published_assignment_with_ladders_and_bots_can_be_deleted_while_nobody_has_submitted(school: School) -> None:
    ines = school.browser("ines")
    assert ines.post(f"/assignments/{school.assignment}/delete", {"confirm": "on"}).status_code == 303
    with school.write() as session:
        assert session.scalars(select(Assignment)).all() == []


@pytest.mark.parametrize("page", ["manage/", "people/", "settings/", "edit/preview/", "edit/publish/"])
def test_the_other_pages_of_an_unpublished_assignment_do_not_fail(school: School, page: str) -> None:
    ines = school.browser("ines")
    answer = ines.get(f"/assignments/{new_set(school, ines)}/{page}")
    assert answer.status_code in (200, 302, 303)
    token = {"Authorization": f"Bearer {school.token('ines')}"}
    assert school.app.test_client().get("/api/v1/assignments", headers=token).status_code == 200
    assert ines.get("/").status_code == 200


def test_to_save_what_is_published_already_makes_no_draft(school: School) -> None:
    ines = school.browser("ines")
    for part in ("", "text/", "starter/", "questions/", "questions/q1/", "tournaments/"):
        send(ines, f"/assignments/{school.assignment}/edit/{part}")
    with school.write() as session:
        assert session.get(AssignmentDraft, school.assignment) is None


def test_an_instructor_makes_a_course_and_teaches_it(school: School) -> None:
    ines, form = school.browser("ines"), {"title": "Algorithms", "slug": "algo-2027", "time_zone": "melbourne"}
    refused = ines.post("/new-course/", form)
    assert (refused.status_code, "Did you mean Australia/Melbourne?" in refused.text) == (422, True)
    assert ines.post("/new-course/", {**form, "time_zone": "Australia/Melbourne"}).location == "/courses/algo-2027/"
    assert ines.get("/courses/algo-2027/").status_code == 200
    taken = ines.post("/new-course/", {**form, "time_zone": "UTC"})
    assert "There is already a course at the address algo-2027" in taken.text


def test_options_and_dates_are_kept_as_values_and_shown_as_they_were_typed(school: School) -> None:
    ines = school.browser("ines")
    edit = ines.post(
        "/courses/comp10001/new-assignment/", {"slug": "bo-2", "source": "game", "game": "bo"}
    ).location.rstrip("/")
    assignment = int(edit.split("/")[2])
    form = {"title": "Bo", "game": "bo", "due_at": "2027-05-29T23:59", "visible_from": "", "trial_games": "8"}
    option = options_of(find_game("bo"))[0]
    save(ines, f"{edit}/", **form, custom_games_hour="20", **{f"option-{option.name}": "3"})
    kept = content(school, assignment)
    assert (kept["due_at"], kept["options"], kept["trial_games"]) == ("2027-05-29T23:59:00Z", {option.name: 3}, 8)
    page = ines.get(f"{edit}/").text
    assert 'value="2027-05-29T23:59"' in page
    save(ines, f"{edit}/", **form, custom_games_hour="20", **{f"option-{option.name}": "99"})
    assert f"The option {option.name} of" in ines.get(f"{edit}/").text


def test_the_api_lists_the_versions_and_gives_their_definitions_to_instructors(
    school: School, trusted: Sandbox
) -> None:
    ines = school.browser("ines")
    assignment = new_set(school, ines)
    publish(school, ines, assignment, trusted)
    path = f"/api/v1/assignments/{assignment}/versions"

    def get(login: str, path: str) -> TestResponse:
        headers = {"Authorization": f"Bearer {school.token(login)}"}
        return school.app.test_client().get(path, headers=headers)

    listed = get("ines", path).json
    assert listed is not None
    assert [(each["number"], each["published_by"]) for each in listed["versions"]] == [(1, "ines")]
    given = get("ines", f"{path}/1").json
    assert given is not None
    assert given["definition"]["questions"][0]["solution"] == SOLUTION
    assert [get("ines", f"{path}/2").status_code, get("ada", f"{path}/1").status_code] == [404, 403]
