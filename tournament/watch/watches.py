"""The collusion watch of a tournament: an instructor requests it, it is carried out in parallel with all other work,
and its findings are stored as plain data, with the ids of users, entries and games."""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from time import monotonic, sleep

import numpy as np
from pydantic import BaseModel
from sqlalchemy import func, select, tuple_
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from sandbox.api import SentText
from tournament.ladder.rerate import played_blocks
from tournament.ranking.plackett_luce import MEAN_RATING, PlayedBlock
from tournament.store.database import Sessions, in_a_line, now, reading, writing
from tournament.store.tables import Entry, PlayedGame, Player, Tournament, Watch
from tournament.watch.collusion import Suspicion, find_suspicions, telling_games
from tournament.watch.fingerprints import (
    NOTHING,
    Passage,
    Runs,
    StudentFile,
    compare_files,
    forget_troubles,
    given_runs,
    parts_of,
    read_some,
    stored_fingerprints,
    unread_files,
)
from tournament.work.services import Services

SHOWN = 50
"""The maximum number of suspicions, of groups of files and of pairs of files that are stored: the most striking ones.
"""

GAMES_SHOWN = 10

EVERY_S = 2.0
"""The seconds between two checks for requests."""

log = logging.getLogger(__name__)


class PairFound(BaseModel):
    """A suspicion, see `tournament.watch.collusion.Suspicion`; `telling` are the games to look at, by id, with their
    surplus."""

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
    """Students with the same or similar files, and the entries with those files, in the same order (old findings name
    no entries). `share` is 1.0 for the same file."""

    people: list[int]
    entries: list[int] = []
    exact: bool
    share: float


class Found(BaseModel):
    """The findings of a watch; see `tournament.watch.collusion.CollusionFindings`."""

    games: int
    pairs: int
    tested: int
    detectable: float | None
    detectable_less: float | None = None
    unseen: float = 0.0
    suspicions: list[PairFound]
    files: list[FilesFound]
    compared: int  # files
    unread: dict[int, str] = {}  # files that could not be read, by entry, and why


def ask_for_watch(session: Session, tournament_id: int) -> None:
    """Request a new watch."""
    row = session.get(Watch, tournament_id, with_for_update=True) or Watch(tournament_id=tournament_id)
    session.add(row)
    row.asked_at, row.done_at, row.trouble = now(), None, ""
    forget_troubles(session, tournament_id)
    session.flush()


def read_waiting(services: Services) -> bool:
    """Spend a while reading files that watches wait for; return False if there are none. Raises SandboxUnavailable."""
    with reading(services.sessions) as session:
        waiting = _waiting_watches(session)
    return bool(waiting) and read_some(services, waiting)


def anything_unread(session: Session) -> bool:
    """Whether any watch waits for a file to be read."""
    waiting = _waiting_watches(session)
    return bool(waiting) and session.scalar(unread_files(waiting).limit(1)) is not None


def to_be_read(session: Session, tournament_id: int) -> int:
    """Return the number of files that a tournament's watch waits for."""
    return session.scalar(select(func.count()).select_from(unread_files([tournament_id]).subquery())) or 0


def _waiting_watches(session: Session) -> Sequence[int]:
    return session.scalars(select(Watch.tournament_id).where(Watch.done_at.is_(None))).all()


def watch_of(session: Session, tournament_id: int) -> tuple[Watch | None, Found | None]:
    """Return the last watch of a tournament, and its findings if it is done."""
    row = session.get(Watch, tournament_id)
    return row, Found.model_validate(row.found) if row and row.found else None


def keep_watching(sessions: Sessions, rest: Callable[[float], object] = sleep) -> None:
    """Carry out every requested watch, in an endless loop."""
    while True:
        rest(EVERY_S)
        try:
            watch_due(sessions)
        except SQLAlchemyError as error:  # the database does not answer, but may do so next time
            log.warning("cannot find out whether a watch was asked for: %s", in_a_line(error))


def watch_due(sessions: Sessions) -> int:
    """Carry out the watches whose files have all been read; return how many there were."""
    with reading(sessions) as session:
        due = [each for each in _waiting_watches(session) if not to_be_read(session, each)]
    for tournament_id in due:
        began, found, trouble = monotonic(), None, ""
        try:
            with reading(sessions) as session:
                found = examine_tournament(session, tournament_id)
        except Exception as error:  # after any error, the instructor must be told, and the watch must end
            log.exception("the watch of tournament %d failed", tournament_id)
            trouble = f"{type(error).__name__}: {error}"[:500]
        with writing(sessions) as session:
            row = session.get_one(Watch, tournament_id, with_for_update=True)
            row.done_at, row.trouble, row.took_s = now(), trouble, monotonic() - began
            if found:
                row.found = found.model_dump(mode="json")
    return len(due)


def examine_tournament(session: Session, tournament_id: int) -> Found:
    """Examine all games that a tournament has played so far, and all files that were ever entered in it."""
    tournament = session.get_one(Tournament, tournament_id)
    rows = session.execute(
        select(Entry.id, Entry.author_id, Entry.rating).where(Entry.tournament_id == tournament_id)
    ).all()
    authors = {row.id: row.author_id for row in rows if row.author_id is not None}
    ratings = {row.id: MEAN_RATING if row.rating is None else row.rating for row in rows}
    blocks = list(played_blocks(session, tournament_id))
    findings = find_suspicions(blocks, ratings, authors)
    columns = Entry.id, Entry.author_id, Entry.player_id, Player.sha256
    entered = (
        select(*columns).join(Entry.player).where(Entry.tournament_id == tournament_id, Entry.author_id.is_not(None))
    )
    # Of several entries with the same file, the last one is kept
    files = {(row.author_id, row.player_id): row for row in session.execute(entered.order_by(Entry.id))}
    prints = stored_fingerprints(session, {row.player_id or 0 for row in files.values()})
    read = [(row, prints[row.player_id or 0]) for row in files.values()]
    own = [StudentFile(row.id, row.author_id or 0, row.sha256, found.runs) for row, found in read]
    more = {
        "suspicions": _pairs_found(session, findings.suspicions[:SHOWN], blocks, ratings, authors),
        "files": _files_found(own, given_runs(session, tournament)),
        "compared": len(prints),
        "unread": {row.id: found.trouble for row, found in read if found.trouble},
    }
    return Found.model_validate(asdict(findings) | more)


def _pairs_found(
    session: Session,
    shown: Sequence[Suspicion],
    blocks: Sequence[PlayedBlock],
    ratings: Mapping[int, float],
    authors: Mapping[int, int],
) -> list[PairFound]:
    together = _together(shown, blocks, authors)
    pairs = []
    for each in shown:
        own = together[frozenset((each.one, each.other))]
        telling = telling_games(each, own, ratings, authors, GAMES_SHOWN)
        where = tuple_(PlayedGame.block_id, PlayedGame.seating).in_([(game.block, game.seating) for game in telling])
        rows = session.execute(select(PlayedGame.block_id, PlayedGame.seating, PlayedGame.id).where(where))
        ids = {(block_id, seating): id_ for block_id, seating, id_ in rows}
        games = [(ids[game.block, game.seating], round(game.surplus, 3)) for game in telling]
        pairs.append(PairFound(**asdict(each), telling=games))
    return pairs


def _together(
    suspicions: Iterable[Suspicion], blocks: Iterable[PlayedBlock], authors: Mapping[int, int]
) -> Mapping[frozenset[int], list[PlayedBlock]]:
    """Return, for each suspicious pair, the blocks in which both sat together."""
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


def _files_found(files: Sequence[StudentFile], handed_out: Runs) -> list[FilesFound]:
    same, alike = compare_files(files, handed_out)
    people = {each.id: each.person for each in files}

    def found(ids: Sequence[int], exact: bool, share: float) -> FilesFound:
        return FilesFound(people=[people[id_] for id_ in ids], entries=list(ids), exact=exact, share=share)

    groups = [found(each.files, each.exact, 1.0) for each in same]
    pairs = [found((each.one, each.other), False, round(each.share, 3)) for each in alike]
    return (groups + pairs)[:SHOWN]


def files_beside(session: Session, tournament: Tournament, one: int, other: int) -> list[list[Passage]] | None:
    """Return the files of two entries, each split into passages, with the similar passages marked. In files that have
    not been read yet, nothing is marked. Returns None unless both are students' entries of the tournament, active or
    not."""
    entries = [session.get(Entry, id_) for id_ in (one, other)]
    players = [each.player for each in entries if each and each.author_id and each.tournament_id == tournament.id]
    if len(players) < 2:
        return None
    prints = stored_fingerprints(session, {player.id for player in players if player})
    runs = [prints[player.id].runs if player and player.id in prints else NOTHING for player in players]
    alike = set(np.intersect1d(runs[0]["number"], runs[1]["number"]).tolist())
    alike.difference_update(given_runs(session, tournament)["number"].tolist())
    texts = [player.source.decode("utf-8", "replace") if player else "" for player in players]
    return [parts_of(SentText(text), each, alike) for text, each in zip(texts, runs, strict=True)]
