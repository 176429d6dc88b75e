"""The watch in the database: asked for, worked out, kept, on both databases."""

from typing import cast

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from sandbox.api import Sandbox, SandboxError
from tests.tournament.factory import make_tournament, make_user
from tests.tournament.finals import stored_player
from tests.tournament.watch.fields import play_field
from tournament.play.games import find_game
from tournament.play.record import Record
from tournament.store.database import Sessions, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Block, Entry, EntryState, PlayedGame, StoredFingerprint, Tournament, Watch
from tournament.watch import watches as watch
from tournament.watch.fingerprints import VERSION, give_file
from tournament.watch.watches import (
    GAMES_SHOWN,
    Found,
    ask_for_watch,
    examine_tournament,
    files_beside,
    keep_watching,
    read_waiting,
    to_be_read,
    watch_due,
    watch_of,
)
from tournament.work.services import Services

pytestmark = pytest.mark.both_databases

PLANNER = (find_game("bo").folder / "bots" / "planner.py").read_bytes()
REFERENCE = (find_game("bo").folder / "reference.py").read_bytes()


def store_field(session: Session) -> tuple[int, list[int]]:
    """A ladder that a field has played, player 3 of which helps player 7: its id, and the students'."""
    field = play_field(16, 700, 3, helping=[(3, 7)], help_=2.0)
    ladder = make_tournament(session)
    sources = [REFERENCE, b"# mine\n" + REFERENCE, *(b"n = %d\n" % number for number in range(14))]
    people = [make_user(session) for _ in field.authors]
    entries = {
        old: Entry(
            tournament_id=ladder.id,
            author_id=people[author],
            player_id=stored_player(session, sources[author]),
            name=f"Player {author}",
            rating=field.ratings[old],
        )
        for old, author in field.authors.items()
    }
    entries[1] = Entry(tournament_id=ladder.id, bot="planner", name="Planner", rating=field.ratings[1])
    session.add_all(entries.values())
    session.flush()
    for block in field.blocks:
        ids = [entries[old].id for old in block.entries]
        session.add(Block(tournament_id=ladder.id, seed=1, entries=ids, state=JobState.DONE, finish=block.finish))
    session.flush()
    record = Record("bo", 1, list("ABCD"), [], "won", [1, 2, 2, 2], [1.0, 0.0, 0.0, 0.0]).pack()
    both = {entries[103].id, entries[107].id}
    for block in session.scalars(select(Block)):
        if both <= set(block.entries):
            for seating in range(4):
                session.add(PlayedGame(block_id=block.id, seating=seating, tournament_id=ladder.id, ended="won",
                                       plays=1, record=record))  # fmt: skip
    return ladder.id, people


def read_all(sessions: Sessions, box: Sandbox) -> None:
    """Read what a watch waits for, as a worker does."""
    services = Services(sessions, print, lambda: box, lambda: box, "worker")
    while read_waiting(services):
        pass


@pytest.mark.full
def test_what_is_asked_for_is_worked_out_once_and_kept(sessions: Sessions, jail: Sandbox) -> None:
    with writing(sessions) as session:
        ladder_id, people = store_field(session)
        assert watch_of(session, ladder_id) == (None, None)
        ask_for_watch(session, ladder_id)
        row, found = watch_of(session, ladder_id)
        assert row
        assert (row.waiting, found) == (True, None)
        assert to_be_read(session, ladder_id) == 16
    assert watch_due(sessions) == 0, "no file was read yet"
    read_all(sessions, jail)
    assert watch_due(sessions) == 1
    assert watch_due(sessions) == 0
    with reading(sessions) as session:
        row, found = watch_of(session, ladder_id)
        assert row
        assert (row.waiting, row.trouble) == (False, "")
        assert found
        (pair,) = found.suspicions
        assert (pair.kind, pair.one, pair.other) == ("helps", people[3], people[7])
        games = [session.get_one(PlayedGame, id_) for id_, _ in pair.telling]
        assert len(games) == GAMES_SHOWN
        surplus = [each for _, each in pair.telling]
        assert surplus == sorted(surplus, reverse=True)
        assert surplus[0] > 0.5
        (files,) = found.files
        assert (files.people, files.exact, files.share) == (people[:2], False, 1.0)
        assert [session.get_one(Entry, id_).author_id for id_ in files.entries] == files.people
        assert (found.compared, found.unread) == (16, {})
    with writing(sessions) as session:
        ask_for_watch(session, ladder_id)
        row, found = watch_of(session, ladder_id)
        assert row
        assert row.waiting
        assert found, "what was found before stays to be seen"


def test_what_a_copier_does_afterwards_changes_nothing(sessions: Sessions, jail: Sandbox) -> None:
    """Neither withdrawing nor entering something else, before or after the look."""
    with writing(sessions) as session:
        ladder_id = make_tournament(session).id
        ada, ben = make_user(session), make_user(session)
        copy = b"# mine\n" + REFERENCE
        states = (
            (ada, REFERENCE, EntryState.ACTIVE),
            (ben, copy, EntryState.ACTIVE),
            (ben, PLANNER, EntryState.REPLACED),
        )
        for version, (author, source, state) in enumerate(states, 1):
            player = stored_player(session, source)
            session.add(Entry(tournament_id=ladder_id, author_id=author, player_id=player, name="A", version=version,
                              state=state))  # fmt: skip
        ask_for_watch(session, ladder_id)
    read_all(sessions, jail)
    for state in EntryState:
        with writing(sessions) as session:
            for entry in session.scalars(select(Entry).where(Entry.tournament_id == ladder_id)):
                entry.state = state
            ask_for_watch(session, ladder_id)
        assert watch_due(sessions) == 1
        with reading(sessions) as session:
            tournament = session.get_one(Tournament, ladder_id)
            _, found = watch_of(session, ladder_id)
            assert found
            (files,) = found.files
            assert (found.compared, sorted(files.people)) == (3, sorted([ada, ben]))
            beside = files_beside(session, tournament, *files.entries)
            assert beside
            texts = ["\n".join(part.text for part in parts).encode() for parts in beside]
            assert texts == [REFERENCE, copy]
            assert any(part.alike for part in beside[1])
            assert files_beside(session, tournament, files.entries[0], 999999) is None


@pytest.mark.parametrize(
    "source", [b"x = " + b"(" * 5000, b"x = [\n", b"\xff", b"# coding: no-such\n", b"-" * 90_000 + b"1"]
)
def test_what_cannot_be_read_is_told(sessions: Sessions, jail: Sandbox, source: bytes) -> None:
    with writing(sessions) as session:
        ladder_id, author, player = make_tournament(session).id, make_user(session), stored_player(session, source)
        entry = Entry(tournament_id=ladder_id, author_id=author, player_id=player, name="A")
        session.add(entry)
        ask_for_watch(session, ladder_id)
        entry_id = entry.id
    read_all(sessions, jail)
    assert watch_due(sessions) == 1
    with writing(sessions) as session:
        _, found = watch_of(session, ladder_id)
        assert found
        assert list(found.unread) == [entry_id]
        assert found.unread[entry_id]
        ask_for_watch(session, ladder_id)
        assert to_be_read(session, ladder_id) == 1, "it may have been an internal error: it is tried again"


def test_a_fault_of_the_sandbox_holds_up_no_watch(sessions: Sessions, jail: Sandbox) -> None:
    class Failing:
        name = "failing"

        def open(self, *_: object) -> Session:
            raise SandboxError("the jail died")

        def close(self) -> None:
            pass

    with writing(sessions) as session:
        ladder_id, _ = store_field(session)
        ask_for_watch(session, ladder_id)
    read_all(sessions, cast(Sandbox, Failing()))
    assert watch_due(sessions) == 1
    with writing(sessions) as session:
        _, found = watch_of(session, ladder_id)
        assert found
        assert (set(found.unread.values()), found.files) == ({"the sandbox failed: the jail died"}, [])
        ask_for_watch(session, ladder_id)
    read_all(sessions, jail)
    watch_due(sessions)
    with reading(sessions) as session:
        _, found = watch_of(session, ladder_id)
        assert found
        assert (found.unread, len(found.files)) == ({}, 1)


def test_a_tournament_that_nobody_has_entered(sessions: Sessions) -> None:
    with writing(sessions) as session:
        ladder_id = make_tournament(session).id
        ask_for_watch(session, ladder_id)
    watch_due(sessions)
    with reading(sessions) as session:
        _, found = watch_of(session, ladder_id)
    assert found == Found(games=0, pairs=0, tested=0, detectable=None, suspicions=[], files=[], compared=0)


def test_a_fault_of_ours_is_told_and_not_repeated_for_ever(sessions: Sessions) -> None:
    with writing(sessions) as session:
        ladder = make_tournament(session)
        player = stored_player(session, b"x = 1")
        session.add(Entry(tournament_id=ladder.id, author_id=make_user(session), player_id=player, name="A"))
        session.add(StoredFingerprint(player_id=player, version=VERSION, runs=b"not packed"))
        ask_for_watch(session, ladder.id)
    assert watch_due(sessions) == 1
    assert watch_due(sessions) == 0
    with reading(sessions) as session:
        row = session.scalars(select(Watch)).one()
    assert row.trouble.startswith("error: Error -3 while decompressing")


def test_it_goes_on_looking(sessions: Sessions) -> None:
    class Enough(Exception):
        pass

    with writing(sessions) as session:
        ladder_id = make_tournament(session).id
    rests = iter(range(3))

    def rest(_: float) -> None:
        if next(rests) == 2:
            raise Enough
        with writing(sessions) as session:
            ask_for_watch(session, ladder_id)

    with pytest.raises(Enough):
        keep_watching(sessions, rest)
    with reading(sessions) as session:
        row = session.get_one(watch.Watch, ladder_id)
    assert not row.waiting


def test_what_everybody_was_given_makes_nobody_alike(sessions: Sessions, jail: Sandbox) -> None:
    """Neither now nor by a former version; a file that cannot be read takes nothing away."""
    with writing(sessions) as session:
        ladder = make_tournament(session)
        assert ladder.assignment_id
        for number in range(2):
            player = stored_player(session, PLANNER + b"x%d = %d\n" % (number, number))
            session.add(Entry(tournament_id=ladder.id, author_id=make_user(session), player_id=player, name="A"))
        ask_for_watch(session, ladder.id)
        ladder_id, assignment = ladder.id, ladder.assignment_id
    read_all(sessions, jail)
    with reading(sessions) as session:
        assert len(examine_tournament(session, ladder_id).files) == 1
    with writing(sessions) as session:
        for source in (b"def f(:\n", PLANNER, PLANNER):
            give_file(session, assignment, source)
        assert to_be_read(session, ladder_id) == 2
    read_all(sessions, jail)
    with reading(sessions) as session:
        found = examine_tournament(session, ladder_id)
        assert (found.files, found.compared, found.unread) == ([], 2, {})
        first, second = session.scalars(select(Entry.id).where(Entry.tournament_id == ladder_id))
        parts = files_beside(session, session.get_one(Tournament, ladder_id), first, second)
        assert parts
        assert not any(part.alike for side in parts for part in side)
