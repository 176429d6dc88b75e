"""What the text of a file tells of its imports, and what a jail makes of it."""

import pytest

from sandbox.api import Fault, Limits, Program, Value, Verdict, call
from sandbox.backends.bubblewrap import BubblewrapSandbox
from sandbox.host.jailed_sandbox import LOADED_ON_DEMAND, leads_outward, on_demand

ON_DEMAND = [
    ("import dataclasses", {"dataclasses"}),
    ("from statistics import mean", {"statistics"}),
    ("import math, decimal as d, csv", {"decimal", "csv"}),
    ("def f():\n\tfrom logging.handlers import x\n", {"logging"}),
    ("from  unittest.mock  import patch, inspect", {"unittest"}),
    ("import random\nfrom collections import Counter", set()),
    ("import socket, os, nonsense", set()),
    ("# import csv\nx = 'import csv'\nimportcsv = dataclasses = 1", set()),
    ("import", set()),
    ("import \udcff".encode("utf-8", "surrogateescape").decode("latin-1"), set()),
]


@pytest.mark.parametrize(("source", "modules"), ON_DEMAND)
def test_modules_are_named_by_imports(source: str, modules: set[str]) -> None:
    assert on_demand(source.encode()) == modules


@pytest.mark.parametrize(
    "source", ["import socket", "from urllib.request import urlopen", "import os as o", "x.http.y"]
)
def test_ways_out_are_noticed(source: str) -> None:
    assert leads_outward(source.encode())


@pytest.mark.parametrize("source", ["import random", "position = cosine = 'https'", "def websocket(): pass"])
def test_other_words_are_no_ways_out(source: str) -> None:
    assert not leads_outward(source.encode())


HAD = "import sys\nhad = 'statistics' in sys.modules\n%s\ndef f(): return had"


def answers(sandbox: BubblewrapSandbox, source: str) -> object:
    session = sandbox.open(Program(source.encode(), {"f": (0,)}), Limits(), 1)
    assert not isinstance(session, Fault), session
    reply = call(session, "f", ())
    session.close()
    return reply.data if isinstance(reply, Value) else reply.verdict


def test_a_module_is_there_without_loading_for_those_whose_file_names_it_and_for_nobody_else() -> None:
    with BubblewrapSandbox() as sandbox:
        for _ in range(3):
            assert answers(sandbox, HAD % "") is False
            assert answers(sandbox, HAD % "import statistics") is True
            assert answers(sandbox, HAD % "import csv, json") is False


def test_more_sets_of_modules_than_are_kept_can_be_asked_for() -> None:
    names = sorted(LOADED_ON_DEMAND)[:10]
    with BubblewrapSandbox() as sandbox:
        for name in [*names, *names]:
            assert answers(sandbox, f"import sys\nhad = {name!r} in sys.modules\nimport {name}\ndef f(): return had")


def test_every_module_can_be_loaded_beforehand() -> None:
    names = sorted(LOADED_ON_DEMAND)
    had = f"import sys\nhad = all(name in sys.modules for name in {names})\n"
    source = f"{had}import {', '.join(names)}\ndef f(): return had"
    with BubblewrapSandbox() as sandbox:
        assert answers(sandbox, source) is True


def test_a_way_out_that_nobody_named_is_blocked_all_the_same() -> None:
    hidden = "def f(): return __import__('soc' 'ket').socket()"
    with BubblewrapSandbox() as sandbox:
        assert answers(sandbox, hidden) == Verdict.BLOCKED


def test_a_traceback_that_a_player_prints_shows_its_lines() -> None:
    source = "import traceback\ndef f():\n    try: {}['é']\n    except KeyError: traceback.print_exc()\n"
    with BubblewrapSandbox() as sandbox:
        for _ in range(2):
            session = sandbox.open(Program(source.encode(), {"f": (0,)}), Limits(), 1)
            assert not isinstance(session, Fault), session
            call(session, "f", ())
            assert "try: {}['é']" in session.output()[0]
            session.close()
