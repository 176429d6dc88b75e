"""The user's versions side by side, and comparing a new one with the entry: the request, its progress, and the replays
where the two differ."""

from typing import Any

from flask import Blueprint, Response, redirect, render_template, url_for

from grader.store.models import Submission
from tournament.practice.comparisons import cancel, comparison_time_left_s
from web.overview.overview import deadline_of
from web.practice.comparisons import LATEST, Replayed, lines, pictures_of, replayed, show, versions_of
from web.replay.frames import frames_of, record_file, show_play
from web.site import access
from web.site.auth import user
from web.site.notices import looked_at
from web.site.pages import page_about, see_other
from web.site.store import read, write

page = Blueprint("compare", __name__)
ONE = "/comparisons/<int:comparison_id>"
GAME = f"{ONE}/pairs/<int:number>/<any(new, old):version>"


@page.get("/assignments/<int:assignment_id>/versions/")
def versions(assignment_id: int) -> str:
    """The page."""
    seen = access.assignment(read(), user().id, assignment_id)
    versions = versions_of(read(), assignment_id, user().id)
    return page_about("practice/versions.html", seen, versions=versions, latest=LATEST)


@page.get(f"{ONE}/")
def show_one(comparison_id: int) -> str:
    """The page."""
    return render_template("practice/comparison.html", **_context(comparison_id))


@page.get(f"{ONE}/live")
def live(comparison_id: int) -> str:
    """The part of the page that changes while games are played, for `refresh.js`."""
    return render_template("practice/_comparison.html", **_context(comparison_id))


def _context(comparison_id: int) -> dict[str, Any]:
    session = read()
    row, seen = access.comparison(session, user().id, comparison_id)
    looked_at(user().id, "comparison", [row.id])
    shown = show(session, row)
    return {
        "shown": shown,
        "left_s": comparison_time_left_s(session, row, shown.state) if shown.pending else None,
        "pictures": pictures_of(shown.state),
        "row": row,
        "lines": lines(session, row),
        "submission": session.get_one(Submission, row.submission_id),
        "assignment": seen.assignment,
        "viewer": seen.viewer,
        "mine": row.author_id == seen.viewer.user_id,
        "over": deadline_of(session, seen.assignment, row.author_id).over,
    }


@page.post(f"{ONE}/cancel")
def stop(comparison_id: int) -> Any:
    """Cancel it; the games played so far are kept."""
    row, _ = access.comparison(read(), user().id, comparison_id)
    access.own(row, user().id)
    with write() as session:
        cancel(session, comparison_id)
    return see_other("compare.show_one", comparison_id=comparison_id)


# Replays


@page.get(f"{GAME}/")
def parting(comparison_id: int, number: int, version: str) -> Any:
    """The replay at the play where the two games first differ."""
    game = _game(comparison_id, number, version)
    where: dict[str, Any] = {"comparison_id": comparison_id, "number": number, "version": version}
    return redirect(url_for("compare.play", **where, play_number=_parting(game)))


@page.get(f"{GAME}/plays/<int:play_number>")
def play(comparison_id: int, number: int, version: str, play_number: int) -> Any:
    """The table after `play_number` plays of the game of one of the versions."""
    game = _game(comparison_id, number, version)

    def around() -> dict[str, Any]:
        other = "old" if version == "new" else "new"
        return {
            "game": game,
            "parting": _parting(game),
            "other_url": url_for("compare.parting", comparison_id=comparison_id, number=number, version=other),
            "assignment": game.seen.assignment,
            "viewer": game.seen.viewer,
        }

    return show_play(game.record, play_number, game.own, "practice/compared_game.html", around)


@page.get(f"{GAME}/record.json")
def record_json(comparison_id: int, number: int, version: str) -> Response:
    """The record, to be replayed elsewhere; without what reveals other students' code."""
    return record_file(_game(comparison_id, number, version).record, f"comparison-{comparison_id}-{number}-{version}")


def _game(comparison_id: int, number: int, version: str) -> Replayed:
    row, seen = access.comparison(read(), user().id, comparison_id)
    return replayed(read(), row, seen, number, version)


def _parting(game: Replayed) -> int:
    """The number of the frame that shows the first play in which the games differ, or the last one."""
    shown, index = frames_of(game.record), game.pair.parting
    numbers = [number for number, frame in enumerate(shown) if index is not None and frame.index > index]
    return numbers[0] if numbers else len(shown) - 1
