"""What is wrong with a course folder is said with file and line, all of it at once."""

from datetime import UTC, datetime

import pytest

from grader.authoring.course_folder.course import builtin, builtin_files, read_course, warnings
from grader.authoring.course_folder.problems import CourseError
from grader.authoring.course_folder.reading import read_assignment
from grader.authoring.course_folder.writing import write_assignment
from grader.definition.local_times import find_zone
from tournament.play.games import GAMES

NOW = datetime(2026, 12, 1, tzinfo=UTC)
MELBOURNE = find_zone("Australia/Melbourne")

GOOD = {
    "assignment.toml": b"""title = "Warm-up"
due = 2027-05-29T23:59:00

[[questions]]
slug = "q1"
title = "Twice"
function = "twice"
parameters = ["x"]
""",
    "text.md": b"Write `twice`.\n",
    "questions/q1/examples.txt": b">>> twice(2)\n4\n",
    "questions/q1/cases.py": b"def cases(rng):\n    yield (rng.randrange(9),)\n",
    "questions/q1/solution.py": b"def twice(x):\n    return 2 * x\n",
}


def problems(files: dict[str, bytes]) -> list[str]:
    with pytest.raises(CourseError) as raised:
        read_assignment(files, MELBOURNE)
    return [str(problem) for problem in raised.value.found]


def with_settings(*changed: tuple[str, str]) -> dict[str, bytes]:
    text = GOOD["assignment.toml"].decode()
    for former, new in changed:
        assert former in text
        text = text.replace(former, new, 1)
    return {**GOOD, "assignment.toml": text.encode()}


def test_a_good_assignment_is_read() -> None:
    found = read_assignment(GOOD, MELBOURNE)
    (question,) = found.questions
    assert (found.title, found.text, question.written, question.arities) == (
        "Warm-up",
        "Write `twice`.\n",
        "twice",
        (1,),
    )
    assert found.due_at is not None
    assert found.due_at.isoformat() == "2027-05-29T13:59:00+00:00"


@pytest.mark.parametrize(
    ("former", "new", "expected"),
    [
        ('title = "Warm-up"', 'title = "Warm-up', "assignment.toml:1: This is not TOML: "),
        ("slug", "[[questions", "assignment.toml:5: This is not TOML: "),
        (
            'title = "Warm-up"',
            'titel = "Warm-up"',
            "assignment.toml:1: There is no setting titel here. Did you mean title?",
        ),
        ('title = "Warm-up"', "title = 3", "assignment.toml:1: title must be text."),
        ('title = "Warm-up"', "title = 2027-01-01", "assignment.toml:1: title must be text."),
        ('title = "Warm-up"', 'title = "W"\ntext = "x"', "assignment.toml:2: text belongs in text.md, not here."),
        (
            'title = "Warm-up"',
            'title = "W"\ngame = "bu"',
            "assignment.toml:2: There is no game 'bu'; did you mean 'bo'?",
        ),
        (
            'title = "Warm-up"',
            'title = "W"\ngame = "bo"\noptions.hand = 5',
            "assignment.toml:3: Comp10001-Bo has no option 'hand'",
        ),
        (
            'title = "Warm-up"',
            'title = "W"\ngame = "bo"\noptions.hand_size = 2.5',
            "assignment.toml:3: The value of an option is a whole number, true or false, or a text in quotes.",
        ),
        ('title = "Warm-up"', 'title = "W"\noptions.a = 5', "assignment.toml:2: Only a game has options"),
        ('title = "Warm-up"', 'title = "W"\ntrial_games = 101', "assignment.toml:2: trial_games must be at most 100."),
        (
            'title = "Warm-up"',
            'title = "W"\ntrial_games = "8"',
            "assignment.toml:2: trial_games must be a whole number.",
        ),
        ("2027-05-29T23:59:00", '"2027-05-29 23:59"', "assignment.toml:2: due: Write a date and a time without quotes"),
        (
            "2027-05-29T23:59:00",
            "2027-05-29",
            "assignment.toml:2: due: Write a date and a time without quotes, e.g. 2027-05-29T23:59:00.",
        ),
        (
            "2027-05-29T23:59:00",
            "2027-10-03T02:30:00",
            "assignment.toml:2: due: Sun 3 Oct 2027, 02:30 does not exist in",
        ),
        ("2027-05-29", "0027-05-29", "assignment.toml:2: due: 0027-05-29 is not in one of the years"),
        (
            'slug = "q1"',
            'slug = "Q1"',
            "assignment.toml:5: slug may contain only lowercase letters, digits and hyphens",
        ),
        (
            'function = "twice"',
            'function = "two-times"',
            "assignment.toml:7: The name 'two-times' cannot be used for a",
        ),
        ('function = "twice"', "", "assignment.toml:4: function is required."),
        ('function = "twice"', 'function = "twice"\npoints = -1', "assignment.toml:8: points must be at least 0."),
        ('function = "twice"', 'function = "twice"\npoints = "1"', "assignment.toml:8: points must be a number."),
        ('function = "twice"', 'function = "twice"\npoints = inf', "assignment.toml:8: points must be "),
        (
            'function = "twice"',
            'function = "twice"\ngate = "al"',
            "assignment.toml:8: gate must be none, examples or all.",
        ),
        ('function = "twice"', 'function = "twice"\narities = 1', "assignment.toml:8: arities must be a list."),
        (
            'function = "twice"',
            'function = "twice"\ncases = ""',
            "assignment.toml:8: cases belongs in cases.py, not here.",
        ),
        (
            'function = "twice"',
            'function = "twice"\ncomparator = "flots"',
            'assignment.toml:8: A comparator is one of "exact"',
        ),
        (
            'function = "twice"',
            'function = "twice"\ncomparator = {kind = "floats", relativ = 1}',
            "assignment.toml:8: There is no setting relativ here. Did you mean relative?",
        ),
        (
            'function = "twice"',
            'function = "twice"\ncomparator = {kind = "floats", relative = 2}',
            "assignment.toml:8: relative must be less than 1.",
        ),
        (
            'function = "twice"',
            'function = "twice"\ncomparator = "checker"',
            "assignment.toml:8: The checker is missing: write accepts(args, got) in questions/q1/checker.py.",
        ),
        ("[[questions]]", "[questions]", "assignment.toml:4: Write each of the questions as a table of its own"),
        (
            "[[questions]]",
            '[[questions]]\nslug = "q1"\ntitle = "First"\nfunction = "f"\n\n[[questions]]',
            "assignment.toml:10: Two questions are called 'q1'.",
        ),
        (
            'parameters = ["x"]',
            '[[tournaments]]\nslug = "bonus"',
            "assignment.toml:8: An assignment without a game cannot have tournaments.",
        ),
        ('parameters = ["x"]', "[[tournaments]]\nfault_limit = 900", "assignment.toml:8: In 400 games nobody can make"),
    ],
)
def test_a_wrong_setting_is_named_with_its_line(former: str, new: str, expected: str) -> None:
    found = problems(with_settings((former, new)))
    assert any(each.startswith(expected) for each in found), found


@pytest.mark.parametrize(
    ("file", "content", "expected"),
    [
        (
            "questions/q1/examples.txt",
            b">>> twice(2)\n4\n>>> thrice(2)\n6\n",
            "questions/q1/examples.txt:3: this must be",
        ),
        ("questions/q1/examples.txt", b">>> twice(2)\n\n", "questions/q1/examples.txt:1: the line below the call"),
        ("questions/q1/examples.txt", b">>> twice(" + b"-" * 99_999 + b"1)\n1\n", "questions/q1/examples.txt:1: "),
        ("questions/q1/solution.py", b"", "questions/q1/cases.py: There is no questions/q1/solution.py"),
        ("questions/q1/checker.py", b"x", "assignment.toml:4: questions/q1/checker.py is not used."),
        ("text.md", b"one\ntwo\xff\n", "text.md:2: This file is not text in UTF-8."),
        ("text.md", b"x" * (256 * 1024 + 1), "text.md: This must have at most 262144 characters."),
        ("assignment.toml", b"a = " + b"[" * 99_999, "assignment.toml: The values in this file are nested too deeply."),
        ("assignment.toml", b"#" * (256 * 1024 + 1), "assignment.toml: This file is larger than 256 KiB."),
        ("submissions/x.py", b"x", "submissions/x.py: Name it accepted/NAME.py or wrong/NAME.py."),
    ],
)
def test_a_wrong_file_is_named_with_its_line(file: str, content: bytes, expected: str) -> None:
    found = problems({**GOOD, file: content})
    assert [each for each in found if each.startswith(expected)] == found, found


def test_a_checker_that_is_not_text_is_told_once() -> None:
    files = with_settings(('function = "twice"', 'function = "twice"\ncomparator = "checker"'))
    found = problems({**files, "questions/q1/checker.py": b"one\n\xff"})
    assert found == ["questions/q1/checker.py:2: This file is not text in UTF-8. Save it in that encoding."]


def test_all_problems_are_told_at_once() -> None:
    files = with_settings(('title = "Warm-up"', "titel = 1"), ('slug = "q1"', 'slug = "Q 1"'), ("due", "dew"))
    assert [each.split(": ")[0] for each in problems(files)] == [
        "assignment.toml", "assignment.toml:1", "assignment.toml:2", "assignment.toml:5"
    ]  # fmt: skip


def test_an_assignment_without_its_settings_is_refused() -> None:
    assert problems({"text.md": b""}) == ["assignment.toml: This file is missing. It defines the assignment."]


COURSE = b'title = "Computing"\ntime_zone = "Australia/Melbourne"\nterm = "Semester 1"\n'


def course(settings: bytes, **assignments: dict[str, bytes]) -> dict[str, bytes]:
    files = {f"assignments/{slug}/{path}": each[path] for slug, each in assignments.items() for path in each}
    return {"course.toml": settings, **files}


def test_an_error_in_one_assignment_does_not_hold_up_the_others() -> None:
    found = read_course(course(COURSE, good=GOOD, broken=with_settings(("due", "dew"))), "comp")
    assert [*found.assignments] == ["good"]
    assert [str(each) for each in found.problems] == [
        "assignments/broken/assignment.toml:2: There is no setting dew here. Did you mean due?"
    ]
    assert found.settings
    assert (found.settings.slug, found.settings.term, found.zone) == ("comp", "Semester 1", MELBOURNE)


def test_no_assignment_is_read_at_the_address_of_a_page_that_each_course_has() -> None:
    found = read_course(course(b'title = "Computing"', people=GOOD, good=GOOD), "comp")
    assert [*found.assignments] == ["good"]
    (problem,) = map(str, found.problems)
    assert problem.startswith("assignments/people/assignment.toml")
    assert "already has a page at the address people" in problem


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (b'titel = "Computing"', "course.toml:1: There is no setting titel here. Did you mean title?"),
        (
            b'title = "Computing"\ntime_zone = "Melbourne"',
            "course.toml:2: There is no time zone “Melbourne”. Did you mean",
        ),
        (
            b'slug = "Comp 1"\ntitle = "Computing"',
            "course.toml:1: 'Comp 1' cannot be part of an address. Use up to 40 lowercase letters, digits and hyphens",
        ),
        (b'title = "Computing"\n[defaults]\npoints = 2', "course.toml:3: There is no default points here."),
        (b'title = "C"\n[defaults.questions]\npoints = -2', "course.toml:3: points must be at least 0."),
        (b'title = "C"\ndefaults = 3', "course.toml:2: Write the defaults as a table: [defaults]."),
        (b"title = 3", "course.toml:1: title must be text."),
        (b"title", "course.toml:1: This is not TOML: "),
    ],
)
def test_a_wrong_setting_of_the_course_is_named_with_its_line(settings: bytes, expected: str) -> None:
    found = [str(each) for each in read_course(course(settings, good=GOOD), "comp").problems]
    assert any(each.startswith(expected) for each in found), found


def test_what_assignments_leave_out_is_in_the_defaults() -> None:
    defaults = COURSE + b"[defaults]\ntrial_games = 4\n[defaults.questions]\npoints = 3\nshows = 'number'\n"
    points = with_settings(("[[questions]]", "[[questions]]\npoints = 1"))
    found = read_course(course(defaults, a=GOOD, b=points), "comp").assignments
    assert [(each.trial_games, each.questions[0].points) for each in found.values()] == [(4, 3), (4, 1)]
    assert found["a"].questions[0].shows == "number"


def test_examples_of_what_is_printed_need_no_quotes() -> None:
    files = with_settings(('function = "twice"', 'function = "twice"\ncomparator = "printed"'))
    files["questions/q1/examples.txt"] = b">>> twice(2)\nit is 4\nindeed\n"
    assert read_assignment(files, MELBOURNE).questions[0].comparator.kind == "printed"


@pytest.mark.parametrize("game", GAMES)
def test_the_assignments_of_the_built_in_games_have_no_warnings(game: str) -> None:
    definition = builtin(game)
    assert warnings(builtin_files(game), definition, MELBOURNE, NOW) == []
    assert read_assignment(write_assignment(definition, MELBOURNE), MELBOURNE) == definition


@pytest.mark.parametrize(
    ("settings", "files", "expected"),
    [
        (
            ("2027-05", "2026-05"),
            {},
            "assignment.toml:2: warning: The deadline, Fri 29 May 2026, 23:59 AEST (UTC+10:00), is in the past.",
        ),
        (
            ('title = "Warm-up"', 'title = "W"\ngame = "bo"'),
            {},
            "assignment.toml: warning: The assignment has a game but no tournament.",
        ),
        ((), {"questions/q1/case.py": b""}, "questions/q1/case.py: warning: This is not used. Did you mean cases.py?"),
        (
            (),
            {"questions/q2/text.md": b""},
            "questions/q2: warning: This is not used: no question in assignment.toml has",
        ),
        ((), {"start.py": b""}, "start.py: warning: This is not used. Did you mean starter.py?"),
        ((), {"README.md": b"", "notes/x.txt": b""}, ""),
        (
            (),
            {"submissions/wrong/x.txt": b""},
            "submissions/wrong/x.txt: warning: This is not used, because its name does",
        ),
        (
            (),
            {"text.md": b"See\n![it](it.png)"},
            "text.md:2: warning: The site has no file it.png. Link to a full address",
        ),
        ((), {"text.md": b"[a](https://a.example) [b](#b) [c](/rules/)"}, ""),
    ],
)
def test_what_is_probably_a_mistake_is_a_warning(
    settings: tuple[str, str], files: dict[str, bytes], expected: str
) -> None:
    all_files = {**(with_settings(settings) if settings else GOOD), **files}
    found = warnings(all_files, read_assignment(all_files, MELBOURNE), MELBOURNE, NOW)
    assert [str(each)[: len(expected)] for each in found] == ([expected] if expected else [])
