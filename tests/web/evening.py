"""An evening of games on a class's ladder: versions that improve, faults, an opponent that beats everybody."""

from dataclasses import replace
from datetime import timedelta
from random import Random

from sqlalchemy import select

from sandbox.api import Verdict
from tests.tournament.factory import faulted_by, play, won_by
from tests.web.school import School
from tournament.ladder.rerate import rate_all
from tournament.ladder.standings import sample_ranks
from tournament.play.record import Record
from tournament.store.database import now
from tournament.store.tables import Entry, Tournament


def play_evening(school: School, own: int, blocks: int = 20, seed: int = 1) -> None:
    """Blocks of games of an entry against house bots, with a fault of its own now and then; the ranks are sampled once
    an hour, and the ratings fitted at the end."""
    rng = Random(seed)
    started = now() - timedelta(hours=blocks)
    with school.write() as session:
        tournament = session.get_one(Tournament, school.tournament)
        tournament.fault_limit = 100
        bots = session.scalars(select(Entry).where(Entry.bot.is_not(None)).order_by(Entry.id)).all()
        others = session.scalars(select(Entry).where(Entry.author_id.is_not(None), Entry.id != own)).all()
        for hour in range(blocks):
            table = [session.get_one(Entry, own), *rng.sample([*bots, *others], 3)]
            play(session, tournament, table, [_record(rng, seat) for seat in (0, 2, 1, 3)])
            sample_ranks(session, tournament, started + timedelta(hours=hour))
    rate_all(school.sessions)


def _record(rng: Random, own: int) -> Record:
    """A game in which the seat `own` wins more often than the others."""
    made = faulted_by(own) if rng.random() < 0.1 else won_by(rng.choice((own, 0, 1, 2, 3)))
    if rng.random() < 0.5:
        made = replace(made, faults=[replace(note, verdict=Verdict.TLE, rule="") for note in made.faults])
    return replace(made, plays=[(seat, {}) for seat in range(4)], times_ms=[rng.lognormvariate(2, 2) for _ in range(4)])
