"""What an instructor's zip of a course folder, or of one assignment, becomes on the site."""

import zipfile
from io import BytesIO

import pytest

from grader.authoring.course_folder.layout import NO_GAMES, PackagedGames
from grader.authoring.course_folder.problems import CourseError
from web.course.new_assignment import from_zip
from web.site.models import Course

COURSE = Course(slug="comp", title="Computing", time_zone="Australia/Melbourne")
ASSIGNMENT = 'title = "Warm-up"\ndue = 2027-05-29T23:59:00\n[[questions]]\nslug = "q1"\ntitle = "T"\nfunction = "f"\n'
DEFAULTS = 'title = "C"\n[defaults.questions]\npoints = 3\n'


def packed(**files: str) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def test_the_folder_of_an_assignment_gets_the_slug_that_was_entered() -> None:
    (found,) = from_zip(packed(**{"warm/assignment.toml": ASSIGNMENT}), COURSE, "warm-up", NO_GAMES).items()
    assert found[0] == "warm-up"
    assert str(found[1].due_at) == "2027-05-29 13:59:00+00:00", "in the time zone of the course"


def test_a_course_folder_has_its_defaults_and_the_added_games() -> None:
    files = {"c/course.toml": DEFAULTS, "c/assignments/a/assignment.toml": ASSIGNMENT}
    found = from_zip(packed(**files), COURSE, "", NO_GAMES)
    assert (found["a"].questions[0].points, [*found]) == (3, ["a"])
    files["c/assignments/a/assignment.toml"] = f'game = "hearts"\n{ASSIGNMENT}'
    with pytest.raises(CourseError, match=r"assignment.toml:1: No game package hearts@0123456789abcdef is stored here"):
        from_zip(packed(**files), COURSE, "", PackagedGames({"hearts": "hearts@0123456789abcdef"}))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"readme.txt": ""}, "the zip: There is neither a file assignment.toml in it nor a folder assignments."),
        ({"assignment.toml": "titel = 1"}, "assignment.toml:1: There is no setting titel here. Did you mean title?"),
        (
            {"course.toml": "[defaults]\nx = 1", "assignments/a/assignment.toml": ASSIGNMENT},
            "course.toml:2: There is no default x here.",
        ),
    ],
)
def test_nothing_is_taken_of_a_zip_that_is_wrong(files: dict[str, str], message: str) -> None:
    with pytest.raises(CourseError) as raised:
        from_zip(packed(**files), COURSE, "warm-up", NO_GAMES)
    assert message in str(raised.value)
