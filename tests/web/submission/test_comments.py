"""Staff comment on lines of an upload; its student sees that, and nobody else does."""

import pytest

from grader.marks.comments import LONGEST, CodeComment
from tests.web.contract import ApiClient
from tests.web.reports import good
from tests.web.school import Browser, School
from tests.web.site.test_access import staff_of_sections
from tournament.store.notices import notices

SOURCE = b"def f():\n    return 1\n"
MINE = "Use a name that says what this is.\nSee week 3."
SHOWN = " ".join(MINE.split())


@pytest.fixture
def submission(school: School) -> int:
    staff_of_sections(school)
    return school.graded("ada", good(), source=SOURCE)


def comment(browser: Browser, submission: int, text: str = MINE, **form: object) -> int:
    data = {"file": "player.py", "line": 2, "comment": text, **form}
    return browser.post(f"/submissions/{submission}/comments", data).status_code


def code(school: School, login: str, submission: int, query: str = "") -> str:
    return school.browser(login).get(f"/submissions/{submission}/code/{query}").text


@pytest.mark.both_databases
def test_the_student_sees_a_comment_at_its_line_and_a_notice_leads_there(school: School, submission: int) -> None:
    tess = school.browser("tess")
    assert comment(tess, submission) == 303
    assert comment(tess, submission, "And here.", line=1) == 303
    with school.write() as session:
        [notice] = notices(session, school.people["ada"])
        assert [link[2] for link in notice.links] == ["Line 2 of player.py", "Line 1 of player.py"]
    ada = school.browser("ada")
    answer = ada.get("/comments/1/")
    assert answer.location == f"/submissions/{submission}/code/?file=player.py#L2"
    assert all(words in ada.get(f"/submissions/{submission}/code/").text for words in (SHOWN, "Tess Realname"))
    assert SHOWN in ada.get(f"/submissions/{submission}/").text
    mark = f"/assignments/{school.assignment}/marks/{school.people['ada']}/"
    assert SHOWN in school.browser("ines").get(mark).text
    assert "new</span>" not in ada.get("/notices/").text
    assert "Edit" not in code(school, "ada", submission).partition("<main")[2]


@pytest.mark.parametrize(
    ("login", "writes", "edits", "reads"),
    [
        ("ines", 303, 303, True),
        ("tess", 303, 303, True),
        ("olga", 403, 403, True),
        ("theo", 404, 404, False),
        ("ada", 403, 403, True),
        ("ben", 403, 403, False),
        ("otto", 404, 404, False),
    ],
)
def test_who_writes_edits_and_reads(
    school: School, submission: int, login: str, writes: int, edits: int, reads: bool
) -> None:
    comment(school.browser("tess"), submission)
    browser = school.browser(login)
    assert (SHOWN in code(school, login, submission)) is reads
    assert comment(browser, submission, "Another.") == writes
    assert browser.post("/comments/1/", {"comment": "Changed.", "was": 1}).status_code == edits
    asked = school.app.test_client().get(
        f"/api/v1/submissions/{submission}/comments", headers={"Authorization": f"Bearer {school.token(login)}"}
    )
    assert (asked.status_code == 200) is reads


def test_a_program_comments_changes_deletes_and_brings_back(school: School, submission: int) -> None:
    tess, theo = (ApiClient(school.app, school.token(login)) for login in ("tess", "theo"))
    path = f"/submissions/{submission}/comments"
    made = tess.call("POST", path, json={"path": "player.py", "line": 2, "text": MINE}).json
    assert (made["line"], made["revision"], made["written_by"]) == (2, 1, "Tess Realname")
    with school.write() as session:
        assert [each.subject for each in notices(session, school.people["ada"])] == ["There are comments on player.py"]
    one = f"/comments/{made['id']}"
    changed = tess.call("PATCH", one, json={"revision": 1, "text": "Shorter."}).json
    assert (changed["text"], changed["revision"]) == ("Shorter.", 2)
    late = tess.call("PATCH", one, json={"revision": 1, "text": "Lost?"})
    assert (late.status_code, late.json["error"]["code"]) == (409, "changed_meanwhile")
    assert theo.call("DELETE", one).status_code == 404
    assert tess.call("DELETE", one).json["deleted_at"]
    assert tess.get(path).json == {"comments": []}
    assert tess.call("POST", f"{one}/restoration").json["deleted_at"] is None
    assert [each["text"] for each in tess.get(path).json["comments"]] == ["Shorter."]


def test_a_program_counts_comments_and_which_its_author_has_not_read(school: School, submission: int) -> None:
    path, other = f"/submissions/{submission}", school.upload("ada")
    ada, tess = (ApiClient(school.app, school.token(login)) for login in ("ada", "tess"))

    def counts(client: ApiClient) -> tuple[int, int]:
        found = client.get(path).json
        return found["comments"], found["new_comments"]

    assert counts(ada) == (0, 0)
    for line in (1, 2):
        assert comment(school.browser("tess"), submission, line=line) == 303
    assert (comment(school.browser("tess"), other, line=1), counts(ada), counts(tess)) == (303, (2, 2), (2, 2))
    assert tess.call("POST", f"{path}/comments/read").status_code == 403
    assert len(ada.call("POST", f"{path}/comments/read").json["comments"]) == 2
    assert (counts(ada), ada.get(f"/submissions/{other}").json["new_comments"]) == ((2, 0), 1)
    assert comment(school.browser("tess"), submission) == 303
    assert counts(ada) == (3, 1)


@pytest.mark.parametrize(("file", "line"), [("player.py", 0), ("player.py", 3), ("other.py", 1)])
def test_a_program_comments_only_on_lines_that_are_there(school: School, submission: int, file: str, line: int) -> None:
    answer = ApiClient(school.app, school.token("tess")).call(
        "POST", f"/submissions/{submission}/comments", json={"path": file, "line": line, "text": MINE}
    )
    assert answer.status_code == 404


def test_only_its_writer_and_instructors_change_a_comment(school: School, submission: int) -> None:
    comment(school.browser("ines"), submission)
    assert school.browser("tess").post("/comments/1/", {"do": "delete"}).status_code == 403


def test_two_people_do_not_overwrite_each_other(school: School, submission: int) -> None:
    tess, ines = school.browser("tess"), school.browser("ines")
    comment(tess, submission)
    assert ines.post("/comments/1/", {"comment": "Better words.", "was": 1}).status_code == 303
    answer = tess.post("/comments/1/", {"comment": "My words.", "was": 1})
    assert answer.status_code == 409
    assert all(words in answer.text for words in ("Somebody else has changed", "Better words.", "My words."))
    assert 'name="was" value="2"' in answer.text
    assert tess.post("/comments/1/", {"comment": "My words.", "was": 2}).status_code == 303
    assert "changed by" not in code(school, "ada", submission)


def test_a_deleted_comment_and_its_notice_come_back(school: School, submission: int) -> None:
    tess = school.browser("tess")
    comment(tess, submission)
    shown = tess.post("/comments/1/", {"do": "delete"}, follow_redirects=True)
    assert "The comment on line 2 is deleted." in shown.text
    assert SHOWN not in code(school, "ada", submission)
    assert tess.post("/comments/1/", {"comment": "x", "was": 1}).status_code == 409
    assert "has been deleted" in school.browser("ada").get("/comments/1/", follow_redirects=True).text
    assert told(school) == 0
    assert tess.post("/comments/1/", {"do": "restore"}).status_code == 303
    assert (told(school), SHOWN in code(school, "ada", submission)) == (1, True)


def told(school: School) -> int:
    with school.write() as session:
        return len(notices(session, school.people["ada"]))


@pytest.mark.parametrize(
    ("form", "status", "words"),
    [
        ({"line": 3}, 404, "no such line"),
        ({"line": 0}, 404, "no such line"),
        ({"line": "x"}, 404, "no such line"),
        ({"file": "none.py"}, 404, "no such line"),
        ({"comment": "  "}, 409, "Write a comment"),
        ({"comment": "x" * 10_000}, 409, f"10,000 characters; at most {LONGEST:,}"),
        ({"comment": "a\0b"}, 400, "NUL"),
    ],
)
def test_what_cannot_be_a_comment(
    school: School, submission: int, form: dict[str, object], status: int, words: str
) -> None:
    data = {"file": "player.py", "line": 2, "comment": "Fine.", **form}
    answer = school.browser("tess").post(f"/submissions/{submission}/comments", data)
    assert answer.status_code == status
    assert words in answer.text
    assert school.browser("tess").post("/submissions/999999/comments", data).status_code in (400, 404)


def test_markup_in_a_comment_is_text(school: School, submission: int) -> None:
    comment(school.browser("tess"), submission, "<script>alert(1)</script>")
    assert "&lt;script&gt;alert(1)" in code(school, "ada", submission)


def test_an_earlier_comment_of_ones_own_is_inserted(school: School, submission: int) -> None:
    tess = school.browser("tess")
    comment(tess, submission)
    comment(school.browser("ines"), submission, "Not hers.")
    page = code(school, "tess", submission, "?comment=1")
    assert 'name="again" value="1"' in page
    assert 'name="again" value="2"' not in page
    data = {"file": "player.py", "line": 1, "comment": "Typed.", "again": 1}
    inserted = tess.post(f"/submissions/{submission}/comments", data)
    assert f"Typed.\n{MINE}</textarea>" in inserted.text
    with school.write() as session:
        assert session.get(CodeComment, 3) is None


@pytest.mark.parametrize(("query", "status"), [("?comment=2", 200), ("?comment=3", 404), ("?edit=1", 200)])
def test_a_form_stands_at_its_line(school: School, submission: int, query: str, status: int) -> None:
    comment(school.browser("tess"), submission)
    answer = school.browser("tess").get(f"/submissions/{submission}/code/{query}")
    assert answer.status_code == status
    assert ("Comment on line 2</label>" in answer.text) == (status == 200)
