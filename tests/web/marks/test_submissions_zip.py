"""The uploads of a class as a zip: which, whose, and under which names."""

from collections.abc import Mapping
from io import BytesIO
from zipfile import ZipFile

import pytest

from grader.store.models import Submission
from sandbox.archives import pack
from tests.web.marks.test_gradebook import marks, term
from tests.web.marks.test_marking import staffed
from tests.web.school import Browser, School
from tournament.store.jobs import JobState
from web.site.models import Membership

__all__ = ["staffed", "term"]


def unpacked(school: School, browser: Browser, query: str = "") -> Mapping[str, bytes]:
    answer = browser.get(marks(school, f"submissions.zip{query}"))
    assert answer.status_code == 200, answer.text
    with ZipFile(BytesIO(answer.data)) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert len({each.casefold() for each in names}) == len(names)
        return {name: archive.read(name) for name in names}


def test_the_uploads_that_count_the_last_ones_or_all(staffed: School) -> None:
    ines, late = staffed.browser("ines"), staffed.upload("ada", b"late = 1\n")
    assert unpacked(staffed, ines) == {"ada/player.py": b"x = 1\n"}
    assert unpacked(staffed, ines, "?which=last") == {"ada/player.py": b"late = 1\n", "ben/player.py": b"x = 1\n"}
    assert f"ada/{late}/player.py" in unpacked(staffed, ines, "?which=all")
    assert len(unpacked(staffed, ines, "?which=all")) == 3


@pytest.mark.parametrize(
    ("login", "query", "students"),
    [
        ("ines", "&section=fri", {"ben"}),
        ("ines", "&section=Mon+9", {"ada"}),
        ("tess", "", {"ada"}),
        ("olga", "", {"ada", "ben"}),
    ],
)
def test_staff_get_those_whom_they_oversee(staffed: School, login: str, query: str, students: set[str]) -> None:
    found = unpacked(staffed, staffed.browser(login), f"?which=last{query}")
    assert {each.partition("/")[0] for each in found} == students


def test_with_pseudonyms_nothing_else_tells_who_it_is(staffed: School) -> None:
    for login, pseudonym in {"ada": "Zebra: 1", "ben": "Aardvark/.."}.items():
        staffed.change(Membership, (staffed.people[login], staffed.course), pseudonym=pseudonym)
    found = unpacked(staffed, staffed.browser("ines"), "?which=last&names=pseudonyms")
    assert [*found] == ["Aardvark__/player.py", "Zebra_ 1/player.py"]


def test_several_files_keep_their_paths(staffed: School) -> None:
    id_ = staffed.upload("ben")
    staffed.change(Submission, id_, archive=pack({"src/a.cpp": b"1", "SRC/A.cpp": b"2"}), state=JobState.DONE)
    found = unpacked(staffed, staffed.browser("ines"), "?which=last&section=Fri")
    assert found == {"ben/SRC/A.cpp": b"2", "ben/src/a.cpp_": b"1"}


@pytest.mark.parametrize(("query", "status"), [("?which=none", 400), ("?names=faces", 400), ("?section=none", 404)])
def test_what_makes_no_sense_is_refused(staffed: School, query: str, status: int) -> None:
    assert staffed.browser("ines").get(marks(staffed, f"submissions.zip{query}")).status_code == status
    assert staffed.browser("ada").get(marks(staffed, "submissions.zip")).status_code == 403
