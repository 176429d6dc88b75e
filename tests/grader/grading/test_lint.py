"""The note on global state."""

import pytest

from grader.grading.lint import lint

ONE = "state = {}\ndef play(hand):\n    state['hand'] = hand\n"

FINE = [
    "",
    ONE,
    "VALUES = {'A': 1}\nSUITS = ['S']\n" + ONE,
    "CACHE = {}\nTABLE = []\nTABLE.append(1)\n" + ONE,  # built while loading, changed by no function
    "other = []\ndef helper(other):\n    other.append(1)\n" + ONE,  # a parameter of the same name
    "other = []\ndef helper():\n    other = []\n    other.append(1)\n" + ONE,  # a local of the same name
    "other = 1\ndef helper():\n    other = 2\n    return other\n" + ONE,
    "def helper():\n    plan = []\n    plan.append(1)\n" + ONE,
    "class Plan:\n    def add(self):\n        self.items = []\n        self.items.append(1)\n" + ONE,
    "import random\ndef helper(cards):\n    random.shuffle(cards)\n" + ONE,
]


@pytest.mark.parametrize("source", FINE)
def test_one_global_variable_is_permitted(source: str) -> None:
    assert lint(source) == []


TWO = [
    "other = []\ndef helper():\n    other.append(1)\n",
    "other = {}\ndef helper():\n    other['a']['b'] = 1\n",
    "other = {}\ndef helper():\n    del other['a']\n",
    "other = []\ndef helper():\n    other[0] += 1\n",
    "other = 0\ndef helper():\n    global other\n    other += 1\n",
    "def helper():\n    global other\n    other = 1\n",
    "class Plan: pass\nother = Plan()\ndef helper():\n    other.turn = 1\n",
    "if True:\n    other = set()\ndef helper():\n    for card in 'AB':\n        other.add(card)\n",
    "other = []\nclass Plan:\n    def keep(self):\n        other.append(self)\n",
]


@pytest.mark.parametrize("source", TWO)
def test_a_second_one_is_noted(source: str) -> None:
    [(note, lines)] = lint(source + ONE)
    assert "other and state" in note or "state and other" in note
    assert "only a SINGLE one may store state" in note
    text = (source + ONE).splitlines()
    assert all(name in text[line - 1] for line, said in lines.items() for name in ("other", "state") if name in said)
    assert {name for said in lines.values() for name in ("other", "state") if name in said} == {"other", "state"}
