"""Drafts as pages read and save them, part by part: two instructors may edit different parts at the same time."""

from collections.abc import Callable
from copy import deepcopy
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from grader.authoring.drafts import Content, begin
from grader.store.models import Assignment, AssignmentDraft
from tournament.store.database import now
from web.models import User
from web.site.access import Seen
from web.site.forms import tag
from web.site.store import write

Read = Callable[[Content], Any]
"""The part of a draft that a form shows."""

Change = Callable[[Content], None]
"""Puts what a form has sent into a draft."""


class EditedMeanwhile(Exception):
    """Somebody else has changed that part of the draft. `content` is what it says now, without what was sent."""

    def __init__(self, who: str, at: datetime, content: Content) -> None:
        super().__init__(
            f"{who} has changed this part since you opened it. Nothing of yours was saved, and nothing is lost: what "
            "you typed is still in the form. Saving again replaces what they wrote."
        )
        self.who, self.at, self.content = who, at, content


def save(seen: Seen, part: Read, change: Change, was: str) -> Content:
    """Change a part of the draft that a form was shown with the tag `was`; what the draft says then. Raises
    EditedMeanwhile."""
    with write() as session:
        assignment = session.get_one(Assignment, seen.assignment.id, with_for_update=True)
        draft = begin(session, assignment, seen.viewer.user_id)
        changed = deepcopy(draft.content)
        change(changed)
        if changed == draft.content:
            return changed
        if tag(part(draft.content)) != was and part(changed) != part(draft.content):
            raise EditedMeanwhile(_name(session, draft.saved_by), draft.saved_at, deepcopy(draft.content))
        draft.content, draft.revision = changed, draft.revision + 1
        draft.saved_by, draft.saved_at = seen.viewer.user_id, now()
        session.add(draft)
    return changed


def discard(seen: Seen) -> None:
    """Forget the draft; the latest version stays."""
    with write() as session:
        draft = session.get(AssignmentDraft, seen.assignment.id, with_for_update=True)
        if draft and seen.assignment.version:
            session.delete(draft)


def _name(session: Session, user_id: int) -> str:
    found = session.get(User, user_id)
    return found.name if found else "Somebody else"
