"""The course folder `examples/uno-cpp`, as it is read, and what uploads to its assignment are taken for."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from zipfile import ZipFile

import pytest

from grader.authoring.course_folder.course import read_course
from grader.authoring.course_folder.files import read_files
from grader.comparing.outputs import SameLines
from grader.definition.question import ProgramQuestion, Warnings
from grader.languages import LANGUAGES
from grader.programs.upload import Inventory, MissingFile, TakenIn, take_in
from tests.games.uno.cpp import FILES, ROOT, SOLUTION, cases, sources


@pytest.fixture(scope="module")
def questions() -> Sequence[ProgramQuestion]:
    """The questions of the course's only assignment."""
    course = read_course(read_files(ROOT / "examples" / "uno-cpp"), "uno-cpp")
    assert not course.problems
    (definition,) = course.assignments.values()
    assert [*definition.programs] == [*definition.asked]
    return definition.programs


@pytest.fixture(scope="module")
def question(questions: Sequence[ProgramQuestion]) -> ProgramQuestion:
    """The question about the whole game."""
    return questions[-1]


def test_there_is_a_question_for_each_class_that_can_be_tested_by_itself(questions: Sequence[ProgramQuestion]) -> None:
    assert [each.slug for each in questions] == ["actioncard", "deck", "player", "bot", "man", "uno"]
    assert sum(each.points for each in questions) == 100
    for each in questions[:-1]:
        shared = each.given.keys() & sources(FILES).keys()
        assert {name: each.given[name] for name in shared} == {name: sources(FILES)[name] for name in shared}
        assert each.solution.items() <= sources(SOLUTION).items()
        assert f"test_{each.slug}.cpp" in each.locked


def test_one_upload_of_the_games_files_has_all_that_the_questions_ask_for(questions: Sequence[ProgramQuestion]) -> None:
    found = upload(questions, sources(FILES, SOLUTION)).inventory
    assert (found.missing, found.replaced, found.unexpected) == ([], [], [])


def test_the_question_asks_for_ten_files_without_warnings(question: ProgramQuestion) -> None:
    assert (question.language, question.warnings, question.points) == ("cpp17", Warnings.FAIL, 80)
    assert question.comparator == SameLines()
    assert LANGUAGES[question.language].shown_build(["a.cpp"], question.options) == "g++ -std=c++17 -o program a.cpp"
    assert set(question.asked_for) == set(question.solution) == set(sources(SOLUTION))
    assert (len(question.given), len(question.locked)) == (28, 18)


def test_the_question_has_all_cases(question: ProgramQuestion) -> None:
    found = [f"{'hidden' if case.hidden else 'visible'}/{case.slug}" for case in question.cases]
    assert found == [case.name for case in cases()]
    assert len(found) == 41
    assert all(case.files.keys() == {"deck.txt"} and not case.arguments for case in question.cases)


@pytest.mark.parametrize("folder", ["", "uno/", "uno/uno/"], ids=["plain", "folder", "folder-in-folder"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["unix", "windows"])
def test_a_zip_of_all_files_has_everything(question: ProgramQuestion, folder: str, line_end: str) -> None:
    """However deep its folder is, and whatever ends its lines."""
    files = {name: text.replace("\n", line_end) for name, text in sources(FILES, SOLUTION).items()}
    taken = upload([question], {f"{folder}{name}": text for name, text in files.items()} | {"__MACOSX/._Man.cpp": "\0"})
    assert set(taken.files) == set(files)
    asked = sorted(sources(SOLUTION))
    assert taken.inventory == Inventory(found=asked, given=sorted(set(files) - set(asked)))


def test_the_untouched_starter_is_found_out(question: ProgramQuestion) -> None:
    assert upload([question], sources(FILES)).inventory.unchanged == sorted(sources(SOLUTION))


def test_other_files_of_ours_are_replaced_and_one_that_lacks_is_missing(question: ProgramQuestion) -> None:
    files = sources(FILES, SOLUTION) | {"Card.h": "// mine\n"}
    del files["Bot.cpp"]
    found = upload([question], files).inventory
    assert (found.replaced, found.missing) == (["Card.h"], [MissingFile("Bot.cpp")])


def upload(questions: Sequence[ProgramQuestion], files: Mapping[str, str]) -> TakenIn:
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return take_in(questions, [("uno.zip", packed.getvalue())])
