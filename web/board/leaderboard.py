"""The leaderboard of a tournament and, for instructors, the standings as a file."""

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, Response, render_template, request
from sqlalchemy.orm import Session

from grader.assignment.ladders import former_seasons, is_season_of, ladders
from grader.definition.local_times import LocalTime
from tournament.ladder.results import FORM_GAMES
from tournament.ladder.standings import standings
from tournament.store.tables import Block, Tournament, TournamentKind
from tournament.work.backlog import usual_wait_s
from web.overview.standings import PAGE, Board, board_of, refresh_ms
from web.replay.frames import HOUSE_GAME, shown_example
from web.site import access, assets
from web.site.access import real_names, seen_names
from web.site.auth import user
from web.site.pages import page_about, pages_of, spreadsheet, unless_unchanged
from web.site.store import read

page = Blueprint("leaderboard", __name__, url_prefix="/tournaments/<int:tournament_id>")
WHO = ["rank", "name", "login", "pseudonym", "status", "version", "entered"]
NUMBERS = ["games", "wins", "win_rate", "win_rate_low", "win_rate_high", "errors"]
RANKS = ["rank_best", "rank_worst", "group", "rating"]
LONGEST_SEARCH = 100


@page.get("/")
def show(tournament_id: int) -> str:
    """Show the page."""
    session = read()
    tournament, seen = access.tournament(session, user().id, tournament_id)
    shown = board_of(session, tournament, user().id)
    house_game = None if shown.ranked else shown_example(seen, HOUSE_GAME)
    game = assets.game_if_any(tournament.game)
    board = _board(session, tournament, seen, shown)
    running = tournament.kind is TournamentKind.LADDER and not tournament.season_ended
    seasons = former_seasons(session, seen.assignment.id) if running else ()
    former = [each for each in seasons if is_season_of(each, tournament)]
    return page_about("board/leaderboard.html", seen, house_game=house_game, game=game, former=former, **board)


@page.get("/board")
def board(tournament_id: int) -> Response:
    """Return only the table, for `refresh.js`; an unchanged table is neither drawn nor sent again."""
    session = read()
    tournament, seen = access.tournament(session, user().id, tournament_id)
    shown = board_of(session, tournament, user().id)
    board = _board(session, tournament, seen, shown)
    return unless_unchanged(
        (
            *(user().id, request.query_string, tournament.state, len(shown.rows), shown.ranked, shown.trust),
            *(board[each] for each in ("lines", "found", "own", "own_page")),
        ),
        lambda: render_template("board/_board.html", **board),
    )


def _board(session: Session, tournament: Tournament, seen: access.Seen, shown: Board) -> dict[str, Any]:
    real = seen_names(session, seen.viewer)
    find = request.args.get("find", "").strip()[:LONGEST_SEARCH]
    found = shown.matching(find, real)
    pages = pages_of(len(found), PAGE)
    number = min(max(1, request.args.get("page", 1, type=int)), pages)
    return {
        "tournament": tournament,
        "board": shown,
        "lines": shown.html(user().id, real, found[(number - 1) * PAGE : number * PAGE]),
        "find": find,
        "found": len(found),
        "page_number": number,
        "pages": pages,
        "own": shown.of_author(user().id),
        "own_page": shown.page_of(user().id),
        "running": ladders(session, seen.assignment.id) if tournament.season_ended else [],
        "form_games": FORM_GAMES,
        "every_ms": refresh_ms(shown, 5000),
        "first_game_s": None if shown.ranked else usual_wait_s(session, Block, tournament_id=tournament.id),
    }


@page.get("/standings.csv")
def standings_file(tournament_id: int) -> Response:
    """Download the standings with real names, and the students who have not entered, as a spreadsheet."""
    session = read()
    tournament, seen = access.taught_tournament(session, user().id, tournament_id)
    rows = [row for row in standings(session, tournament) if not row.house]
    members = access.students(session, seen.viewer.course.id)
    entered = {row.entry.author_id for row in rows}
    people = real_names(session, seen.viewer.course.id)
    zone = seen.viewer.course.zone
    lines: list[Sequence[Any]] = []
    for row in rows:
        entry, person = row.entry, people[row.entry.author_id or 0]
        who = [row.rank or "", person.name, person.login, entry.name, row.state.value, entry.version]
        rates = [f"{share:.4f}" if row.games else "" for share in (row.win_rate, row.low, row.high)]
        numbers = [LocalTime(entry.entered_at, zone).iso, row.games, row.wins, *rates, row.faults]
        rating = "" if row.rating is None else f"{row.rating:.1f}"
        lines.append([*who, *numbers, *(row.rank_interval or ("", "")), row.group or "", rating])
    lines += [["", m.user.name, m.user.login, m.pseudonym, "not entered"] for m in members if m.user_id not in entered]
    return spreadsheet([WHO + NUMBERS + RANKS, *lines], seen, f"{tournament.slug}.csv")
