"""The standings worked out again from the stored games."""

from math import isclose
from typing import Any

from sqlalchemy import and_, case, func, select
from sqlalchemy.orm import Session

from tournament.ladder.results import BLOCK_SUMS, FORM_GAMES, PRODUCTS, SUMS, letter, lock_entries
from tournament.store.tables import Entry, PlayedGame, Seat, Tournament


def recompute(session: Session, tournament: Tournament) -> list[int]:
    """Rebuild the standings from the stored games; returns the ids of the entries whose sums were wrong."""
    ids = session.scalars(select(Entry.id).where(Entry.tournament_id == tournament.id)).all()
    entries = lock_entries(session, ids)  # first: a result stored after the games were added up would be lost
    sums, forms = _sums(session, tournament), _forms(session, tournament)
    seats = select(Seat.entry_id, func.count()).join(Seat.game).where(PlayedGame.tournament_id == tournament.id)
    seated = dict(session.execute(seats.group_by(Seat.entry_id)).all())
    wrong = []
    for id_, entry in entries.items():
        right = dict(zip(SUMS, sums.get(id_, (0,) * len(SUMS)), strict=True)) | {"seated": seated.get(id_, 0)}
        alike = all(isclose(value, getattr(entry, column)) for column, value in right.items())
        if not alike or entry.form != forms.get(id_, ""):
            wrong.append(id_)  # not `!=` for sums: those of fractions depend on the order of adding
        entry.form = forms.get(id_, "")
        for column, value in right.items():
            setattr(entry, column, value)
    session.flush()
    return wrong


def _sums(session: Session, tournament: Tournament) -> dict[int, tuple[float, ...]]:
    """The sums over the seats that count, in the order of SUMS, by entry id."""
    fault = case((Seat.verdict.is_not(None), 1), else_=0)
    win = case((and_(Seat.verdict.is_(None), Seat.place == 1), 1), else_=0)
    what = zip(BLOCK_SUMS, (1, win, fault, Seat.place, Seat.points), strict=True)
    block = (
        select(Seat.entry_id, *(func.sum(column).label(name) for name, column in what))
        .join(Seat.game)
        .where(PlayedGame.tournament_id == tournament.id, Seat.counts)
        .group_by(Seat.entry_id, PlayedGame.block_id)
        .subquery()
    )
    products = [block.c[one] * block.c[other] for one, other in PRODUCTS]
    columns = [func.sum(block.c[column]) for column in BLOCK_SUMS]
    summed: list[Any] = [*columns, func.count(), *map(func.sum, products)]  # in the order of SUMS
    rows = session.execute(select(block.c.entry_id, *summed).group_by(block.c.entry_id))
    return {id_: tuple(sums) for id_, *sums in rows}


def _forms(session: Session, tournament: Tournament) -> dict[int, str]:
    """The `form` of each entry that has one, by its id."""
    counting = (
        select(
            Seat.entry_id,
            Seat.game_id,
            Seat.place,
            Seat.verdict,
            func.row_number().over(partition_by=Seat.entry_id, order_by=Seat.game_id.desc()).label("age"),
        )
        .join(Seat.game)
        .where(PlayedGame.tournament_id == tournament.id, Seat.counts)
        .subquery()
    )
    latest = select(counting).where(counting.c.age <= FORM_GAMES).order_by(counting.c.entry_id, counting.c.game_id)
    forms: dict[int, str] = {}
    for row in session.execute(latest):
        forms[row.entry_id] = forms.get(row.entry_id, "") + letter(row.place, row.verdict is not None)
    return forms
