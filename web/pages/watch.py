"""The collusion watch, for instructors: pairs whose results together deviate, the games to look at, and alike files."""

from typing import Any

from flask import Blueprint, flash, redirect, render_template, url_for
from werkzeug.exceptions import NotFound

from tournament.collusion import FALSE_SHARE, LEAST_BLOCKS
from tournament.models import Entry, EntryState, Tournament, TournamentKind
from tournament.watch import ask, files_beside, watch_of
from web import access
from web.access import Seen
from web.auth import user
from web.overview import real_names
from web.store import read, write

page = Blueprint("watch", __name__, url_prefix="/tournaments/<int:tournament_id>/watch")
EVERY_MS = 1500


@page.get("/")
def show(tournament_id: int) -> str:
    """The page."""
    return render_template("watch.html", **_context(tournament_id))


@page.get("/found")
def found(tournament_id: int) -> str:
    """The part that changes while it is worked out, for `refresh.js`."""
    return render_template("_parts/watch.html", **_context(tournament_id))


@page.post("/")
def look(tournament_id: int) -> Any:
    """Ask for a new look."""
    _teaching(tournament_id)
    with write() as session:
        ask(session, tournament_id)
    flash("It is being looked at; the page follows by itself.")
    return redirect(url_for("watch.show", tournament_id=tournament_id), 303)


@page.get("/files/<int:one>/<int:other>")
def files(tournament_id: int, one: int, other: int) -> str:
    """Two students' files beside each other; what is alike is marked."""
    tournament, seen = _teaching(tournament_id)
    beside = files_beside(read(), tournament, one, other)
    if beside is None:
        raise NotFound("One of these two has no file in this tournament any more.")
    people, names = real_names(read(), seen.viewer.course.id), _entries(tournament_id)
    sides = [(people.get(id_), names[id_], parts) for id_, parts in zip((one, other), beside, strict=True)]
    around = {"tournament": tournament, "assignment": seen.assignment, "viewer": seen.viewer}
    return render_template("watch_files.html", sides=sides, **around)


def _teaching(tournament_id: int) -> tuple[Tournament, Seen]:
    tournament, seen = access.taught_tournament(read(), user().id, tournament_id)
    if tournament.kind is TournamentKind.BRACKET:
        raise NotFound("Brackets are games of two: nobody can be helped there.")
    return tournament, seen


def _context(tournament_id: int) -> dict[str, Any]:
    tournament, seen = _teaching(tournament_id)
    watch, found = watch_of(read(), tournament_id)
    return {
        "tournament": tournament,
        "assignment": seen.assignment,
        "viewer": seen.viewer,
        "watch": watch,
        "found": found,
        "people": real_names(read(), seen.viewer.course.id),
        "entries": _entries(tournament_id),
        "false_share": FALSE_SHARE,
        "least_games": 4 * LEAST_BLOCKS,
        "every_ms": EVERY_MS if watch and watch.waiting else 0,
    }


def _entries(tournament_id: int) -> dict[int | None, Entry]:
    """Each student's latest entry."""
    students = Entry.author_id.is_not(None)
    wanted = read().query(Entry).filter(Entry.tournament_id == tournament_id, students)
    found = wanted.filter(Entry.state != EntryState.REPLACED).order_by(Entry.version)
    return {entry.author_id: entry for entry in found}
