"""Program questions in a course folder: they are read as they were written, and with all that is wrong."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.authoring.course_folder.course import warnings
from grader.authoring.course_folder.layout import Defaults
from grader.authoring.course_folder.problems import CourseError
from grader.authoring.course_folder.programs import missing_outputs
from grader.authoring.course_folder.reading import read_assignment
from grader.authoring.course_folder.writing import write_assignment
from grader.comparing.outputs import SameLines, SameNumbers, SameText, SameTokens
from grader.definition.model import Definition
from grader.definition.question import (
    FunctionQuestion,
    Gate,
    OutputChecker,
    OutputComparator,
    ProgramCase,
    ProgramQuestion,
    Shows,
    Validator,
    Warnings,
)

UTC_ZONE = ZoneInfo("UTC")
NOW = datetime(2026, 12, 1, tzinfo=UTC)

SLUGS = st.from_regex(r"[a-z0-9][a-z0-9-]{0,8}", fullmatch=True)
TITLES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20).map(str.strip).filter(bool)
RAW = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
TEXTS = RAW.map(lambda text: text.replace("\r", ""))
PATHS = st.sampled_from(["Deck.cpp", "Deck.h", "cards/Wild Card.cpp", "cards/deep/er.txt", "Makefile", "a+b-c.cpp"])
FILES = st.dictionaries(PATHS, TEXTS, max_size=3)
ARGUMENTS = st.lists(RAW.filter(lambda text: len(text) < 20), max_size=3).map(tuple)
COMPARATORS: st.SearchStrategy[OutputComparator] = st.one_of(
    st.sampled_from([SameText(), SameLines(), SameTokens(), SameTokens(case_sensitive=False)]),
    st.builds(SameNumbers, relative=st.floats(0, 0.5), absolute=st.floats(0, 1e9), case_sensitive=st.booleans()),
    st.builds(OutputChecker, source=TEXTS.map(lambda text: f"def accepts(input, expected, printed): ...\n{text}")),
    st.builds(
        Validator,
        language=st.sampled_from(["cpp17", "python3"]),
        files=FILES.filter(bool),
        flags=st.lists(TITLES, max_size=2).map(tuple),
    ),
)
CASES = st.builds(
    ProgramCase,
    slug=SLUGS,
    title=TITLES,
    hidden=st.booleans(),
    arguments=ARGUMENTS,
    input=RAW,
    output=RAW,
    exit_code=st.none() | st.integers(0, 255),
    files=FILES,
    leaves=FILES,
)


@st.composite
def program_questions(draw: st.DrawFn) -> ProgramQuestion:
    given_files = draw(FILES)
    editable = draw(st.sampled_from([("*",), ("*.cpp",), ("cards/*", "Deck.*")]))
    question = ProgramQuestion(
        slug=draw(SLUGS),
        title="t",
        language=draw(st.sampled_from(["cpp17", "c11"])),
        given=given_files,
        editable=editable,
    )
    return ProgramQuestion(
        slug=question.slug,
        title=draw(TITLES),
        text=draw(TEXTS.map(lambda text: text.replace("\ufeff", ""))),
        language=question.language,
        given=given_files,
        editable=editable,
        required=tuple(path for path in draw(st.lists(PATHS, unique=True, max_size=2)) if question.may_edit(path)),
        options=draw(st.sampled_from([(), ("-O2", "-Wall")])),
        warnings=draw(st.sampled_from(Warnings)),
        warning_points=draw(st.floats(0, 10)),
        cases=tuple(draw(st.lists(CASES, max_size=4, unique_by=lambda case: case.slug))),
        comparator=draw(COMPARATORS),
        cpu_s=draw(st.floats(0.01, 60)),
        memory_mib=draw(st.integers(16, 2048)),
        output_kib=draw(st.integers(1, 16384)),
        solution={path: text for path, text in draw(FILES).items() if path not in question.locked},
        submissions={f"WA/off by one/{path}": text for path, text in draw(FILES).items()},
        points=draw(st.floats(0, 1000)),
        gate=draw(st.sampled_from(Gate)),
        visible=draw(st.booleans()),
        shows=draw(st.sampled_from([Shows.ALL, Shows.NUMBER, Shows.SMALLEST])),
    )


DEFAULTS = st.sampled_from([Defaults(), Defaults(questions={"points": 2, "gate": "all", "shows": "twin", "call_s": 3})])


@pytest.mark.full
@settings(max_examples=60)
@given(st.lists(program_questions(), min_size=1, max_size=2, unique_by=lambda each: each.slug), DEFAULTS)
def test_what_was_written_is_read_as_the_same(asked: list[ProgramQuestion], defaults: Defaults) -> None:
    function = FunctionQuestion(slug="z-function", title="Twice", function="twice", parameters=("x",))
    definition = Definition(title="Uno", questions=(*asked, function))
    files = write_assignment(definition, UTC_ZONE, defaults)
    read = read_assignment(files, UTC_ZONE, defaults)
    assert read == definition
    assert read.digest == definition.digest
    assert write_assignment(read, UTC_ZONE, defaults) == files, "and the files are stable"


GOOD = {
    "assignment.toml": b"""title = "Greeter"

[[questions]]
slug = "greet"
title = "A greeting"
language = "cpp17"
editable = ["*.cpp"]
options = ["-O2"]
warnings = "fail"
comparator = "exact"
""",
    "questions/greet/text.md": b"Greet.\n",
    "questions/greet/files/Greeter.h": b"#pragma once\n",
    "questions/greet/files/Greeter.cpp": b"// TODO\n",
    "questions/greet/solution/Greeter.cpp": b"int main() { }\n",
    "questions/greet/cases/visible/01-one-name.in": b"Ada\r\n",
    "questions/greet/cases/visible/01-one-name.out": b"Hello, Ada!\n",
    "questions/greet/cases/hidden/02-nobody.out": b"",
    "questions/greet/cases/hidden/02-nobody.args": b"-q 'two words' ''\n",
    "questions/greet/cases/hidden/02-nobody.code": b"any\n",
    "questions/greet/cases/hidden/02-nobody.title": b"Nobody at all\n",
    "questions/greet/cases/hidden/02-nobody.files/names/all.txt": b"Ada\n",
    "questions/greet/cases/hidden/02-nobody.leaves/log.txt": b"done\n",
    "questions/greet/submissions/WA/no_comma/Greeter.cpp": b"int main() { return 0; }\n",
}


def problems(changed: dict[str, bytes | None], settings: tuple[str, str] = ("", "")) -> list[str]:
    toml = GOOD["assignment.toml"].decode()
    assert settings[0] in toml
    files = {**GOOD, "assignment.toml": toml.replace(*settings, 1).encode(), **changed}
    with pytest.raises(CourseError) as raised:
        read_assignment({path: content for path, content in files.items() if content is not None}, UTC_ZONE)
    return [str(problem) for problem in raised.value.found]


def test_a_good_question_is_read() -> None:
    (question,) = read_assignment(GOOD, UTC_ZONE).questions
    assert isinstance(question, ProgramQuestion)
    assert (question.asked_for, [*question.locked]) == (("Greeter.cpp",), ["Greeter.h"])
    assert (question.warnings, question.comparator) == (Warnings.FAIL, SameText())
    first, second = question.cases
    assert (first.slug, first.title, first.hidden, first.input) == ("01-one-name", "One name", False, "Ada\r\n")
    assert second == ProgramCase(
        slug="02-nobody",
        title="Nobody at all",
        arguments=("-q", "two words", ""),
        exit_code=None,
        files={"names/all.txt": "Ada\n"},
        leaves={"log.txt": "done\n"},
    )


NAMED = "questions/greet"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (("editable", "editible"), "assignment.toml:7: There is no setting editible here. Did you mean editable?"),
        (('"cpp17"', '"c++17"'), "assignment.toml:6: language must be cpp17, c11 or python3."),
        (("language", "langage"), "assignment.toml:6: There is no setting langage here. Did you mean language?"),
        (("title", "given = []\ntitle"), "assignment.toml:1: There is no setting given here. "),
        (('"exact"', '"exakt"'), "assignment.toml:10: A comparator of a program is one of "),
        (('"exact"', '"exakt"'), "Did you mean exact?"),
        (('"exact"', '{ kind = "numbers", relativ = 1 }'), "assignment.toml:10: There is no setting relativ here. "),
        (('"exact"', '{ kind = "numbers", relative = 1 }'), "assignment.toml:10: relative must be less than 1."),
        (('"exact"', '"checker"'), f"{NAMED}/checker.py: The checker is missing: define accepts("),
        (('"exact"', '{ kind = "validator", language = "python3" }'), f"{NAMED}/validator: The validator is missing"),
        (('"exact"', '{ kind = "validator" }'), "assignment.toml:10: language is required."),
        (('"fail"', '"never"'), "assignment.toml:9: warnings must be allow, cost or fail."),
        (
            ('"exact"', '"exact"\nrequired = ["Greeter.h"]'),
            "assignment.toml:3: The file 'Greeter.h' is required",
        ),
        (('"exact"', '"exact"\ncpu_s = 900'), "assignment.toml:11: cpu_s must be at most 60."),
        (('"exact"', '"exact"\nmain = "a.cpp"'), "assignment.toml:11: main is for languages that are not compiled."),
        (
            ('"cpp17"\neditable = ["*.cpp"]\noptions = ["-O2"]', '"python3"'),
            "assignment.toml:3: There is no file main.py to run: ",
        ),
        (('"exact"', '"exact"\nshows = "twin"'), "assignment.toml:3: No twins of cases are created for 'greet'"),
        (('"*.cpp"', '"*.h"'), f"{NAMED}/solution/Greeter.cpp: This file is handed out and no pattern in editable"),
    ],
)
def test_what_is_wrong_with_a_setting_is_said_at_its_line(settings: tuple[str, str], expected: str) -> None:
    assert expected in "\n".join(problems({}, settings))


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        (
            "cases/visible/01-one-name.out",
            None,
            "The expected output is missing. Write it, or have it generated from the",
        ),
        ("cases/visible/01-one-name.ans", b"", "This is not used. The files of a case end with .in, .out, .args"),
        ("cases/01-one-name.in", b"", "This is not used: cases are in cases/visible or cases/hidden."),
        (
            "cases/visible/One Name.in",
            b"",
            "Name a case with up to 40 lowercase letters, digits and hyphens, e.g. 01-two-bots.",
        ),
        ("cases/hidden/01-one-name.out", b"", "Two cases of 'greet' are called '01-one-name'."),
        ("cases/hidden/02-nobody.args", b"'", "The arguments cannot be read: No closing quotation."),
        ("cases/hidden/02-nobody.code", b"300", "must be at most 255"),
        ("cases/hidden/02-nobody.code", b"one", "An exit code is a number from 0 to 255, or any."),
        ("cases/hidden/02-nobody.title", b" ", "at least 1"),
        ("cases/hidden/02-nobody.in", b"a\n\xff", "This file is not text in UTF-8."),
        ("files/logo.png", b"\x89PNG\r\n\x1a\n", "Program files must be text: leave out pictures and compiled files."),
        ("files/Greeter.o", b"a\n\0", "This file is not text: it has a NUL character."),
        ("files/big.txt", b"x" * (300 << 10), "at most 262144 characters"),
        ("files/\xe9.txt", b"", "is not valid"),
        ("submissions/WRONG/a/Greeter.cpp", b"", "Start its path with the expected verdict"),
        ("submissions/WA/Greeter.cpp", b"", "Put it into its own folder, e.g. WA/off_by_one/Greeter.cpp."),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_name(path: str, content: bytes | None, expected: str) -> None:
    told = "\n".join(problems({f"{NAMED}/{path}": content}))
    assert expected in told
    assert f"{NAMED}/{path}" in told or "Two cases" in told


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            b"a\n\xff",
            "This file is not text in UTF-8. Program files must be text: leave out pictures and compiled files.",
        ),
        (b"a\n\0", "This file is not text: it has a NUL character. Leave out pictures and compiled files."),
    ],
)
def test_a_checker_that_is_not_text_is_told_once(content: bytes, told: str) -> None:
    found = problems({f"{NAMED}/checker.py": content}, ('"exact"', '"checker"'))
    assert found == [f"{NAMED}/checker.py:2: {told}"]


def test_all_problems_are_told_at_once() -> None:
    found = problems(
        {
            f"{NAMED}/cases/visible/01-one-name.out": None,
            f"{NAMED}/files/Greeter.o": b"\0",
            f"{NAMED}/submissions/WRONG/a/b.cpp": b"",
        },
        ("warnings", "warning"),
    )
    assert len(found) == 4, found


def test_all_texts_of_a_question_together_are_bounded() -> None:
    large = {f"{NAMED}/cases/hidden/{number}.out": b"x" * (2 << 20) for number in range(5)}
    assert problems(large) == ["assignment.toml:3: All files and cases of 'greet' together can have at most 8 MiB."]


def test_the_expected_outputs_that_are_missing_are_found() -> None:
    files = {path: content for path, content in GOOD.items() if not path.endswith(".out")}
    assert missing_outputs(files, NAMED) == [
        f"{NAMED}/cases/visible/01-one-name.out",
        f"{NAMED}/cases/hidden/02-nobody.out",
    ]
    assert missing_outputs(GOOD, NAMED) == []


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("questions/greet/examples.txt", "This is not used."),
        ("questions/greet/file/Greeter.h", "This is not used. Did you mean files?"),
        ("questions/greet/solution.py", "This is not used. Did you mean solution?"),
    ],
)
def test_files_that_nothing_reads_are_told(path: str, expected: str) -> None:
    files = {**GOOD, path: b"x"}
    found = warnings(files, read_assignment(files, UTC_ZONE), UTC_ZONE, NOW)
    assert f"{path}: warning: {expected}" in map(str, found)


def test_a_question_without_cases_or_without_a_solution_is_told() -> None:
    files = {path: content for path, content in GOOD.items() if "/cases/" not in path and "/solution/" not in path}
    found = [each.text for each in warnings(files, read_assignment(files, UTC_ZONE), UTC_ZONE, NOW)]
    assert any("There are no cases" in text for text in found)
    assert any("There is no solution" in text for text in found)
