"""The watch finds those who play for each other, and leaves honest fields in peace."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournament.watch.fields import Field, play_field
from tournament.ranking.plackett_luce import PlayedBlock
from tournament.watch.collusion import (
    FALSE_SHARE,
    LEAST_BLOCKS,
    CollusionFindings,
    Suspicion,
    SuspicionKind,
    find_suspicions,
    telling_games,
)


def found(field: Field) -> CollusionFindings:
    return find_suspicions(field.blocks, field.ratings, field.authors)


# Who is found


@pytest.mark.parametrize("seed", range(6))
def test_a_player_that_is_helped_is_found_with_its_helper(seed: int) -> None:
    field = play_field(24, 2400, seed, helping=[(3, 7)], help_=1.0, sacrifice=0.5)
    first, *others = found(field).suspicions
    assert (first.kind, first.one, first.other) == (SuspicionKind.HELPS, 3, 7)
    assert others == []
    assert first.wins > first.expected + 3 * first.expected**0.5
    assert first.chance < FALSE_SHARE
    assert first.games == 4 * first.blocks


@pytest.mark.parametrize("seed", range(6))
def test_players_that_help_each_other_are_found(seed: int) -> None:
    field = play_field(24, 2400, seed, helping=[(3, 7), (7, 3)], help_=1.2)
    assert [{each.one, each.other} for each in found(field).suspicions] == [{3, 7}]


@pytest.mark.parametrize("seed", [0, 1, 2, 4])
def test_a_player_that_plays_against_another_is_found(seed: int) -> None:
    """It costs the other one 18 to 24 points of its win rate, and itself a little."""
    field = play_field(24, 2400, seed, helping=[(3, 7)], help_=-1.0, sacrifice=0.3)
    findings = found(field)
    (named,) = findings.suspicions
    assert (named.kind, named.one, named.other) == (SuspicionKind.AGAINST, 3, 7)
    assert named.wins < named.expected - 2 * named.expected**0.5
    assert named.chance < FALSE_SHARE
    own = [block for block in field.blocks if {103, 107} <= set(block.entries)]
    telling = telling_games(named, own, field.ratings, field.authors, 5)
    assert all(game.surplus < 0 for game in telling), "those that it lost"


def test_several_pairs_are_found_at_once() -> None:
    pairs = [(0, 1), (2, 3), (4, 5)]
    field = play_field(24, 2400, 1, helping=pairs, help_=1.5)
    assert {(each.one, each.other) for each in found(field).suspicions} == set(pairs)


def test_where_all_places_are_played_for_the_first_still_tells() -> None:
    field = play_field(24, 2400, 2, helping=[(3, 7)], help_=1.5, full_order=True)
    assert [(each.one, each.other) for each in found(field).suspicions] == [(3, 7)]


# Who is left in peace


@pytest.mark.full
@pytest.mark.parametrize(
    ("players", "blocks", "more"),
    [(12, 500, {}), (24, 1500, {}), (60, 2500, {}), (24, 1000, {"full_order": True}), (24, 1000, {"faulty": 0.1})],
    ids=["small", "long", "large", "all places", "with faults"],
)
def test_honest_fields_raise_no_more_alarms_than_is_said(players: int, blocks: int, more: dict[str, bool]) -> None:
    """Of 30 fields of each kind, 0.3 may be expected to have any: two would be too many. The seeds are fixed."""
    alarms = sum(bool(found(play_field(players, blocks, 1000 + seed, **more)).suspicions) for seed in range(30))
    assert alarms <= 1


def test_a_weak_player_that_loses_to_everybody_helps_nobody() -> None:
    """Losing is no crime: what a strength explains is no surplus."""
    field = play_field(16, 1500, 4)
    weakest = min(field.ratings, key=lambda entry: field.ratings[entry])
    assert not [each for each in found(field).suspicions if each.one == field.authors.get(weakest)]


# Too little to tell


def test_with_few_games_nothing_is_tested_and_nobody_named() -> None:
    findings = found(play_field(60, 60, 0, helping=[(3, 7)], help_=3.0))
    assert (findings.suspicions, findings.tested, findings.detectable) == ([], 0, None)
    assert findings.pairs > 100


def test_without_games_there_is_nothing() -> None:
    assert find_suspicions([], {}, {}) == CollusionFindings([], 0, 0, 0, None)
    assert find_suspicions([PlayedBlock(1, (1, 2, 3, 4), "0" * 16)], {}, {1: 1, 2: 2, 3: 3, 4: 4}).suspicions == []


def test_whoever_always_sits_with_each_other_cannot_be_told_from_a_strong_player() -> None:
    field = play_field(3, 200, 0, helping=[(0, 1)], help_=3.0)
    assert found(field).tested == 0, "three students and a house bot are one table"


def test_games_between_students_are_counted_whoever_won() -> None:
    field = play_field(24, 300, 0)
    assert found(field).games == 4 * len(field.blocks)
    alone = {101: 1}
    assert find_suspicions(field.blocks, field.ratings, alone).games == 0, "house bots are no students"


def test_what_could_be_found_is_said() -> None:
    little, much = (found(play_field(24, blocks, 0)) for blocks in (700, 3000))
    for more, fewer in ((much.detectable, little.detectable), (much.detectable_less, little.detectable_less)):
        assert more is not None
        assert fewer is not None
        assert 0.05 < more < fewer < 0.5
    assert 0 < much.unseen < little.unseen < 1, "who hardly wins cannot be seen to lose"


def test_versions_of_a_student_are_one_and_never_a_pair() -> None:
    field = play_field(24, 2400, 3, helping=[(3, 7)], help_=1.5)
    later = {block.id: tuple(id_ + 1000 * (block.id % 2) for id_ in block.entries) for block in field.blocks}
    blocks = [PlayedBlock(block.id, later[block.id], block.finish) for block in field.blocks]
    authors = {entry + more: author for entry, author in field.authors.items() for more in (0, 1000)}
    ratings = {entry + more: rating for entry, rating in field.ratings.items() for more in (0, 1000)}
    (named,) = find_suspicions(blocks, ratings, authors).suspicions
    assert (named.one, named.other) == (3, 7)


@given(st.lists(st.tuples(st.permutations([101, 102, 103, 104, 1]), st.text("012", min_size=16, max_size=16))))
@settings(max_examples=50, deadline=None)
def test_whatever_was_played_it_gives_an_answer(games: list[tuple[list[int], str]]) -> None:
    blocks = [PlayedBlock(number, tuple(ids[:4]), finish) for number, (ids, finish) in enumerate(games)]
    findings = find_suspicions(blocks, {}, {id_: id_ for id_ in (101, 102, 103, 104)})
    assert all(0 <= each.chance <= FALSE_SHARE for each in findings.suspicions)
    assert findings.pairs >= findings.tested


def test_the_order_of_the_blocks_changes_nothing() -> None:
    field = play_field(16, 1500, 5, helping=[(3, 7)], help_=1.5)
    there = found(field)
    back = find_suspicions(field.blocks[::-1], field.ratings, field.authors)
    assert [(each.one, each.other) for each in there.suspicions] == [(each.one, each.other) for each in back.suspicions]
    assert np.allclose([each.chance for each in there.suspicions], [each.chance for each in back.suspicions])


# The games to look at


def test_the_games_that_tell_most_come_first() -> None:
    """1 wins all four games of the second block, against strong opponents."""
    authors = {1: 1, 2: 2, 3: 3, 4: 4}
    ratings = {1: 1100.0, 2: 1500.0, 3: 1500.0, 4: 1500.0}
    blocks = [
        PlayedBlock(7, (2, 1, 3, 4), "1222" * 4),
        PlayedBlock(8, (1, 2, 3, 4), "1222" * 2 + "2122" + "1122"),
        PlayedBlock(9, (1, 3, 4), "122" * 3),
    ]
    suspicion = Suspicion(SuspicionKind.HELPS, 2, 1, 2, 8, 2, 0.1, 0.001)
    games = telling_games(suspicion, blocks, ratings, authors, limit=3)
    assert [(game.block, game.seating) for game in games] == [(8, 0), (8, 1), (7, 0)]
    assert games[0].surplus == pytest.approx(1 - 0.1 / 3.1)
    together = telling_games(
        Suspicion(SuspicionKind.TOGETHER, 1, 2, 2, 8, 7, 3.0, 0.001), blocks, ratings, authors, limit=9
    )
    assert len(together) == 7, "a game without a single winner tells nothing"
    assert LEAST_BLOCKS > 2
