"""The ladders of an assignment follow its definition. A changed game, option or gate ends a ladder's season: its games
stay readable, and a new ladder of the same name opens, in which everybody starts from nothing.

Each function works in the caller's transaction.
"""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.assignment.ladders import ladders
from grader.definition.model import Definition, Ladder
from grader.store.models import Assignment
from tournament.ladder.ladder import ensure_bots
from tournament.ladder.settings import change_settings, settings_of
from tournament.store.database import now
from tournament.store.tables import Entry, Tournament, TournamentState


def current_ladders(session: Session, assignment_id: int) -> dict[str, Tournament]:
    """The ladders of the running season by slug."""
    return {each.slug: each for each in ladders(session, assignment_id)}


def follow(
    session: Session, assignment: Assignment, definition: Definition, game: str, renewed: bool
) -> list[Tournament]:
    """Make the ladders those of the definition. `game` is the game's whole name; with `renewed` the present seasons
    end, and those of ladders that are taken out end anyway. Returns the ladders whose season ended."""
    present, ended = current_ladders(session, assignment.id), []
    for ladder in definition.tournaments:
        tournament = present.pop(ladder.slug, None)
        if tournament and renewed and _has_entries(session, tournament):
            ended.append(_end_season(session, tournament))
            tournament = None
        tournament = tournament or _open(session, assignment, ladder, game)
        if renewed:
            tournament.since_version = assignment.version
        _settle(session, tournament, ladder, game)
    return ended + [_end_season(session, each) for each in present.values()]


def _open(session: Session, assignment: Assignment, ladder: Ladder, game: str) -> Tournament:
    tournament = Tournament(assignment_id=assignment.id, slug=ladder.slug, title=ladder.shown_title(game), game=game)
    session.add(tournament)
    session.flush()
    return tournament


def _settle(session: Session, tournament: Tournament, ladder: Ladder, game: str) -> None:
    tournament.title, tournament.game = ladder.shown_title(game), game
    if settings_of(tournament) != ladder.settings:
        change_settings(session, tournament, ladder.settings, now())
    ensure_bots(session, tournament)


def _end_season(session: Session, tournament: Tournament) -> Tournament:
    before = select(func.count()).where(
        Tournament.assignment_id == tournament.assignment_id, Tournament.slug.like(f"{tournament.slug}-season-%")
    )
    number = (session.scalar(before) or 0) + 1
    tournament.state, tournament.season_ended = TournamentState.CLOSED, now()
    tournament.slug, tournament.title = f"{tournament.slug}-season-{number}", f"{tournament.title}, season {number}"
    session.flush()
    return tournament


def _has_entries(session: Session, tournament: Tournament) -> bool:
    wanted = select(Entry.id).where(Entry.tournament_id == tournament.id, Entry.author_id.is_not(None)).limit(1)
    return session.scalar(wanted) is not None
