"""What becomes of a problem package: the question, what is left out of it, and what is refused, with its reason."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from grader.authoring.problem_packages.package import PackageError
from grader.comparing.outputs import SameNumbers, SameTokens
from grader.definition.question import CASES, ProgramQuestion, Validator
from tests.grader.authoring.problem_packages.packages import imported, written

Changes = Mapping[str, str | bytes | None]

NEWER = "problem_format_version: 2023-07-draft\nname: {en: Double It, sv: Dubbla}\n"
JUDGE = "int main() { return 42; }\n"


def test_a_package_becomes_a_question(tmp_path: Path) -> None:
    question = imported(written(tmp_path)).question
    assert (question.slug, question.title, question.language, question.main) == (
        "double",
        "Double It",
        "python3",
        "double.py",
    )
    assert [(case.slug, case.hidden, case.input, case.output) for case in question.cases] == [
        ("01-sample-1", False, "4\n", "8\n"),
        ("02-01", True, "5\n", "10\n"),
        ("03-02-large", True, "1000000000\n", "2000000000\n"),
    ]
    assert question.comparator == SameTokens(case_sensitive=False)
    assert question.solution == {"double.py": "print(2 * int(input()))\n"}
    assert question.submissions == {"WA/square/double.py": "print(int(input()) ** 2)\n"}
    assert (question.cpu_s, question.memory_mib, question.output_kib) == (2, 1024, 8192)


def test_the_text_has_the_statement_the_task_and_the_origin(tmp_path: Path) -> None:
    assert imported(written(tmp_path)).question.text == (
        "Print twice n, where 1 ≤ n ≤ 10⁹.\n\n"
        "Write a program that reads standard input and prints. Upload it as `double.py`.\n\n"
        "Author: Ann Author · Source: Our Own Contest · Licence: cc by-sa\n"
    )


TAKEN: list[tuple[str, Changes, Callable[[ProgramQuestion], Any], Any]] = [
    (
        "the time limit of a judge",
        {".timelimit": "3\n"},
        lambda made: made.cpu_s,
        3,
    ),
    (
        "the time limit of DOMjudge",
        {"domjudge-problem.ini": "timelimit='1.5'\nshort-name=double\n"},
        lambda made: made.cpu_s,
        1.5,
    ),
    (
        "a package of DOMjudge alone",
        {"problem.yaml": None, "domjudge-problem.ini": 'name = "Twice"\n', "problem_statement/problem.tex": None},
        lambda made: made.title,
        "Twice",
    ),
    (
        "the limits of problem.yaml",
        {"problem.yaml": "limits: {time_limit: 4, memory: 64, output: 1}\n"},
        lambda made: (made.cpu_s, made.memory_mib, made.output_kib),
        (4, 64, 1024),
    ),
    (
        "the flags of the validator",
        {"problem.yaml": "validator_flags: float_tolerance 1e-6 case_sensitive\n"},
        lambda made: made.comparator,
        SameNumbers(relative=1e-6, absolute=1e-6),
    ),
    (
        "the flags of groups of cases",
        {"data/testdata.yaml": "output_validator_flags: case_sensitive\n"},
        lambda made: made.comparator,
        SameTokens(),
    ),
    (
        "a validator of its own, in a folder",
        {
            "problem.yaml": "validation: custom\nvalidator_flags: strict 2\n",
            "output_validators/judge/judge.cc": JUDGE,
            "output_validators/judge/help.h": "",
            "output_validators/judge/README.txt": "",
        },
        lambda made: made.comparator,
        Validator(language="cpp17", files={"main.cpp": JUDGE, "help.h": ""}, flags=("strict", "2")),
    ),
    (
        "a validator of its own, without a folder",
        {"problem.yaml": "validation: custom\n", "output_validators/a.c": JUDGE, "output_validators/a.h": ""},
        lambda made: made.comparator,
        Validator(language="c11", files={"main.c": JUDGE, "a.h": ""}),
    ),
    (
        "the newer format",
        {
            "problem.yaml": NEWER + "credits: {authors: [{name: Ann}, Bob]}\nlimits: {time_limit: 1}\n",
            "problem_statement/problem.tex": None,
            "statement/problem.en.md": "Twice $n \\le 5$!\n\n{{nextsample}}\n",
            "output_validator/judge.py": "import sys\nsys.exit(42)\n",
            "data/secret/test_group.yaml": "output_validator_args: [strict]\n",
            "data/sample/test_group.yaml": "output_validator_args: [strict]\n",
        },
        lambda made: (made.title, made.text[:12], made.text.split("\n\n")[2], made.comparator),
        (
            *("Double It", "Twice n ≤ 5!", "Author: Ann, Bob\n"),
            Validator(language="python3", files={"main.py": "import sys\nsys.exit(42)\n"}, flags=("strict",)),
        ),
    ),
    (
        "groups of cases, in order",
        {
            "data/secret/b/2.in": "1",
            "data/secret/b/2.ans": "2",
            "data/secret/b/10.in": "2",
            "data/secret/b/10.ans": "4",
        },
        lambda made: [case.slug for case in made.cases],
        ["01-sample-1", "02-01", "03-02-large", "04-b-10", "05-b-2"],
    ),
    (
        "arguments and files of a case",
        {
            "data/secret/01.args": "-n 'a b'",
            "data/secret/01.files/words.txt": "one\n",
            "data/secret/02_large.yaml": "args: [1, x]",
        },
        lambda made: [(case.arguments, dict(case.files)) for case in made.cases],
        [((), {}), (("-n", "a b"), {"words.txt": "one\n"}), (("1", "x"), {})],
    ),
    (
        "line ends as they are",
        {"data/secret/01.in": b"5\r\n"},
        lambda made: made.cases[1].input,
        "5\r\n",
    ),
    (
        "the language of most accepted submissions",
        {"submissions/accepted/a.cc": "int main() {}\n", "submissions/accepted/b.cpp": "int main() { return 0; }\n"},
        lambda made: (made.language, dict(made.solution), dict(made.submissions)),
        ("cpp17", {"double.cpp": "int main() {}\n"}, {"AC/b/double.cpp": "int main() { return 0; }\n"}),
    ),
    (
        "a submission of several files, beside those of one",
        {"submissions/accepted/several/main.py": "import b\n", "submissions/accepted/several/b.py": "print(1)\n"},
        lambda made: {path for path in made.submissions if path.startswith("AC")},
        {"AC/several/double.py", "AC/several/b.py"},
    ),
    (
        "submissions without the files of a solution that has several",
        {
            "submissions/accepted/double.py": None,
            "submissions/accepted/double/main.py": "import helper\n",
            "submissions/accepted/double/helper.py": "print(2 * int(input()))\n",
        },
        lambda made: (sorted(made.solution), made.submissions["WA/square/helper.py"]),
        (["double.py", "helper.py"], ""),
    ),
    (
        "submissions of the same name",
        {"submissions/wrong_answer/square.py3": "print(1)\n"},
        lambda made: sorted(made.submissions),
        ["WA/square/double.py", "WA/square2/double.py"],
    ),
]


@pytest.mark.parametrize(("changes", "seen", "value"), [each[1:] for each in TAKEN], ids=[each[0] for each in TAKEN])
def test_taken_over(changes: Changes, seen: Callable[[ProgramQuestion], Any], value: Any, tmp_path: Path) -> None:
    assert seen(imported(written(tmp_path, changes)).question) == value


LEFT_OUT: list[tuple[Changes, str]] = [
    ({}, "the time limit: the package has none, so it is 2 s; change cpu_s if the check says so"),
    ({"submissions/accepted/Double.java": "x"}, "submissions/accepted/Double.java: its language is not offered"),
    (
        {"submissions/accepted/old.py": "#!/usr/bin/python2\n"},
        "submissions/accepted/old.py: its language is not offered",
    ),
    (
        {"submissions/wrong_answer/a.c": "x"},
        "submissions/wrong_answer/a.c: the question asks for Python 3; --language c11 would take it over",
    ),
    ({"submissions/mixed/a.py": "x"}, "submissions/mixed/a.py: the folder mixed does not name one verdict"),
    (
        {"problem_statement/problem.sv.tex": "x"},
        "problem_statement/problem.sv.tex: the statement was taken from problem_statement/problem.tex",
    ),
    ({"problem_statement/problem.en.pdf": b"%PDF\0"}, "problem_statement/problem.en.pdf: a PDF cannot become text"),
    ({"problem_statement/problem.tex": None}, "the statement: there is none in Markdown or LaTeX, so write text.md"),
    ({"attachments/words.txt": "x"}, "attachments/words.txt: hand it out yourself, in the question's folder files"),
    ({"data/secret/testdata.yaml": "accept_score: 50\n"}, "the scores of groups of cases: each case counts the same"),
    (
        {"problem.yaml": "limits: {memory: 4096, time_limit: 90}\n"},
        "the memory limit of 4096 MiB: the most is 2048 MiB",
    ),
]


@pytest.mark.parametrize(("changes", "sentence"), LEFT_OUT)
def test_what_is_left_out_is_named(changes: Changes, sentence: str, tmp_path: Path) -> None:
    assert sentence in imported(written(tmp_path, changes)).left_out


def many(count: int) -> Changes:
    return {f"data/secret/{number}.{suffix}": "" for number in range(count) for suffix in ("in", "ans")}


def large(count: int) -> Changes:
    return {f"data/secret/{number}.{suffix}": "1" * (2 << 20) for number in range(count) for suffix in ("in", "ans")}


BOMB = "x: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"x{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n" for before, name in pairwise("abcdefghi")
)
"""A thousand million items, if all were written out."""

REFUSED: list[tuple[Changes, str]] = [
    ({"problem.yaml": None}, "It has no problem.yaml, so it is not a problem package"),
    ({"problem.yaml": "name: [\n"}, "problem.yaml is not YAML in line 2"),
    ({"problem.yaml": "- a\n"}, "problem.yaml is not a list of settings"),
    ({"problem.yaml": "[" * 2000}, "problem.yaml"),
    ({"problem.yaml": "limits: {memory: much}\n"}, "problem.yaml has wrong settings. limits"),
    ({"problem.yaml": "problem_format_version: 2031-01\n"}, "version '2031-01' of the format"),
    ({"problem.yaml": "validation: custom interactive\n"}, "is interactive"),
    ({"problem.yaml": NEWER + "type: interactive\n"}, "is interactive"),
    ({"problem.yaml": NEWER + "type: [pass-fail, multi-pass]\n"}, "is run in several passes"),
    ({"problem.yaml": NEWER + "type: submit-answer\n"}, "asks for files with answers"),
    ({"problem.yaml": "validation: custom score\n"}, "output validator gives scores"),
    ({"problem.yaml": NEWER + "languages: [java, kotlin]\n"}, "only languages that are not offered here: java, kotlin"),
    ({"problem.yaml": "validator_flags: fuzzy\n"}, "no flag 'fuzzy'"),
    ({"problem.yaml": "validation: custom\n"}, "and output_validators has none"),
    (
        {"problem.yaml": "validation: custom\n", "output_validators/J.java": "class J {}"},
        "output_validators is not a program in a language that is offered here",
    ),
    (
        {"problem.yaml": "validation: custom\n", "output_validators/a/a.cc": JUDGE, "output_validators/b/b.cc": JUDGE},
        "several output validators",
    ),
    ({"graders/grade.py": "x"}, "a grader of its own"),
    ({"data/secret/testdata.yaml": "grading: custom\n"}, "a grader of its own"),
    ({"include/default/main.cpp": "x"}, "files that are added to each submission"),
    ({"data/sample/1.interaction": ">4\n<8\n"}, "data/sample/1.interaction has a dialogue"),
    ({"data/secret/testdata.yaml": "output_validator_flags: case_sensitive\n"}, "compared in different ways"),
    ({f"data/secret/{name}": None for name in ("01.in", "02_large.in")}, "It has no case in data/secret"),
    ({"data/secret/01.ans": None}, "data/secret/01.in has no answer: data/secret/01.ans is missing"),
    ({"data/secret/01.in": b"\xff\xfe"}, "data/secret/01.in is not text in UTF-8"),
    ({"data/secret/01.in": b"a\0b"}, "data/secret/01.in has binary data"),
    ({"data/secret/01.in": "1" * (3 << 20)}, "data/secret/01.in has 3 MiB, and such a file may have 2 MiB"),
    (large(3), "may total at most 8 MiB"),
    (many(CASES), f"and a question may have {CASES}"),
    ({"data/secret/01.yaml": BOMB + "args: [*i]\n"}, "args in data/secret/01.yaml must be words"),
    ({"data/secret/testdata.yaml": BOMB + "output_validator_flags: [*i]\n"}, "output_validator_flags must be words"),
    ({"problem.yaml": BOMB + "keywords: [*i]\nvalidation: [*i]\n"}, "problem.yaml has wrong settings. validation"),
    ({"data/secret/01.args": "'"}, "its quotation marks do not match"),
    ({"submissions/accepted/a/main.py": "", "submissions/accepted/a/ä.py": ""}, "The file name 'ä.py'"),
    ({"submissions/accepted/large.py": "#" * (300 << 10)}, "has 300 KiB, and such a file may have 256 KiB"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "reason"), REFUSED, ids=[each[1] for each in REFUSED])
def test_what_cannot_be_a_question_is_refused_with_the_reason(changes: Changes, reason: str, tmp_path: Path) -> None:
    with pytest.raises(PackageError) as refused:
        imported(written(tmp_path, changes))
    assert reason in str(refused.value)


def test_a_language_that_the_package_forbids_is_refused(tmp_path: Path) -> None:
    package = written(tmp_path, {"problem.yaml": NEWER + "languages: [python3]\n", "statement/problem.en.md": "x"})
    assert imported(package).question.language == "python3"
    with pytest.raises(PackageError, match=r"may not be solved in C\+\+17"):
        imported(package, "cpp17")
