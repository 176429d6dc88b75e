"""Trial games before an entry takes effect, in the real jail."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import pytest
from celery import Celery
from sqlalchemy import func, select

from grader.assignment.deadline import DeadlineError, choose
from grader.entering.entering import FailedTrial, enter, enter_all, settle
from grader.grading.report import pack
from grader.regrade.batches import all_graded, ask, store_regrade
from grader.store.models import Assignment, Outcome, Regrade, Submission
from grader.submissions.submit import report_of
from grader.submissions.work import grade_next
from grader.tasks import grade as grade_task
from sandbox.api import Fault, Limits, Program, Sandbox, SandboxError, Session, Verdict
from sandbox.choose import open_sandbox
from tests.grader.entering.test_entering import report
from tests.grader.factory import NOON, Classroom
from tests.players import ILLEGAL_LATER
from tests.tournament.factory import claim_next
from tournament.ladder.ladder import OnCooldown, cooldown_ends
from tournament.play.games import GAMES, find_game
from tournament.play.record import FaultNote, Record
from tournament.play.replay import verify
from tournament.play.table import Contestant, player_program
from tournament.practice import trials, turn
from tournament.practice.trials import offence_of, play_due_trial, seating
from tournament.practice.turn import longest_waiting
from tournament.store import jobs
from tournament.store.database import Sessions, now, reading, writing
from tournament.store.jobs import MAX_ATTEMPTS, JobState
from tournament.store.notices import notices
from tournament.store.tables import Entry, EntryState, InstallationSecret, PlayedGame, Trial, player_of
from tournament.work import runner
from tournament.work.runner import GRADE, ClaimLost
from tournament.work.services import Services

GOOD = find_game("bo").folder.joinpath("reference.py").read_bytes()
MINUTE = timedelta(minutes=1)
FAULTY_AT_ONCE = b"def comp10001bo_play(*args):\n    raise ValueError\n"
AFTER = NOON + 60 * MINUTE


class Room(Classroom):
    """A classroom whose assignment asks for two trial games, and a worker that plays them."""

    games = 2

    def __init__(self, sessions: Sessions, sandbox: Sandbox, game: str = "bo") -> None:
        super().__init__(sessions, sandbox, game)
        with writing(sessions) as session:
            session.get_one(Assignment, self.assignment).trial_games = self.games

    def services(self, worker: str = "worker") -> Services:
        made = super().services(worker)
        made.open_trusted = lambda: open_sandbox("trusted")
        return made

    def graded(self, author: int, source: bytes, at: datetime = NOON, enters: bool = True) -> int:
        """A submission that passes every gate, just after its grading."""
        id_ = self.upload(author, source, at=at, enters=enters)
        with writing(self.sessions) as session:
            row, found = session.get_one(Submission, id_), report("bo", "")
            row.state, row.qualifies, row.report = JobState.DONE, True, pack(found)
            if enters:
                enter_all(session, self.sent.append, row, AFTER)
        return id_

    def press(self, id_: int, at: datetime) -> Entry | None:
        with writing(self.sessions) as session:
            return enter(session, self.sent.append, session.get_one(Submission, id_), at=at)

    def settle(self) -> None:
        """What a grading worker does before it grades."""
        settle(self.sessions, self.sent.append)

    def play(self) -> int:
        """All trials; how many turns."""
        turns, services = 0, self.services()
        while play_due_trial(services):
            turns += 1
            self.settle()
        return turns

    def outcome(self, id_: int) -> tuple[EntryState | None, str]:
        with reading(self.sessions) as session:
            found = session.get(Outcome, (id_, self.tournament))
            return (found.entry.state if found and found.entry else None, found.refusal if found else "")

    def trial(self) -> Trial:
        """The only one."""
        with reading(self.sessions) as session:
            found = session.scalars(select(Trial)).one()
            session.expunge_all()
            return found


@pytest.fixture
def room(sessions: Sessions, sandbox: Sandbox) -> Room:
    return Room(sessions, sandbox)


ENTERED = (EntryState.ACTIVE, "")
WAITING = (None, "")


@pytest.mark.both_databases
def test_a_player_enters_after_its_trial_games_as_of_its_upload(room: Room) -> None:
    id_ = room.graded(room.ada, GOOD)
    assert room.sent[-1] == "tournament.play"
    assert room.outcome(id_) == WAITING
    assert room.play() == 1
    assert room.outcome(id_) == ENTERED
    assert room.sent[-1] == "tournament.pair"
    trial = room.trial()
    assert (trial.played, trial.games, trial.passed, trial.offence) == (2, 2, True, None)
    with reading(room.sessions) as session:
        assert session.scalar(select(func.count()).select_from(PlayedGame)) == 0, "they never count"
        assert cooldown_ends(session, room.tournament, room.ada, NOON + 9 * MINUTE) == NOON + 10 * MINUTE
        assert cooldown_ends(session, room.tournament, room.ada, NOON + 10 * MINUTE) is None


EXAMPLE_BOT = b"""import kotc

class ExampleBot(kotc.KOTCBot):
  def play(self, discard):
    for card in self.hand:
      if card.suit == discard.suit or card.rank == discard.rank:
        return card
"""
"""As the assignment prints it."""
GO_WITHOUT_Q1 = find_game("go").folder.joinpath("reference.py").read_bytes() + b"\ndel comp10001huxxy_valid_table\n"


@pytest.mark.parametrize(("game", "source", "lacking"), [("kotc", EXAMPLE_BOT, "q2"), ("go", GO_WITHOUT_Q1, "q1")])
def test_a_player_that_only_plays_enters(
    sessions: Sessions, sandbox: Sandbox, game: str, source: bytes, lacking: str
) -> None:
    room = Room(sessions, sandbox, game)
    id_ = room.upload(room.ada, source, enters=True)
    assert grade_next(room.services())
    with reading(sessions) as session:
        graded = report_of(session.get_one(Submission, id_), whole=True)
        assert graded
        points = {each.slug for each in graded.questions if each.points < each.max_points}
    assert points == {lacking}, "it is run, reported and counts for points"
    assert room.outcome(id_) == WAITING
    assert room.play() == 1
    assert room.outcome(id_) == ENTERED


def test_a_player_at_fault_is_not_entered_and_nothing_is_excluded(room: Room) -> None:
    with writing(room.sessions) as session:
        session.get_one(Assignment, room.assignment).trial_games = 8
    id_ = room.graded(room.ada, ILLEGAL_LATER.encode())
    room.play()
    state, refusal = room.outcome(id_)
    assert state is None
    assert "at fault in a trial game" in refusal
    trial = room.trial()
    assert trial.failed
    offence = offence_of(trial)
    assert offence
    verify(find_game("bo"), offence.record)
    assert (offence.note.verdict, offence.number) == ("ILLEGAL", trial.played)
    assert offence.record.seats[offence.seat] == "This player"
    assert "comp10001bo_play(" in offence.note.call
    with reading(room.sessions) as session:
        assert session.scalars(select(Entry.id).where(Entry.author_id == room.ada)).all() == []
        assert cooldown_ends(session, room.tournament, room.ada, NOON) is None
        (notice,) = notices(session, room.ada)
        assert notice.subject == "player.py was not entered"
        assert offence.note.message in notice.text
    with pytest.raises(FailedTrial):
        room.press(id_, AFTER)
    corrected = room.graded(room.ada, GOOD, NOON + MINUTE)
    room.play()
    assert room.outcome(corrected) == ENTERED


@pytest.mark.parametrize(
    ("does", "verdict"),
    [("raise ValueError('no')", "RTE"), ("__import__('os')._exit(3)", "EXIT"), ("return 7", "ILLEGAL")],
)
def test_whatever_would_disqualify_it_keeps_it_out(room: Room, does: str, verdict: str) -> None:
    room.graded(room.ada, f"def comp10001bo_play(a, b, c, d, e, f):\n    {does}\n".encode())
    room.play()
    offence = offence_of(room.trial())
    assert offence
    assert offence.note.verdict == verdict


# Once for a file


@pytest.mark.both_databases
def test_the_same_file_never_plays_again(room: Room) -> None:
    first = room.graded(room.ada, GOOD)
    room.play()
    second = room.graded(room.ben, GOOD)
    assert room.outcome(second) == ENTERED, "at once"
    later = room.graded(room.ada, GOOD, NOON + 30 * MINUTE)
    assert room.outcome(later) == ENTERED
    assert room.outcome(first)[0] is EntryState.REPLACED
    assert room.play() == 0
    assert room.trial().played == 2


def test_a_file_that_was_at_fault_by_former_rules_may_play_again(room: Room) -> None:
    id_ = room.graded(room.ada, GOOD)
    with writing(room.sessions) as session:
        row = session.scalars(select(Trial)).one()
        record = Record("bo", 1, ["This player", *"BCD"], [], "disqualified", [4, 2, 2, 2], [0.0] * 4, [], "former")
        row.state, row.played, row.offence = JobState.DONE, 1, record.pack()
        session.get_one(Outcome, (id_, room.tournament)).wanted_from = None
        assert trials.trial_of(session, room.assignment, row.player_id) is None
    assert room.press(id_, AFTER) is None
    room.play()
    assert room.outcome(id_) == ENTERED


@pytest.mark.parametrize("slow", [b"import time\ntime.sleep(1.5)\n", b"for _ in range(10**7): pass\n"])
def test_what_all_games_together_may_take_is_limited(room: Room, slow: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has kept the limits of each game, so it enters."""
    services = room.services()
    services.limits = Limits(grading_s=0.1)
    monkeypatch.setattr(room, "services", lambda: services)
    id_ = room.graded(room.ada, slow + GOOD)
    room.play()
    trial = room.trial()
    assert (trial.played, trial.games, trial.passed) == (1, 2, True)
    assert trial.trouble.startswith("It was slow: 1 of the 2 trial games took")
    assert room.outcome(id_) == ENTERED


def test_grading_again_does_not_play_again(room: Room) -> None:
    id_ = room.graded(room.ada, GOOD)
    room.play()
    with writing(room.sessions) as session:
        session.get_one(Submission, id_).report = pack(report("bo", "q4"))
        session.get_one(Submission, id_).qualifies = False
        ask(session, room.sent.append, room.assignment, all_graded(room.assignment, [room.ada]), "Why.", None)
    claim = claim_next(room.sessions, Regrade, select(Regrade.id))
    assert claim
    with writing(room.sessions) as session:
        regrade = jobs.held(session, Regrade, claim)
        assert regrade
        store_regrade(session, room.sent.append, regrade, report("bo", ""))
    assert room.play() == 0
    assert room.outcome(id_) == ENTERED


def test_deals_cannot_be_calculated_from_what_an_author_knows(room: Room) -> None:
    """The offence's seed stands for those of all games: another installation deals the same file another one."""
    seeds = []
    for _ in range(2):
        with writing(room.sessions) as session:
            session.query(InstallationSecret).delete()
        seeds += [offence_seed(room), offence_seed(room)]
    same, again, elsewhere, again_there = seeds
    assert (same, elsewhere) == (again, again_there), "the same file gets the same answer"
    assert same != elsewhere


def offence_seed(room: Room) -> int:
    """The seed of the game in which a file at once offends, of a trial that is asked for again."""
    with writing(room.sessions) as session:
        session.query(Trial).delete()
        player = player_of(session, FAULTY_AT_ONCE)
        session.flush()
        trials.ask(session, room.assignment, "bo", player.id, 1)
    room.play()
    offence = offence_of(room.trial())
    assert offence
    return offence.record.seed


def test_the_trial_games_of_quadrille_check_have_other_deals_each_time(sandbox: Sandbox) -> None:
    bo = find_game("bo")
    with open_sandbox("trusted") as trusted:
        (first,), (second,) = (list(trials.try_file(bo, FAULTY_AT_ONCE, 1, sandbox, trusted)) for _ in range(2))
    assert first
    assert second
    assert first.record.seed != second.record.seed


def test_deals_and_bots_follow_from_the_assignment_and_the_file() -> None:
    bo = find_game("bo")
    games = [seating(bo, "secret", 1, "abc", number) for number in range(8)]
    assert games == [seating(bo, "secret", 1, "abc", number) for number in range(8)]
    assert len({game.seed for game in games}) == 8
    assert not {game.seed for game in games} & {seating(bo, "secret", 2, "abc", number).seed for number in range(8)}
    assert not {game.seed for game in games} & {seating(bo, "secret", 1, "abd", number).seed for number in range(8)}
    assert all(0 <= game.seed < 2**53 for game in games)


@pytest.mark.parametrize("slug", GAMES)
@pytest.mark.parametrize("bots", [1, 2, 4])
def test_every_seat_is_played_and_a_bot_sits_twice_only_if_there_are_too_few(slug: str, bots: int) -> None:
    game: Any = type("Few", (), {"seats": find_game(slug).seats, "bots": find_game(slug).bots[:bots]})
    others = game.seats[0] - 1
    tables = [seating(game, "secret", 1, "abc", number) for number in range(8)]
    assert set(Counter(table.seat for table in tables).values()) == {8 // game.seats[0]}
    for table in tables:
        assert len(table.opponents) == others
        assert len(set(table.opponents)) == others or bots < others


def test_a_bot_that_sits_there_twice_has_a_number() -> None:
    bo = find_game("bo")
    few: Any = type("Few", (), {"seats": bo.seats, "bots": bo.bots[:1], "guest": bo.guest, "title": bo.title})
    with open_sandbox("trusted") as trusted:
        player = Contestant("This player", player_program(bo, GOOD), trusted)
        table = trials._trial_table(few, player, seating(few, "secret", 1, "abc", 1), trusted)
    title = bo.bots[0].title
    assert [each.label for each in table] == [title, "This player", f"{title} #2", f"{title} #3"]


# The button


@pytest.mark.both_databases
def test_by_the_button_it_counts_from_the_press(room: Room) -> None:
    id_ = room.graded(room.ada, GOOD, enters=False)
    assert room.press(id_, AFTER) is None
    assert room.press(id_, AFTER + MINUTE) is None, "once more changes nothing"
    assert room.outcome(id_) == WAITING
    room.play()
    assert room.outcome(id_) == ENTERED
    with reading(room.sessions) as session:
        assert cooldown_ends(session, room.tournament, room.ada, AFTER) == AFTER + 10 * MINUTE
    other = room.graded(room.ada, GOOD + b"\n", enters=False)
    with pytest.raises(OnCooldown):
        room.press(other, AFTER + MINUTE)
    assert room.outcome(other) == WAITING
    room.play()
    assert room.outcome(other) == WAITING, "nothing waits to be entered"


def test_what_played_its_trial_games_is_entered_at_once(room: Room) -> None:
    id_ = room.graded(room.ada, GOOD)
    room.play()
    with writing(room.sessions) as session:
        session.scalars(select(Entry)).one().state = EntryState.WITHDRAWN
    assert room.press(id_, AFTER)
    assert room.play() == 0


def test_an_assignment_without_trial_games_enters_at_once(room: Room) -> None:
    with writing(room.sessions) as session:
        session.get_one(Assignment, room.assignment).trial_games = 0
    assert room.outcome(room.graded(room.ada, GOOD)) == ENTERED
    assert room.play() == 0


def test_what_waits_enters_when_an_instructor_takes_the_trial_games_away(room: Room) -> None:
    id_ = room.graded(room.ada, GOOD)
    with writing(room.sessions) as session:
        session.get_one(Assignment, room.assignment).trial_games = 0
    room.settle()
    assert room.outcome(id_) == ENTERED


@pytest.mark.both_databases
def test_a_final_is_not_frozen_while_somebody_waits_for_trial_games(room: Room) -> None:
    id_ = room.graded(room.ada, GOOD)
    with writing(room.sessions) as session:
        assignment = session.get_one(Assignment, room.assignment)
        assignment.due_at = NOON + MINUTE
        with pytest.raises(DeadlineError, match="1 upload that arrived before the deadline"):
            choose(session, assignment, {room.ada}, AFTER)
    room.play()
    with reading(room.sessions) as session:
        assignment = session.get_one(Assignment, room.assignment)
        assert [each.author_id for each in choose(session, assignment, {room.ada}, AFTER).entrants] == [room.ada]
    assert room.outcome(id_) == ENTERED


# Our own failures


class Broken:
    """A sandbox whose jail dies as soon as it is to start a player."""

    name = "broken"

    def start(self, program: Program, limits: Limits, seed: int) -> Any:
        raise SandboxError("the jail has gone")

    def open(self, program: Program, limits: Limits, seed: int) -> Session | Fault:
        raise SandboxError("the jail has gone")

    def close(self) -> None:
        pass


@pytest.mark.both_databases
def test_what_follows_from_trial_games_is_the_next_step_of_a_grading_worker(room: Room) -> None:
    app = Celery("test", set_as_current=True)
    app.services = room.services()
    id_ = room.graded(room.ada, GOOD)
    grade_task()
    while play_due_trial(app.services):
        assert room.sent[-1] == GRADE
    assert room.outcome(id_) == WAITING
    grade_task()
    assert room.outcome(id_) == ENTERED


@pytest.mark.both_databases
def test_our_failures_are_tried_again_and_charged_to_nobody(room: Room) -> None:
    good, broken = room.sandbox, Broken()
    id_ = room.graded(room.ada, GOOD)
    room.sandbox = broken  # type: ignore[assignment]
    for attempt in range(1, MAX_ATTEMPTS + 1):
        assert play_due_trial(room.services())
        assert room.trial().attempts == attempt
        with writing(room.sessions) as session:
            session.scalars(select(Trial)).one().lease_until = None  # its rest is over
    assert room.trial().state is JobState.PARKED
    for _ in range(2):
        room.settle()
    state, refusal = room.outcome(id_)
    assert state is None
    assert "internal error" in refusal
    with reading(room.sessions) as session:
        assert [notice.subject for notice in notices(session, room.ada)] == ["player.py is not entered yet"]
        assert cooldown_ends(session, room.tournament, room.ada, NOON) is None
    room.sandbox = good
    assert room.press(id_, AFTER) is None, "the button starts them again"
    room.play()
    assert room.outcome(id_) == ENTERED


@pytest.mark.both_databases
def test_a_worker_that_dies_leaves_the_games_that_were_played(room: Room) -> None:
    room.graded(room.ada, GOOD)
    job = runner.claim_first(room.services(), trials.TRIALS, longest_waiting(Trial))
    assert job
    record = Record("bo", 1, ["This player", *"BCD"], [], "won", [1, 2, 2, 2], [1.0, 0.0, 0.0, 0.0])
    job.store(lambda _, trial: trials._store_trial_game(trial, record, 0, 1.0, 60.0))
    with writing(room.sessions) as session:
        session.scalars(select(Trial)).one().lease_until = now() - timedelta(seconds=1)
    room.sent.clear()
    runner.sweep(room.services(), Trial)
    assert room.sent == ["tournament.play"]
    assert room.play() == 1
    assert room.trial().passed
    with pytest.raises(ClaimLost):  # who lost the claim stores nothing
        job.store(lambda _, trial: trials._store_trial_game(trial, record, 0, 1.0, 60.0))


@pytest.mark.both_databases
def test_slow_players_take_turns(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn, "TURN_S", -1.0)
    ids = [room.graded(author, GOOD + bytes([10])) for author in (room.ada, room.ben)]
    ids.append(room.graded(room.cyd, GOOD))
    assert room.play() == 4
    assert [room.outcome(id_) for id_ in ids] == [ENTERED] * 3


def test_a_bot_at_fault_is_nothing_to_the_player() -> None:
    note = FaultNote(1, Verdict.RTE, "", "It failed.", 0)
    record = Record("bo", 1, list("ABCD"), [], "disqualified", [2, 3, 2, 2], [0.0] * 4, [note])
    assert record.fault_of(0) is None
    assert record.fault_of(1) is note
