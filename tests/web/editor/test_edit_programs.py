"""The editor's pages about questions that ask for a program."""

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from sqlalchemy import select

from grader.authoring.course_folder.reading import read_assignment
from grader.authoring.drafts import definition_in, problems_in
from grader.definition.local_times import UTC_ZONE
from grader.definition.model import to_json
from grader.definition.question import ProgramQuestion
from grader.store.models import Submission
from grader.submissions.work import grade_next
from sandbox.api import SandboxUnavailable
from sandbox.choose import open_program_sandbox, open_sandbox
from sandbox.programs import ProgramSandbox
from tests.greeter import FOLDER, PYTHON, SOLUTION
from tests.services import missing
from tests.web.editor.test_edit import content, save, send
from tests.web.school import Browser, School
from tournament.store.jobs import JobState
from tournament.work.services import Services


@pytest.fixture(scope="module")
def programs() -> Iterator[ProgramSandbox]:
    try:
        opened = open_program_sandbox()
    except SandboxUnavailable:
        missing("a sandbox for programs")
    yield opened
    opened.close()


def work(school: School, programs: ProgramSandbox) -> None:
    """What a grading worker finds to do."""
    with open_sandbox("trusted") as sandbox:
        services = Services(school.sessions, school.sent.append, lambda: sandbox, lambda: sandbox, "worker")
        services.open_programs, services.offers = lambda: programs, frozenset({"python3"})
        while grade_next(services):
            pass


def zipped(files: dict[str, bytes]) -> BytesIO:
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    packed.seek(0)
    return packed


def new_program(browser: Browser) -> tuple[int, str]:
    """An assignment with an empty program question in a draft: its number, and the address of the question."""
    made = browser.post("/courses/comp10001/new-assignment/", {"slug": "greet", "title": "Greeter", "source": "empty"})
    assignment = int(re.findall(r"/assignments/(\d+)/edit/", made.location)[0])
    edit = f"/assignments/{assignment}/edit"
    added = browser.post(f"{edit}/questions/add", {"slug": "greet", "title": "A greeting", "asks_for": "cpp17"})
    assert added.location == f"{edit}/questions/greet/"
    return assignment, f"{edit}/questions/greet"


def from_folder(browser: Browser, folder: dict[str, bytes] = FOLDER) -> tuple[int, str]:
    """The same with everything in it."""
    upload = {"slug": "greet", "source": "copy", "zip": (zipped(folder), "greet.zip")}
    made = browser.post("/courses/comp10001/new-assignment/", upload)
    assignment = int(re.findall(r"/assignments/(\d+)/edit/", made.location)[0])
    return assignment, f"/assignments/{assignment}/edit/questions/greet"


def question(school: School, assignment: int) -> Any:
    return content(school, assignment)["questions"][0]


def test_a_program_question_is_made_on_the_site_as_in_a_folder(school: School) -> None:
    ines = school.browser("ines")
    assignment, path = new_program(ines)
    form = {
        "title": "A greeting", "language": "cpp17", "text": "Greet everybody.\n", "options": "-Wall",
        "editable": "*.cpp", "warnings": "fail", "warning_points": "0", "points": "4",
        "cpu_s": "2", "memory_mib": "256", "output_kib": "1024",
        "kind": "exact", "gate": "none", "shows": "verdicts", "visible": "on", "case_sensitive": "on",
    }  # fmt: skip
    assert save(ines, f"{path}/", **form) == 303
    inside = {file.removeprefix("questions/greet/"): text for file, text in FOLDER.items()}
    trees = {"given": "files", "solution": "solution"}
    for tree, folder in trees.items():
        sent = {file.removeprefix(f"{folder}/"): text for file, text in inside.items() if file.startswith(folder)}
        assert ines.post(f"{path}/add-files/{tree}", {"file": (zipped(sent), "all.zip")}).status_code == 303
    for verdict, name in (("WA", "no_comma"), ("CE", "typing_error")):
        file = (BytesIO(inside[f"submissions/{verdict}/{name}/Greeter.cpp"]), "Greeter.cpp")
        sent_program = {"verdict": verdict, "program": name, "file": file}
        assert ines.post(f"{path}/add-files/submissions", sent_program).status_code == 303
    cases = {file.removeprefix("cases/"): text for file, text in inside.items() if file.startswith("cases")}
    assert ines.post(f"{path}/cases/upload", {"file": (zipped(cases), "cases.zip")}).status_code == 303
    expected = read_assignment(FOLDER, UTC_ZONE)
    assert to_json(definition_in(content(school, assignment))) == to_json(expected)


def test_what_nobody_changes_goes_through_the_editor_unchanged(school: School) -> None:
    ines = school.browser("ines")
    assignment, path = from_folder(ines)
    before = question(school, assignment)
    for page in ("", "cases/01-one-name/", "cases/03-nobody/", "files/given/Greeter.h", "files/solution/Greeter.cpp"):
        send(ines, f"{path}/{page}")
    listed = re.findall(r'name="editable" value="([^"]+)"[^>]* checked', ines.get(f"{path}/files/given/").text)
    assert listed == ["Greeter.cpp"]
    assert save(ines, f"{path}/files/given/", do="save", editable="Greeter.cpp") == 303
    assert question(school, assignment) == before
    assert to_json(definition_in(content(school, assignment))) == to_json(read_assignment(FOLDER, UTC_ZONE))


def test_a_case_is_added_written_renamed_and_hidden(school: School) -> None:
    ines = school.browser("ines")
    assignment, path = from_folder(ines)
    assert ines.post(f"{path}/cases/add", {"slug": "04-three-names"}).location == f"{path}/cases/04-three-names/"
    assert "missing" in ines.get(f"{path}/cases/").text
    told = problems_in(content(school, assignment))
    assert [each.file for each in told] == ["questions/greet/cases/hidden/04-three-names.out"]
    typed = {"title": "Three", "shown": "on", "arguments": "-q 'two words'", "input": "a\r\nb\r\n", "output": "x\r\n"}
    assert save(ines, f"{path}/cases/04-three-names/", **typed, exit_code="any") == 303
    case = next(each for each in question(school, assignment)["cases"] if each["slug"] == "04-three-names")
    assert (case["arguments"], case["input"], case["output"]) == (["-q", "two words"], "a\nb\n", "x\n")
    assert (case["exit_code"], case["hidden"]) == (None, False)
    assert not problems_in(content(school, assignment))
    assert ines.post(f"{path}/cases/04-three-names/rename", {"slug": "01-one-name"}).status_code == 422
    assert ines.post(f"{path}/cases/04-three-names/rename", {"slug": "00-three"}).status_code == 303
    ines.post(f"{path}/cases/change", {"do": "hidden", "chosen": ["00-three", "01-one-name"]})
    ines.post(f"{path}/cases/change", {"do": "remove", "chosen": "03-nobody"})
    assert "03-nobody" in ines.get(f"{path}/cases/").text, "that is to be confirmed"
    ines.post(f"{path}/cases/change", {"do": "remove", "chosen": "03-nobody", "confirm": "on"})
    cases = question(school, assignment)["cases"]
    assert [each["slug"] for each in cases] == ["00-three", "01-one-name", "02-two-names"]
    assert all(each["hidden"] for each in cases)


def test_what_is_wrong_with_an_upload_is_told_and_nothing_is_taken(school: School) -> None:
    ines = school.browser("ines")
    assignment, path = from_folder(ines)
    before = question(school, assignment)
    answer = ines.post(f"{path}/add-files/given", {"file": (BytesIO(b"\x89PNG\xff"), "logo.png")})
    assert (answer.status_code, "leave out pictures and compiled files" in answer.text) == (422, True)
    answer = ines.post(f"{path}/add-files/submissions", {"verdict": "WA", "file": (BytesIO(b"x"), "a.cpp")})
    assert (answer.status_code, "Give it a name" in answer.text) == (422, True)
    wrong = zipped({"01.in": b"\xff", "Two Names.in": b"", "03.txt": b""})
    answer = ines.post(f"{path}/cases/upload", {"file": (wrong, "cases.zip")})
    assert answer.status_code == 422
    for told in ("It has 3 problems", "<code>01.in</code>", "Name a case with", "The files of a case end with"):
        assert told in answer.text
    assert question(school, assignment) == before


def test_uploaded_cases_of_a_problem_package_are_visible_if_they_are_samples(school: School) -> None:
    ines = school.browser("ines")
    assignment, path = new_program(ines)
    files = {"data/sample/1.in": b"a\n", "data/sample/1.ans": b"b\n", "data/secret/2.in": b"c\n"}
    ines.post(f"{path}/cases/upload", {"file": (zipped(files), "data.zip")})
    cases = question(school, assignment)["cases"]
    assert [(each["slug"], each["hidden"], each["output"]) for each in cases] == [
        ("1", False, "b\n"),
        ("2", True, None),
    ]


@pytest.mark.parametrize(
    ("chosen", "editable"),
    [
        (["Greeter.cpp"], ["*.cpp"]),
        (["Greeter.cpp", "Greeter.h"], ["*.cpp", "Greeter.h"]),
        (["Greeter.h"], ["Greeter.h"]),
        ([], []),
    ],
)
def test_the_files_that_students_may_change_are_ticked(school: School, chosen: list[str], editable: list[str]) -> None:
    ines = school.browser("ines")
    assignment, path = from_folder(ines)
    was = re.findall(r'name="was" value="(\w*)"', ines.get(f"{path}/files/given/").text)[0]
    assert ines.post(f"{path}/files/given/", {"do": "save", "was": was, "editable": chosen}).status_code == 303
    assert question(school, assignment)["editable"] == editable


def test_files_are_written_changed_and_removed(school: School) -> None:
    ines = school.browser("ines")
    assignment, path = from_folder(ines)
    assert ines.post(f"{path}/add-files/given", {"name": "cards/Card.h", "text": "a\r\n"}).status_code == 303
    assert save(ines, f"{path}/files/given/cards/Card.h", text="b\r\n") == 303
    assert question(school, assignment)["given"]["cards/Card.h"] == "b\n"
    assert ines.post(f"{path}/files/given/", {"do": "remove", "chosen": ["cards/Card.h"]}).status_code == 303
    assert [*question(school, assignment)["given"]] == ["Greeter.cpp", "Greeter.h"]
    assert ines.get(f"{path}/files/given/cards/Card.h").status_code == 404


def test_problems_of_a_program_have_links_to_where_they_are_corrected(school: School) -> None:
    ines = school.browser("ines")
    assignment, path = from_folder(ines)
    send(ines, f"{path}/", cpu_s="900", editable="*.h", main="x")
    ines.post(f"{path}/cases/add", {"slug": "09-new"})
    page = ines.get(f"/assignments/{assignment}/edit/publish/").text
    for link in ("#cpu_s", "cases/09-new/#output"):
        assert f'href="{path}/{link}"' in page, page
    send(ines, f"{path}/", cpu_s="2")
    page = ines.get(f"/assignments/{assignment}/edit/publish/").text
    for link in ("files/solution/Greeter.cpp#text", "#main"):
        assert f'href="{path}/{link}"' in page, page


def test_filling_in_outputs_needs_a_solution(school: School) -> None:
    ines = school.browser("ines")
    _, path = new_program(ines)
    ines.post(f"{path}/cases/add", {"slug": "01-new"})
    assert "Tick the box to confirm" in ines.post(f"{path}/cases/outputs", {"do": "all"}).text
    answer = ines.post(f"{path}/cases/outputs", {"do": "missing"})
    assert (answer.status_code, "There is no solution yet." in answer.text) == (422, True)
    file = (BytesIO(SOLUTION.encode()), "main.cpp")
    ines.post(f"{path}/add-files/solution", {"file": file})
    assert ines.post(f"{path}/cases/outputs", {"do": "missing"}).status_code == 303
    assert "Waiting for a grading worker" in ines.get(f"{path}/cases/").text


def test_a_function_question_has_no_files(school: School) -> None:
    ines = school.browser("ines")
    assert ines.get(f"/assignments/{school.assignment}/edit/questions/q1/cases/").status_code == 404


def test_a_large_zip_of_cases_may_be_sent(school: School) -> None:
    ines = school.browser("ines")
    assignment, path = new_program(ines)
    files = {f"{number}.out": bytes(ord("a") + number for _ in range(900_000)) for number in range(8)}
    assert ines.post(f"{path}/cases/upload", {"file": (zipped(files), "cases.zip")}).status_code == 303
    definition = definition_in(content(school, assignment))
    assert isinstance(definition.questions[0], ProgramQuestion)
    assert ines.get(f"{path}/cases/0/").status_code == 200


def test_a_worker_fills_in_outputs_checks_tries_and_publishes(school: School, programs: ProgramSandbox) -> None:
    ines, ada = school.browser("ines"), school.browser("ada")
    assignment, path = from_folder(ines, PYTHON)
    edit = f"/assignments/{assignment}/edit"
    ines.post(f"{path}/cases/add", {"slug": "04-three-names"})
    save(
        ines, f"{path}/cases/04-three-names/", title="Three", input="A\nB\nC\n", output="", arguments="", exit_code="0"
    )
    assert ines.post(f"{path}/cases/outputs", {"do": "missing"}).status_code == 303
    work(school, programs)
    assert "1 expected output filled in: 04-three-names." in ines.get(f"{path}/cases/").text
    assert "data-reload" in ines.get(f"{path}/cases/live").text, "the table above has changed, too"
    assert question(school, assignment)["cases"][-1]["output"] == "Hello, A!\nHello, B!\nHello, C!\n"
    assert ines.post(f"{edit}/try/", {"what": "check"}).status_code == 303
    assert ines.post(f"{edit}/try/", {"what": "program greet WA/no_comma"}).status_code == 303
    work(school, programs)
    tried = ines.get(f"{edit}/try/").text
    for told in (
        "Everything is right.",
        "without any changes, pass 1 of 4 cases.",
        "WA/no_comma, tried",
        "1 of 4 passed",
    ):
        assert told in tried, tried
    file = (BytesIO(PYTHON["questions/greet/solution/main.py"]), "main.py")
    assert ines.post(f"{edit}/try/", {"what": "upload", "file": file}).status_code == 303
    assert ines.post(f"{edit}/publish/", {"when": "now"}).status_code == 303
    work(school, programs)
    assert "4 of 4 passed" in ines.get(f"{edit}/try/").text
    assert "Version 1 is published." in ines.get(f"{edit}/publish/").text
    sent = {"mode": "test", "file": (BytesIO(PYTHON["questions/greet/solution/main.py"]), "main.py")}
    assert ada.post("/courses/comp10001/greet/submissions", sent).status_code == 303
    work(school, programs)
    with school.write() as session:
        submission = session.scalars(select(Submission).where(Submission.assignment_id == assignment)).one()
        assert (submission.state, submission.points) == (JobState.DONE, 4.0)


def test_a_solution_that_fails_keeps_a_draft_from_being_published(school: School, programs: ProgramSandbox) -> None:
    ines = school.browser("ines")
    assignment, path = from_folder(ines, PYTHON)
    save(ines, f"{path}/files/solution/main.py", text="print(\n")
    ines.post(f"/assignments/{assignment}/edit/publish/", {"when": "now"})
    work(school, programs)
    page = ines.get(f"/assignments/{assignment}/edit/publish/").text
    assert "Nothing was published." in page
    assert f'href="{path}/files/solution/main.py#text"' in page
