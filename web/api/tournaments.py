"""Leaderboards."""

from tournament.ladder import Standing
from web import access
from web.api import models
from web.api.assignments import summary
from web.api.operations import operation
from web.board import board_of
from web.models import User
from web.overview import real_names
from web.store import read


@operation("GET", "/tournaments/<int:tournament_id>/leaderboard", {200: models.Leaderboard})
def get_leaderboard(user: User, tournament_id: int) -> models.Leaderboard:
    """The leaderboard of a tournament: other students by pseudonym, for instructors with names."""
    tournament, seen = access.tournament(read(), user.id, tournament_id)
    people = real_names(read(), seen.viewer.course.id) if seen.viewer.instructs else {}
    rows = [
        _row(line, line.entry.author_id == user.id, people.get(line.entry.author_id or 0))
        for line in board_of(read(), tournament).rows
    ]
    return models.Leaderboard(tournament=summary(tournament), rows=rows)


def _row(line: Standing, mine: bool, student: User | None) -> models.Row:
    return models.Row(
        rank=line.rank,
        tied=line.tied,
        entry_id=line.entry.id,
        name=line.entry.name,
        house_bot=line.house,
        mine=mine,
        version=line.entry.version,
        entered_at=line.entry.entered_at,
        games=line.games,
        wins=line.wins,
        win_rate=line.win_rate if line.games else None,
        win_rate_low=line.low if line.games else None,
        win_rate_high=line.high if line.games else None,
        errors=line.faults,
        state=line.state,
        provisional=line.provisional,
        student=models.Student(login=student.login, name=student.name) if student else None,
    )
