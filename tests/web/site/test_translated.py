"""Marked text is put into a language when a template is compiled; its values are shown like all others."""

import pytest
from flask import Flask
from jinja2 import DictLoader

from web.site.languages import speaking

TEMPLATES = {
    "block": "{% trans %}Sign out{% endtrans %}",
    "call": "{{ _('Sign out') }}",
    "attribute": '<b title="{{ _("Revoke %(label)s", label=name) }}">',
    "value": "{% trans name=name %}You may do things as {{ name }}{% endtrans %}",
    "counted": "{% trans n=things|length %}{{ n }} game{% pluralize %}{{ n }} games{% endtrans %}",
    "macro": "{% macro m(words) %}<i>{{ words }}</i>{% endmacro %}{{ m(_('Revoke %(label)s', label=name)) }}",
    "percent": "{% trans n=name %}{{ n }}% of <b>all</b>{% endtrans %}",
    "whole": '{% include "block.html" %}',
    "sentence": "{{ 'Your password has been changed.'|said }}",
}


@pytest.mark.parametrize(
    ("template", "name", "english", "german"),
    [
        ("block", "", "Sign out", "Abmelden"),
        ("call", "", "Sign out", "Abmelden"),
        ("attribute", '"<x>', '<b title="Revoke &#34;&lt;x&gt;">', '<b title="&#34;&lt;x&gt; widerrufen">'),
        ("value", "<Ada>\u202e", "You may do things as &lt;Ada&gt;\\u202e", "You may do things as &lt;Ada&gt;\\u202e"),
        ("macro", "<x>\u202e", "<i>Revoke &lt;x&gt;\\u202e</i>", "<i>&lt;x&gt;\\u202e widerrufen</i>"),
        ("percent", "7", "7% of <b>all</b>", "7% of <b>all</b>"),
        ("whole", "", "Sign out", "Abmelden"),
        ("sentence", "", "Your password has been changed.", "Das Passwort wurde geändert."),
    ],
)
def test_it_is_in_the_language_of_the_reader(app: Flask, template: str, name: str, english: str, german: str) -> None:
    assert shown(app, template, "en", name=name) == english
    assert shown(app, template, "de", name=name) == german


@pytest.mark.parametrize(("number", "english"), [(0, "0 games"), (1, "1 game"), (2, "2 games")])
def test_it_counts(app: Flask, number: int, english: str) -> None:
    assert shown(app, "counted", "en", things=range(number)) == english


def shown(app: Flask, template: str, code: str, **values: object) -> str:
    """The template in a language."""
    environment = app.jinja_env.overlay(
        loader=DictLoader({f"{name}.html": text for name, text in TEMPLATES.items()}), bytecode_cache=None
    )
    environment.overlayed = False
    environment.languages = {}  # type: ignore[attr-defined]
    with app.app_context(), speaking(code):
        return environment.get_template(f"{template}.html").render(**values)
