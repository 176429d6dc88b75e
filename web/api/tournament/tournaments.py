"""Leaderboards."""

from dataclasses import asdict
from math import isfinite

from tournament.ladder.standings import Standing
from web.api import models
from web.api.assignment.assignments import summary
from web.api.operations import operation
from web.assignment.overview import seen_people
from web.board.leaderboard import board_of
from web.models import User
from web.site.rights import access
from web.site.store import read


@operation("GET", "/tournaments/<int:tournament_id>/leaderboard", {200: models.Leaderboard})
def get_leaderboard(user: User, tournament_id: int) -> models.Leaderboard:
    """The leaderboard of a tournament: other students by pseudonym, for instructors with names."""
    tournament, seen = access.tournament(read(), user.id, tournament_id)
    people = seen_people(read(), seen.viewer)
    board = board_of(read(), tournament, user.id)
    rows = [_row(line, line.entry.author_id == user.id, people.get(line.entry.author_id or 0)) for line in board.rows]
    trust = board.trust and models.TrustJson(**asdict(board.trust))
    return models.Leaderboard(tournament=summary(tournament), ranking=board.ranking, trust=trust, rows=rows)


def _row(line: Standing, mine: bool, student: User | None) -> models.Row:
    return models.Row(
        rank=line.rank,
        rank_interval=line.rank_interval,
        tied=line.tied,
        group=line.group,
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
        value=line.value if line.games else None,
        value_low=line.value_low if line.games and isfinite(line.value_low) else None,
        value_high=line.value_high if line.games and isfinite(line.value_high) else None,
        rating=line.rating,
        errors=line.faults,
        state=line.state,
        provisional=line.provisional,
        student=models.StudentJson.of(student),
    )
