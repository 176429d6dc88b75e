"""What templates write is escaped in one step, and as Jinja would escape it."""

from enum import IntEnum
from typing import Any

import pytest
from flask import Flask
from markupsafe import Markup

HOSTILE = "<b onclick=\"x('&')\">"


class Told(IntEnum):
    """An integer that says something else."""

    HOSTILE = 1

    def __str__(self) -> str:
        return HOSTILE


class Shown:
    """Something with markup of its own."""

    def __html__(self) -> str:
        return "<i>"


ESCAPED = "&lt;b onclick=&#34;x(&#39;&amp;&#39;)&#34;&gt;"
WRITTEN = [
    ("{{ value }}", HOSTILE, ESCAPED),
    ("{{ value }}", Told.HOSTILE, ESCAPED),
    ("{{ value }}", [HOSTILE], "[&#39;&lt;b onclick=&#34;x(\\&#39;&amp;\\&#39;)&#34;&gt;&#39;]"),
    ("{{ value }}", Markup("<i>"), "<i>"),
    ("{{ value }}", Shown(), "<i>"),
    ("{{ value }}", 7, "7"),
    ("{{ value }}", True, "True"),
    ("{{ value|safe }}", "<i>", "<i>"),
    ("{{ '<' ~ value }}", HOSTILE, f"&lt;{ESCAPED}"),
    ("{{ value|upper }}", "<i>", "&lt;I&gt;"),
    ("{% macro of(it) %}<p>{{ it }}</p>{% endmacro %}{{ of(value) }}", HOSTILE, f"<p>{ESCAPED}</p>"),
    ("{% set kept %}<p>{{ value }}</p>{% endset %}{{ kept }}", HOSTILE, f"<p>{ESCAPED}</p>"),
    ("{% for each in value %}{{ each }}{% endfor %}", "<>", "&lt;&gt;"),
    ("{% autoescape false %}{{ value }}{% endautoescape %}{{ value }}", "<", "<&lt;"),
    ("{% autoescape escaping %}{{ value }}{% endautoescape %}", "<", "&lt;"),
]


@pytest.mark.parametrize(("template", "value", "written"), WRITTEN)
def test_a_value_is_escaped_unless_it_is_markup(common_site: Flask, template: str, value: Any, written: str) -> None:
    made = common_site.jinja_env.from_string(template)
    assert made.render(value=value, escaping=True) == written
