"""Counts what is played, for the metrics of the server."""

from collections.abc import Iterable, Iterator

from tournament.games.options import parse_name
from tournament.play.record import Record, is_question
from tournament.play.table import GameTable
from tournament.work.counters import GAMES, PLAYS, SANDBOX_STARTS, VERDICTS


def counted(tables: Iterable[GameTable]) -> Iterator[GameTable]:
    """The tables; each player is counted when its table is taken, to be seated."""
    for table in tables:
        for contestant in table.contestants:
            SANDBOX_STARTS.labels(contestant.sandbox.name).inc()
        yield table


def count_games(phase: str, records: Iterable[Record]) -> None:
    """Count games that were stored, their plays and their disqualifications."""
    for record in records:
        slug = parse_name(record.game).slug
        GAMES.labels(slug, phase).inc()
        PLAYS.labels(slug, phase).inc(sum(not is_question(play) for _, play in record.plays))
        for note in record.faults:
            VERDICTS.labels(phase, note.verdict.value).inc()
