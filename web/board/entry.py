"""The page of an entry in a tournament: the entry's standing, all its games, and forms to withdraw or reinstate it."""

from typing import Any

from flask import Blueprint, Response, flash, request, url_for
from sqlalchemy import bindparam, case, select
from sqlalchemy.orm import Session
from werkzeug.exceptions import NotFound

from grader.assignment.ladders import PAIR
from grader.store.models import Outcome, Submission
from tournament.final.finals import final_of
from tournament.ladder.ladder import can_reinstate, can_withdraw, reinstate, withdraw
from tournament.ladder.past_games import LATEST
from tournament.store.database import after_commit, columns
from tournament.store.tables import Entry, FinalPhase
from web.overview.entry_history import RESULTS, GameFilter, games_page, history_of
from web.overview.entry_pictures import pictures_of
from web.overview.standings import board_of
from web.replay.frames import HOUSE_GAME, shown_example
from web.site import access, assets, roles
from web.site.auth import user
from web.site.inputs import number
from web.site.models import Membership, User
from web.site.pages import page_about, see_other, shown_again, spreadsheet
from web.site.store import read, settings, write

page = Blueprint("entry", __name__, url_prefix="/entries/<int:entry_id>")


@page.get("/")
def show(entry_id: int) -> str:
    """Show the page; `?before=<game>` shows older games, and other parameters filter games as in
    `web.overview.entry_history`."""
    return _entry_page(entry_id)


def _entry_page(entry_id: int, problem: str = "") -> str:
    session = read()
    entry, seen = access.entry(session, user().id, entry_id)
    mine = roles.sees_inside(seen.viewer, entry)
    acts = roles.may_act(seen.viewer, entry)
    board = board_of(session, entry.tournament, user().id)
    chosen = GameFilter.of(request.args)
    history = history_of(session, entry, url_for("entry.show", entry_id=entry.id), chosen)
    among = [each.id for each in history.games if chosen.matches(each)] if chosen else None
    before = request.args.get("before", type=number)
    games = games_page(session, history, seen.viewer, before, among)
    which = {"assignment": seen.assignment.id, "author": entry.author_id, "player": entry.player_id, "entry": entry.id}
    final = final_of(session, seen.assignment.id) if mine else None
    going = final and final.phase not in (FinalPhase.ABORTED, FinalPhase.PUBLISHED)
    return page_about(
        "board/entry.html",
        seen,
        entry=entry,
        row=board.of_entry(entry.id),
        ranked=board.ranked,
        games=games,
        newest=before is None,
        history=history,
        pictures=pictures_of(history, seen.viewer.course),
        chosen=chosen,
        among=among,
        results=history.results,
        titles=RESULTS,
        latest=LATEST,
        house_game=None if games.rows or chosen else shown_example(seen, HOUSE_GAME),
        game=assets.game_if_any(entry.tournament.game),
        submission=columns(session, _UPLOAD, which).first() if mine else None,
        author=_named_author(session, seen.viewer, entry),
        problem=problem,
        withdrawable=acts and can_withdraw(entry),
        reinstatable=acts and can_reinstate(session, entry, user().id, seen.viewer.instructs),
        final=final if final and going and final.tournament_id != entry.tournament_id else None,
    )


def _named_author(session: Session, viewer: access.Viewer, entry: Entry) -> User | None:
    """The entry's author, if the viewer is staff who may see the author's name."""
    if not viewer.staff or entry.author_id is None or not viewer.oversees(entry.author_id):
        return None
    member = session.get(Membership, (entry.author_id, viewer.course.id))
    return member.user if member else None


_UPLOAD = (
    select(Submission.id, Submission.filename)
    .outerjoin(Outcome, Outcome.submission_id == Submission.id)
    .where(
        Submission.assignment_id == bindparam("assignment"),
        Submission.author_id == bindparam("author"),
        Submission.player_id == bindparam("player"),
    )
    .order_by(case((Outcome.entry_id == bindparam("entry"), 0), (Outcome.entry_id.is_not(None), 1), else_=2))
    .order_by(Submission.id.desc())
    .limit(1)
)
"""The number and the file name of the upload that entered. The same file may have been uploaded several times, and a
final plays a copy of an entry, which belongs to no upload itself. The query is built only once, and selects columns
instead of the entity, which saves 6% of the time for the page."""


@page.get("/pictures/<name>.csv")
def picture_file(entry_id: int, name: str) -> Response:
    """Download the data behind a chart as a spreadsheet."""
    entry, seen = access.entry(read(), user().id, entry_id)
    history = history_of(read(), entry, "", GameFilter())
    found = next((each for each in pictures_of(history, seen.viewer.course) if each.name == name), None)
    if found is None:
        raise NotFound("There is no such picture, or there is nothing to draw in it yet.")
    return spreadsheet([found.headers, *found.rows], seen, f"entry-{entry_id}-{name}.csv")


@page.post("/withdraw")
def take_out(entry_id: int) -> Any:
    """Withdraw the entry; only its author and the instructors may do this."""
    entry, seen = access.entry(read(), user().id, entry_id)
    roles.acting(seen.viewer, entry)
    with shown_again(lambda why: _entry_page(entry_id, str(why))), write() as session:
        withdraw(session, session.get_one(Entry, entry_id), user().id)
    flash("The entry is withdrawn: it plays no more games and is not ranked. You can undo this.")
    return see_other("entry.show", entry_id=entry_id)


@page.post("/reinstate")
def bring_back(entry_id: int) -> Any:
    """Reinstate an entry that was withdrawn."""
    entry, seen = access.entry(read(), user().id, entry_id)
    roles.acting(seen.viewer, entry)
    with shown_again(lambda why: _entry_page(entry_id, str(why))), write() as session:
        reinstate(session, session.get_one(Entry, entry_id), user().id, seen.viewer.instructs)
        after_commit(session, lambda: settings().send(PAIR))
    flash("The entry is reinstated and continues where it stopped.")
    return see_other("entry.show", entry_id=entry_id)
