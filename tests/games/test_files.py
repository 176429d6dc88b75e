"""Golden games, which fail on any change of the rules, and the files that every game brings."""

import re
from contextlib import closing

import pytest

from grader.comparator import compare
from grader.examples import parse_examples
from sandbox.api import Fault, Limits, Program, Sandbox, Value, Verdict, call
from tests.games.drawing import draw
from tests.games.former import former_records
from tests.games.hidden import hidden
from tournament.games import GAMES, UnknownGame, find_game
from tournament.play.golden import dump, golden_records, play_golden
from tournament.play.replay import frames, verify

GOLDEN = [(slug, name) for slug, game in GAMES.items() for name in golden_records(game)]
QUESTIONS = [(slug, question.slug) for slug, game in GAMES.items() for question in game.questions]


@pytest.mark.parametrize(("slug", "name"), GOLDEN)
def test_a_golden_game_replays_exactly(slug: str, name: str) -> None:
    verify(GAMES[slug], golden_records(GAMES[slug])[name])


@pytest.mark.parametrize(("slug", "name"), GOLDEN)
def test_the_last_frame_of_a_golden_game_counts_nothing_beyond_its_limit(slug: str, name: str) -> None:
    record = golden_records(GAMES[slug])[name]
    last = frames(GAMES[slug], record)[-1]
    counted = re.findall(r"(\d+) of (\d+)", draw(GAMES[slug], last.table))
    assert all(int(number) <= int(limit) for number, limit in counted), counted


@pytest.mark.parametrize("slug", GAMES)
def test_records_of_former_rules_replay_exactly(slug: str) -> None:
    for version in getattr(GAMES[slug], "former_deals", {}):
        records = [record for _, record in former_records(slug, version)]
        assert records
        for record in records:
            assert record.version == version != GAMES[slug].version
            verify(GAMES[slug], record)
            assert frames(GAMES[slug], record, wanted=())[-1].index == len(record.plays)


@pytest.mark.parametrize("slug", GAMES)
def test_house_bots_play_the_golden_games_to_the_letter(slug: str, trusted: Sandbox) -> None:
    game = GAMES[slug]
    played = dict(play_golden(game, trusted))
    assert set(played) == set(golden_records(game))
    for name, record in played.items():
        assert dump(record) == (game.folder / "golden" / f"{name}.json").read_text("utf-8"), name


@pytest.mark.parametrize("slug", GAMES)
def test_a_game_brings_its_files(slug: str) -> None:
    game = GAMES[slug]
    assert game.slug == slug
    assert game.version
    for name in ("README.md", "starter.py", "reference.py", "replay.html", "replay.css"):
        assert (game.folder / name).read_text("utf-8").strip(), name
    assert [bot.strength for bot in game.bots] == sorted({bot.strength for bot in game.bots})
    assert len({bot.name for bot in game.bots}) == len(game.bots) >= 4
    assert len({question.slug for question in game.questions}) == len(game.questions)
    assert any(question.qualifies for question in game.questions)
    for name in ("starter.py", "reference.py"):
        compile((game.folder / name).read_bytes(), name, "exec")


@pytest.mark.parametrize(("slug", "question_slug"), QUESTIONS)
def test_the_reference_passes_every_question(slug: str, question_slug: str, trusted: Sandbox) -> None:
    game = GAMES[slug]
    (question,) = (each for each in game.questions if each.slug == question_slug)
    program = Program(
        (game.folder / "reference.py").read_bytes(),
        {question.function: question.arities},
        game.guest.modules,
        "reference.py",
        game.guest.adapter,
    )
    session = trusted.open(program, Limits(), seed=1)
    assert not isinstance(session, Fault), session
    with closing(session):
        for case in parse_examples(question.examples, question.function) + hidden(question):
            reply = call(session, question.function, case.args)
            assert isinstance(reply, Value), (case, reply)
            assert compare(case.expected, reply.data, question.accepts).verdict == Verdict.AC, case


def test_an_unknown_game_is_an_error_that_names_the_known_ones() -> None:
    assert find_game("bo") is GAMES["bo"]
    with pytest.raises(UnknownGame, match=r"no game 'chess'; there are: .*bo"):
        find_game("chess")
