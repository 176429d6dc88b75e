"""Pieces of drawings that are kept."""

import pytest
from flask import Flask, render_template_string

from web.replay.film import MOST_LARGE, MOST_SMALL, SMALL, _large, _small

MACRO = "{% macro piece(what) %}<b>{{ what }}</b>{% endmacro %}"


def test_a_piece_is_what_its_macro_makes_of_what_it_is_given(app: Flask) -> None:
    with app.test_request_context():
        drawn = render_template_string(
            MACRO + "{% for _ in 'ab' %}{{ piece|kept(1) }}{{ piece|kept('1>') }}{% endfor %}"
        )
    assert drawn == "<b>1</b><b>1&gt;</b>" * 2


@pytest.mark.parametrize(
    ("most", "kept", "more"), [(MOST_SMALL, _small, ""), (MOST_LARGE, _large, "x" * SMALL)], ids=["small", "large"]
)
def test_more_than_are_kept_can_be_drawn(app: Flask, most: int, kept: dict[str, str], more: str) -> None:
    with app.test_request_context():
        each = "{% for number in range(most) %}{{ piece|kept(number ~ more) }}{% endfor %}"
        drawn = render_template_string(MACRO + each, most=most + 2, more=more)
    assert drawn == "".join(f"<b>{number}{more}</b>" for number in range(most + 2))
    assert 0 < len(kept) <= most


def test_large_pieces_do_not_drive_out_small_ones(app: Flask) -> None:
    with app.test_request_context():
        each = "{{ piece|kept('small') }}{% for number in range(most) %}{{ piece|kept(number ~ more) }}{% endfor %}"
        render_template_string(MACRO + each, most=MOST_LARGE + 2, more="x" * SMALL)
    assert "<b>small</b>" in _small.values()
