"""Tells students that the season of a ladder in which they took part has ended."""

from collections.abc import Sequence

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from grader.models import Assignment, Outcome, Submission
from tournament.store.database import now
from tournament.store.notices import tell
from tournament.store.tables import Entry, EntryState, Link, Tournament

CUT_SHORT = "The season of this tournament ended before this player could enter it."


def tell_of_seasons(session: Session, assignment: Assignment, ended: Sequence[Tournament], why: str) -> None:
    """Tell each student once whose player was in play there, or was about to enter. `why` is a sentence. In the
    caller's transaction."""
    ids = [each.id for each in ended]
    playing = select(Entry.author_id).where(Entry.tournament_id.in_(ids), Entry.state == EntryState.ACTIVE)
    concerned = {author for author in session.scalars(playing) if author is not None} | _cut_short(session, ids)
    if not concerned or not assignment.is_public(now()):
        return
    names = " and ".join(each.title for each in ended)
    subject = f"{assignment.title}: {names} {'has' if len(ended) == 1 else 'have'} ended"
    does_what = (
        "A new season has begun, in which everybody starts from nothing. Upload your player again to enter it; you can "
        "do so at once."
        if assignment.game
        else "It has no tournament any more: the points of your reports count."
    )
    links: list[Link] = [("assignment", assignment.id, assignment.title)]
    links += [("leaderboard", each.id, f"{each.title}: leaderboard") for each in ended]
    for student in sorted(concerned):
        text = f"{why} {does_what} The former games and standings stay, and can be read."
        tell(session, student, assignment.id, subject, text, links)


def _cut_short(session: Session, tournament_ids: Sequence[int]) -> set[int]:
    """The authors of submissions that still wait to enter there; they no longer do."""
    waiting = Outcome.tournament_id.in_(tournament_ids), Outcome.wanted_from.is_not(None)
    authors = set(session.scalars(select(Submission.author_id).join(Submission.outcomes).where(*waiting)))
    ended = update(Outcome).where(*waiting).values(wanted_from=None, refusal=CUT_SHORT)
    session.execute(ended, execution_options={"synchronize_session": "fetch"})
    return authors
