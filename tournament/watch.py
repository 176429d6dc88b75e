"""The collusion watch of a tournament: asked for by an instructor, worked out beside all other work, and kept.

What is found is kept as plain data: students by user id, entries and games by theirs.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from time import monotonic, sleep
from typing import Any

from pydantic import BaseModel
from sqlalchemy import JSON, ForeignKey, select, tuple_
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Mapped, Session, mapped_column

from tournament.collusion import Findings, Suspicion, telling_games, watch
from tournament.db import Base, Sessions, in_a_line, now, reading, writing
from tournament.games import find_game
from tournament.models import Entry, EntryState, PlayedGame, Player, Tournament
from tournament.plackett_luce import MEAN_RATING, PlayedBlock
from tournament.rerate import played_blocks
from tournament.similarity import Part, Print, alike_parts, compare_files, print_of

SHOWN = 50
"""Suspicions, groups and pairs of files that are kept, the most striking ones."""

GAMES_SHOWN = 10

EVERY_S = 2.0
"""So often it is seen whether somebody has asked."""

log = logging.getLogger(__name__)


class Watch(Base):
    """What was found, and when. `done_at` is None while it is still to be worked out."""

    __tablename__ = "watch"

    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournament.id"), primary_key=True)
    asked_at: Mapped[datetime] = mapped_column(default=now)
    done_at: Mapped[datetime | None] = mapped_column(default=None)
    took_s: Mapped[float] = mapped_column(default=0.0)
    trouble: Mapped[str] = mapped_column(default="")
    found: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)

    @property
    def waiting(self) -> bool:
        """Whether it is still to be worked out."""
        return self.done_at is None


class PairFound(BaseModel):
    """See `tournament.collusion.Suspicion`; `telling` are the games to look at, by id, with their surplus."""

    kind: str
    one: int
    other: int
    blocks: int
    games: int
    wins: int
    expected: float
    chance: float
    telling: list[tuple[int, float]]


class FilesFound(BaseModel):
    """Students with the same file or similar ones; `share` is 1.0 for the same."""

    people: list[int]
    exact: bool
    share: float


class Found(BaseModel):
    """What a watch found; see `tournament.collusion.Findings`."""

    games: int
    pairs: int
    tested: int
    detectable: float | None
    suspicions: list[PairFound]
    files: list[FilesFound]
    compared: int  # files


def ask(session: Session, tournament_id: int) -> None:
    """Ask for a new look."""
    row = session.get(Watch, tournament_id, with_for_update=True) or Watch(tournament_id=tournament_id)
    session.add(row)
    row.asked_at, row.done_at, row.trouble = now(), None, ""
    session.flush()


def watch_of(session: Session, tournament_id: int) -> tuple[Watch | None, Found | None]:
    """The last one, and what it found if it is through."""
    row = session.get(Watch, tournament_id)
    return row, Found.model_validate(row.found) if row and row.found else None


def keep_watching(sessions: Sessions, rest: Callable[[float], object] = sleep) -> None:
    """Look whenever somebody has asked, for ever."""
    while True:
        rest(EVERY_S)
        try:
            watch_due(sessions)
        except SQLAlchemyError as error:  # the database does not answer; the next time it may
            log.warning("whether a watch was asked for cannot be told: %s", in_a_line(error))


def watch_due(sessions: Sessions) -> int:
    """Work out what was asked for; how many there were."""
    with reading(sessions) as session:
        due = session.scalars(select(Watch.tournament_id).where(Watch.done_at.is_(None))).all()
    for tournament_id in due:
        _watch_one(sessions, tournament_id)
    return len(due)


def _watch_one(sessions: Sessions, tournament_id: int) -> None:
    began = monotonic()
    found, trouble = None, ""
    try:
        with reading(sessions) as session:
            found = look(session, tournament_id)
    except Exception as error:  # whatever it was, the instructor must hear of it, and it must not be due for ever
        log.exception("the watch of tournament %d failed", tournament_id)
        trouble = f"{type(error).__name__}: {error}"[:500]
    with writing(sessions) as session:
        row = session.get_one(Watch, tournament_id, with_for_update=True)
        row.done_at, row.trouble, row.took_s = now(), trouble, monotonic() - began
        if found:
            row.found = found.model_dump(mode="json")


def look(session: Session, tournament_id: int) -> Found:
    """Look at all games that a tournament has played so far, and at the files of those who play."""
    tournament = session.get_one(Tournament, tournament_id)
    rows = session.execute(
        select(Entry.id, Entry.author_id, Entry.rating).where(Entry.tournament_id == tournament_id)
    ).all()
    authors = {row.id: row.author_id for row in rows if row.author_id is not None}
    ratings = {row.id: MEAN_RATING if row.rating is None else row.rating for row in rows}
    blocks = list(played_blocks(session, tournament_id))
    findings = watch(blocks, ratings, authors)
    prints = _prints(session, tournament_id)
    return Found(
        games=findings.games,
        pairs=findings.pairs,
        tested=findings.tested,
        detectable=findings.detectable,
        suspicions=_pairs(session, findings, blocks, ratings, authors),
        files=_files(prints, tournament.game),
        compared=len(prints),
    )


def _pairs(
    session: Session,
    findings: Findings,
    blocks: Sequence[PlayedBlock],
    ratings: Mapping[int, float],
    authors: Mapping[int, int],
) -> list[PairFound]:
    shown = findings.suspicions[:SHOWN]
    together = _together(shown, blocks, authors)
    pairs = []
    for each in shown:
        own = together[frozenset((each.one, each.other))]
        telling = telling_games(each, own, ratings, authors, GAMES_SHOWN)
        ids = _game_ids(session, [(game.block, game.seating) for game in telling])
        games = [(ids[game.block, game.seating], round(game.surplus, 3)) for game in telling]
        pairs.append(PairFound(
            kind=each.kind.value, one=each.one, other=each.other, blocks=each.blocks, games=each.games,
            wins=each.wins, expected=each.expected, chance=each.chance, telling=games,
        ))  # fmt: skip
    return pairs


def _together(
    suspicions: Iterable[Suspicion], blocks: Iterable[PlayedBlock], authors: Mapping[int, int]
) -> Mapping[frozenset[int], list[PlayedBlock]]:
    """The blocks in which each suspicious pair sat together."""
    wanted = {frozenset((each.one, each.other)) for each in suspicions}
    people = frozenset[int]().union(*wanted)
    found: dict[frozenset[int], list[PlayedBlock]] = defaultdict(list)
    for block in blocks if wanted else ():
        seated = people.intersection(authors.get(entry, -1) for entry in block.entries)
        if len(seated) > 1:
            for pair in wanted:
                if pair <= seated:
                    found[pair].append(block)
    return found


def _game_ids(session: Session, games: Sequence[tuple[int, int]]) -> dict[tuple[int, int], int]:
    where = tuple_(PlayedGame.block_id, PlayedGame.seating).in_(games)
    rows = session.execute(select(PlayedGame.block_id, PlayedGame.seating, PlayedGame.id).where(where))
    return {(block_id, seating): id_ for block_id, seating, id_ in rows}


def latest_files(session: Session, tournament_id: int) -> dict[int, int]:
    """The player, by its id, of each student's latest entry that plays or was put out."""
    entered = (Entry.tournament_id == tournament_id, Entry.author_id.is_not(None))
    playing = Entry.state.in_((EntryState.ACTIVE, EntryState.OUT))
    latest = select(Entry.author_id, Entry.player_id).where(*entered, playing).order_by(Entry.version)
    return {author_id or 0: player_id or 0 for author_id, player_id in session.execute(latest)}


def _prints(session: Session, tournament_id: int) -> dict[int, Print]:
    """Of those files; one after the other, for there may be many."""
    players = latest_files(session, tournament_id)
    known: dict[int, Print] = {}
    for player_id in set(players.values()):
        known[player_id] = print_of(session.scalars(select(Player.source).where(Player.id == player_id)).one())
    return {author_id: known[player_id] for author_id, player_id in players.items()}


def _files(prints: Mapping[int, Print], game: str) -> list[FilesFound]:
    same, alike = compare_files(prints, [print_of(source) for source in _given(game)])
    groups = [FilesFound(people=list(each.people), exact=each.exact, share=1.0) for each in same]
    pairs = [FilesFound(people=[each.one, each.other], exact=False, share=round(each.share, 3)) for each in alike]
    return (groups + pairs)[:SHOWN]


def _given(game: str) -> list[bytes]:
    """What everybody was given."""
    starter = find_game(game).folder / "starter.py"
    return [starter.read_bytes()] if starter.is_file() else []


def files_beside(
    session: Session, tournament: Tournament, one: int, other: int
) -> tuple[list[Part], list[Part]] | None:
    """The files of two students that were compared, with what is alike in them; None if one has none any more."""
    players = latest_files(session, tournament.id)
    if one not in players or other not in players:
        return None
    sources = [session.get_one(Player, players[author]).source for author in (one, other)]
    return alike_parts(sources[0], sources[1], _given(tournament.game))
