"""A person's copy of their data: theirs alone, no more than their pages show, and safe to unpack and to open."""

import json
from io import BytesIO
from zipfile import ZipFile

import pytest

from grader.store.models import Submission
from sandbox.archives import pack
from tests.web.privacy.conftest import DELETED, HIDDEN_CALL, REASON, SECRET_REMARK, graded_upload
from tests.web.school import Browser, School
from web.privacy.export import LARGEST
from web.privacy.inventory import INVENTORY
from web.privacy.privacy import _making
from web.site.models import User
from web.submission.reading import safe_path

EXPORT = "/account/data/export.zip"


def unpacked(browser: Browser) -> dict[str, bytes]:
    answer = browser.get(EXPORT)
    assert (answer.status_code, answer.mimetype) == (200, "application/zip"), answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    with ZipFile(BytesIO(answer.data)) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert len({name.casefold() for name in names}) == len(names)
        return {name: archive.read(name) for name in names}


@pytest.mark.both_databases
def test_it_holds_everything_of_ones_own(known: School) -> None:
    found = unpacked(known.browser("ada"))
    ada = json.loads(found["data/user.json"])[0]
    assert (ada["login"], ada["name"]) == ("ada", "Ada Realname")
    for name, kept in INVENTORY.items():
        assert (f"data/{name}.json" in found) == bool(kept.exported)
    assert json.loads(found["data/membership.json"])[0]["student_number"] == "4711-0815"
    assert json.loads(found["data/notice.json"])
    assert json.loads(found["data/mail.json"])[0]["parts"]
    (upload,) = {name.split("/")[1] for name in found if name.endswith("report.json")}
    assert found[f"uploads/{upload}/files/player.py"] == b"# Ada wrote this\n"
    assert b"Well done" in found[f"uploads/{upload}/comments.csv"]
    assert json.loads(found["marks.json"])[0]["total"] == 7.0
    assert b"ada" not in found["marks.csv"]
    (game,) = {name for name in found if name.startswith("games/") and "custom" not in name}
    assert json.loads(found[game])["plays"]
    assert b"<html" in found[game.replace("games/", "replays/").replace(".json", ".html")]
    assert any(name.startswith("games/custom-") for name in found)
    assert b"Uploaded player.py" in found["history.csv"]


def test_it_holds_nothing_that_the_pages_do_not_show(known: School) -> None:
    """Staff's later decision, a reason that only instructors read, a deleted comment, hashes, names of fellow students,
    and hidden cases."""
    found = unpacked(known.browser("ada"))
    texts = b"\n".join(each for name, each in found.items() if not name.startswith("replays/")).decode()
    secrets = (SECRET_REMARK, REASON, DELETED, HIDDEN_CALL, "Ben Realname", "ben@", "pbkdf2", "sha256:1000")
    assert [each for each in secrets if each in texts] == []
    page = known.browser("ada").get(f"/submissions/{graded_upload(known)}/").text
    assert HIDDEN_CALL not in page
    assert HIDDEN_CALL in known.browser("ines").get(f"/submissions/{graded_upload(known)}/").text
    for question in json.loads(found[f"uploads/{graded_upload(known)}/report.json"])["questions"]:
        assert [case["call"] for case in question["cases"] if case["call"] not in page] == []


def test_marks_that_are_withdrawn_are_not_in_it(known: School) -> None:
    known.browser("ines").post(f"/assignments/{known.assignment}/marks/publication", {"do": "withdraw"})
    assert json.loads(unpacked(known.browser("ada"))["marks.json"]) == []


def test_nobody_gets_that_of_another(known: School) -> None:
    ada = known.people["ada"]
    for login in ("ben", "ines"):
        found = unpacked(known.browser(login))
        assert json.loads(found["data/user.json"])[0]["login"] == login
        assert not any(b"Ada wrote this" in each for each in found.values())
    for query in (f"?user={ada}", f"?user_id={ada}", "?login=ada"):
        answer = known.browser("ben").get(EXPORT + query)
        with ZipFile(BytesIO(answer.data)) as archive:
            assert json.loads(archive.read("data/user.json"))[0]["login"] == "ben"
    assert Browser(known.app).get(EXPORT).status_code == 303


def test_whoever_views_the_course_as_a_student_gets_neither_page_nor_copy(known: School) -> None:
    ines = known.browser("ines")
    ines.post(f"/assignments/{known.assignment}/people/{known.people['ada']}/view")
    for path in (EXPORT, "/account/data/"):
        assert ines.get(path).status_code == 403


def test_names_with_html_stay_text(known: School) -> None:
    known.change(User, known.people["ada"], name="<script>alert(1)</script>")
    known.upload("ada", name="<img src=x>.py")
    index = unpacked(known.browser("ada"))["index.html"].decode()
    assert "<script>" not in index
    assert "<img" not in index
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in index


@pytest.mark.parametrize(
    ("path", "safe"),
    [
        ("src/a.cpp", "src/a.cpp"),
        ("../../etc/passwd", "_/_/etc/passwd"),
        ("/etc/passwd", "etc/passwd"),
        ("..\\..\\windows\\x", "_/_/windows/x"),
        ("C:\\x", "C_/x"),
        ("a/./b/../c", "a/b/_/c"),
        ("a\0b\n.py", "a_b_.py"),
        ("con<>|?*.py", "con_____.py"),
        ("...", "_"),
        ("x" * 300, "x" * 100),
    ],
)
def test_paths_stay_in_the_folder(path: str, safe: str) -> None:
    assert safe_path(path) == safe


def test_files_whose_safe_paths_are_the_same_are_all_there(known: School) -> None:
    hostile = {"../x.py": b"1", "..\\x.py": b"2", "_/X.py": b"3"}
    id_ = known.upload("ada")
    known.change(Submission, id_, archive=pack(hostile))
    found = {name: each for name, each in unpacked(known.browser("ada")).items() if name.startswith(f"uploads/{id_}/")}
    assert sorted(found.values()) == [b"1", b"2", b"3"]
    assert not any(".." in name or name.startswith("/") for name in found)


def test_what_is_too_large_is_left_out_and_listed(known: School, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.privacy.export.LARGEST", 20_000)
    assert LARGEST > 20_000
    found = unpacked(known.browser("ada"))
    assert b"Left out" in found["index.html"]
    assert sum(map(len, found.values())) < 20_000 + len(found["index.html"])
    assert "data/user.json" in found
    assert not any(name.startswith("uploads/") for name in found), "they come last"


def test_nothing_is_read_once_it_is_full(known: School, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.privacy.export.LARGEST", 0)
    monkeypatch.setattr("web.privacy.export._games", None)
    assert [*unpacked(known.browser("ada"))] == ["index.html"]


def test_whoever_asks_while_another_copy_is_made_does_not_wait(known: School) -> None:
    ada = known.browser("ada")
    with _making:
        answer = ada.get(EXPORT)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
    assert "Another copy is being made." in answer.text
    assert ada.get(EXPORT).status_code == 200


def test_a_spreadsheet_takes_nothing_for_a_formula(known: School) -> None:
    known.upload("ada", name="=1+1.py")
    lines = unpacked(known.browser("ada"))["history.csv"].decode()
    assert ',"=1' not in lines


def test_exports_are_limited(known: School) -> None:
    browser = known.browser("ada")
    assert [browser.get(EXPORT).status_code for _ in range(11)][-1] == 429
