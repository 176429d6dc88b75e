"""Uploading programs: several files or a zip, what the pages say of them, and what can be downloaded."""

from base64 import b64encode
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from grader.store.models import Submission
from grader.submissions.submit import files_of
from sandbox.archives import pack, unpack
from tests.programs import FUNCTION, UNO, add_programs
from tests.web.contract import ApiClient
from tests.web.school import Browser, School
from tournament.store.database import reading
from tournament.store.jobs import JobState
from tournament.store.tables import Worker

PAGE = "/courses/comp10001/uno/"
DECK = b"#include <iostream>\r\n"
WHOLE = {"main.cpp": b"int main();\n", "cards/Deck.cpp": DECK, "cards/Deck.h": b"class Deck;\n"}


@pytest.fixture
def uno(school: School) -> School:
    with school.write() as session:
        school.assignment = add_programs(session, school.course, UNO)
    return school


def send(browser: Browser, *parts: tuple[str, bytes], **more: Any) -> TestResponse:
    files = [(BytesIO(content), name) for name, content in parts]
    return browser.post(f"{PAGE}submissions", {"file": files, **more}, PAGE, content_type="multipart/form-data")


def zipped(files: dict[str, bytes], top: str = "") -> tuple[str, bytes]:
    return "uno.zip", pack({top + path: content for path, content in files.items()})


def count(school: School) -> int:
    with school.write() as session:
        return int(session.scalar(select(func.count(Submission.id))) or 0)


def stored(school: School) -> dict[str, bytes]:
    with reading(school.sessions) as session:
        return files_of(session.scalars(select(Submission).order_by(Submission.id.desc()).limit(1)).one())


def test_the_page_names_the_files_and_hands_them_out(uno: School) -> None:
    browser = uno.browser("ada")
    page = browser.get(PAGE).text
    assert "a program in C++17" in page
    assert "multiple" in page
    assert "2 cards" in page, "the visible case"
    assert "0 cards" not in page, "the hidden one"
    answer = browser.get(f"{PAGE}files.zip")
    assert answer.mimetype == "application/zip"
    assert unpack(answer.data) == {path: text.encode() for path, text in UNO.given.items()}


def test_a_zip_of_a_folder_is_taken_in_and_its_files_are_listed(uno: School) -> None:
    browser = uno.browser("ada")
    files = {**WHOLE, "main.cpp": b"int main() { return 1; }\n", "notes.txt": b"hello\n", ".DS_Store": b"\0"}
    answer = send(browser, zipped(files, "uno/"))
    assert answer.status_code == 303
    page = browser.get(answer.location).text
    for words in (
        "All files were in the folder uno",
        "Left out (added by macOS): uno/.DS_Store",
        "Waiting to be graded",
        "4 files",
        "This file differs from the version handed out, which is used instead: <code>main.cpp</code>",
        "The assignment does not ask for this file, so it is not used: <code>notes.txt</code>",
    ):
        assert words in page
    assert uno.sent == ["grader.grade_program"]
    assert stored(uno)["cards/Deck.cpp"] == DECK, "Windows line ends stay"


def test_files_chosen_together_go_to_their_places(uno: School) -> None:
    answer = send(uno.browser("ada"), ("Deck.cpp", DECK), ("Card.txt", b"x\n"))
    assert answer.status_code == 303
    assert sorted(stored(uno)) == ["Card.txt", "cards/Deck.cpp"]


def test_missing_files_are_asked_about_and_what_was_sent_is_kept(uno: School) -> None:
    browser = uno.browser("ada")
    answer = send(browser, ("deck.cpp", DECK))
    assert answer.status_code == 422
    assert "1 file is missing" in answer.text
    assert "Did you mean <code>deck.cpp</code>?" in answer.text
    assert count(uno) == 0
    carried = answer.text.partition('name="carried" value="')[2].partition('"')[0]
    assert send(browser, ("Deck.cpp", b"int x;\n"), carried=carried).status_code == 303
    assert stored(uno) == {"deck.cpp": DECK, "cards/Deck.cpp": b"int x;\n"}


def test_an_upload_goes_through_without_missing_files_if_its_author_says_so(uno: School) -> None:
    browser = uno.browser("ada")
    answer = send(browser, ("deck.cpp", DECK), confirm="yes")
    assert answer.status_code == 303
    page = browser.get(answer.location).text
    assert "1 file is missing" in page
    assert "cards/Deck.cpp" in page


def test_the_untouched_starter_is_said_to_be_untouched(uno: School) -> None:
    browser = uno.browser("ada")
    given = {path: text.encode() for path, text in UNO.given.items()}
    page = browser.get(send(browser, zipped(given)).location).text
    assert "You have not changed this file, which you were asked to complete:" in page


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([], "No file was chosen"),
        ([("Deck.cpp", b"\xff\xfe\0")], "cards/Deck.cpp: Your file is saved as UTF-16"),
        ([("uno.zip", b"PK\x03\x04")], "The zip is damaged"),
    ],
)
def test_a_refusal_is_shown_beside_the_box(uno: School, parts: list[tuple[str, bytes]], words: str) -> None:
    answer = send(uno.browser("ada"), *parts)
    assert answer.status_code == 422
    assert words in answer.text.partition('id="upload-error"')[2].partition("</p>")[0]
    assert count(uno) == 0


def test_damaged_files_that_were_kept_are_refused(uno: School) -> None:
    assert send(uno.browser("ada"), carried="*").status_code == 422
    assert send(uno.browser("ada"), carried=b64encode(b"PK\x03\x04").decode(), confirm="yes").status_code == 422


def test_the_files_of_a_former_upload_are_taken_over(uno: School) -> None:
    browser = uno.browser("ada")
    send(browser, zipped(WHOLE))
    with reading(uno.sessions) as session:
        former = session.scalars(select(Submission.id)).one()
    assert f'<option value="{former}"' in browser.get(PAGE).text
    assert send(browser, ("Deck.cpp", b"int y;\n"), former=str(former)).status_code == 303
    assert stored(uno) == {**WHOLE, "cards/Deck.cpp": b"int y;\n"}
    answer = send(uno.browser("ben"), ("Deck.cpp", b"int z;\n"), former=str(former))
    assert answer.status_code == 422
    assert "is not yours" in answer.text


def test_the_same_files_sent_twice_are_one_upload(uno: School) -> None:
    browser = uno.browser("ada")
    first, second = (send(browser, zipped(WHOLE)).location for _ in range(2))
    assert first == second
    assert send(browser, zipped({**WHOLE, "cards/Deck.cpp": b"int x;\n"})).location != first


def test_a_submission_is_downloaded_whole_or_file_by_file(uno: School) -> None:
    browser = uno.browser("ada")
    page = send(browser, zipped({**WHOLE, "cards/x.cpp": b"<script>alert(1)</script>\n"})).location
    with ZipFile(BytesIO(browser.get(f"{page}source").data)) as archive:
        assert archive.read("cards/Deck.cpp") == DECK
    shown = browser.get(f"{page}files/cards/x.cpp")
    assert (shown.mimetype, shown.headers["X-Content-Type-Options"]) == ("text/plain", "nosniff")
    assert "attachment" not in shown.headers.get("Content-Disposition", "")
    assert "attachment" in browser.get(f"{page}files/cards/x.cpp?download").headers["Content-Disposition"]
    assert browser.get(f"{page}files/cards/none.cpp").status_code == 404


def test_functions_and_programs_in_one_upload(school: School) -> None:
    with school.write() as session:
        school.assignment = add_programs(session, school.course, FUNCTION, UNO)
    browser = school.browser("ada")
    answer = send(browser, zipped(WHOLE))
    assert answer.status_code == 422
    assert "the Python file with your functions" in answer.text
    assert send(browser, zipped(WHOLE), ("mine.py", b"def f(x):\n    return x\n")).status_code == 303
    with reading(school.sessions) as session:
        found = session.scalars(select(Submission)).one()
        assert (found.filename, found.player.source) == ("mine.py", b"def f(x):\n    return x\n")


def test_what_no_worker_can_grade_waits_visibly(uno: School) -> None:
    browser = uno.browser("ada")
    page = send(browser, zipped(WHOLE)).location
    said = "This needs C++17, which no worker offers"
    assert said not in browser.get(page).text, "nothing runs at all"
    with uno.write() as session:
        session.add(Worker(name="light", queue="players"))
    assert said in browser.get(page).text
    manage = f"/assignments/{uno.assignment}/manage/"
    assert "No worker can grade this." in uno.browser("ines").get(manage).text
    with uno.write() as session:
        session.add(Worker(name="whole", queue="grading", offers="c11 cpp17"))
    assert said not in browser.get(page).text
    assert "No worker can grade this." not in uno.browser("ines").get(manage).text
    assert "C++17" in uno.browser("ines").get(manage).text, "among the workers"


def test_a_parked_program_is_started_again_where_it_can_be_graded(uno: School) -> None:
    send(uno.browser("ada"), zipped(WHOLE))
    with reading(uno.sessions) as session:
        id_ = session.scalars(select(Submission.id)).one()
    uno.change(Submission, id_, state=JobState.PARKED)
    uno.sent.clear()
    uno.browser("ines").post(f"/assignments/{uno.assignment}/manage/requeue/submission/{id_}")
    assert uno.sent == ["grader.grade_program"]


# The API


def test_programs_by_the_api(uno: School) -> None:
    ada = ApiClient(uno.app, uno.token("ada"))
    path = f"/assignments/{uno.assignment}/submissions"

    def post(*parts: tuple[str, bytes], **more: str) -> TestResponse:
        form = {"file": [(BytesIO(content), name) for name, content in parts], **more}
        return ada.post(path, data=form, content_type="multipart/form-data")

    answer = post(("deck.cpp", DECK))
    assert (answer.status_code, answer.json["error"]["code"]) == (422, "files_missing")
    assert "cards/Deck.cpp (did you mean deck.cpp?)" in answer.json["error"]["message"]
    assert post(("deck.cpp", DECK), incomplete="true").status_code == 201
    assert post(("uno.zip", b"PK\x03\x04")).json["error"]["code"] == "bad_archive"
    made = post(("Deck.cpp", DECK), ("main.cpp", b"int x;\n"))
    assert (made.status_code, made.json["needs"], made.json["filename"]) == (201, ["cpp17"], "Deck.cpp and 1 more")
    files = ada.get(f"/submissions/{made.json['id']}/files").json
    assert {each["path"]: each["text"] for each in files["files"]} == {
        "cards/Deck.cpp": DECK.decode(),
        "main.cpp": "int x;\n",
    }
    assert (files["missing"], files["replaced"]) == ([], ["main.cpp"])
    assert unpack(ada.get(f"/submissions/{made.json['id']}/files.zip").data)["cards/Deck.cpp"] == DECK
    ben = ApiClient(uno.app, uno.token("ben"))
    assert ben.get(f"/submissions/{made.json['id']}/files").status_code == 403
    assert ben.get(f"/submissions/{made.json['id']}/files.zip").status_code == 403


def test_a_zip_by_the_api(uno: School) -> None:
    ada, (name, content) = ApiClient(uno.app, uno.token("ada")), zipped(WHOLE, "uno/")
    form = {"file": (BytesIO(content), name)}
    path = f"/assignments/{uno.assignment}/submissions"
    assert ada.post(path, data=form, content_type="multipart/form-data").status_code == 201
    assert stored(uno) == WHOLE


def test_the_files_of_a_player_by_the_api(school: School) -> None:
    id_ = school.upload("ada", b"x = 1\n", name="mine.py")
    ada = ApiClient(school.app, school.token("ada"))
    (found,) = ada.get(f"/submissions/{id_}/files").json["files"]
    assert (found["path"], found["text"]) == ("mine.py", "x = 1\n")
    assert unpack(ada.get(f"/submissions/{id_}/files.zip").data) == {"mine.py": b"x = 1\n"}
