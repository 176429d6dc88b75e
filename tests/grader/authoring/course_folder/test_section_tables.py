"""Dates of sections in a course folder."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from grader.authoring.course_folder.problems import CourseError
from grader.authoring.course_folder.reading import read_assignment
from grader.authoring.course_folder.writing import write_assignment
from grader.definition.model import Definition
from tests.grader.authoring.course_folder.test_reading import GOOD, MELBOURNE


def test_dates_of_sections_are_written_as_tables_and_read_as_the_same() -> None:
    due = datetime(2027, 4, 3, 15, 30, tzinfo=UTC)
    dates = {"": {"cut_off_at": due}, "Mon 9": {"visible_from": due - timedelta(9), "due_at": due}}
    definition = Definition(title="Bo", section_dates=dates)  # type: ignore[arg-type]
    files = write_assignment(definition, MELBOURNE)
    assert '[sections."Mon 9"]' in files["assignment.toml"].decode()
    read = read_assignment(files, MELBOURNE)
    assert (read, read.digest) == (definition, definition.digest)
    assert definition.digest != Definition(title="Bo").digest


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        ('sections = "Mon"', 'such as [sections."Mon 9"]'),
        ("[sections.Mon]\nends = 2027-05-01T10:00:00", "There is no setting ends here"),
        ("[sections.Mon]\ndue = 2027-02-31", "assignment.toml"),
        ("[sections.Mon]\ndue = 2027-06-01T10:00:00\ncut_off = 2027-05-30T10:00:00", "Uploads cannot end before"),
        ('[sections.""]\ndue = 2027-06-01T10:00:00', "There is no setting due here"),
    ],
)
def test_dates_of_sections_that_make_no_sense(sections: str, expected: str) -> None:
    text = GOOD["assignment.toml"].decode()
    head, _, rest = text.partition("\n")
    placed = f"{head}\n{sections}\n{rest}" if sections.startswith("sections") else f"{text}\n{sections}\n"
    with pytest.raises(CourseError, match=re.escape(expected)):
        read_assignment({**GOOD, "assignment.toml": placed.encode()}, MELBOURNE)
