"""An entry in a tournament: its standing, all its games, and withdrawing it."""

from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, flash, request, url_for
from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.exceptions import NotFound

from grader.ladders import PAIR
from grader.models import Submission
from tournament.final.lifecycle import final_of
from tournament.ladder.past_games import LATEST
from tournament.ladder.standings import ListedGame, ListedSeat, games_of
from tournament.ladder.withdrawal import WithdrawalError, can_reinstate, can_withdraw, reinstate, withdraw
from tournament.store.database import after_commit
from tournament.store.tables import Entry, FinalPhase
from web.assignment.overview import seen_people
from web.board.entry_pictures import pictures_of
from web.board.entry_story import story_of
from web.board.game_filter import IS, RESULTS, GameFilter
from web.board.leaderboard import board_of
from web.replay.examples import HOUSE_GAME, shown_example
from web.site.auth import user
from web.site.downloads import spreadsheet
from web.site.inputs import number
from web.site.rendering import assets
from web.site.rendering.pages import page_about, see_other
from web.site.rights import access, insides
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
        """The players in first place; there may be none."""
        return [seat.name for seat in self.game.seats if seat.place == 1]

    @property
    def offender(self) -> ListedSeat | None:
        """The disqualified player, if any; this entry first."""
        return next((seat for seat in (self.own, *self.game.seats) if seat.verdict), None)


@page.get("/")
def show(entry_id: int) -> str:
    """The page; `?before=<game>` goes back in time, and `web.board.game_filter` chooses games."""
    return _page(entry_id)


def _page(entry_id: int, problem: str = "") -> str:
    session = read()
    entry, seen = access.entry(session, user().id, entry_id)
    mine = access.sees_inside(seen.viewer, entry)
    acts = access.may_act(seen.viewer, entry)
    board = board_of(session, entry.tournament, user().id)
    chosen = GameFilter.of(request.args)
    story = story_of(session, entry, url_for("entry.show", entry_id=entry.id), chosen)
    among = [each.id for each in story.games if chosen.matches(each)] if chosen else None
    games = games_of(session, entry.id, GAMES_A_PAGE + 1, request.args.get("before", type=number), among)
    shown = [(game, next(each for each in game.seats if each.entry_id == entry_id)) for game in games[:GAMES_A_PAGE]]
    people = seen_people(session, seen.viewer)
    final = final_of(session, seen.assignment.id) if mine else None
    going = final and final.phase not in (FinalPhase.ABORTED, FinalPhase.PUBLISHED)
    return page_about(
        "tournament/entry.html",
        seen,
        entry=entry,
        row=board.of_entry(entry.id),
        ranked=board.ranked,
        lines=[GameLine(game, own, insides.seen_message(seen.viewer, own)) for game, own in shown],
        older=games[GAMES_A_PAGE - 1].id if len(games) > GAMES_A_PAGE else None,
        newest="before" not in request.args,
        story=story,
        pictures=pictures_of(story, seen.viewer.course),
        chosen=chosen,
        among=among,
        results={name: sum(map(is_result, story.games)) for name, is_result in IS.items()},
        titles=RESULTS,
        latest=LATEST,
        house_game=None if games or chosen else shown_example(seen, HOUSE_GAME),
        game=assets.game_if_any(entry.tournament.game),
        submission=_submission(session, seen.assignment.id, entry) if mine else None,
        author=people.get(entry.author_id or 0),
        problem=problem,
        withdrawable=acts and can_withdraw(entry),
        reinstatable=acts and can_reinstate(session, entry, user().id, seen.viewer.instructs),
        final=final if final and going and final.tournament_id != entry.tournament_id else None,
    )


def _submission(session: Session, assignment_id: int, entry: Entry) -> Submission | None:
    """The latest upload of the file that plays."""
    wanted = select(Submission).where(
        Submission.assignment_id == assignment_id,
        Submission.author_id == entry.author_id,
        Submission.player_id == entry.player_id,
    )
    return session.scalar(wanted.order_by(Submission.id.desc()).limit(1))


@page.get("/pictures/<name>.csv")
def picture_file(entry_id: int, name: str) -> Response:
    """The figures of a picture, for a spreadsheet."""
    entry, seen = access.entry(read(), user().id, entry_id)
    story = story_of(read(), entry, "", GameFilter())
    found = next((each for each in pictures_of(story, seen.viewer.course) if each.name == name), None)
    if found is None:
        raise NotFound("There is no such picture, or nothing to draw in it yet.")
    return spreadsheet([found.headers, *found.rows], seen, f"entry-{entry_id}-{name}.csv")


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
