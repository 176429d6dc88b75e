"""Playing by hand in an assignment: the quota, and which of one's players is asked afterwards.

Each function works in the caller's transaction; messages go out after its commit.
"""

from functools import partial

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.assignment.ladders import Send
from grader.store.models import Assignment, Submission
from grader.store.uploads import UploadError
from tournament.play.games import find_game
from tournament.practice import hand_games as games
from tournament.practice.hand_games import WantedTable, Who
from tournament.store.database import after_commit
from tournament.store.jobs import JobState
from tournament.store.tables import HandGame
from tournament.work.claims import ANSWER, PLAY


class NoPlayer(UploadError):
    """The person has no player that could be asked."""


def begin(session: Session, send: Send, assignment: Assignment, person_id: int, wanted: WantedTable) -> HandGame:
    """Begin a game, or find the one that goes on. Raises the kinds of CustomGameError."""
    locked = select(Assignment).where(Assignment.id == assignment.id).with_for_update(key_share=True)
    quota = session.scalars(locked).one().custom_games_hour
    row = games.begin(session, Who(person_id, assignment.id), find_game(assignment.game), wanted, quota)
    call_bots(session, send)
    return row


def call_bots(session: Session, send: Send) -> None:
    """Have the bots answer: by a playing worker or by a grading one, whichever is free first."""
    for task in (ANSWER, PLAY):
        after_commit(session, partial(send, task))


def latest_player(session: Session, row: HandGame) -> Submission | None:
    """The person's latest submission in the assignment that has been graded."""
    own = (Submission.assignment_id == row.assignment_id, Submission.author_id == row.person_id)
    graded = select(Submission).where(*own, Submission.state == JobState.DONE)
    return session.scalar(graded.order_by(Submission.id.desc()).limit(1))


def ask_player(session: Session, send: Send, row: HandGame) -> None:
    """Have the person's latest player asked what it would have done in a game that is over. Raises NoPlayer."""
    found = latest_player(session, row)
    if found is None:
        raise NoPlayer("You have no graded player in this assignment yet. Upload one, and ask again.")
    games.ask_player(row, found.player_id)
    after_commit(session, lambda: send(PLAY))
