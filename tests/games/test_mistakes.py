"""The hidden cases tell wrong players from right ones: no usual mistake passes them.

`mistakes.txt` in each game's folder holds changes of its reference player. Above each stands the question that it must
fail; lines taken out begin with a minus, those put in their place with a plus.
"""

from contextlib import closing
from pathlib import Path

import pytest

from grader.authoring.course_folder.course import builtin
from grader.definition.question import FunctionQuestion
from sandbox.api import Fault, Limits, Program, Sandbox, Value, Verdict, call
from tests.games.hidden import hidden, judged
from tournament.play.games import GAMES

pytestmark = pytest.mark.slow

MISTAKES = [
    (file.parent.name, block)
    for file in sorted(Path(__file__).parent.glob("*/mistakes.txt"))
    for block in file.read_text("utf-8").split("\n\n")
]


def lines(block: str, sign: str) -> str:
    return "\n".join(line.removeprefix(f"{sign} ") for line in block.split("\n") if line.startswith(sign))


@pytest.mark.parametrize(("slug", "block"), MISTAKES, ids=[" ".join((*each,)).split("\n")[0] for each in MISTAKES])
def test_a_mistake_fails_a_hidden_case(trusted: Sandbox, slug: str, block: str) -> None:
    reference = (GAMES[slug].folder / "reference.py").read_text("utf-8")
    (question,) = (each for each in builtin(slug).questions if block.startswith(f"{each.slug}: "))
    assert lines(block, "-") in reference, "the reference player has changed"
    source = reference.replace(lines(block, "-"), lines(block, "+"), 1)
    assert fails(trusted, slug, question, source)


def fails(sandbox: Sandbox, slug: str, question: FunctionQuestion, source: str) -> bool:
    """Whether some hidden case catches the player."""
    guest = GAMES[slug].guest
    functions = {question.function: question.arities}
    program = Program(source.encode(), functions, guest.modules, "player.py", guest.adapter)
    session = sandbox.open(program, Limits(), seed=1)
    assert not isinstance(session, Fault), session
    with closing(session):
        for case in hidden(slug, question):
            reply = call(session, question.function, case.args)
            if not isinstance(reply, Value):
                return True
            if judged(slug, question, case, reply.data).verdict is not Verdict.AC:
                return True
    return False
