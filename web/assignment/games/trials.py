"""A submission's trial games, as the pages and the API show them."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sqlalchemy.orm import Session
from werkzeug.exceptions import NotFound

from grader.store.models import Submission
from tournament.play.home_tests import can_repeat
from tournament.practice import trials
from tournament.practice.trials import Offence
from tournament.store.database import now
from tournament.store.jobs import PENDING, JobState
from tournament.store.tables import Trial
from tournament.work.workers import workers
from web.replay.frames import end_of

State: TypeAlias = Literal["waiting", "playing", "passed", "failed", "parked"]

PLAYING = "ladder"
"""The queue of the workers that play."""


@dataclass(frozen=True, slots=True)
class ShownTrial:
    """A trial as a page shows it. While it waits, `before` is the number of trials that come first, and `nobody` says
    that no worker is there to play it."""

    trial: Trial
    offence: Offence | None
    before: int
    nobody: bool

    @property
    def state(self) -> State:
        """The state of the trial games; `parked` after an internal error."""
        if self.trial.state in PENDING:
            return "playing" if self.trial.state is JobState.RUNNING or self.trial.played else "waiting"
        return "parked" if self.trial.state is JobState.PARKED else "failed" if self.offence else "passed"

    @property
    def testable(self) -> bool:
        """Whether the offence can be tried at home."""
        return self.offence is not None and can_repeat(self.offence.note)

    @property
    def table(self) -> dict[str, Any]:
        """What draws the table of the offence."""
        return end_of(self.offence.record) if self.offence else {}

    @property
    def pending(self) -> bool:
        """Whether it goes on by itself."""
        return self.trial.state in PENDING


def shown(session: Session, submission: Submission) -> ShownTrial | None:
    """The trial games of a submission's file; None if none were asked for."""
    if submission.state is not JobState.DONE or not submission.qualifies:
        return None
    trial = trials.trial_of(session, submission.assignment_id, submission.player_id)
    if trial is None:
        return None
    before, nobody = 0, False
    if trial.state in PENDING:
        before = trials.before(session, trial)
        nobody = not any(each.queue == PLAYING and not each.problem(now()) for each in workers(session))
    return ShownTrial(trial, trials.offence_of(trial), before, nobody)


def offence_seen(session: Session, submission: Submission) -> Offence:
    """The game in which the submission's file was at fault. Raises NotFound if there is none."""
    trial = trials.trial_of(session, submission.assignment_id, submission.player_id)
    found = trials.offence_of(trial) if trial else None
    if found is None:
        raise NotFound("This submission was not at fault in any trial game.")
    return found
