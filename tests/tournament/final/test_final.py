"""Whom a final seats, when it ends, and the standings that follow: properties of whole finals of made-up players."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournament.final.rounds import (
    Contender,
    GameOutcome,
    Scoreboard,
    Stage,
    doubtful,
    final_standings,
    next_round,
    wanting,
)
from tournament.final.settings import BadFinalSettings, FinalSettings, parse_settings
from tournament.final.status import BlocksLeft, blocks_left
from tournament.ladder.schedule import Meetings
from tournament.play.record import hashed_seed
from tournament.play.table import seatings
from tournament.ranking.ranks import Tally
from tournament.store.tables import Ranking
from tournament.work.backlog import pace

SMALL = FinalSettings(first_games=20, most_games=60, fault_limit=5)


class MadeUp:
    """A final of players of known strength; those in `cheats` are at fault in every game."""

    def __init__(
        self, strengths: list[float], rules: FinalSettings, cheats: set[int] = frozenset(), bots: int = 3
    ) -> None:  # type: ignore[assignment]
        self.strengths, self.rules, self.cheats = [*strengths, *[0.0] * bots], rules, cheats
        self.board = Scoreboard([index >= len(strengths) for index in range(len(self.strengths))])
        self.met = Meetings(range(len(self.strengths)))
        self.rounds: list[list[tuple[int, ...]]] = []
        self.stages: list[Stage] = []

    def play(self, order: int = 0) -> "MadeUp":
        """To the end. `order`: the blocks of each round come in shuffled by it."""
        while True:
            contenders = self.board.contenders()
            tables = next_round(
                self.rules, (4, 3, 2), contenders, self.met, hashed_seed("root", "round", len(self.rounds))
            )
            if not tables:
                return self
            self.stages.append(wanting(self.rules, contenders)[0])
            numbered = list(enumerate(tables, sum(map(len, self.rounds))))
            Random(order).shuffle(numbered)
            for number, table in numbered:
                self.board.add_block(table, self._games(table, Random(hashed_seed("root", "block", number))))
            self.met.add(tables)
            self.rounds.append(tables)

    def _games(self, table: tuple[int, ...], rng: Random) -> list[GameOutcome]:
        return [self._game(seats, rng) for seats in seatings(table)]

    def _game(self, seats: tuple[int, ...], rng: Random) -> GameOutcome:
        faults = [seat for seat, entry in enumerate(seats) if entry in self.cheats]
        luck = [rng.gauss(self.strengths[entry]) for entry in seats]
        places = [1 + sum(other > own for other in luck) for own in luck]
        return GameOutcome(seats, places, [1 / 3 * (place == 1) for place in places], faults)


def strengths(number: int) -> list[float]:
    return [4 * index / max(1, number - 1) for index in range(number)]


def test_everybody_plays_the_first_stage_and_then_whoever_is_near_a_line() -> None:
    made = MadeUp(strengths(12), SMALL).play()
    games = [each.tally.games for each in made.board.contenders() if not each.house]
    assert min(games) >= SMALL.first_games
    assert made.stages == sorted(made.stages, key=[Stage.FIRST, Stage.LINES].index), "one stage after the other"
    assert Stage.LINES in made.stages
    _, wanted = wanting(SMALL, made.board.contenders())
    assert not wanted
    for index in doubtful(SMALL, made.board.contenders()):
        assert games[index] >= SMALL.most_games, "whoever is still near a line has played all that may be played"


def test_few_play_on_when_the_lines_are_clear() -> None:
    """Two groups that never beat each other, and one line between them."""
    rules = parse_settings({"first_games": 200, "most_games": 400, "bands": 2})
    made = MadeUp([0.0] * 8 + [50.0] * 8, rules).play()
    assert Stage.LINES not in made.stages


@settings(deadline=None, max_examples=25)
@given(
    st.integers(1, 9),
    st.sets(st.integers(0, 8), max_size=9),
    st.sampled_from(list(Ranking)),
    st.integers(0, 100),
)
def test_every_final_ends_the_same_in_whatever_order_results_come_in(
    number: int, cheats: set[int], ranking: Ranking, order: int
) -> None:
    rules = FinalSettings(first_games=8, most_games=24, fault_limit=5, ranking=ranking)
    cheats = {index for index in cheats if index < number}
    one = MadeUp(strengths(number), rules, cheats).play()
    other = MadeUp(strengths(number), rules, cheats).play(order)
    names = [f"Player {index}" for index in range(number + 3)]
    ended = final_standings(rules, names, one.board.contenders())
    assert one.rounds == other.rounds
    assert ended == final_standings(rules, names, other.board.contenders())
    assert {line.entry for line in ended} == set(range(number))
    assert {line.entry for line in ended if not line.survived} == cheats
    for line in ended:
        assert (line.mark == 0) == (not line.survived)
    for better, worse in pairwise(line for line in ended if line.survived):
        assert better.rank is not None
        assert worse.rank is not None
        assert better.rank <= worse.rank


def test_a_cheat_is_out_after_the_round_of_its_last_fault_and_sits_nowhere_later() -> None:
    made = MadeUp(strengths(8), SMALL, {3}).play()
    rounds = [index for index, tables in enumerate(made.rounds) if any(3 in table for table in tables)]
    assert rounds == [0, 1]
    (line,) = [line for line in final_standings(SMALL, [""] * 11, made.board.contenders()) if line.entry == 3]
    assert (line.survived, line.rank, line.mark, line.faults) == (False, None, 0.0, line.games)


def test_house_bots_sit_only_where_students_are_lacking() -> None:
    assert all(max(table) < 4 for tables in MadeUp(strengths(4), SMALL).play().rounds for table in tables)
    assert all(sorted(table) == [0, 1, 2, 3] for tables in MadeUp([1.0], SMALL).play().rounds for table in tables)


def test_one_entry_alone_gets_the_best_mark_if_it_survives() -> None:
    (line,) = final_standings(SMALL, ["A", "", "", ""], MadeUp([1.0], SMALL).play().board.contenders())
    assert (line.rank, line.ranks, line.mark) == (1, (1, 1), 1.0)


def test_equals_share_a_rank_and_its_mark() -> None:
    same = [Contender(Tally(40, 20, 80, 20.0, blocks=10, products={})) for _ in range(4)]
    assert [line.mark for line in final_standings(SMALL, list("ABCD"), same)] == [1.0] * 4


def test_who_has_no_games_that_count_has_no_mark() -> None:
    contenders = [Contender(Tally(40, 20)), Contender(Tally(0, 0), seated=60)]
    assert [line.mark for line in final_standings(SMALL, list("AB"), contenders)] == [1.0, None]


@pytest.mark.parametrize(
    ("given_", "field", "problem"),
    [
        ({"first_games": "3"}, "first_games", "at least 4"),
        ({"first_games": "many"}, "first_games", "must be a whole number"),
        ({"first_games": "100", "most_games": "50"}, "most_games", "less than the first stage's 100 games"),
        ({"first_games": "10", "fault_limit": "11"}, "fault_limit", "would remove nobody"),
        ({"fault_limit": "0"}, "fault_limit", "at least 1"),
        ({"ranking": "beauty"}, "ranking", "win rate, place or points"),
        ({"bands": "0"}, "bands", "1 to 100 bands"),
        ({"bands": "ten"}, "bands", "1 to 100 bands"),
        ({"marks": "top 3 = 1"}, "marks", "The last line must be"),
    ],
)
def test_settings_that_make_no_sense_are_refused_near_their_field(
    given_: dict[str, str], field: str, problem: str
) -> None:
    with pytest.raises(BadFinalSettings) as caught:
        parse_settings(given_)
    assert list(caught.value.problems) == [field]
    assert problem in caught.value.problems[field]


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(BadFinalSettings) as caught:
        parse_settings({"first_games": "0", "fault_limit": "-1", "marks": "x"})
    assert set(caught.value.problems) == {"first_games", "fault_limit", "marks"}


def test_empty_fields_have_their_usual_values() -> None:
    assert parse_settings({"first_games": "", "most_games": "", "marks": " ", "bands": ""}) == FinalSettings()


def test_settings_survive_json() -> None:
    rules = parse_settings({"marks": "top 3 = 20\nrest = 4", "ranking": "points"})
    assert FinalSettings.model_validate_json(rules.model_dump_json()) == rules


# What is left


def test_the_estimate_holds_what_is_then_played() -> None:
    made = MadeUp(strengths(12), SMALL, bots=0)
    left = blocks_left(SMALL, 4, made.board.contenders())
    assert left == BlocksLeft(least=15, most=45, stage=Stage.FIRST)
    played = sum(map(len, made.play().rounds))
    assert left.least <= played <= left.most + 3  # a table takes one more where their number does not divide by four
    assert blocks_left(SMALL, 4, made.board.contenders()) == BlocksLeft(0, 0)


@pytest.mark.parametrize(
    ("finished", "expected"),
    [
        ([], None),
        ([float(second) for second in range(8)], None),
        ([float(second) for second in range(20)], 1.0),
        ([*(float(second) for second in range(20)), *(5000.0 + second for second in range(20))], 1.0),
        ([*(float(second) for second in range(20)), *(-5000.0 + second for second in range(20))], 1.0),
        ([0.0, 0.0, 2.0] * 10, 1.0),
    ],
)
def test_pauses_and_clocks_that_jump_do_not_spoil_the_pace(finished: list[float], expected: float | None) -> None:
    assert pace(finished) == expected


@pytest.mark.parametrize(("students", "least"), [(1, 5), (3, 5), (4, 5), (8, 10)])
def test_the_estimate_knows_that_house_bots_fill_tables(students: int, least: int) -> None:
    made = MadeUp(strengths(students), SMALL)
    assert blocks_left(SMALL, 4, made.board.contenders()).least == least
