"""What a beginner is told of a function, a parameter or a module that is not there."""

import pytest

from grader.authoring.course_folder.course import builtin
from sandbox.host.mistake_hints import absent, indented, mismatch, unknown_module
from tournament.play.games import GAMES

ABSENT = [
    ((), None, "Your file does not define the function play_card."),
    (("helper",), None, "Your file does not define the function play_card. It defines helper."),
    (("a", "b", "c"), None, "Your file does not define the function play_card. It defines a, b and c."),
    (
        ("a", "playcard"),
        None,
        "Your file does not define the function play_card; is playcard meant to be this function? "
        "The names must match exactly.",
    ),
    (
        ("Play_Card",),
        None,
        "Your file does not define the function play_card; is Play_Card meant to be this function? "
        "The names must match exactly.",
    ),
    (
        ("card",),
        None,
        "Your file does not define the function play_card; is card meant to be this function? "
        "The names must match exactly.",
    ),
    (
        tuple("abcdefghi"),
        None,
        "Your file does not define the function play_card. It defines a, b, c, d, e, f, g, h and others.",
    ),
    (
        ("playcard",),
        7,
        "Your file does not define the function play_card where it can be called: line 7 is indented, so that the "
        "function belongs to the class, function or if above it. Start its def at the left margin.",
    ),
]


@pytest.mark.parametrize(("defined", "inside", "sentence"), ABSENT)
def test_an_absent_function(defined: tuple[str, ...], inside: int | None, sentence: str) -> None:
    assert absent("play_card", defined, inside) == sentence


def test_no_function_of_a_game_is_taken_for_a_misspelling_of_another() -> None:
    for game in GAMES.values():
        names = {question.function for question in builtin(game.slug).questions} | set(game.guest.functions)
        for name in names:
            assert "meant" not in absent(name, sorted(names - {name}), None)


MISMATCHES = [
    ("(a, b)", 1, 2, 2, "will be called with 1 argument, but needs 2."),
    ("(a, b)", 3, 2, 2, "will be called with 3 arguments, but takes only 2."),
    ("()", 1, 0, 0, "will be called with 1 argument, but takes none."),
    ("(a, b, *c)", 1, 2, None, "will be called with 1 argument, but needs 2."),
    ("(a, *, b)", 1, 1, 1, "will be called with 1 argument, which it does not accept."),
]


@pytest.mark.parametrize(("signature", "count", "least", "most", "sentence"), MISMATCHES)
def test_a_wrong_number_of_parameters(signature: str, count: int, least: int, most: int | None, sentence: str) -> None:
    assert mismatch("play", signature, count, least, most) == f"Your function play{signature} {sentence}"


MODULES = [
    ("maths", "; did you mean math?"),
    ("Random", "; did you mean random?"),
    ("colections", "; did you mean collections?"),
    ("numpy", ": all of your own code must be in this one file."),
    ("common", ": all of your own code must be in this one file."),
    ("utils", ": all of your own code must be in this one file."),
]


@pytest.mark.parametrize(("name", "rest"), MODULES)
def test_a_module_that_is_not_there(name: str, rest: str) -> None:
    assert unknown_module(name, " on line 3") == (
        f"Your program imports {name} on line 3, but only the standard library is available here{rest}"
    )


INDENTED = [
    ("class A:\n    def play(self):\n", 2),
    ("if __name__ == '__main__':\n\tasync  def play ():\n", 2),
    ("def play():\n", None),
    ("    def play_card():\n", None),
    ("    # def play():\n", None),
]


@pytest.mark.parametrize(("text", "line"), INDENTED)
def test_where_a_function_is_defined_too_far_in(text: str, line: int | None) -> None:
    assert indented("play", text.splitlines()) == line
