"""What staff decide about the mark of one student, in the database. In the caller's transaction."""

from datetime import datetime

from sqlalchemy.orm import Session

from grader.changes import note
from grader.marks.mark import NOTHING_DECIDED, Decision
from grader.marks.scheme import MarkScheme
from grader.marks.schemes import ChangedMeanwhile
from grader.marks.tables import StaffDecision

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


def decide(session: Session, key: tuple[int, int], by: int, decision: Decision, at: datetime, called: str) -> None:
    """Store a decision about (assignment, student), who is `called` so in the log. Its `revision` is the one that was
    looked at: raises ChangedMeanwhile if somebody else has decided since."""
    assignment_id, user_id = key
    row = session.get(StaffDecision, key, with_for_update=True, populate_existing=True)
    if (row.revision if row else 0) != decision.revision:
        raise ChangedMeanwhile
    former = _of(row) if row else NOTHING_DECIDED
    if row is None:
        row = StaffDecision(assignment_id=assignment_id, user_id=user_id, revision=0)
        session.add(row)
    row.rubric, row.remark, row.excused = dict(decision.rubric), decision.remark, decision.excused
    row.override, row.reason, row.decided_by, row.decided_at = decision.override, decision.reason, by, at
    row.revision += 1
    note(session, assignment_id, by, f"Mark of {called}", _said(former), _said(decision))
    session.flush()


def _of(row: StaffDecision) -> Decision:
    return Decision(row.rubric, row.remark, row.excused, row.override, row.reason, row.revision)


def _said(decision: Decision) -> str:
    """In the log."""
    said = [f"{sum(decision.rubric.values()):g} by hand"] if decision.rubric else []
    if decision.excused:
        said.append(f"excused ({decision.reason})")
    elif decision.override is not None:
        said.append(f"set to {decision.override:g} ({decision.reason})")
    return ", ".join(said) or "as computed"
