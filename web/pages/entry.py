"""An entry in a tournament: how it stands, every game it was in, and withdrawing it."""

from dataclasses import dataclass
from typing import Any

from flask import Blueprint, flash, request
from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from grader.ladders import PAIR
from grader.models import Submission
from tournament.final.lifecycle import final_of
from tournament.ladder.ladder import ListedGame, ListedSeat, games_of
from tournament.ladder.withdrawal import WithdrawalError, can_reinstate, can_withdraw, reinstate, withdraw
from tournament.store.database import after_commit
from tournament.store.tables import Entry, Final, FinalPhase
from web.assignment.overview import real_names
from web.board.leaderboard import board_of
from web.site import access
from web.site.auth import user
from web.site.inputs import number
from web.site.pages import page_about, see_other
from web.site.settings import settings
from web.site.store import read, write

page = Blueprint("entry", __name__, url_prefix="/entries/<int:entry_id>")
GAMES_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game as this entry saw it."""

    game: ListedGame
    own: ListedSeat
    message: str  # of its fault, as far as the viewer may see it

    @property
    def winners(self) -> list[str]:
        """Who had the first place; perhaps nobody."""
        return [seat.name for seat in self.game.seats if seat.place == 1]

    @property
    def offender(self) -> ListedSeat | None:
        """Who was disqualified, this entry first."""
        return next((seat for seat in (self.own, *self.game.seats) if seat.verdict), None)


@page.get("/")
def show(entry_id: int) -> str:
    """The page; `?before=<game>` goes back in time, `?faults=1` shows the games that it lost by an invalid play."""
    return _page(entry_id)


def _page(entry_id: int, problem: str = "") -> str:
    session = read()
    entry, seen = access.entry(session, user().id, entry_id)
    mine = access.sees_inside(seen.viewer, entry)
    board = board_of(session, entry.tournament, user().id)
    faults = "faults" in request.args
    games = games_of(session, entry.id, GAMES_A_PAGE + 1, request.args.get("before", type=number), faults)
    people = real_names(session, seen.viewer.course.id) if seen.viewer.instructs else {}
    return page_about(
        "entry.html",
        seen,
        entry=entry,
        row=board.of_entry(entry.id),
        ranked=board.ranked,
        lines=[_line(game, entry_id, seen.viewer) for game in games[:GAMES_A_PAGE]],
        older=games[GAMES_A_PAGE - 1].id if len(games) > GAMES_A_PAGE else None,
        newest="before" not in request.args,
        faults=faults,
        submission=_submission(session, seen.assignment.id, entry) if mine else None,
        author=people.get(entry.author_id or 0),
        problem=problem,
        withdrawable=mine and can_withdraw(entry),
        reinstatable=mine and can_reinstate(session, entry, user().id, seen.viewer.instructs),
        final=_frozen_with(entry, final_of(session, seen.assignment.id)) if mine else None,
    )


def _submission(session: Session, assignment_id: int, entry: Entry) -> Submission | None:
    """The latest upload of the file that plays."""
    which = {"assignment": assignment_id, "author": entry.author_id, "player": entry.player_id}
    return session.scalar(_UPLOADED, which)


_UPLOADED = (
    select(Submission)
    .where(Submission.assignment_id == bindparam("assignment"))
    .where(Submission.author_id == bindparam("author"), Submission.player_id == bindparam("player"))
    .order_by(Submission.id.desc())
    .limit(1)
)
"""Made once: to make it takes as long as to answer it."""


def _frozen_with(entry: Entry, final: Final | None) -> Final | None:
    """The final that is under way and plays what was frozen, whatever becomes of this entry now."""
    going = final is not None and final.phase not in (FinalPhase.ABORTED, FinalPhase.PUBLISHED)
    return final if final and going and entry.tournament_id != final.tournament_id else None


@page.post("/withdraw")
def take_out(entry_id: int) -> Any:
    """Withdraw it; its author does, or an instructor."""
    entry, seen = access.entry(read(), user().id, entry_id)
    access.acting(seen.viewer, entry)
    try:
        with write() as session:
            withdraw(session, session.get_one(Entry, entry_id), user().id)
    except WithdrawalError as error:
        return _page(entry_id, str(error)), 409
    flash("The entry is withdrawn: it plays no more games and is not ranked. You can undo this.")
    return see_other("entry.show", entry_id=entry_id)


@page.post("/reinstate")
def bring_back(entry_id: int) -> Any:
    """Reinstate it after it was withdrawn."""
    entry, seen = access.entry(read(), user().id, entry_id)
    access.acting(seen.viewer, entry)
    try:
        with write() as session:
            reinstate(session, session.get_one(Entry, entry_id), user().id, seen.viewer.instructs)
            after_commit(session, lambda: settings().send(PAIR))
    except WithdrawalError as error:
        return _page(entry_id, str(error)), 409
    flash("The entry is reinstated and continues where it stopped.")
    return see_other("entry.show", entry_id=entry_id)


def _line(game: ListedGame, entry_id: int, viewer: access.Viewer) -> GameLine:
    own = next(seat for seat in game.seats if seat.entry_id == entry_id)
    return GameLine(game, own, access.seen_message(viewer, own))
