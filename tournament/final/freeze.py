"""Freezing a final: its entries are copies of what the students entered, and nothing about it changes any more."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from random import SystemRandom
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from tournament.final.record import FrozenEntry, Header, canonical
from tournament.final.rounds import FinalError
from tournament.final.settings import FinalSettings
from tournament.games import find_game
from tournament.games.api import Game
from tournament.store.database import now
from tournament.store.tables import Entry, Final, FinalPhase, Player, Tournament, TournamentKind, TournamentState

NO_LIMIT = 2**31 - 1
"""Of faults: in a final an entry is put out between rounds, not when its last fault happens to be stored."""


class AlreadyFrozen(FinalError):
    """The assignment has a final already."""


class NobodyEntered(FinalError):
    """There is no entry that could take part."""


class TooFewPlayers(FinalError):
    """Not even with house bots is a table full."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """An entry that takes part: a copy of somebody's last one."""

    author_id: int
    player_id: int
    name: str
    version: int
    entered_at: datetime
    trace: str | None = None  # its upload's, see `tournament.work.trace`


def freeze(
    session: Session,
    assignment_id: int,
    game: str,
    entrants: Sequence[Entrant],
    settings: FinalSettings,
    notes: Sequence[str] = (),
    title: str = "The final",
    seed: int | None = None,
    at: datetime | None = None,
) -> Final:
    """Make the final of an assignment from copies of these entries; nothing is played yet.

    `seed` (53 bits) fixes all deals; by default nobody knows it. Raises AlreadyFrozen, NobodyEntered, TooFewPlayers.
    """
    rules = find_game(game)
    _check_players(rules, len(entrants))
    tournament = _new_tournament(session, assignment_id, game, title, settings)
    entries = [
        Entry(tournament_id=tournament.id, author_id=each.author_id, player_id=each.player_id, name=each.name,
              version=each.version, entered_at=each.entered_at, trace=each.trace)
        for each in entrants
    ]  # fmt: skip
    entries += [Entry(tournament_id=tournament.id, bot=bot.name, name=bot.title) for bot in rules.bots]
    session.add_all(entries)
    session.flush()
    header = Header(
        title=title,
        game=game,
        rules=rules.version,
        seed=SystemRandom().getrandbits(53) if seed is None else seed,
        settings=settings,
        entries=_frozen_entries(session, rules, entrants),
        frozen_at=(at or now()).isoformat(timespec="seconds"),
    )
    if len(entrants) == 1:
        notes = [*notes, "Only one student takes part: it plays house bots, and its rank says nothing."]
    final = Final(
        tournament_id=tournament.id,
        header=canonical(header),
        entries=[entry.id for entry in entries],
        notes=list(notes),
    )
    session.add(final)
    session.flush()
    return final


def _check_players(rules: Game[Any], students: int) -> None:
    if not students:
        raise NobodyEntered("Nobody's entry can take part in the final, so there is nothing to freeze.")
    if students + len(rules.bots) < min(rules.seats):
        raise TooFewPlayers(
            f"{rules.title} needs {min(rules.seats)} players at a table; there are {students} and "
            f"{len(rules.bots)} house bots."
        )


def _new_tournament(session: Session, assignment_id: int, game: str, title: str, settings: FinalSettings) -> Tournament:
    formers = session.scalars(
        select(Final.phase).join(Final.tournament).where(Tournament.assignment_id == assignment_id)
    ).all()
    taken = AlreadyFrozen("This assignment has a final already; abort it before you freeze another one.")
    if any(phase is not FinalPhase.ABORTED for phase in formers):
        raise taken
    tournament = Tournament(
        assignment_id=assignment_id,
        slug=f"final-{len(formers) + 1}",
        title=title,
        game=game,
        kind=TournamentKind.FINAL,
        state=TournamentState.PAUSED,
        ranking=settings.ranking,
        target_games=settings.most_games,
        fault_limit=NO_LIMIT,
    )
    try:
        with session.begin_nested():
            session.add(tournament)
    except IntegrityError:  # somebody else froze it at the same moment
        raise taken from None
    return tournament


def _frozen_entries(session: Session, rules: Game[Any], entrants: Sequence[Entrant]) -> list[FrozenEntry]:
    ids = {each.player_id for each in entrants}
    players = session.scalars(select(Player).where(Player.id.in_(ids)))
    hashes = {player.id: player.sha256 for player in players}
    students = [
        FrozenEntry(
            name=each.name,
            version=each.version,
            sha256=hashes[each.player_id],
            entered_at=each.entered_at.isoformat(timespec="seconds"),
        )
        for each in entrants
    ]
    return [
        *students,
        *(FrozenEntry(name=b.title, version=1, sha256=sha256(b.source).hexdigest(), bot=b.name) for b in rules.bots),
    ]
