"""A pause of the worker or its jail, longer than any limit, changes no verdict; nor is a slow load kept for later."""

import time

import pytest

from grader.authoring.course_folder.course import builtin
from grader.grading.grade import full_report
from grader.programs.jails import Jails
from sandbox.api import Limits, Sandbox, Verdict
from tests.grader.grading.test_grade import BO, first
from tests.papers import examples_only
from tests.sandbox.pausing import paused

pytestmark = pytest.mark.slow

WORKER = """
import sys
from collections import Counter
from grader.authoring.course_folder.course import builtin
from grader.grading.grade import full_report
from grader.programs.jails import Jails
from sandbox.api import Limits
from sandbox.choose import open_sandbox
from tests.papers import examples_only
from tournament.play.games import find_game

who = sys.argv[1]
bo = find_game("bo")
asked = examples_only("bo", builtin("bo").questions[0].model_copy(update={"call_s": 0.1}))
source = b"import time\\ntime.sleep(.1)\\n" + bo.folder.joinpath("reference.py").read_bytes() + b'''
right = comp10001bo_match_build
def comp10001bo_match_build(*args):
    time.sleep(.05)
    return right(*args)
'''

def grade(place):
    heard = []

    def hear(result):
        heard.append(result.verdict.value)
        if heard == ["AC"] and place == "call":
            pause()

    if place == "load":
        pause()
    full_report(asked, source, Jails(lambda: sandbox, lambda: sandbox, limits=Limits(load_s=0.1)), hear)
    print(place, *heard)

with open_sandbox() as sandbox:
    pause = lambda: print("pause", who, sandbox.jail.holder.pid, flush=True)
    grade("load")
    grade("call")
"""


@pytest.mark.full
def test_no_case_is_lost_to_a_pause_while_the_player_loads_or_answers() -> None:
    every = ["load AC AC AC AC AC", "call AC AC AC AC AC"]
    assert paused(WORKER, ("jail", "both")) == {"jail": every, "both": every}


def test_a_load_that_waited_too_long_is_not_kept_for_other_cases_and_questions(sandbox: Sandbox) -> None:
    asked = examples_only("bo", *builtin("bo").questions[:2])
    sleeps = f"import time\nif time.time() < {time.time() + 0.8}:\n    time.sleep(9)\n".encode()
    source = sleeps + BO.folder.joinpath("reference.py").read_bytes()
    report = full_report(asked, source, Jails(lambda: sandbox, lambda: sandbox, limits=Limits(load_s=0.1)))
    late, *others = first(report).cases
    assert (late.verdict, late.line) == (Verdict.WTLE, 3)
    assert {case.verdict for case in (*others, *report.questions[1].cases)} == {Verdict.AC}
