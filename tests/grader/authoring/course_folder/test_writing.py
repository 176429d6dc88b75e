"""A definition is written as files from which the same definition is read, and files as they were written."""

import tomllib
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.authoring.course_folder.course import CourseSettings, read_course
from grader.authoring.course_folder.layout import Defaults
from grader.authoring.course_folder.reading import read_assignment
from grader.authoring.course_folder.writing import write_assignment, write_settings
from grader.comparing.comparators import AnyOf, AnyOrder, Checker, Comparator, Exact, Floats, LikeSequences, Printed
from grader.definition.model import Definition, Ladder
from grader.definition.question import FunctionQuestion, Gate, Shows
from tournament.store.tables import Ranking

ZONES = st.sampled_from([ZoneInfo(name) for name in ("UTC", "Australia/Melbourne", "Europe/Dublin", "Asia/Kathmandu")])
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\ufeff"), max_size=40)
TITLES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20).map(str.strip).filter(bool)
SLUGS = st.from_regex(r"[a-z0-9][a-z0-9-]{0,8}", fullmatch=True)
NAMES = st.from_regex(r"[a-z_]{1,8}", fullmatch=True).map(lambda name: f"{name}_")
DATES = st.none() | st.datetimes(datetime(2001, 1, 1), datetime(2998, 1, 1), timezones=st.just(UTC))
COMPARATORS: st.SearchStrategy[Comparator] = st.one_of(
    st.sampled_from([Exact(), LikeSequences(), AnyOf(), Printed()]),
    st.builds(Floats, relative=st.floats(0, 0.5), absolute=st.floats(0, 1e9)),
    st.builds(AnyOrder, levels=st.integers(1, 10)),
    st.builds(Checker, source=TEXTS.map(lambda text: f"def accepts(args, got): ...\n{text}")),
)


@st.composite
def questions(draw: st.DrawFn) -> FunctionQuestion:
    function = draw(NAMES)
    parameters = tuple(draw(st.lists(NAMES, max_size=3)))
    return FunctionQuestion(
        slug=draw(SLUGS),
        title=draw(TITLES),
        function=function,
        parameters=parameters,
        arities=draw(st.just((len(parameters),)) | st.lists(st.integers(0, 9), min_size=1).map(tuple)),
        method=draw(st.just("") | NAMES),
        text=draw(TEXTS),
        examples=draw(st.sampled_from(["", ">>> # one\n>>> {0}(1)\n2\n"])).format(function),
        cases=draw(TEXTS | st.just(f"\n>>> {function}(1)\n2\n")),
        solution=draw(TEXTS) + "\nx",
        comparator=draw(COMPARATORS),
        points=draw(st.floats(0, 1000)),
        call_s=draw(st.floats(0.01, 30)),
        gate=draw(st.sampled_from(Gate)),
        visible=draw(st.booleans()),
        shows=draw(st.sampled_from(Shows)),
    )


@st.composite
def definitions(draw: st.DrawFn) -> Definition:
    asked = draw(st.lists(questions(), max_size=3, unique_by=lambda each: each.slug))
    game = draw(st.sampled_from(["", "phazed"]))
    dates = sorted(draw(st.tuples(DATES, DATES)), key=str)
    dates = dates if dates[0] != dates[1] else [None, None]
    hangs = st.sampled_from(["", *(each.slug for each in asked)])
    ladders = st.builds(
        Ladder,
        slug=SLUGS,
        title=TITLES,
        question=hangs,
        exclusion_minutes=st.integers(0, 60),
        fault_limit=st.integers(1, 10),
        target_games=st.integers(10, 900),
        ranking=st.sampled_from(Ranking),
    )
    return Definition(
        title=draw(TITLES),
        text=draw(TEXTS),
        game=game,
        options=draw(st.sampled_from([{}, {"hand_size": 8}])) if game else {},
        starter=draw(TEXTS),
        questions=tuple(asked),
        tournaments=tuple(draw(st.lists(ladders, max_size=2, unique_by=lambda each: each.slug))) if game else (),
        visible_from=dates[0],
        due_at=dates[1],
        trial_games=draw(st.integers(0, 100)),
        custom_games_hour=draw(st.integers(0, 1000)),
        submissions=draw(st.dictionaries(SLUGS.map(lambda slug: f"wrong/{slug}.py"), TEXTS.filter(bool), max_size=2)),
    )


DEFAULTS = st.sampled_from(
    [
        Defaults(),
        Defaults(assignment={"trial_games": 3}, questions={"points": 2, "gate": "all"}, tournaments={"fault_limit": 5}),
    ]
)


@pytest.mark.full
@settings(max_examples=50)
@given(definitions(), ZONES, DEFAULTS)
def test_what_was_written_is_read_as_the_same(definition: Definition, zone: ZoneInfo, defaults: Defaults) -> None:
    files = write_assignment(definition, zone, defaults)
    read = read_assignment(files, zone, defaults)
    assert read == definition
    assert write_assignment(read, zone, defaults) == files, "and the files are stable"


def test_digests_do_not_depend_on_the_zone_in_which_dates_were_written() -> None:
    melbourne, due = ZoneInfo("Australia/Melbourne"), datetime(2027, 4, 3, 15, 30, tzinfo=UTC)
    definition = Definition(title="Bo", due_at=due)
    assert read_assignment(write_assignment(definition, melbourne), melbourne).digest == definition.digest


def test_a_time_that_comes_twice_is_written_with_its_offset_if_the_earlier_one_is_meant() -> None:
    melbourne = ZoneInfo("Australia/Melbourne")
    written = []
    for hour in (15, 16):  # 02:30, before and after the clocks go back
        definition = Definition(title="Bo", due_at=datetime(2027, 4, 3, hour, 30, tzinfo=UTC))
        files = write_assignment(definition, melbourne)
        written.append(tomllib.loads(files["assignment.toml"].decode())["due"].isoformat())
        assert read_assignment(files, melbourne) == definition
    assert written == ["2027-04-04T02:30:00+11:00", "2027-04-04T02:30:00"]


def test_what_is_as_usual_is_left_out() -> None:
    question = FunctionQuestion(
        slug="q1", title="Twice", function="twice", parameters=("x",), points=2, comparator=Floats()
    )
    definition = Definition(title="Bo", game="bo", questions=(question,), tournaments=(Ladder(),))
    assert (
        write_assignment(definition, ZoneInfo("UTC"))["assignment.toml"].decode()
        == """\
title = "Bo"
game = "bo"

[[questions]]
slug = "q1"
title = "Twice"
function = "twice"
parameters = ["x"]
points = 2
comparator = "floats"

[[tournaments]]
slug = "standard"
title = "Standard tournament"
"""
    )


def test_a_course_is_read_as_it_was_written() -> None:
    course = CourseSettings(slug="comp", title="“Computing” \\ 1", time_zone="Asia/Kathmandu", term="Spring")
    defaults = Defaults(assignment={"trial_games": 3}, questions={"points": 2}, tournaments={"fault_limit": 5})
    assignments = {"bo": Definition(title="Bo", game="bo"), "warm-up": Definition(title="Warm-up")}
    written = tomlkit.dumps({"defaults": {**defaults.assignment, **defaults.model_dump(exclude={"assignment"})}})
    files = {"course.toml": write_settings(course) + written.encode()}
    for slug, definition in assignments.items():
        inside = write_assignment(definition, course.zone, defaults)
        files |= {f"assignments/{slug}/{path}": content for path, content in inside.items()}
    found = read_course(files)
    assert (found.settings, found.defaults, found.assignments, found.problems) == (course, defaults, assignments, ())
