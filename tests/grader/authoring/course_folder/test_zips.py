"""What comes out of a zip of a course folder. What is refused in any zip is in `tests/grader/test_archives.py`."""

import zipfile
from io import BytesIO

import pytest

from grader.authoring.course_folder.files import read_zip
from grader.authoring.course_folder.problems import CourseError
from sandbox.api import SentBytes


def packed(*names: str) -> SentBytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in names:
            archive.writestr(name, b"")
    return SentBytes(made.getvalue())


@pytest.mark.parametrize(
    ("names", "paths"),
    [
        (["course.toml", "assignments/bo/text.md"], ["assignments/bo/text.md", "course.toml"]),
        (["comp/course.toml", "comp/assignments/bo/text.md"], ["assignments/bo/text.md", "course.toml"]),
        (["bo/assignment.toml", "bo/text.md", "__MACOSX/bo/._text.md"], ["assignment.toml", "text.md"]),
        (["course.toml", ".DS_Store", ".git/config", "a/__pycache__/x.pyc", "a/text.md~"], ["course.toml"]),
        (["comp\\course.toml"], ["course.toml"]),
        (["comp/", "comp/course.toml"], ["course.toml"]),
        ([], []),
    ],
)
def test_the_files_of_a_zip(names: list[str], paths: list[str]) -> None:
    assert sorted(read_zip(packed(*names))) == paths


def test_the_file_of_a_zip_has_a_limit() -> None:
    with pytest.raises(CourseError, match="the zip: It is larger than 32 MiB"):
        read_zip(SentBytes(bytes((32 << 20) + 1)))
