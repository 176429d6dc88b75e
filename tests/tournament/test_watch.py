"""The watch in the database: asked for, worked out, kept, on both databases."""

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.tournament.factory import make_tournament, make_user
from tests.tournament.fields import play_field
from tests.tournament.finals import stored_player
from tournament import watch
from tournament.db import Sessions, reading, writing
from tournament.games import find_game
from tournament.jobs import JobState
from tournament.models import Block, Entry, EntryState, PlayedGame
from tournament.record import Record
from tournament.watch import GAMES_SHOWN, Found, Watch, ask, keep_watching, watch_due, watch_of

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


def test_what_is_asked_for_is_worked_out_once_and_kept(sessions: Sessions) -> None:
    with writing(sessions) as session:
        ladder_id, people = store_field(session)
        assert watch_of(session, ladder_id) == (None, None)
        ask(session, ladder_id)
        row, found = watch_of(session, ladder_id)
        assert row
        assert (row.waiting, found) == (True, None)
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
        assert found.compared == 16
    with writing(sessions) as session:
        session.scalars(select(Entry).where(Entry.author_id == people[0])).one().state = EntryState.WITHDRAWN
        ask(session, ladder_id)
        row, found = watch_of(session, ladder_id)
        assert row
        assert row.waiting
        assert found, "what was found before stays to be seen"
    watch_due(sessions)
    with reading(sessions) as session:
        _, found = watch_of(session, ladder_id)
        assert found
        assert found.compared == 15, "whoever has withdrawn is not compared"


def test_a_tournament_that_nobody_has_entered(sessions: Sessions) -> None:
    with writing(sessions) as session:
        ladder_id = make_tournament(session).id
        ask(session, ladder_id)
    watch_due(sessions)
    with reading(sessions) as session:
        _, found = watch_of(session, ladder_id)
    assert found == Found(games=0, pairs=0, tested=0, detectable=None, suspicions=[], files=[], compared=0)


def test_a_fault_of_ours_is_told_and_not_repeated_for_ever(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    with writing(sessions) as session:
        ladder = make_tournament(session)
        ladder.game = "bridge"
        ask(session, ladder.id)
    assert watch_due(sessions) == 1
    assert watch_due(sessions) == 0
    with reading(sessions) as session:
        row = session.scalars(select(Watch)).one()
    assert row.trouble.startswith("UnknownGame: There is no game 'bridge'")


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
            ask(session, ladder_id)

    with pytest.raises(Enough):
        keep_watching(sessions, rest)
    with reading(sessions) as session:
        row = session.get_one(watch.Watch, ladder_id)
    assert not row.waiting
