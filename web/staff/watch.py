"""The collusion watch, for instructors: pairs that stand out, the games to look at, and similar files."""

from functools import partial
from typing import Any

from flask import Blueprint, flash, render_template
from sqlalchemy import select
from werkzeug.exceptions import NotFound

from tournament.store.database import after_commit
from tournament.store.tables import Entry, Tournament, TournamentKind
from tournament.watch.collusion import FALSE_SHARE, LEAST_BLOCKS
from tournament.watch.watches import ask_for_watch, files_beside, to_be_read, watch_of
from tournament.work.runner import GRADE
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.models import User
from web.site.pages import see_other
from web.site.store import read, settings, write

page = Blueprint("watch", __name__, url_prefix="/tournaments/<int:tournament_id>/watch")
EVERY_MS = 1500


@page.get("/")
def show(tournament_id: int) -> str:
    """Show the page."""
    return render_template("staff/watch.html", **_watched(tournament_id))


@page.get("/found")
def found(tournament_id: int) -> str:
    """Return the part that changes during a check, for `refresh.js`."""
    return render_template("staff/_watch.html", **_watched(tournament_id))


@page.post("/")
def look(tournament_id: int) -> Any:
    """Request a new check for collusion."""
    _teaching(tournament_id)
    with write() as session:
        ask_for_watch(session, tournament_id)
        after_commit(session, partial(settings().send, GRADE))  # the check may need files that a worker must first read
    flash("The check has been requested. This page updates automatically.")
    return see_other("watch.show", tournament_id=tournament_id)


@page.get("/entries/<int:one>/<int:other>")
def files(tournament_id: int, one: int, other: int) -> str:
    """Show the files of two students' entries side by side, with the shared parts marked. This includes entries that no
    longer play."""
    tournament, seen = _teaching(tournament_id)
    beside = files_beside(read(), tournament, one, other)
    if beside is None:
        raise NotFound("These are not entries of two students in this tournament.")
    people = _authors(tournament_id)
    entries = [read().get_one(Entry, id_) for id_ in (one, other)]
    for entry in entries:
        access.note_opening(seen.viewer, entry.author_id, "code")
    sides = [(people[entry.author_id], entry, parts) for entry, parts in zip(entries, beside, strict=True)]
    around = {"tournament": tournament, "assignment": seen.assignment, "viewer": seen.viewer}
    return render_template("staff/watch_files.html", sides=sides, **around)


def _teaching(tournament_id: int) -> tuple[Tournament, Seen]:
    tournament, seen = access.taught_tournament(read(), user().id, tournament_id)
    if tournament.kind is TournamentKind.BRACKET:
        raise NotFound("Brackets consist of two-player games, in which nobody can help another player.")
    return tournament, seen


def _watched(tournament_id: int) -> dict[str, Any]:
    tournament, seen = _teaching(tournament_id)
    watch, found = watch_of(read(), tournament_id)
    students = Entry.tournament_id == tournament_id, Entry.author_id.is_not(None)
    entered = read().scalars(select(Entry).where(*students).order_by(Entry.version, Entry.id))
    entries = {entry.id: entry for entry in entered}  # each student's latest entry last
    latest = {entry.author_id: entry for entry in entries.values()}
    return {
        "tournament": tournament,
        "assignment": seen.assignment,
        "viewer": seen.viewer,
        "watch": watch,
        "found": found,
        "people": _authors(tournament_id),
        "latest": latest,
        "latest_ids": lambda people: [latest[id_].id if id_ in latest else None for id_ in people],
        "entries": entries,
        "to_be_read": to_be_read(read(), tournament_id) if watch and watch.waiting else 0,
        "false_share": FALSE_SHARE,
        "least_games": 4 * LEAST_BLOCKS,
        "every_ms": EVERY_MS if watch and watch.waiting else 0,
    }


def _authors(tournament_id: int) -> dict[int | None, User]:
    """Return the students who have ever entered the tournament, by id, including those who have left the course."""
    authors = select(Entry.author_id).where(Entry.tournament_id == tournament_id)
    return {user.id: user for user in read().scalars(select(User).where(User.id.in_(authors)))}
