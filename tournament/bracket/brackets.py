"""Elimination brackets in the database: seeded by a ladder's standings, and advanced as their games are stored, in the
caller's transaction. A block is two games of a match, one in each seating. The state of a bracket is not stored but
derived from its games (`tournament.bracket.draw`), so if a process is killed, the next call continues from there."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import SystemRandom

from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload

from tournament.bracket.draw import (
    Bracket,
    Place,
    Winner,
    build_bracket,
    champion_of,
    match_seed,
    open_matches,
    place_of_match,
)
from tournament.ladder.pairing import cancel_unfinished
from tournament.ladder.standings import standings
from tournament.play.games import find_game
from tournament.play.record import block_seed
from tournament.store.jobs import UNFINISHED, JobState
from tournament.store.tables import Block, BracketDraw, Entry, EntryState, PlayedGame, Tournament, TournamentKind
from tournament.store.tables import TournamentState as State
from tournament.store.validation import Refusal

NO_LIMIT = 2**31 - 1
"""In a bracket, entries are not removed for faults: a fault loses a game, and a lost match ends the entry anyway."""


class BracketState(StrEnum):
    """The progress of a bracket."""

    PLAYING = "playing"
    PAUSED = "paused"  # games in progress are finished, and count
    FINISHED = "finished"
    ABORTED = "aborted"  # its games are kept; it has no champion


GOING = (BracketState.PLAYING, BracketState.PAUSED)
KEY_SHARE = {"key_share": True}
COPIED = ("author_id", "player_id", "name", "version", "entered_at", "trace")


class BracketError(Refusal):
    """A bracket cannot be held, paused, resumed or aborted now; the message says why."""

    code = "conflict"


@dataclass(frozen=True, slots=True)
class BracketStanding:
    """The present state of a bracket: its rounds, its entries by seed, and each match's games as (id, winner), oldest
    first."""

    rounds: Bracket
    entries: Sequence[Entry]
    games: dict[Place, list[tuple[int, Winner]]]


def contenders(session: Session, ladder: Tournament) -> list[Entry]:
    """Return each student's last active entry in the order of seeding: the best on the ladder first."""
    active = [row.entry for row in standings(session, ladder) if not row.house and row.state is EntryState.ACTIVE]
    last = {entry.author_id: entry.id for entry in sorted(active, key=lambda entry: entry.version)}
    return _entries_by_seed(session, [entry.id for entry in active if last[entry.author_id] == entry.id])


def _entries_by_seed(session: Session, ids: Sequence[int]) -> list[Entry]:
    found = {entry.id: entry for entry in session.scalars(select(Entry).where(Entry.id.in_(ids)))}
    return [found[id_] for id_ in ids]


def latest(session: Session, ladder_id: int) -> BracketDraw | None:
    """Return the latest bracket that was seeded by a ladder's standings."""
    held = select(BracketDraw).where(BracketDraw.ladder_id == ladder_id)
    return session.scalar(held.order_by(BracketDraw.tournament_id.desc()).limit(1))


def state_of(draw: BracketDraw, rounds: Bracket) -> BracketState:
    """Return the state of a bracket with these rounds."""
    if champion_of(rounds) is not None:
        return BracketState.FINISHED
    states = {State.OPEN: BracketState.PLAYING, State.PAUSED: BracketState.PAUSED, State.CLOSED: BracketState.ABORTED}
    return states[draw.tournament.state]


def going(session: Session, ladder_id: int) -> Tournament | None:
    """Lock and return the tournament of a ladder's bracket that is being played or paused; None if there is no such
    bracket."""
    draw = latest(session, ladder_id)
    if draw is None:
        return None
    tournament = session.get_one(Tournament, draw.tournament_id, with_for_update=KEY_SHARE, populate_existing=True)
    return tournament if state_of(draw, stand(session, draw).rounds) in GOING else None


def parked_blocks(session: Session, draw: BracketDraw) -> Sequence[Block]:
    """Return the blocks of a bracket that are parked because of internal errors."""
    parked = select(Block).where(Block.tournament_id == draw.tournament_id, Block.state == JobState.PARKED)
    return session.scalars(parked.order_by(Block.id)).all()


def hold(session: Session, ladder_id: int, best_of: int, seed: int | None = None) -> BracketDraw:
    """Create a bracket with copies of a ladder's active entries; `advance` queues its games. `seed` (53 bits) fixes all
    deals; without one it is random and secret. Raises BracketError."""
    ladder = session.get_one(Tournament, ladder_id, with_for_update=KEY_SHARE, populate_existing=True)
    if ladder.season_ended:
        raise BracketError("This season has ended. Start the bracket in the current season's ladder.")
    if going(session, ladder_id):
        raise BracketError("The latest bracket is still being played. Wait until it ends, or abort it.")
    entered = contenders(session, ladder)
    game = find_game(ladder.game)
    if ladder.kind is not TournamentKind.LADDER or 2 not in game.seats:
        raise BracketError(
            f"A bracket needs a ladder of a two-player game; {game.title} is for {game.seats[0]} players."
        )
    if best_of < 1 or best_of % 2 == 0:
        raise BracketError(f"A match must be the best of an odd number of games, not of {best_of}.")
    if len(entered) < 2:
        raise BracketError("A bracket needs at least two students whose players have entered.")
    tournament = _bracket_tournament(session, ladder)
    copies = [Entry(tournament_id=tournament.id, **{name: getattr(each, name) for name in COPIED}) for each in entered]
    session.add_all(copies)
    session.flush()
    draw = BracketDraw(
        tournament_id=tournament.id,
        ladder_id=ladder_id,
        best_of=best_of,
        seed=SystemRandom().getrandbits(53) if seed is None else seed,
        entries=[each.id for each in copies],
    )
    session.add(draw)
    session.flush()
    return draw


def _bracket_tournament(session: Session, ladder: Tournament) -> Tournament:
    brackets = (Tournament.assignment_id == ladder.assignment_id, Tournament.kind == TournamentKind.BRACKET)
    number = (session.scalar(select(func.count()).where(*brackets)) or 0) + 1
    tournament = Tournament(
        assignment_id=ladder.assignment_id,
        slug=f"bracket-{number}",
        title=f"{ladder.title}: bracket {number}",
        game=ladder.game,
        kind=TournamentKind.BRACKET,
        fault_limit=NO_LIMIT,
    )
    session.add(tournament)
    session.flush()
    return tournament


def stand(session: Session, draw: BracketDraw) -> BracketStanding:
    """Return the state of the bracket after all games stored so far."""
    played = (
        select(PlayedGame, Block.entries)
        .join(Block, PlayedGame.block_id == Block.id)
        .where(PlayedGame.tournament_id == draw.tournament_id)
        .order_by(PlayedGame.block_id, PlayedGame.seating)
        .options(selectinload(PlayedGame.seats))
    )
    seeds = {entry: seed for seed, entry in enumerate(draw.entries)}
    games: dict[Place, list[tuple[int, Winner]]] = {}
    for game, pair in session.execute(played):
        place = place_of_match(len(seeds), seeds[pair[0]], seeds[pair[1]])
        first, second = sorted(game.seats, key=lambda seat: seat.place)
        winner = None if first.place == second.place else pair.index(first.entry_id)
        games.setdefault(place, []).append((game.id, winner))
    winners = {place: [winner for _, winner in found] for place, found in games.items()}
    rounds = build_bracket(len(draw.entries), draw.best_of, winners)
    return BracketStanding(rounds, _entries_by_seed(session, draw.entries), games)


def advance(session: Session, tournament_id: int) -> int:
    """Queue a block for each match that can continue and has no unfinished block, or close the bracket. Return the
    number of blocks."""
    tournament = session.get_one(Tournament, tournament_id, with_for_update=KEY_SHARE, populate_existing=True)
    if tournament.state is not State.OPEN:
        return 0
    draw = session.get_one(BracketDraw, tournament_id)
    rounds = stand(session, draw).rounds
    if champion_of(rounds) is not None:
        tournament.state = State.CLOSED
        return 0
    wanted = select(Block.state, Block.entries).where(Block.tournament_id == tournament_id)
    blocks = session.execute(wanted).all()
    added = 0
    for match in open_matches(rounds):
        pair = [draw.entries[side] for side in match.sides if side is not None]
        former = [block.state for block in blocks if block.entries == pair]
        if not any(state in UNFINISHED for state in former):
            seed = block_seed(match_seed(draw.seed, match.place), len(former))
            session.add(Block(tournament_id=tournament_id, seed=seed, entries=pair))
            added += 1
    session.flush()
    return added


# What an instructor does


def pause(session: Session, ladder_id: int) -> None:
    """Start no more blocks of the bracket; those in progress are finished, and count. Raises BracketError."""
    _going(session, ladder_id, "paused").state = State.PAUSED


def resume(session: Session, ladder_id: int) -> None:
    """Continue after a pause. Raises BracketError."""
    _going(session, ladder_id, "resumed").state = State.OPEN


def abort(session: Session, ladder_id: int) -> None:
    """End the bracket permanently, without a champion. Games in progress are not stored. Raises BracketError."""
    tournament = _going(session, ladder_id, "aborted")
    tournament.state = State.CLOSED
    cancel_unfinished(session, tournament.id)


def _going(session: Session, ladder_id: int, done: str) -> Tournament:
    tournament = going(session, ladder_id)
    if tournament is None:
        raise BracketError(f"No bracket is being played that could be {done}.")
    return tournament
