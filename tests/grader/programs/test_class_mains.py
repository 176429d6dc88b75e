"""Classes of one upload, each tested by a question with a `main` of its own, beside the question about the program."""

import pytest

from grader.definition.question import ProgramQuestion
from grader.programs.grading import ProgramGraded, grade_program
from grader.programs.jails import Jails
from grader.programs.upload import inventory
from sandbox.api import Verdict

HEADER = "int size();\nint first();\n"
UPLOADED = {
    "deck.cpp": '#include "cards.h"\nint size() { return 52; }\n',
    "hand.cpp": '#include "cards.h"\nint first() { return 7; }\n',
    "game.cpp": '#include <cstdio>\n#include "cards.h"\nint main() { printf("%d %d\\n", size(), first()); }\n',
}


def asked(slug: str, *editable: str, output: str, main: str = "") -> ProgramQuestion:
    given = {"cards.h": HEADER}
    if main:
        test = f'#include <cstdio>\n#include "cards.h"\nint main() {{ printf("%d\\n", {main}()); }}\n'
        given |= {f"{slug}_test.cpp": test}
    case = {"slug": "01", "title": "Prints it", "hidden": False, "output": output}
    data = {"slug": slug, "title": slug, "language": "cpp17", "given": given, "editable": editable, "cases": (case,)}
    return ProgramQuestion.model_validate(data | {"required": editable})


QUESTIONS = (
    asked("deck", "deck.cpp", output="52\n", main="size"),
    asked("hand", "hand.cpp", output="7\n", main="first"),
    asked("game", "deck.cpp", "hand.cpp", "game.cpp", output="52 7\n"),
)
DOES_NOT_COMPILE = UPLOADED | {"hand.cpp": "int first( { return 7; }\n"}
CHEATS = UPLOADED | {"deck_test.cpp": '#include <cstdio>\nint main() { puts("52"); }\n', "deck.cpp": "int size();\n"}


@pytest.mark.parametrize(
    ("files", "verdicts"),
    [
        (UPLOADED, [Verdict.AC, Verdict.AC, Verdict.AC]),
        (UPLOADED | {"deck.cpp": "int size() { return 51; }\n"}, [Verdict.WA, Verdict.AC, Verdict.WA]),
        (DOES_NOT_COMPILE, [Verdict.AC, Verdict.CE, Verdict.CE]),
        (CHEATS, [Verdict.CE, Verdict.AC, Verdict.CE]),
    ],
)
def test_each_class_is_tested_by_itself(jails: Jails, files: dict[str, str], verdicts: list[Verdict]) -> None:
    uploaded = {path: text.encode() for path, text in files.items()}
    graded = [ProgramGraded.of(grade_program(question, uploaded, jails)) for question in QUESTIONS]
    assert [each.results[0].verdict for each in graded] == verdicts


def test_no_file_of_the_upload_is_unexpected() -> None:
    found = inventory(QUESTIONS, {path: text.encode() for path, text in UPLOADED.items()})
    assert (found.unexpected, found.missing, found.replaced) == ([], [], [])
