"""What staff decide about the marks of students, in the database. In the caller's transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from grader.assignment.changes import note
from grader.marks.mark import NOTHING_DECIDED, Decision
from grader.marks.scheme import MarkScheme
from grader.marks.tables import StaffDecision
from tournament.store.validation import ChangedMeanwhile

LONGEST = 2000  # letters of a remark or a reason
MOST = 100_000  # marks


def refused(decision: Decision, scheme: MarkScheme) -> dict[str, str]:
    """What is wrong with a decision, by field; those of the rubric are called `rubric-` and the item's key."""
    problems, most = dict[str, str](), {each.key: each.most for each in scheme.rubric}
    for key, given in decision.rubric.items():
        if key not in most:
            problems[f"rubric-{key}"] = f"The rubric has no item “{key}”."
        elif not 0 <= given <= most[key]:
            problems[f"rubric-{key}"] = f"“{given:g}” is not a number from 0 to {most[key]:g}."
    if decision.override is not None and not 0 <= decision.override < MOST:
        problems["override"] = f"“{decision.override:g}” is not a number from 0 to {MOST:,}."
    if (decision.override is not None or decision.excused) and not decision.reason.strip():
        problems["reason"] = "Give the reason: the student reads it, and it is kept for the record."
    for name, text in {"reason": decision.reason, "remark": decision.remark}.items():
        if len(text) > LONGEST:
            problems[name] = f"This is longer than {LONGEST:,} letters."
    return problems


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision about a student, who is `called` so in the log. The decision's `revision` is the one that was looked
    at."""

    user_id: int
    called: str
    decision: Decision


def decide(session: Session, assignment_id: int, by: int, decided: Sequence[Decided], at: datetime) -> None:
    """Store decisions about students, with few queries however many there are. Raises ChangedMeanwhile if somebody else
    has decided about one of them since."""
    wanted = select(StaffDecision).where(StaffDecision.assignment_id == assignment_id)
    wanted = wanted.where(StaffDecision.user_id.in_([each.user_id for each in decided]))
    locked = wanted.order_by(StaffDecision.user_id).with_for_update().execution_options(populate_existing=True)
    rows = {row.user_id: row for row in session.scalars(locked)}
    for each in decided:
        row, decision = rows.get(each.user_id), each.decision
        if (row.revision if row else 0) != decision.revision:
            raise ChangedMeanwhile
        former = NOTHING_DECIDED
        if row:
            former = Decision(row.rubric, row.remark, row.excused, row.override, row.reason, row.revision)
        if row is None:
            row = StaffDecision(assignment_id=assignment_id, user_id=each.user_id, revision=0)
            session.add(row)
        row.rubric, row.remark, row.excused = dict(decision.rubric), decision.remark, decision.excused
        row.override, row.reason, row.decided_by, row.decided_at = decision.override, decision.reason, by, at
        row.revision += 1
        note(session, assignment_id, by, f"Mark of {each.called}", _said(former), _said(decision))
    try:
        session.flush()
    except IntegrityError:  # the first decision about a student came from somebody else at the same moment
        raise ChangedMeanwhile from None


def _said(decision: Decision) -> str:
    """In the log."""
    said = [f"{sum(decision.rubric.values()):g} by hand"] if decision.rubric else []
    if decision.excused:
        said.append(f"excused ({decision.reason})")
    elif decision.override is not None:
        said.append(f"set to {decision.override:g} ({decision.reason})")
    return ", ".join(said) or "as computed"
