"""The players of stored games, ready to be seated, and counts of their games, for the server's metrics."""

from collections.abc import Iterable, Iterator

from tournament.games.options import parse_name
from tournament.play.games import find_game
from tournament.play.record import Record, is_question
from tournament.play.table import Contestant, GameTable, house_bot, player_program
from tournament.store.tables import Player
from tournament.work.services import Services
from tournament.work.tally import GAMES, PLAYS, SANDBOX_STARTS, VERDICTS


def contestant(services: Services, name: str, label: str, player: Player | None, bot: str | None = None) -> Contestant:
    """Return a student's player or the house bot `bot`, ready to be seated in the game of that name."""
    game = find_game(name)
    if bot is not None:
        file = house_bot(game, bot)
        return Contestant(label, player_program(game, file.source, file.filename), services.trusted)
    assert player is not None  # noqa: S101 - a player that is not a house bot has a file
    return Contestant(label, player_program(game, player.source), services.sandbox)


def counting_starts(tables: Iterable[GameTable]) -> Iterator[GameTable]:
    """Yield the tables unchanged, and count the players of each table when it is taken."""
    for table in tables:
        for contestant in table.contestants:
            SANDBOX_STARTS.labels(contestant.sandbox.name).inc()
        yield table


def count_games(phase: str, records: Iterable[Record]) -> None:
    """Count stored games, their plays and their disqualifications."""
    for record in records:
        slug = parse_name(record.game).slug
        GAMES.labels(slug, phase).inc()
        PLAYS.labels(slug, phase).inc(sum(not is_question(play) for _, play in record.plays))
        for note in record.faults:
            VERDICTS.labels(phase, note.verdict.value).inc()
