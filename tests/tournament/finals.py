"""Finals for the tests: students with the house bots' files, played through the claims that workers make."""

from datetime import UTC, datetime
from hashlib import sha256

from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.tournament.factory import make_tournament, make_user
from tournament.blocks import pair_all, play_due_block
from tournament.final.finals import Entrant, FinalPlan, export, freeze_plan, publish, start
from tournament.final.record import signed
from tournament.final.settings import FinalSettings
from tournament.games.signing import new_key
from tournament.play.games import find_game
from tournament.store.database import Sessions, reading, writing
from tournament.store.tables import Final, Player, Tournament
from tournament.work.services import Services

KEY = new_key()
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
GAME = "bo?hand_size=4&stockpile_size=1"
"""Short games: seven plays each."""

BOTS = [bot.source for bot in find_game("bo").bots]
QUICK = FinalSettings(first_games=4, most_games=8, fault_limit=2)
CHEAT = b"def comp10001bo_play(*args):\n    return (2, '0S', (0, 9))\n"


def enter(session: Session, *sources: bytes, game: str = GAME) -> tuple[Tournament, list[Entrant]]:
    """A ladder at rest, and what a freeze takes of entries of these files; always the same."""
    ladder = make_tournament(session, game, target_games=0)
    players = [stored_player(session, source) for source in sources]
    names = [f"Student {index}" for index in range(len(sources))]
    return ladder, [
        Entrant(make_user(session), player, name, 1, LONG_AGO) for player, name in zip(players, names, strict=True)
    ]


def stored_player(session: Session, source: bytes) -> int:
    digest = sha256(source).hexdigest()
    player = session.scalar(select(Player).where(Player.sha256 == digest)) or Player(sha256=digest, source=source)
    session.add(player)
    session.flush()
    return player.id


def freeze_some(
    sessions: Sessions, *sources: bytes, settings: FinalSettings = QUICK, begin: bool = True, game: str = GAME
) -> int:
    """A final of these students, begun or not; its tournament's id."""
    with writing(sessions) as session:
        ladder, entrants = enter(session, *sources, game=game)
        final = freeze_plan(session, ladder.assignment_id or 0, FinalPlan(game, entrants, settings, seed=7), LONG_AGO)
        if begin:
            start(session, final.tournament_id)
        return final.tournament_id


def play_out(services: Services) -> int:
    """Make your play by nothing is due any more; how many blocks."""
    blocks = 0
    pair_all(services)
    while play_due_block(services):
        blocks += 1
    return blocks


def record_of(sessions: Sessions, final_id: int) -> list[bytes]:
    """The signed record of a finished final, which is published."""
    with writing(sessions) as session:
        publish(session, final_id)
    with reading(sessions) as session:
        return list(signed(export(session, session.get_one(Final, final_id)), KEY))
