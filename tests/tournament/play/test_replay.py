"""Records, and what a replay makes of them."""

import json
import zlib
from collections.abc import Container
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.api import Sandbox, Verdict
from sandbox.choose import open_sandbox
from tests.tournament.bids import BIDS, NINE
from tournament.play.games import find_game
from tournament.play.record import BadRecord, FaultNote, Output, Record
from tournament.play.replay import ReplayError, frames, reapply, verify
from tournament.play.table import Contestant, Limits, PlayerSpec, house_bot, play_files, play_table, player_program

BO = find_game("bo")
TAKES = "import table\ndef bid(seat, log):\n    return table.take()\n"
FAILS = "def bid(seat, log):\n    return 7 if len(log) < 2 else 'x'\n"


@cache
def bids(*sources: str) -> Record:
    """A game of Bids."""
    with open_sandbox("trusted") as box:
        table = [Contestant(f"P{n}", player_program(BIDS, source.encode()), box) for n, source in enumerate(sources)]
        return play_table(BIDS, 5, table, Limits())


@pytest.fixture(scope="module")
def bo_records(trusted: Sandbox) -> list[Record]:
    bots = [house_bot(BO, bot.name) for bot in BO.bots]
    return list(play_files(BO, bots, 4, 11, trusted, trusted))


RECORDS = {"plain": bids(NINE, NINE), "with questions": bids(TAKES, NINE), "with a fault": bids(NINE, FAILS, NINE)}


@pytest.fixture(params=RECORDS.values(), ids=RECORDS.keys())
def record(request: pytest.FixtureRequest) -> Record:
    found: Record = request.param
    return found


def test_json_begins_with_what_the_command_line_promises(record: Record) -> None:
    data = record.to_json()
    assert list(data)[:8] == ["game", "seed", "seats", "plays", "ended", "places", "points", "faults"]
    for fault in data["faults"]:
        assert list(fault)[:5] == ["seat", "verdict", "rule", "message", "play_index"]


def test_a_record_survives_json_and_the_database(record: Record) -> None:
    assert Record.from_json(json.loads(json.dumps(record.to_json(times=True)))) == record
    assert Record.unpack(record.pack()) == record
    assert Record.from_json(record.to_json()) == replace(record, times_ms=[])


BROKEN: dict[str, Any] = {
    "not even a table": [1, 2],
    "nothing in it": {},
    "a seed of letters": bids(NINE, NINE).to_json() | {"seed": "abc"},
    "a play without a seat": bids(NINE, NINE).to_json() | {"plays": [[9]]},
    "an unknown verdict": bids(NINE, FAILS).to_json()
    | {"faults": [{"seat": 0, "verdict": "??", "rule": "", "message": "", "play_index": 0}]},
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN.keys())
def test_what_is_no_record_is_refused_in_words(data: Any) -> None:
    with pytest.raises(BadRecord, match="not a record of a game: "):
        Record.from_json(data)


@pytest.mark.parametrize("packed", [b"", b"rubbish", zlib.compress(b"{"), zlib.compress(b"\xff")])
def test_what_is_no_packed_record_is_refused(packed: bytes) -> None:
    with pytest.raises(BadRecord):
        Record.unpack(packed)


def test_others_do_not_see_what_a_player_printed_nor_its_code() -> None:
    note = FaultNote(1, Verdict.RTE, "", "It failed.", 0, "bid(1, [])", "", "Traceback: secret()", 3)
    record = replace(bids(NINE, NINE), faults=[note], outputs=[Output("mine"), Output("secret", cut=True)])
    theirs = record.seen_by([0])
    assert theirs.outputs == [Output("mine"), Output()]
    assert "secret" not in json.dumps(theirs.to_json())
    assert (theirs.faults[0].message, theirs.faults[0].line) == ("It failed.", None)
    assert record.seen_by([0, 1]) == record


def test_a_record_leads_to_its_result(record: Record) -> None:
    verify(BIDS, record)


def test_records_of_comp10001_bo_lead_to_their_results(bo_records: list[Record]) -> None:
    for record in bo_records:
        verify(BO, record)
        assert [index for index, _ in reapply(BO, record)] == list(range(len(record.plays) + 1))


def tampered() -> dict[str, tuple[Record, str]]:
    plain, faulty = RECORDS["plain"], RECORDS["with a fault"]
    return {
        "another game": (replace(plain, game="bo"), "record is of bo"),
        "other rules": (replace(plain, version="0"), "version 0"),
        "an illegal play": (replace(plain, plays=[(0, 10), *plain.plays[1:]]), "play 0 is refused"),
        "a play of another seat": (replace(plain, plays=plain.plays[::-1]), "Seat 0 must play now"),
        "half a round": (replace(plain, plays=plain.plays[:3]), "Seat 1 must play now"),
        "a round too few": (replace(plain, plays=plain.plays[:4]), "stops before the game is over"),
        "a round too many": (replace(plain, plays=plain.plays + plain.plays[:2]), "over after 6 of the 8"),
        "another winner": (replace(plain, places=[1, 2]), "the rules lead to"),
        "other points": (replace(plain, points=[0, 0]), "the rules lead to"),
        "a fault hidden": (replace(faulty, faults=[]), "stops before the game is over"),
        "an unknown question": (replace(plain, plays=[(0, {"ask": "steal", "args": []}), *plain.plays]), "steal"),
    }


@pytest.mark.parametrize(("record", "words"), tampered().values(), ids=tampered().keys())
def test_a_record_that_was_tampered_with_is_found_out(record: Record, words: str) -> None:
    with pytest.raises(ReplayError, match=words):
        verify(BIDS, record)


@given(st.data())
def test_changing_any_play_changes_the_result_or_is_refused(data: st.DataObject) -> None:
    record = RECORDS["plain"]
    index = data.draw(st.integers(0, len(record.plays) - 1))
    number = data.draw(st.integers(-2, 12).filter(lambda number: number != 9))
    plays = [*record.plays]
    plays[index] = (plays[index][0], number)
    with pytest.raises(ReplayError):
        verify(BIDS, replace(record, plays=plays))


def test_frames_are_the_deal_then_every_round() -> None:
    shown = frames(BIDS, bids(NINE, TAKES))
    assert [frame.index for frame in shown] == [0, 3, 6, 9]
    assert [frame.caption for frame in shown][:2] == ["The cards are dealt.", "P0 bids 9; P1 bids 8"]
    assert [frame.table["left"] for frame in shown] == [3, 2, 1, 0]
    assert all(frame.fault is None for frame in shown)


@pytest.mark.parametrize("wanted", [(), (0,), (1, 2), range(2, 9)])
def test_only_the_frames_that_are_wanted_have_a_table(wanted: Container[int]) -> None:
    record = bids(NINE, FAILS, NINE)
    whole, shown = frames(BIDS, record), frames(BIDS, record, wanted=wanted)
    assert shown == [frame if number in wanted else replace(frame, table=None) for number, frame in enumerate(whole)]


def test_the_last_frame_shows_the_fault() -> None:
    record = bids(NINE, FAILS, NINE)
    *before, last = frames(BIDS, record)
    assert len(before) == 3
    assert last.fault == record.faults[0]
    assert last.caption.startswith("P1 is disqualified: A bid is a whole number")
    assert last.table["out"] == [1]
    assert all(frame.fault is None for frame in before)


@pytest.mark.parametrize("seat", [None, 2])
def test_frames_of_comp10001_bo_are_one_a_play_and_plain_data(bo_records: list[Record], seat: int | None) -> None:
    shown = frames(BO, bo_records[0], seat)
    assert len(shown) == len(bo_records[0].plays) + 1
    tables = [json.dumps(frame.table) for frame in shown]
    assert len(set(tables)) == len(tables)
    hands = [[player["hand"] for player in frame.table["players"]] for frame in shown]
    hidden = [number for number in range(4) if all(hand[number] is None for hand in hands)]
    assert hidden == ([] if seat is None else [0, 1, 3])


def test_a_file_and_a_house_bot_can_sit_together(jail: Sandbox, trusted: Sandbox) -> None:
    bad = PlayerSpec("bad.py", b"def comp10001bo_play(*args):\n    return 0\n")
    players = [bad, *(house_bot(BO, bot.name) for bot in BO.bots[:3])]
    (record,) = play_files(BO, players, 1, 1, jail, trusted)
    assert record.seats[0] == "bad.py"
    assert [(note.seat, note.rule) for note in record.faults] == [(0, "shape")]
    assert frames(BO, record)[-1].fault == record.faults[0]
