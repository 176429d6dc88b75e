"""Pieces of drawings that are kept."""

from flask import Flask, render_template_string

from web.replay.drawings import MOST, _drawn

MACRO = "{% macro piece(what) %}<b>{{ what }}</b>{% endmacro %}"


def test_a_piece_is_what_its_macro_makes_of_what_it_is_given(app: Flask) -> None:
    with app.test_request_context():
        drawn = render_template_string(
            MACRO + "{% for _ in 'ab' %}{{ piece|kept(1) }}{{ piece|kept('1>') }}{% endfor %}"
        )
    assert drawn == "<b>1</b><b>1&gt;</b>" * 2


def test_more_than_are_kept_can_be_drawn(app: Flask) -> None:
    with app.test_request_context():
        each = "{% for number in range(most) %}{{ piece|kept(number) }}{% endfor %}"
        drawn = render_template_string(MACRO + each, most=MOST + 2)
    assert drawn == "".join(f"<b>{number}</b>" for number in range(MOST + 2))
    assert len(_drawn) <= MOST
