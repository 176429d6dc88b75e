"""Whatever is typed into the editor, a draft keeps it, and says what is wrong with it."""

from copy import deepcopy
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.authoring.course_folder.course import builtin
from grader.authoring.course_folder.reading import read_assignment
from grader.authoring.drafts import Content, content_of, definition_in, problems_in
from grader.definition.model import to_json
from grader.definition.question import FunctionQuestion, ProgramQuestion
from tests.greeter import FOLDER
from web.editor import drafts, forms
from web.site.forms import scalars, typed

MELBOURNE = ZoneInfo("Australia/Melbourne")
BO = content_of(builtin("bo"))
TYPED = st.one_of(
    st.sampled_from(
        ["", " ", "-1", "1e999", "nan", "1_000", "٣", "2.5", "1e-9", "exact", "checker", "floats", "all", "bo"]
    ),
    st.sampled_from([">>> f(", ">>> f(1)\n2", "# only a comment", "def cases(rng): pass", "2027-05-29T23:59", "a, b"]),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20),
)


def filled(*names: str) -> st.SearchStrategy[dict[str, str]]:
    return st.fixed_dictionaries({}, optional=dict.fromkeys(names, TYPED))


QUESTION = filled(
    *scalars(FunctionQuestion), "kind", "source", "parameters", "arities", "relative", "absolute", "levels"
)
LADDER = filled(*(f"{name}-standard" for name in (*forms.LADDER_NUMBERS, "title", "question", "ranking")))
OPTIONS = tuple(f"option-{option.name}" for option in forms.options_of_game("bo"))


@given(general=filled(*forms.SETTINGS, *OPTIONS), question=QUESTION, ladder=LADDER)
def test_a_draft_holds_whatever_is_typed_and_says_what_is_wrong(
    general: dict[str, str], question: dict[str, str], ladder: dict[str, str]
) -> None:
    content = deepcopy(BO)
    forms.put_general(content, general, MELBOURNE)
    forms.put_question(content["questions"][0], question)
    forms.put_ladders(content, ladder)
    forms.shown_time(content["due_at"], MELBOURNE)
    if not problems_in(content):
        assert to_json(definition_in(content))


PROGRAM = filled(
    *forms.PROGRAM_PAGE, "kind", "source", "validator_language", "flags", "relative", "absolute", "case_sensitive",
    "space_change_sensitive",
)  # fmt: skip
CASE = filled("title", "shown", "arguments", "input", "output", "exit_code")
GREETER = content_of(read_assignment(FOLDER, MELBOURNE))


@given(question=PROGRAM, case=CASE)
def test_a_draft_of_a_program_holds_whatever_is_typed_too(question: dict[str, str], case: dict[str, str]) -> None:
    content = deepcopy(GREETER)
    program = content["questions"][0]
    forms.put_program(program, question)
    forms.put_case(program["cases"][0], case)
    forms.shown_arguments(program["cases"][0])
    forms.shown_exit_code(program["cases"][0])
    if not problems_in(content):
        assert to_json(definition_in(content))


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("", None),
        ("2027-05-29T23:59", "2027-05-29T13:59:00Z"),
        ("2027-10-03T02:30", "2027-10-03T02:30"),  # the clocks skip it: it stays as it was typed, and is a problem
        ("2027-04-04T02:30", "2027-04-03T16:30:00Z"),  # it comes twice: the later one
        ("soon", "soon"),
    ],
)
def test_dates_are_those_of_the_course(typed: str, kept: str | None) -> None:
    content: Content = deepcopy(BO)
    forms.put_general(content, {"title": "Bo", "game": "bo", "due_at": typed}, MELBOURNE)
    assert content["due_at"] == kept
    assert bool(problems_in(content)) == (kept == typed)


def test_a_date_that_nobody_changed_stays_the_earlier_of_two() -> None:
    earlier = datetime(2027, 4, 3, 15, 30, tzinfo=UTC).isoformat().replace("+00:00", "Z")
    content: Content = {**deepcopy(BO), "due_at": earlier}
    typed = forms.shown_time(earlier, MELBOURNE)
    forms.put_general(content, {"title": "Bo", "game": "bo", "due_at": typed}, MELBOURNE)
    assert content["due_at"] == earlier


def test_what_a_comparator_does_not_use_is_kept_in_the_draft_and_left_out_of_the_definition() -> None:
    content = deepcopy(BO)
    question = content["questions"][0]
    form = {name: question[name] for name in scalars(FunctionQuestion)}
    form |= {"parameters": ",".join(question["parameters"]), "points": "1", "call_s": "1", "visible": "on"}
    forms.put_question(question, {**form, "kind": "exact", "source": "def accepts(args, got): return True"})
    assert question["comparator"]["source"]
    assert definition_in(content).questions[0].comparator.kind == "exact"


@pytest.mark.parametrize(
    ("slug", "step", "after"), [("a", -1, "abc"), ("a", 1, "bac"), ("c", -1, "acb"), ("x", 1, "abc")]
)
def test_questions_move_up_and_down(slug: str, step: int, after: str) -> None:
    items = [{"slug": each} for each in "abc"]
    forms.move(items, slug, step)
    assert "".join(each["slug"] for each in items) == after


def test_a_form_follows_from_the_model_it_fills() -> None:
    """The fields of the page, how each is read and what it is called stand in the model alone."""
    form = {
        "title": " Two  words ",
        "text": "a\r\nb",
        "points": "1,5",
        "language": "c11",
        "memory_mib": "x",
        "visible": "",
    }
    found = typed(ProgramQuestion, form)
    assert {"slug", "given", "cases", "comparator"}.isdisjoint(found)
    assert (found["title"], found["text"], found["points"]) == ("Two words", "a\nb", 1.5)
    assert (found["language"], found["memory_mib"], found["visible"], found["main"]) == ("c11", "x", True, "")
    assert drafts.FIELDS["memory_mib"] == ProgramQuestion.model_fields["memory_mib"].title == "memory per run"
