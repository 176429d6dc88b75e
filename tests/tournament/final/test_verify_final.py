"""What a record of a final proves: every change to it is found, also one that somebody signed anew."""

import gzip
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.orm import sessionmaker

from deploy.database import METADATA
from sandbox.choose import open_sandbox
from tests.tournament.finals import BOTS, CHEAT, KEY, QUICK, freeze_some, play_out, record_of
from tournament.final import finals
from tournament.final.record import signed
from tournament.final.settings import FinalSettings
from tournament.final.verify import MOST_PROBLEMS, RecordFindings, check_final_record
from tournament.games import phazed
from tournament.games.signing import new_key, public_key
from tournament.store.database import connect, writing
from tournament.work.services import Services

STRANGER = new_key()
FORMER = Path(__file__).parent / "records" / "final-1.jsonl.gz"
FORMER_KEY = "01e4b32b8c52c47615cbed00bf9e7ee8930301321bdc56754e02997a96a6e34f"
Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """Of a real final: three players of different strength and a cheat."""
    settings = FinalSettings(first_games=8, most_games=16, fault_limit=4)
    return played(tmp_path_factory.mktemp("final"), *BOTS[:3], CHEAT, settings=settings)


def played(
    folder: Path, *sources: bytes, game: str = "bo", settings: FinalSettings = QUICK, more: int = 0
) -> list[bytes]:
    """The record of a final of these students, which went on with so many `more` games after its end."""
    engine = connect(f"sqlite:///{folder / 'quadrille.db'}")
    METADATA.create_all(engine)
    sessions = sessionmaker(engine)
    services = Services(sessions, lambda task: None, open_sandbox, lambda: open_sandbox("trusted"), "worker")
    final_id = freeze_some(sessions, *sources, game=game, settings=settings)
    play_out(services)
    if more:
        with pytest.MonkeyPatch.context() as fewer, writing(sessions) as session:
            fewer.setattr(finals, "MORE_GAMES", more)
            finals.play_more(session, final_id)
        play_out(services)
    services.close_sandboxes()
    lines = record_of(sessions, final_id)
    engine.dispose()
    return lines


def test_it_is_good_as_it_is(record: list[bytes]) -> None:
    found = check_final_record(record, public_key(KEY))
    assert (found.problems, found.notes, found.public_key) == ([], [], public_key(KEY))
    assert found.faults > 0


def test_a_final_by_former_rules_is_good_while_the_game_keeps_their_deal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    formerly = partial(phazed.deal, hand_size=8)
    with pytest.MonkeyPatch.context() as former:
        former.setattr(phazed, "version", "1")
        former.setattr(phazed, "deal", formerly)
        lines = played(
            tmp_path,
            phazed.bots[0].source,
            game="phazed",
            settings=FinalSettings(first_games=4, most_games=4, fault_limit=4),
        )
    refused = check_final_record(lines, public_key(KEY)).problems
    assert any(
        "It was played by version 1 of the rules of phazed; this software has version 2." in each for each in refused
    )
    monkeypatch.setattr(phazed, "former_deals", {"1": formerly}, raising=False)
    found = check_final_record(lines, public_key(KEY))
    assert found.header is not None
    assert (found.header.rules, found.problems, found.notes) == ("1", [], [])
    assert found.games > 0


def test_a_final_keeps_the_options_of_its_game(tmp_path: Path) -> None:
    quick = FinalSettings(first_games=4, most_games=4, fault_limit=4)
    lines = played(tmp_path, BOTS[0], game="bo?stockpile_size=1", settings=quick)
    found = check_final_record(lines, public_key(KEY))
    assert found.header is not None
    assert (found.header.game, found.problems, found.notes) == ("bo?stockpile_size=1", [], [])
    first, *rest = [line.decode().rstrip("\n") for line in lines[:-1]]
    other = signed([first.replace("stockpile_size=1", "stockpile_size=2"), *rest], KEY)
    assert check_final_record(other, public_key(KEY)).problems


def test_it_tells_nothing_that_only_an_author_may_see(record: list[bytes]) -> None:
    text = b"".join(record)
    assert b"traceback" not in text
    assert b"comp10001bo_play" not in text


def test_another_key_is_told_of(record: list[bytes]) -> None:
    assert "not with the one that you named" in check_final_record(record, public_key(STRANGER)).problems[0]


def games(lines: Lines) -> Lines:
    return [game for block in lines if "block" in block for game in block["games"]]


def longest(lines: Lines) -> dict[str, Any]:
    return max(games(lines), key=lambda game: len(game["plays"]))


def change_a_play(lines: Lines) -> None:
    game = longest(lines)
    game["plays"][len(game["plays"]) // 2][1] = [0, "0S", [0, 9]]


def leave_a_play_out(lines: Lines) -> None:
    del longest(lines)["plays"][3]


def make_a_play_nonsense(lines: Lines) -> None:
    longest(lines)["plays"][0][1] = {"what": None}


def change_a_result(lines: Lines) -> None:
    game = next(game for game in games(lines) if not game["faults"])
    game["places"] = [3 - place for place in game["places"]]


def blame_somebody(lines: Lines) -> None:
    game = next(game for game in games(lines) if not game["faults"])
    game["faults"] = [{"seat": 0, "verdict": "RTE", "rule": "", "play_index": 1, "message": ""}]


def blame_nobody(lines: Lines) -> None:
    next(game for game in games(lines) if game["faults"])["faults"] = []


def blame_a_ghost(lines: Lines) -> None:
    next(game for game in games(lines) if game["faults"])["faults"][0]["seat"] = -1


def change_a_mark(lines: Lines) -> None:
    lines[-2]["standings"][1]["mark"] = 1.0


def change_a_rank(lines: Lines) -> None:
    lines[-2]["standings"][0]["rank"] = 2


def leave_a_student_out(lines: Lines) -> None:
    del lines[-2]["standings"][-1]


def swap_the_standings(lines: Lines) -> None:
    lines[-2]["standings"].reverse()


def change_a_hash(lines: Lines) -> None:
    lines[0]["entries"][0]["sha256"] = "0" * 64


def change_a_setting(lines: Lines) -> None:
    lines[0]["settings"]["marks"][0]["mark"] = 2.0


def change_the_seed(lines: Lines) -> None:
    lines[0]["seed"] += 1


def change_a_deal(lines: Lines) -> None:
    lines[1]["seed"] += 1


def leave_an_attempt_out(lines: Lines) -> None:
    del lines[1]["attempt"]


def change_an_attempt(lines: Lines) -> None:
    blocks = [line for line in lines if "block" in line]
    max(blocks, key=lambda block: sum(len(game["plays"]) for game in block["games"]))["attempt"] = 2


def change_a_bot(lines: Lines) -> None:
    lines[0]["entries"][-1]["sha256"] = "0" * 64


def leave_a_block_out(lines: Lines) -> None:
    del lines[2]


def leave_a_game_out(lines: Lines) -> None:
    del lines[1]["games"][3]


def leave_a_block_unplayed(lines: Lines) -> None:
    """As if an internal error had kept it from being played. That cannot be disproved, but the rest follows from it."""
    lines[1]["games"], lines[1]["skipped"] = [], "SandboxError"


def end_early(lines: Lines) -> None:
    del lines[-3]


def seat_others(lines: Lines) -> None:
    lines[1]["entries"] = lines[1]["entries"][::-1]


def seat_a_ghost(lines: Lines) -> None:
    lines[1]["entries"][0] = 99


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (change_a_play, "does not follow the rules"),
        (leave_a_play_out, "does not follow the rules"),
        (make_a_play_nonsense, "The recorded play 0 is refused"),
        (change_a_result, " of this block has places ("),
        (blame_somebody, "in the record; the rules lead to ended disqualified, places"),
        (blame_nobody, "does not follow the rules"),
        (blame_a_ghost, "seats that do not exist"),
        (change_a_mark, "has mark 1.0 in the record; the games lead to mark 0."),
        (change_a_rank, "has rank 2 in the record; the games lead to rank 1."),
        (leave_a_student_out, "is not in the record"),
        (swap_the_standings, "not those that the games lead to"),
        (change_a_hash, "does not follow from the header"),
        (change_a_setting, "does not follow from the header"),
        (change_the_seed, "does not follow from the header"),
        (change_a_deal, "does not follow from the header"),
        (leave_an_attempt_out, "does not name its attempt"),
        (change_an_attempt, "does not follow the rules"),
        (change_a_bot, "is not the file that this software has"),
        (leave_a_block_out, "blocks are missing or added"),
        (leave_a_game_out, "Games of this block are missing"),
        (leave_a_block_unplayed, "lead to"),
        (end_early, "It ends in the middle"),
        (seat_others, "not those that the results before them lead to"),
        (seat_a_ghost, "who do not exist"),
    ],
)
def test_a_change_is_found_even_if_it_is_signed_anew(
    record: list[bytes], change: Callable[[Lines], None], problem: str
) -> None:
    lines = [json.loads(line) for line in record]
    change(lines)
    written = [json.dumps(line, sort_keys=True, separators=(",", ":")) for line in lines]
    assert problem in " ".join(check_final_record(signed(written[:-1], STRANGER)).problems)
    unsigned = [line.encode() + b"\n" for line in written]
    told = check_final_record(unsigned).problems
    assert problem in " ".join(told)
    assert "was changed after it was signed" in " ".join(told)


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda lines: [], "cut short"),
        (lambda lines: lines[:1], "cut short"),
        (lambda lines: lines[:-1], "cut short"),
        (lambda lines: [*lines[:-1], lines[-1].rstrip()], "cut short"),
        (lambda lines: [*lines, b"{}\n"], "lines after the signature"),
        (lambda lines: [b"\xff\xfe\n", *lines[1:]], "Line 1"),
        (lambda lines: [b"not a record\n"], "Line 1"),
        (lambda lines: [b"[" * 100_000 + b"\n"], "Line 1"),
        (lambda lines: [lines[0].replace(b":", b": ", 1), *lines[1:]], 'has  [{"bot":null,'),
        (lambda lines: [lines[0].replace(b'"bo"', b'"chess"'), *lines[1:]], "There is no game 'chess'"),
        (lambda lines: [lines[0].replace(b'"rules":"', b'"rules":"0.'), *lines[1:]], "version 0."),
        (lambda lines: [lines[0], lines[1].replace(b"0.0", b"NaN")], "Line 2"),
        (lambda lines: [*lines[:-1], lines[-1].replace(b'"signature":"', b'"signature":"00')], "does not fit"),
    ],
)
def test_damage_is_told_and_never_raises(
    record: list[bytes], damage: Callable[[list[bytes]], list[bytes]], problem: str
) -> None:
    assert problem in " ".join(check_final_record(damage(record)).problems)


def test_the_problems_told_are_bounded(record: list[bytes]) -> None:
    lines = [json.loads(line) for line in record]
    for game in games(lines):
        game["ended"] = "otherwise"
    written = [json.dumps(line, sort_keys=True, separators=(",", ":")) for line in lines]
    found: RecordFindings = check_final_record(signed(written[:-1], KEY))
    assert MOST_PROBLEMS < len(found.problems) <= MOST_PROBLEMS + 3


def test_other_software_is_no_fault_of_the_record(record: list[bytes]) -> None:
    lines = [json.loads(line) for line in record]
    lines[-2]["software"]["numpy"] = "1.0"
    seat_others(lines)
    found = check_final_record(
        signed([json.dumps(line, sort_keys=True, separators=(",", ":")) for line in lines[:-1]], KEY)
    )
    assert "numpy 1.0" in found.notes[0]
    assert not any("tables" in problem for problem in found.problems)


def test_a_record_of_before_games_had_fresh_deals_is_as_good_as_ever() -> None:
    """Made by the last Quadrille that played one deal in all seatings of a block."""
    with gzip.open(FORMER) as file:
        found = check_final_record(file, FORMER_KEY)
    assert (found.problems, found.notes) == ([], [])
    assert (found.blocks, found.games, found.faults, found.void) == (5, 20, 4, 0)


def test_a_record_can_be_read_from_a_file(record: list[bytes], tmp_path: Path) -> None:
    path = tmp_path / "final.jsonl"
    path.write_bytes(b"".join(record))
    with path.open("rb") as file:
        assert check_final_record(file).problems == []


@pytest.fixture(scope="module")
def amended(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """Of a final that had ended, and then went on with four more games for everybody near a line."""
    short = FinalSettings(first_games=4, most_games=4, fault_limit=4)
    return played(tmp_path_factory.mktemp("amended"), *BOTS[:4], settings=short, more=4)


def test_a_final_may_go_on_and_its_record_says_so(amended: list[bytes]) -> None:
    found = check_final_record(amended, public_key(KEY))
    assert found.problems == []
    assert ["raised from 4 to 8 games" in note for note in found.notes] == [True]
    assert any(json.loads(line).get("round", 0) > 0 and b'"block"' in line for line in amended)


def leave_it_out(lines: Lines) -> None:
    del lines[_amendment(lines)]


def make_it_earlier(lines: Lines) -> None:
    lines.insert(1, lines.pop(_amendment(lines)))


def raise_it_more(lines: Lines) -> None:
    lines[_amendment(lines)]["most_games"] = 40


def lower_it(lines: Lines) -> None:
    lines[_amendment(lines)]["most_games"] = 4


def drop_its_games(lines: Lines) -> None:
    del lines[_amendment(lines) + 1 : -2]


def _amendment(lines: Lines) -> int:
    return next(number for number, line in enumerate(lines) if "amended_at" in line)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (leave_it_out, "It ends in the middle"),
        (make_it_earlier, "the final had not ended"),
        (raise_it_more, "there were more games to play"),
        (lower_it, "no more games than before"),
        (drop_its_games, "It ends in the middle"),
    ],
)
def test_an_amendment_cannot_be_changed(amended: list[bytes], change: Callable[[Lines], None], problem: str) -> None:
    lines = [json.loads(line) for line in amended]
    change(lines)
    written = [json.dumps(line, sort_keys=True, separators=(",", ":")) for line in lines[:-1]]
    assert problem in " ".join(check_final_record(signed(written, STRANGER)).problems)
