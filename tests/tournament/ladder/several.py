"""Five ladders and one worker: how long new entries wait for their first ten games. Everything is real but the games,
which take no time; a clock counts what they would have taken. `python -m tests.tournament.ladder.several` prints it."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy.orm import sessionmaker

from deploy.database import METADATA
from sandbox.choose import open_sandbox
from tests.tournament.factory import make_entries, make_tournament, won_by
from tournament import blocks
from tournament.blocks import claim_block, keep_queued, pair_all, store_records
from tournament.store.database import Sessions, connect, reading, writing
from tournament.store.tables import Entry, Tournament
from tournament.work.services import Services

OLD_ENTRIES, FIRST_GAMES, BEFORE = 20, 10, 30


class Hall:
    """Ladders with full queues. `lasts`: the seconds that a block of each takes."""

    def __init__(self, sessions: Sessions, services: Services, lasts: Sequence[float]) -> None:
        self.sessions, self.services, self.clock = sessions, services, 0.0
        with writing(sessions) as session:
            self.lasts: dict[int, float] = {}
            for seconds in lasts:
                ladder = make_tournament(session)
                for entry in make_entries(session, ladder, OLD_ENTRIES):
                    entry.games = entry.seated = 100
                self.lasts[ladder.id] = seconds
        pair_all(services)

    def play(self) -> None:
        """Play the next block, as a worker does."""
        job = claim_block(self.services)
        assert job
        assert store_records(job, [won_by(0)] * 4)
        seconds = self.lasts[job.content.tournament_id]
        self.clock += seconds
        self.services.tournaments.charge(job.content.tournament_id, seconds, job.content.share)
        keep_queued(self.services, job.content.tournament_id)

    def enter(self, ladder: int) -> int:
        """A new entry in a ladder; its id."""
        with writing(self.sessions) as session:
            (entry,) = make_entries(session, session.get_one(Tournament, ladder), 1)
            id_ = entry.id
        blocks.pair_one(self.services, ladder)
        return id_

    def waits(self, entries: Sequence[int]) -> list[float]:
        """The seconds from now until each of these has had its first ten games."""
        began, waited = self.clock, dict.fromkeys(entries, 0.0)
        while left := [id_ for id_, seconds in waited.items() if not seconds]:
            self.play()
            with reading(self.sessions) as session:
                for id_ in left:
                    if session.get_one(Entry, id_).games >= FIRST_GAMES:
                        waited[id_] = self.clock - began
        return list(waited.values())


def waits(sessions: Sessions, services: Services, lasts: Sequence[float]) -> list[float]:
    """How long a new entry of each ladder waits if all come at the same moment, after BEFORE blocks."""
    hall = Hall(sessions, services, lasts)
    for _ in range(BEFORE):
        hall.play()
    return hall.waits([hall.enter(ladder) for ladder in hall.lasts])


def main() -> None:
    """Print the figures."""
    for lasts in ((1.0, 1.0, 1.0, 1.0, 45.0), (1.0, 1.0, 1.0, 1.0, 1.0)):
        with TemporaryDirectory() as folder, open_sandbox("trusted") as trusted:
            engine = connect(f"sqlite:///{Path(folder) / 'several.sqlite'}")
            METADATA.create_all(engine)
            sessions = sessionmaker(engine)
            services = Services(sessions, lambda task: None, lambda: trusted, lambda: trusted, "worker")
            print(lasts, [round(each) for each in waits(sessions, services, lasts)])


if __name__ == "__main__":
    main()
