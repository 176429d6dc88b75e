"""Comparisons and custom games played by workers; in the real jail where that could make a difference."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from celery import Celery
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from grader.store.models import Submission
from sandbox.api import Sandbox
from sandbox.choose import open_sandbox
from tests.players import ILLEGAL_LATER
from tests.tournament.factory import logged_by, make_entries, make_player, make_tournament, make_user, won_by
from tests.tournament.worker import until, victim
from tournament import blocks, tasks
from tournament.ladder.ladder import ensure_bots
from tournament.play.games import find_game
from tournament.play.record import Record
from tournament.play.replay import verify
from tournament.practice import comparisons, custom_games, turn
from tournament.practice.comparisons import COMPARISONS, PlayedPair
from tournament.practice.custom_games import LARGEST_SEED, BadSeed, BadTable, GameRequest, OwnPlayer
from tournament.practice.improvement import Answer, sentence
from tournament.practice.quota import BadDeals, QuotaUsed, SwitchedOff, games_left
from tournament.practice.turn import Draw, longest_waiting
from tournament.store import jobs
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import (
    Block,
    ComparedPair,
    CustomBatch,
    CustomGame,
    Entry,
    EntryState,
    Notice,
    PlayedGame,
    Tournament,
    VersionComparison,
)
from tournament.tasks import play as play_task
from tournament.work import runner
from tournament.work.runner import ClaimLost, HeldJob
from tournament.work.services import Services

GOOD = find_game("bo").folder.joinpath("reference.py").read_bytes()
WEAK = find_game("bo").folder.joinpath("bots", "random_legal.py").read_bytes()
QUOTA = 3


@dataclass
class Worker:
    """The services of one worker and the messages that it has sent."""

    services: Services
    sent: list[str] = field(default_factory=list)

    def play(self) -> None:
        """All that is due."""
        while tasks.play_personal(self.services):
            pass


@pytest.fixture
def worker(sessions: Sessions, trusted: Sandbox) -> Worker:
    """A worker without a jail."""
    sent: list[str] = []
    return Worker(Services(sessions, sent.append, lambda: trusted, lambda: trusted, "worker"), sent)


@pytest.fixture
def jailed(sessions: Sessions) -> Iterator[Worker]:
    """A worker as it is in production."""
    sent: list[str] = []
    services = Services(sessions, sent.append, open_sandbox, lambda: open_sandbox("trusted"), "worker")
    yield Worker(services, sent)
    services.close_sandboxes()


@pytest.fixture
def short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn for each pair."""
    monkeypatch.setattr(turn, "TURN_S", -1.0)


def start_ladder(session: Session, *sources: bytes, game: str = "bo") -> list[Entry]:
    """A ladder with house bots and an entry for each source."""
    tournament = make_tournament(session, game)
    ensure_bots(session, tournament)
    return [make_entries(session, tournament, 1, source)[0] for source in sources]


def submit(session: Session, entry: Entry, source: bytes) -> tuple[int, int]:
    """A further version by the author of an entry: the ids of submission and player."""
    player = make_player(session, source)
    submission = Submission(
        assignment_id=entry.tournament.assignment_id,
        author_id=entry.author_id,
        player_id=player,
        filename="player.py",
        wants_entry=False,
        entry_name=entry.name,
    )
    session.add(submission)
    session.flush()
    return submission.id, player


def begin(sessions: Sessions, new: bytes, old: bytes, pairs: int = 3, others: int = 2) -> int:
    """A comparison on a ladder of its own; its id."""
    with writing(sessions) as session:
        entry = start_ladder(session, old, *[GOOD] * others)[0]
        comparison = comparisons.begin(session, *submit(session, entry, new), entry)
        comparison.most_pairs = pairs
        return comparison.id


def get(sessions: Sessions, id_: int) -> VersionComparison:
    with reading(sessions) as session:
        found = session.get_one(VersionComparison, id_)
        session.expunge_all()
        return found


def claim_comparison(worker: Worker) -> HeldJob[None]:
    found = runner.claim_first(worker.services, COMPARISONS, longest_waiting(VersionComparison))
    assert found
    return found


def told(sessions: Sessions) -> list[tuple[int, str, str, str]]:
    """Who is told what, with the kind of page that they are to look at."""
    with reading(sessions) as session:
        found = session.scalars(select(Notice).order_by(Notice.id))
        return [(each.user_id, each.subject, each.text, each.links[0][0]) for each in found]


def numbers(sessions: Sessions) -> list[int]:
    with reading(sessions) as session:
        return list(session.scalars(select(ComparedPair.number).order_by(ComparedPair.number)))


def nothing_counted(sessions: Sessions) -> bool:
    with reading(sessions) as session:
        games = session.scalar(select(func.count()).select_from(PlayedGame)) or 0
        sums = session.execute(select(func.sum(Entry.games), func.sum(Entry.faults), func.sum(Entry.wins))).one()
        return games == 0 and set(sums) == {0}


# Comparing


@pytest.mark.both_databases
def test_a_comparison_is_played_in_turns_and_never_counts(
    sessions: Sessions, worker: Worker, short_turns: None
) -> None:
    id_ = begin(sessions, GOOD, WEAK, pairs=4)
    while get(sessions, id_).state is JobState.QUEUED:
        assert told(sessions) == []
        tasks.play_personal(worker.services)
    assert worker.sent == ["tournament.play"] * 4, "after each turn somebody else may have one"
    assert numbers(sessions) == [0, 1, 2, 3]
    assert nothing_counted(sessions)
    with reading(sessions) as session:
        comparison = session.get_one(VersionComparison, id_)
        assert (comparison.state, comparison.trouble) == (JobState.DONE, "")
        state = comparisons.stand(session, comparison)
        assert (state.pairs, state.finished) == (4, True)
        assert state.estimate
        for pair in comparisons.shown_pairs(session, comparison):
            assert pair.new_record
            assert pair.old_record
            records = [Record.unpack(pair.new_record), Record.unpack(pair.old_record)]
            for record in records:
                verify(find_game("bo"), record)
            assert PlayedPair(pair.seat, *records).parting == pair.parting
            assert records[0].seats[pair.seat].endswith("(new)")
            assert records[1].seats[pair.seat].endswith("(version 1)")
        author, subject, text, link = told(sessions)[0]
        assert (author, text, link) == (comparison.author_id, sentence(state), "comparison")
        assert subject == f"The comparison of submission {comparison.submission_id} with your entry has ended"


def test_opponents_are_neighbours_and_house_bots_but_never_ones_own(sessions: Sessions) -> None:
    with writing(sessions) as session:
        tournament = make_tournament(session)
        ensure_bots(session, tournament)
        entries = make_entries(session, tournament, 30)
        for index, entry in enumerate(entries):
            entry.games, entry.wins, entry.blocks = 100, 90 - index, 25
        entries[11].author_id = entries[10].author_id
        entries[11].version = 2
        entries[9].state = EntryState.WITHDRAWN
        found = comparisons.opponents(session, entries[10])
        bots = session.scalars(select(Entry.id).where(Entry.bot.is_not(None)).order_by(Entry.id)).all()
        near = [entries[index].id for index in (4, 5, 6, 7, 8, 12, 13, 14)]
        assert sorted(found[: comparisons.NEIGHBOURS]) == sorted(near)
        assert found[comparisons.NEIGHBOURS :] == list(bots)


def test_an_empty_class_has_house_bots(sessions: Sessions, worker: Worker) -> None:
    id_ = begin(sessions, GOOD, WEAK, pairs=1, others=0)
    worker.play()
    with reading(sessions) as session:
        assert len(session.get_one(VersionComparison, id_).opponents) == 4
    assert (get(sessions, id_).state, numbers(sessions)) == (JobState.DONE, [0])


def test_a_version_that_plays_illegally_ends_it_and_is_shown(sessions: Sessions, jailed: Worker) -> None:
    id_ = begin(sessions, ILLEGAL_LATER.encode(), GOOD, pairs=100, others=0)
    jailed.play()
    with reading(sessions) as session:
        comparison = session.get_one(VersionComparison, id_)
        assert comparisons.stand(session, comparison).answer is Answer.DISQUALIFIED
        verdicts = [pair.new_verdict for pair in comparisons.shown_pairs(session, comparison)]
        assert verdicts.count("ILLEGAL") == 3
    assert nothing_counted(sessions)


@pytest.mark.both_databases
def test_a_worker_that_dies_in_a_comparison_loses_and_double_counts_nothing(
    sessions: Sessions, worker: Worker, short_turns: None
) -> None:
    begin(sessions, GOOD, WEAK, pairs=3)
    job = claim_comparison(worker)
    number, place = job.store(comparisons.next_pair) or pytest.fail("there is a pair")
    with writing(sessions) as session:
        session.execute(update(VersionComparison).values(lease_until=now() - timedelta(seconds=1)))
    worker.sent.clear()
    tasks.sweep_practice(worker.services)
    assert worker.sent == ["tournament.play"]
    assert tasks.play_personal(worker.services)
    late = partial(comparisons.store_pair, records=[won_by(0), won_by(1)], number=number, place=place)
    with pytest.raises(ClaimLost):
        job.store(late)
    worker.play()
    assert numbers(sessions) == [0, 1, 2]


@pytest.mark.full
def test_a_worker_that_is_killed_loses_and_double_counts_nothing(
    sessions: Sessions, database_url: str, worker: Worker
) -> None:
    """A real worker process, killed with a comparison in its hands; the games are those that nobody has interrupted."""
    id_ = begin(sessions, GOOD, GOOD + b"\n", pairs=3)
    with victim(database_url, "custom") as process:
        until(lambda: len(numbers(sessions)) > 1 or get(sessions, id_).state is JobState.DONE, process)
    with writing(sessions) as session:
        expired = update(VersionComparison).where(VersionComparison.state == JobState.RUNNING)
        session.execute(expired.values(lease_until=now() - timedelta(seconds=1)))
    worker.play()
    assert get(sessions, id_).state is JobState.DONE
    assert numbers(sessions) == list(range(3))
    interrupted = results(sessions)
    with writing(sessions) as session:
        session.query(ComparedPair).delete()
        session.execute(update(VersionComparison).values(state=JobState.QUEUED))
    worker.play()
    assert results(sessions) == interrupted


def results(sessions: Sessions) -> list[Any]:
    columns = (
        ComparedPair.number,
        ComparedPair.seat,
        ComparedPair.new_place,
        ComparedPair.old_place,
        ComparedPair.parting,
    )
    with reading(sessions) as session:
        return [tuple(row) for row in session.execute(select(*columns).order_by(ComparedPair.number))]


def test_a_comparison_that_gets_on_has_all_its_attempts_again(sessions: Sessions, worker: Worker) -> None:
    """However many workers die on it: what kills them is not its games, as long as it gets on."""
    begin(sessions, GOOD, WEAK, pairs=20)
    store = partial(comparisons.store_pair, records=[won_by(0), won_by(1)], place=Draw(1, 0, (1, 2, 3)))
    for number in range(jobs.MAX_ATTEMPTS + 2):
        job = claim_comparison(worker)
        job.store(partial(store, number=number))
        job.next_sign = 0.0
        job.beat()
        job.store(partial(store, number=number))  # what is stored stays so
        with writing(sessions) as session:
            session.execute(update(VersionComparison).values(lease_until=now() - timedelta(seconds=1)))
    assert numbers(sessions) == list(range(jobs.MAX_ATTEMPTS + 2))


@pytest.mark.both_databases
def test_it_can_be_cancelled_and_goes_on_where_it_was(sessions: Sessions, worker: Worker, short_turns: None) -> None:
    id_ = begin(sessions, GOOD, WEAK, pairs=3)
    job = claim_comparison(worker)
    with writing(sessions) as session:
        comparisons.cancel(session, id_)
    with pytest.raises(ClaimLost):  # whoever plays it stops
        job.store(comparisons.next_pair)
    assert not tasks.play_personal(worker.services)
    with writing(sessions) as session:
        comparison = session.get_one(VersionComparison, id_)
        again = comparisons.begin(session, comparison.submission_id, comparison.player_id, comparison.entry)
        assert (again.id, again.state) == (id_, JobState.QUEUED)
    worker.play()
    assert (get(sessions, id_).state, numbers(sessions)) == (JobState.DONE, [0, 1, 2])
    with writing(sessions) as session:
        comparisons.cancel(session, id_)
    assert get(sessions, id_).state is JobState.DONE, "what is over cannot be cancelled"


@pytest.mark.parametrize("state", [EntryState.REPLACED, EntryState.WITHDRAWN, EntryState.OUT])
def test_it_ends_with_what_it_has_when_the_entry_goes(
    sessions: Sessions, worker: Worker, short_turns: None, state: EntryState
) -> None:
    id_ = begin(sessions, GOOD, WEAK, pairs=5)
    tasks.play_personal(worker.services)
    with writing(sessions) as session:
        session.get_one(VersionComparison, id_).entry.state = state
    worker.play()
    found = get(sessions, id_)
    assert (found.state, found.trouble, numbers(sessions)) == (JobState.DONE, comparisons.REPLACED, [0])
    assert comparisons.REPLACED in told(sessions)[0][2]


def test_opponents_that_leave_are_not_drawn_any_more(sessions: Sessions, worker: Worker, short_turns: None) -> None:
    id_ = begin(sessions, GOOD, WEAK, pairs=4, others=3)
    with writing(sessions) as session:
        own = session.get_one(VersionComparison, id_).entry_id
        left = session.scalars(select(Entry).where(Entry.author_id.is_not(None), Entry.id != own)).all()
        for entry in left:
            entry.state = EntryState.WITHDRAWN
        gone = {entry.id for entry in left}
    worker.play()
    with reading(sessions) as session:
        met = {each for table in session.scalars(select(ComparedPair.opponents)) for each in table}
        assert not met & gone
        session.rollback()
    with writing(sessions) as session:
        session.execute(update(Entry).where(Entry.bot.is_not(None)).values(state=EntryState.WITHDRAWN))
        session.execute(update(VersionComparison).values(state=JobState.QUEUED, most_pairs=9))
    worker.play()
    assert get(sessions, id_).trouble == comparisons.ALONE


@pytest.mark.both_databases
@pytest.mark.parametrize("kind", [VersionComparison, CustomGame])
def test_what_fails_again_and_again_by_an_internal_error_is_parked(
    sessions: Sessions, jailed: Worker, kind: type[Any]
) -> None:
    if kind is VersionComparison:
        begin(sessions, GOOD, WEAK)
    else:
        ask(sessions)
    for attempt in range(1, jobs.MAX_ATTEMPTS + 1):
        dead: Any = jailed.services.sandbox
        dead.jail.holder.kill()
        assert tasks.play_personal(jailed.services)
        with writing(sessions) as session:
            job = session.scalars(select(kind)).one()
            assert job.attempts == attempt
            assert "SandboxError" in job.trouble
            parked = attempt == jobs.MAX_ATTEMPTS
            assert job.state is (JobState.PARKED if parked else JobState.QUEUED)
            job.lease_until = None
    assert not tasks.play_personal(jailed.services)
    ((_, subject, text, _),) = told(sessions)
    assert ("could not be finished" if kind is VersionComparison else "could not be played") in subject
    assert "You did nothing wrong" in text


# Custom games


def ask(sessions: Sessions, *, old: int = 0, quota: int = QUOTA, seed: int | None = None) -> int:
    """Ask, `old` minutes ago, for a game of a new player, somebody's entry and two house bots, on a new ladder."""
    with writing(sessions) as session:
        (entry,) = start_ladder(session, GOOD)
        return ask_again(session, entry.tournament, make_user(session), old=old, quota=quota, seed=seed).id


def ask_again(
    session: Session, tournament: Tournament, asker: int, *, old: int = 0, quota: int = QUOTA, seed: int | None = None
) -> CustomGame:
    entries = session.scalars(select(Entry).where(Entry.tournament_id == tournament.id).order_by(Entry.id)).all()
    planner = next(each for each in entries if each.bot == "planner")
    other = next(each for each in entries if each.author_id)
    table = [other, planner, OwnPlayer(make_player(session, GOOD), asker, "Newcomer"), planner]
    at = now() - timedelta(minutes=old)
    return custom_games.ask(session, GameRequest(tournament, asker, table, seed), quota, at)


@pytest.mark.both_databases
def test_a_custom_game_is_played_as_it_was_asked_for(sessions: Sessions, jailed: Worker) -> None:
    id_ = ask(sessions, seed=42)
    jailed.play()
    with reading(sessions) as session:
        game = session.get_one(CustomGame, id_)
        assert game.record
        record = Record.unpack(game.record)
        assert (game.state, game.ended, record.seed) == (JobState.DONE, "won", 42)
        assert record.seats == ["Author 0", "Planner", "Newcomer", "Planner #2"]
        assert [(seat.place, seat.points) for seat in game.seats] == list(
            zip(record.places, record.points, strict=True)
        )
        verify(find_game("bo"), record)
        winner = record.seats[record.places.index(1)]
        assert told(sessions) == [
            (game.asker_id, f"Your custom game {id_} was played", f"Won by {winner}.", "custom_game")
        ]
    assert nothing_counted(sessions)


def test_it_is_cancelled_and_not_in_the_quota_if_somebody_left_meanwhile(sessions: Sessions, worker: Worker) -> None:
    id_ = ask(sessions)
    with writing(sessions) as session:
        session.execute(update(Entry).where(Entry.author_id.is_not(None)).values(state=EntryState.WITHDRAWN))
    worker.play()
    with reading(sessions) as session:
        game = session.get_one(CustomGame, id_)
        assert game.state is JobState.CANCELLED
        assert "Author 0 left the tournament" in game.trouble
        subject = f"Your custom game {id_} was not played"
        assert told(sessions) == [(game.asker_id, subject, game.trouble, "custom_game")]
        assert games_left(session, game.tournament, game.asker_id, QUOTA, now()) == QUOTA


@pytest.mark.both_databases
def test_a_quota_says_when_the_next_one_is_possible(sessions: Sessions) -> None:
    with writing(sessions) as session:
        (entry,) = start_ladder(session, GOOD)
        asker = make_user(session)
        for minutes in (70, 50, 30, 10):
            ask_again(session, entry.tournament, asker, old=minutes)
        with pytest.raises(QuotaUsed) as refusal:
            ask_again(session, entry.tournament, asker)
        assert 540 < refusal.value.retry_after_s <= 600
        assert "3 custom games within an hour" in str(refusal.value)
        assert "in 10 minutes" in str(refusal.value)
        ask_again(session, entry.tournament, make_user(session))
        assert games_left(session, entry.tournament, asker, QUOTA + 2, now()) == 2
        with pytest.raises(SwitchedOff):
            ask_again(session, entry.tournament, asker, quota=0)


@pytest.mark.parametrize("seed", [-1, LARGEST_SEED + 1])
def test_a_seed_is_a_number_that_everybody_can_read(sessions: Sessions, seed: int) -> None:
    with pytest.raises(BadSeed, match="from 0 to"):
        ask(sessions, seed=seed)


def test_a_table_is_as_large_as_the_game_and_nobody_has_left(sessions: Sessions) -> None:
    with writing(sessions) as session:
        (entry,) = start_ladder(session, GOOD)
        with pytest.raises(BadTable, match="for 4 players; you filled 3 seats"):
            custom_games.ask(session, GameRequest(entry.tournament, 1, [entry] * 3), QUOTA)
        entry.state = EntryState.REPLACED
        with pytest.raises(BadTable, match="Author 0 is no longer in this tournament"):
            custom_games.ask(session, GameRequest(entry.tournament, 1, [entry] * 4), QUOTA)
        uno = start_ladder(session, GOOD, game="uno")[0]
        with pytest.raises(BadTable, match="for 2, 3, 4 or 5 players"):
            custom_games.ask(session, GameRequest(uno.tournament, 1, [uno]), QUOTA)


@pytest.mark.both_databases
def test_a_replay_is_shared_under_an_address_that_nobody_guesses_until_it_is_unshared(sessions: Sessions) -> None:
    id_ = ask(sessions)
    with writing(sessions) as session:
        game = session.get_one(CustomGame, id_)
        token = custom_games.share(game)
        assert custom_games.share(game) == token
        assert len(token) >= 24
        session.flush()
        assert custom_games.shared(session, token) is game
        custom_games.unshare(game)
        session.flush()
        assert custom_games.shared(session, token) is None
        assert custom_games.share(game) != token


# Before the ladder


def test_what_is_played_is_logged_with_the_uploads_that_play(
    sessions: Sessions, worker: Worker, short_turns: None
) -> None:
    comparison, game = begin(sessions, GOOD, WEAK, pairs=2), ask(sessions)
    with writing(sessions) as session:
        compared, played = session.get_one(VersionComparison, comparison), session.get_one(CustomGame, game)
        compared.trace, compared.entry.trace, played.seats[2].trace = "new", "former", "own"
    with logged_by(turn.log) as lines:
        worker.play()
    assert [traces for line, traces in lines if line.getMessage() == "stored"] == [["own"], *[["new", "former"]] * 2]


def test_custom_work_comes_before_the_ladder_and_does_not_hold_it_up(sessions: Sessions, worker: Worker) -> None:
    with writing(sessions) as session:
        (entry,) = start_ladder(session, GOOD)
        blocks_waiting = entry.tournament_id
        game = ask_again(session, entry.tournament, make_user(session)).id
    blocks.pair_one(worker.services, blocks_waiting)
    app = Celery("test", set_as_current=True)
    app.services = worker.services
    for _ in range(2):
        play_task()
    with reading(sessions) as session:
        custom_game = session.get_one(CustomGame, game)
        block = session.scalars(select(Block).where(Block.state == JobState.DONE)).one()
        assert custom_game.finished_at
        assert block.finished_at
        assert custom_game.finished_at < block.finished_at


@pytest.mark.both_databases
def test_comparisons_take_turns_with_each_other_and_with_the_ladder(
    sessions: Sessions, worker: Worker, short_turns: None
) -> None:
    both = [begin(sessions, GOOD, WEAK, pairs=2) for _ in range(2)]
    with reading(sessions) as session:
        tournament = session.get_one(VersionComparison, both[0]).tournament_id
    blocks.pair_one(worker.services, tournament)
    app = Celery("test", set_as_current=True)
    app.services = worker.services
    for _ in range(6):
        play_task()
    with reading(sessions) as session:
        assert set(session.scalars(select(ComparedPair.comparison_id))) == set(both), "a pair of each"
        assert session.scalar(select(func.count()).where(Block.state == JobState.DONE))


def ask_batch(session: Session, tournament: Tournament, asker: int, deals: int, quota: int = 20) -> CustomBatch:
    """A batch of a new player, somebody's entry and two house bots."""
    entries = session.scalars(select(Entry).where(Entry.tournament_id == tournament.id).order_by(Entry.id)).all()
    planner = next(each for each in entries if each.bot == "planner")
    other = next(each for each in entries if each.author_id)
    table = [OwnPlayer(make_player(session, GOOD), asker, "Newcomer"), other, planner, planner]
    return custom_games.ask_batch(
        session, GameRequest(tournament, asker, table, seed=7), deals, rotates=True, quota=quota
    )


@pytest.mark.both_databases
def test_a_batch_rotates_costs_what_it_plays_and_ends_with_one_notice(sessions: Sessions, worker: Worker) -> None:
    with writing(sessions) as session:
        (entry,) = start_ladder(session, GOOD)
        batch = ask_batch(session, entry.tournament, make_user(session), 5)
        id_, asker = batch.id, batch.asker_id
        assert games_left(session, entry.tournament, asker, 20, now()) == 15
        with pytest.raises(QuotaUsed, match="asked for 16 games and have 15 of 20 per hour left"):
            ask_batch(session, entry.tournament, asker, 16)
        with pytest.raises(BadDeals, match="allows 3 custom games per hour"):
            ask_batch(session, entry.tournament, asker, 4, quota=3)
    worker.play()
    with reading(sessions) as session:
        batch = session.get_one(CustomBatch, id_)
        newcomer, other, *bots = custom_games.batch_results(batch)
        assert [seat.seat for seat in newcomer.seats] == [0, 3, 2, 1, 0]
        assert {seat.label for seat in newcomer.seats} == {"Newcomer"}
        assert len({game.seed for game in batch.games}) == 5
        assert batch.games[0].seed == 7, "the first deal is that of a single game"
        assert sum(each.wins for each in (newcomer, other, *bots)) >= 1
        assert newcomer.games == 5
        assert newcomer.low <= newcomer.wins / 5 <= newcomer.high
    assert told(sessions) == [
        (asker, "Your 5 custom games have ended", "All of the games were played.", "custom_batch")
    ]
    assert nothing_counted(sessions)


def test_later_games_of_a_batch_come_after_the_first_ones_of_everybody(sessions: Sessions, worker: Worker) -> None:
    with writing(sessions) as session:
        (entry,) = start_ladder(session, GOOD)
        batch = ask_batch(session, entry.tournament, make_user(session), 3)
        single = ask_again(session, entry.tournament, make_user(session)).id
        other = ask_batch(session, entry.tournament, make_user(session), 2)
        first, second = [game.id for game in batch.games], [game.id for game in other.games]
    worker.play()
    with reading(sessions) as session:
        ended = session.scalars(select(CustomGame.id).order_by(CustomGame.finished_at)).all()
    assert ended == [first[0], single, second[0], first[1], second[1], first[2]]


@pytest.mark.both_databases
def test_what_is_cancelled_of_a_batch_costs_nothing(sessions: Sessions, worker: Worker) -> None:
    with writing(sessions) as session:
        (entry,) = start_ladder(session, GOOD)
        batch = ask_batch(session, entry.tournament, make_user(session), 4)
        id_, asker = batch.id, batch.asker_id
    assert tasks.play_personal(worker.services)
    with writing(sessions) as session:
        assert custom_games.cancel_batch(session, id_) == 3
        tournament = session.get_one(CustomBatch, id_).tournament
        assert games_left(session, tournament, asker, 20, now()) == 19
    worker.play()
    with reading(sessions) as session:
        games = session.get_one(CustomBatch, id_).games
        assert [game.state for game in games] == [JobState.DONE] + [JobState.CANCELLED] * 3


START = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("games", "seconds"),  # when each was queued and ended
    [
        ([(0, 2)], None),
        ([(0, 2), (0, 4), (0, 6), (0, 8)], 2.0),
        ([(0, 2), (100, 103), (200, 201)], 2.0),  # nobody waited between them
        ([(0, 2), (50, 51), (40, 54)], 2.0),
    ],
)
def test_the_pace_is_that_while_games_waited(games: list[tuple[int, int]], seconds: float | None) -> None:
    at = [(START + timedelta(seconds=queued), START + timedelta(seconds=ended)) for queued, ended in games]
    assert custom_games.seconds_a_game(at) == seconds


def test_the_time_until_done_counts_what_comes_before(sessions: Sessions, worker: Worker) -> None:
    with writing(sessions) as session:
        (entry,) = start_ladder(session, GOOD)
        tournament, asker = entry.tournament, make_user(session)
        batch = ask_batch(session, tournament, asker, 3)
        assert custom_games.batch_time_left_s(session, batch) is None, "nothing was played yet"
        done = ask_batch(session, tournament, make_user(session), 4)
        for number, game in enumerate(done.games):
            game.state, game.finished_at = JobState.DONE, now() - timedelta(seconds=20 - 5 * number)
            game.queued_at = now() - timedelta(minutes=1)
        ask_again(session, tournament, make_user(session))
        left = custom_games.batch_time_left_s(session, batch)
        assert left == pytest.approx(4 * 5, abs=0.1), "three games of its own and one before the last"
        session.execute(update(CustomGame).values(queued_at=now() - timedelta(minutes=9)))
        for game in done.games:
            game.finished_at = now() - timedelta(minutes=5)
        assert custom_games.batch_time_left_s(session, batch) is None, "nothing is played now"
