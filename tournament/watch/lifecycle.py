"""The collusion watch of a tournament: asked for by an instructor, worked out beside all other work, and kept.

What is found is kept as plain data: students by user id, entries and games by theirs.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from time import monotonic, sleep

import numpy as np
from pydantic import BaseModel
from sqlalchemy import func, select, tuple_
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from tournament.games import find_game
from tournament.ladder.rerate import played_blocks
from tournament.ranking.plackett_luce import MEAN_RATING, PlayedBlock
from tournament.store.database import Sessions, in_a_line, now, reading, writing
from tournament.store.tables import Entry, PlayedGame, Player, Tournament, Watch
from tournament.watch.collusion import CollusionFindings, Suspicion, telling_games, watch
from tournament.watch.fingerprints import NOTHING, Fingerprint, forget_troubles, read_some, stored, unread
from tournament.watch.shingles import runs_of
from tournament.watch.similarity import RUN, File, FilePart, Runs, compare_files, parts_of
from tournament.work.services import Services

SHOWN = 50
"""Suspicions, groups and pairs of files that are kept, the most striking ones."""

GAMES_SHOWN = 10

EVERY_S = 2.0
"""So often it is seen whether somebody has asked."""

log = logging.getLogger(__name__)


class PairFound(BaseModel):
    """See `tournament.watch.collusion.Suspicion`; `telling` are the games to look at, by id, with their surplus."""

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
    """Students with the same file or similar ones, and the entries with those files, in the same order (none in what
    was found before they were kept). `share` is 1.0 for the same."""

    people: list[int]
    entries: list[int] = []
    exact: bool
    share: float


class Found(BaseModel):
    """What a watch found; see `tournament.watch.collusion.CollusionFindings`."""

    games: int
    pairs: int
    tested: int
    detectable: float | None
    suspicions: list[PairFound]
    files: list[FilesFound]
    compared: int  # files
    unread: dict[int, str] = {}  # files that could not be read, by entry, and why


def ask(session: Session, tournament_id: int) -> None:
    """Ask for a new look."""
    row = session.get(Watch, tournament_id, with_for_update=True) or Watch(tournament_id=tournament_id)
    session.add(row)
    row.asked_at, row.done_at, row.trouble = now(), None, ""
    forget_troubles(session, tournament_id)
    session.flush()


def read_waiting(services: Services) -> bool:
    """Read, for a while, files that a watch waits for; False if it waits for none. Raises SandboxUnavailable."""
    with reading(services.sessions) as session:
        waiting = _waiting(session)
    return bool(waiting) and read_some(services, waiting)


def anything_unread(session: Session) -> bool:
    """Whether a watch waits for a file to be read."""
    waiting = _waiting(session)
    return bool(waiting) and session.scalar(unread(waiting).limit(1)) is not None


def to_be_read(session: Session, tournament_id: int) -> int:
    """How many files the watch of a tournament waits for."""
    return session.scalar(select(func.count()).select_from(unread([tournament_id]).subquery())) or 0


def _waiting(session: Session) -> Sequence[int]:
    return session.scalars(select(Watch.tournament_id).where(Watch.done_at.is_(None))).all()


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
    """Work out what was asked for, once workers have read all files that it needs; how many there were."""
    with reading(sessions) as session:
        due = [each for each in _waiting(session) if not to_be_read(session, each)]
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
    """Look at all games that a tournament has played so far, and at all files that were ever entered in it."""
    tournament = session.get_one(Tournament, tournament_id)
    rows = session.execute(
        select(Entry.id, Entry.author_id, Entry.rating).where(Entry.tournament_id == tournament_id)
    ).all()
    authors = {row.id: row.author_id for row in rows if row.author_id is not None}
    ratings = {row.id: MEAN_RATING if row.rating is None else row.rating for row in rows}
    blocks = list(played_blocks(session, tournament_id))
    findings = watch(blocks, ratings, authors)
    entered = _entered(session, tournament_id)
    prints = stored(session, {each.player_id for each in entered.values()})
    return Found(
        games=findings.games,
        pairs=findings.pairs,
        tested=findings.tested,
        detectable=findings.detectable,
        suspicions=_pairs(session, findings, blocks, ratings, authors),
        files=_files(entered, prints, tournament.game),
        compared=len(prints),
        unread={id_: prints[each.player_id].trouble for id_, each in entered.items() if prints[each.player_id].trouble},
    )


def _pairs(
    session: Session,
    findings: CollusionFindings,
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


@dataclass(frozen=True, slots=True)
class Entered:
    """A student's file in a tournament."""

    author_id: int
    player_id: int
    sha256: str


def _entered(session: Session, tournament_id: int) -> dict[int, Entered]:
    """Every file that a student has entered, whatever became of the entry: by the id of the last entry with it."""
    columns = Entry.id, Entry.author_id, Entry.player_id, Player.sha256
    entered = Entry.tournament_id == tournament_id, Entry.author_id.is_not(None)
    rows = session.execute(select(*columns).join(Entry.player).where(*entered).order_by(Entry.id))
    last = {(author, player): (id_, Entered(author or 0, player or 0, sha)) for id_, author, player, sha in rows}
    return dict(last.values())


def _files(entered: Mapping[int, Entered], prints: Mapping[int, Fingerprint], game: str) -> list[FilesFound]:
    files = [File(id_, each.author_id, each.sha256, prints[each.player_id].runs) for id_, each in entered.items()]
    same, alike = compare_files(files, _given(game))

    def found(ids: Sequence[int], exact: bool, share: float) -> FilesFound:
        return FilesFound(people=[entered[id_].author_id for id_ in ids], entries=list(ids), exact=exact, share=share)

    groups = [found(each.files, each.exact, 1.0) for each in same]
    pairs = [found((each.one, each.other), False, round(each.share, 3)) for each in alike]
    return (groups + pairs)[:SHOWN]


@cache
def _given(game: str) -> Runs:
    """What everybody was given. It is ours, so that it is read here."""
    starter = find_game(game).folder / "starter.py"
    return np.array(list(runs_of(starter.read_bytes())) if starter.is_file() else [], RUN)


def files_beside(session: Session, tournament: Tournament, one: int, other: int) -> list[list[FilePart]] | None:
    """The files of two entries, with what is alike in them; None if the tournament has no such students' entries.

    It does not matter what became of the entries since. What has not been read yet has nothing marked.
    """
    entries = [session.get(Entry, id_) for id_ in (one, other)]
    players = [each.player for each in entries if each and each.author_id and each.tournament_id == tournament.id]
    if len(players) < 2:
        return None
    prints = stored(session, {player.id for player in players if player})
    runs = [prints[player.id].runs if player and player.id in prints else NOTHING for player in players]
    alike = set(np.intersect1d(runs[0]["number"], runs[1]["number"]).tolist())
    alike.difference_update(_given(tournament.game)["number"].tolist())
    texts = [player.source.decode("utf-8", "replace") if player else "" for player in players]
    return [parts_of(text, each, alike) for text, each in zip(texts, runs, strict=True)]
