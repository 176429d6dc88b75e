"""Which kit an assignment offers: the thin one, or from some time on the full one."""

from sqlalchemy.orm import Session

from grader.definition.model import Definition
from grader.store.models import Assignment, FullKit, note_change
from tournament.store.validation import BadForm
from web.kit.contents import has_kit
from web.overview.overview import deadline_of
from web.site.access import Seen

WORDS = {
    FullKit.NEVER: "never",
    FullKit.AT_ONCE: "from the start",
    FullKit.AFTER_DEADLINE: "after each student’s own deadline",
}


def has_full_kit(definition: Definition) -> bool:
    """Whether there is a full kit for that assignment: it has a game, and a kit."""
    return bool(definition.game) and has_kit(definition)


def may_have_full(session: Session, seen: Seen) -> bool:
    """Whether the member may download the full kit now; instructors may at any time, to see what is in it."""
    if seen.viewer.instructs or seen.assignment.full_kit is FullKit.AT_ONCE:
        return True
    after = seen.assignment.full_kit is FullKit.AFTER_DEADLINE
    return after and deadline_of(session, seen.assignment, seen.viewer.user_id).over


def about_full(session: Session, seen: Seen, address: str) -> str:
    """What the thin kit says about the full one, in a sentence."""
    if seen.assignment.full_kit is FullKit.NEVER:
        return "This assignment does not offer it; the command try plays on the site."
    when = "Download it" if may_have_full(session, seen) else "You can download it after your deadline"
    return f"{when}: {address}"


def change(session: Session, assignment: Assignment, by: int, given: str) -> None:
    """Say when the full kit is offered. Raises BadForm."""
    if given not in set(FullKit):
        raise BadForm({"full_kit": "Choose one of the three."})
    former, assignment.full_kit = assignment.full_kit, FullKit(given)
    note_change(session, assignment.id, by, "Full kit", WORDS[former], WORDS[assignment.full_kit])
