"""Rows like those of a long ladder, made by the hundred thousand without playing, for benchmarks."""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from random import Random
from typing import Any

from sqlalchemy import Integer, case, cast, func, insert, literal, select, text, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from tournament.games import find_game
from tournament.ladder.recompute import recompute
from tournament.ladder.results import FORM_GAMES, PRODUCTS, SUMS, letter
from tournament.ladder.schedule import Candidate, Meetings, next_tables
from tournament.play.seatings import seatings
from tournament.store.database import now
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Entry, PlayedGame, Player, Seat, Tournament
from web.models import User

GAME = "bo"
SEATS = 4
NEVER = 10**9
KEPT = (*SUMS, "seated")
"""All columns of an entry that are computed from its games."""

RECORD = bytes(200)
"""Stands for a game's record, which nothing here reads."""

FINISHES = ("1234", "2143", "3412", "4321", "1324", "2211")


def add_ladder(session: Session, entries: int) -> Tournament:
    """Add a ladder that never rests, with that many students who entered the house bots' files, and no games."""
    tournament = Tournament(slug="synthetic", title="Synthetic", game=GAME, target_games=NEVER)
    session.add(tournament)
    session.flush()
    players = add_players(session)
    for n, user in enumerate(add_users(session, entries)):
        player = players[n % len(players)]
        session.add(Entry(tournament_id=tournament.id, author_id=user, player_id=player, name=f"{n}"))
    return tournament


def add_users(session: Session, number: int) -> list[int]:
    """Add that many users; return their ids."""
    users = [User(login=f"student{n}", name="", password_hash="") for n in range(number)]
    session.add_all(users)
    session.flush()
    return [user.id for user in users]


def add_players(session: Session) -> list[int]:
    """Add the house bots' files, as students would have uploaded them; return the players' ids."""
    players = [Player(sha256=sha256(bot.source).hexdigest(), source=bot.source) for bot in find_game(GAME).bots]
    session.add_all(players)
    session.flush()
    return [player.id for player in players]


def add_games(session: Session, tournament: Tournament, games: int) -> None:
    """Add that many games with random results, seated as a ladder seats, and make the standings from them."""
    rng = Random(1)
    ids = session.scalars(select(Entry.id).where(Entry.tournament_id == tournament.id).order_by(Entry.id)).all()
    candidates = [Candidate(id_, 0, id_) for id_ in ids]
    tables = next_tables(candidates, (SEATS,), games // SEATS, NEVER, Meetings(ids), rng)
    session.add_all(Block(tournament_id=tournament.id, seed=rng.getrandbits(53), entries=list(each)) for each in tables)
    session.flush()
    play_queued(session, tournament.id, rng)
    recompute(session, tournament)


def play_queued(session: Session, tournament_id: int, rng: Random) -> None:
    """Give every waiting block random results. The standings stay as they are."""
    waiting = select(Block.id, Block.entries).where(
        Block.tournament_id == tournament_id, Block.state == JobState.QUEUED
    )
    game = last_id(session, PlayedGame.id) + 1
    blocks: list[dict[str, Any]] = []
    games: list[dict[str, Any]] = []
    seats: list[dict[str, Any]] = []
    for id_, table in session.execute(waiting.order_by(Block.id)).all():
        finish = [rng.choice(FINISHES) for _ in range(len(table))]
        done = {"state": JobState.DONE, "attempts": 1, "finished_at": now()}
        blocks.append({"id": id_, **done, "finish": "".join(finish)})
        for seating, places in enumerate(finish):
            where = {"id": game, "block_id": id_, "seating": seating, "tournament_id": tournament_id}
            games.append({**where, "ended": "win", "plays": 120, "record": RECORD})
            for seat, entry in enumerate(seatings(table)[seating]):
                place = int(places[table.index(entry)])
                result = {"place": place, "points": SEATS - place, "counts": True}
                seats.append({"game_id": game, "seat": seat, "entry_id": entry, "block_id": id_, **result})
            game += 1
    if blocks:
        session.execute(update(Block), blocks)
        session.execute(insert(PlayedGame), games)
        session.execute(insert(Seat), seats)
        _move_sequences(session)


def add_sums(session: Session, tournament_id: int, after: int = 0) -> None:
    """Add the results of the blocks with greater ids than `after` to the standings. This is quicker than to make them
    from the games."""
    played = select(Block.entries, Block.finish).where(
        Block.tournament_id == tournament_id, Block.state == JobState.DONE, Block.id > after
    )
    columns = (getattr(Entry, column) for column in KEPT)
    known = session.execute(select(Entry.id, Entry.form, *columns).where(Entry.tournament_id == tournament_id)).all()
    sums = {id_: Counter(dict(zip(KEPT, former, strict=True))) for id_, _, *former in known}
    forms = {id_: form for id_, form, *_ in known}
    for table, finish in session.execute(played.order_by(Block.id)):
        for index, entry in enumerate(table):
            places = [int(place) for place in finish[index :: len(table)]]
            sums[entry].update(_sums(places))
            forms[entry] = (forms[entry] + "".join(letter(each, False) for each in places))[-FORM_GAMES:]
    session.execute(update(Entry), [{"id": id_, "form": forms[id_], **own} for id_, own in sums.items()])


def _sums(places: Sequence[int]) -> dict[str, int]:
    """What a block adds to the sums of an entry that finished in these places."""
    games, total = len(places), sum(places)
    block = {"games": games, "wins": places.count(1), "faults": 0, "places": total, "points": games * SEATS - total}
    products = {f"{one}_{other}": block[one] * block[other] for one, other in PRODUCTS}
    return {**block, "blocks": 1, **products, "seated": games}


def double(session: Session, tournament: Tournament) -> None:
    """Store every block and its games a second time."""
    blocks, games = last_id(session, Block.id), last_id(session, PlayedGame.id)
    _copy(session, Block.id, {Block.id: blocks})
    _copy(session, PlayedGame.id, {PlayedGame.id: games, PlayedGame.block_id: blocks})
    _copy(session, Seat.game_id, {Seat.game_id: games, Seat.block_id: blocks})
    twice = {column: getattr(Entry, column) * 2 for column in KEPT}
    form, letters = Entry.form + Entry.form, 2 * func.length(Entry.form)
    latest = func.substr(form, case((letters > FORM_GAMES, letters - FORM_GAMES + 1), else_=1))
    session.execute(update(Entry).where(Entry.tournament_id == tournament.id).values(form=latest, **twice))
    _move_sequences(session)


def _copy(session: Session, key: InstrumentedAttribute[int], moved: dict[InstrumentedAttribute[int], int]) -> None:
    """Insert all rows of a table again, with these columns raised."""
    table = key.class_.__table__
    raised = {column.key: by for column, by in moved.items()}
    columns = [
        each + cast(literal(raised[each.key]), Integer) if each.key in raised else each for each in table.columns
    ]
    session.execute(insert(table).from_select([each.key for each in table.columns], select(*columns)))


def last_id(session: Session, column: InstrumentedAttribute[int]) -> int:
    """The greatest id in use, or 0."""
    return session.scalar(select(func.max(column))) or 0


def _move_sequences(session: Session) -> None:
    """Let PostgreSQL's sequences follow the ids that were given."""
    if session.get_bind().dialect.name == "postgresql":
        for table in ("block", "game"):
            move = "SELECT setval(pg_get_serial_sequence(:name, 'id'), (SELECT max(id) FROM "
            session.execute(text(f"{move}{table}))"), {"name": table})  # our own names
