"""What a check finds in an assignment that can be read: by running everything of the author's in the sandbox."""

import pytest

from grader.authoring.check import check
from grader.authoring.course_folder.problems import Problem
from grader.definition.model import Definition
from grader.definition.question import FunctionQuestion
from grader.programs.jails import Jails
from sandbox.api import Sandbox

SOLUTION = "def twice(x):\n    return 2 * x\n"
TWICE = FunctionQuestion(
    slug="q1",
    title="Twice",
    function="twice",
    parameters=("x",),
    examples=">>> twice(2)\n4\n",
    cases="def cases(rng):\n    for x in range(-3, 30):\n        yield (x,)\n",
    solution=SOLUTION,
    points=2,
)
WRITTEN_OUT = TWICE.model_copy(update={"cases": ">>> twice(3)\n6\n>>> twice(-1)\n-2\n"})


def assignment(question: FunctionQuestion = TWICE, starter: str = SOLUTION, **submissions: str) -> Definition:
    named = {f"{name.replace('_', '/', 1)}.py": source for name, source in submissions.items()}
    return Definition(title="Warm-up", starter=starter, questions=(question,), submissions=named)


def problems(definition: Definition, sandbox: Sandbox) -> list[str]:
    return [str(problem) for problem in check(definition, Jails(lambda: sandbox, lambda: sandbox)).problems]


def test_a_good_assignment_has_no_problems_and_gives_its_case_sets(sandbox: Sandbox) -> None:
    found = check(assignment(accepted_same=SOLUTION), Jails(lambda: sandbox, lambda: sandbox))
    assert (found.problems, found.counts, len(found.case_sets)) == ([], {"q1": 33}, 1)
    again = check(assignment(), Jails(lambda: sandbox, lambda: sandbox), known=found.case_sets)
    assert again.case_sets == found.case_sets


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            {"solution": "def twice(x):\n    return x ** 2\n", "examples": ">>> twice(3)\n6\n"},
            "questions/q1/solution.py: It fails example 1",
        ),
        ({"solution": "def twice(x)\n    return x\n"}, "questions/q1/solution.py:1: "),
        ({"solution": "def thrice(x):\n    return x\n"}, "questions/q1/solution.py"),
        ({"cases": "def cases(rng):\n    yield 1 / 0\n"}, "questions/q1/cases.py:2: "),
        (
            {"cases": "import socket\ndef cases(rng):\n    yield (socket.create_connection(('8.8.8.8', 53)),)\n"},
            "questions/q1/cases.py",
        ),
        ({"cases": ">>> twice(3)\n7\n"}, "questions/q1/solution.py: It fails example 2"),
        ({"cases": "def cases(rng):\n    yield 1 / 0\n", "visible": False}, "questions/q1/cases.py:2: "),
    ],
)
def test_a_mistake_in_an_authors_file_is_named(question: dict[str, object], expected: str, sandbox: Sandbox) -> None:
    (found,) = problems(assignment(TWICE.model_copy(update=question)), sandbox)
    assert found.startswith(expected), found


def test_every_example_that_the_solution_fails_is_named(sandbox: Sandbox) -> None:
    wrong = {
        "solution": "def twice(x):\n    return x ** 2\n",
        "examples": "".join(f">>> twice({n})\n{2 * n}\n" for n in range(4)),
    }
    found = problems(assignment(TWICE.model_copy(update=wrong)), sandbox)
    assert [each.partition(",")[0] for each in found] == [
        f"questions/q1/solution.py: It fails example {n}" for n in (2, 4)
    ]


def test_mistakes_in_cases_and_solution_are_named_at_once(sandbox: Sandbox) -> None:
    wrong = {"cases": "def cases(rng):\n    yield 1 / 0\n", "solution": "def twice(x)\n    return x\n"}
    found = problems(assignment(TWICE.model_copy(update=wrong)), sandbox)
    assert [each.partition(": ")[0] for each in found] == ["questions/q1/cases.py:2", "questions/q1/solution.py:1"]


@pytest.mark.parametrize(
    ("starter", "expected"),
    [
        ("", []),
        ("def twice(x):\n    pass\n", []),
        ("def twize(x):\n    pass\n", ["starter.py: q1: "]),
        ("def twice(x:\n    pass\n", ["starter.py:1: q1: "]),
        ("1 / 0\n", ["starter.py:1: q1: "]),
    ],
)
def test_the_starter_must_have_every_function(starter: str, expected: list[str], sandbox: Sandbox) -> None:
    found = problems(assignment(WRITTEN_OUT, starter), sandbox)
    assert [each[: len(start)] for each, start in zip(found, expected, strict=True)] == expected, found


CONSTANT = "def twice(x):\n    return 4\n"


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("accepted_a", SOLUTION, ""),
        ("accepted_a", f"# expect: q1=all\n{SOLUTION}", ""),
        ("accepted_a", f"# expect: q1=2\n{SOLUTION}", ""),
        (
            "accepted_a",
            CONSTANT,
            "It passes 1 of 3 cases of q1 and gets 0.66 points, but all of them were expected. The",
        ),
        ("wrong_a", CONSTANT, ""),
        ("wrong_a", f"# expect: q1=some\n{CONSTANT}", ""),
        ("wrong_a", f"# expect: q1=0.66\n{CONSTANT}", ""),
        (
            "wrong_a",
            f"# expect: q1=none\n{CONSTANT}",
            "It passes 1 of 3 cases of q1 and gets 0.66 points, but none of them",
        ),
        (
            "wrong_a",
            f"# expect: q1=1.5\n{CONSTANT}",
            "It passes 1 of 3 cases of q1 and gets 0.66 points, but 1.5 points",
        ),
        ("wrong_a", "# expect: q1=none\n1 / 0\n", ""),
        ("wrong_a", SOLUTION, "It passes every case of every question: no case catches what is wrong with it."),
        (
            "wrong_a",
            f"# expect: q1=some\n{SOLUTION}",
            "It passes all 3 cases of q1, and some was expected: no case catches",
        ),
        ("wrong_a", f"# expect: q2=some\n{SOLUTION}", "There is no question q2. Available: q1."),
        (
            "wrong_a",
            f"# expect: q1=most\n{SOLUTION}",
            "“q1=most” must be a question and one of all, some, none or its points",
        ),
    ],
)
def test_the_authors_own_players_must_get_what_their_first_line_says(
    path: str, source: str, expected: str, sandbox: Sandbox
) -> None:
    found = check(assignment(WRITTEN_OUT, **{path: source}), Jails(lambda: sandbox, lambda: sandbox)).problems
    if not expected:
        assert found == []
        return
    (problem,) = found
    assert problem == Problem(f"submissions/{path.replace('_', '/')}.py", 1, problem.text)
    assert problem.text.startswith(expected), problem.text
