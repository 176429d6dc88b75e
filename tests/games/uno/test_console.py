"""The console game against the seed's Sample Runs.

`sample_run_1.txt` and `sample_run_2.txt` are the seed's text as it is: rulers, some `Turn N:` lines and many spaces of
the original printout did not survive in it, signs for the Enter key were added, and repeated cards were lost (LOST).
`sample_deal.txt` is the pack that the seeds of both samples deal: the hands, the first discard and the draw pile of
`Sample Run 2`. The men's first answers in `sample_run_1_answers.txt` are the seed's; those of the turns that it leaves
out lead to the ending that it prints.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.games.uno.tables import table
from tournament.games.uno.console import (
    BadDeal,
    GameSettings,
    Prompt,
    console,
    read_pack,
    run_console,
    shuffled_pack,
    table_dialogue,
)
from tournament.games.uno.pack import PACK
from tournament.games.uno.state import UnoState

HERE = Path(__file__).parent
ENTER = "↩⁴↵←€"
LEFT_OUT = "... (too long, skipped)\n"
LOST = {
    1: [],
    2: [("[WD]=50 [WC]=50\n[WC]=50", "[WD]=50 [WC]=50 [WD]=50\n[WC]=50")],
}
ANSWERS = {1: (HERE / "sample_run_1_answers.txt").read_text("utf-8").split("\n"), 2: ["987654321", "y", "", "0 3"]}


def printed(answers: list[str]) -> str:
    """The terminal after the game: the printout with the answers typed into it."""
    screen, given, text = console(), iter(answers), ""
    for shown in screen:
        while isinstance(shown, Prompt):
            answer = next(given)
            text += f"{shown}{answer}\n"
            shown = screen.send(answer)
        text += f"{shown}\n"
    return text


def sample(number: int) -> str:
    text = (HERE / f"sample_run_{number}.txt").read_text("utf-8")
    for found, whole in LOST[number]:
        assert found in text
        text = text.replace(found, whole)
    return "".join(line.rstrip(ENTER) + "\n" for line in text.splitlines())


def parts(text: str, last: int, first: int) -> tuple[str, str]:
    """The printout up to turn `last`, and from turn `first` on, as the seed cuts it."""
    return text[: text.index(f"Turn {last + 1}:")], text[text.index(f"Turn {first}:") :]


def lines(text: str) -> list[str]:
    """The lines without those that the seed lost in part: rulers and numbers of turns."""
    stripped = (" ".join(line.split()) for line in text.splitlines())
    return [line for line in stripped if line.strip("_-=*") and not re.fullmatch(r"Turn \d+:", line)]


def words(text: str) -> list[str]:
    """The words of these lines; a hand of hidden cards counts as one, for the seed lost some of them."""
    return re.sub(r"(\[Uno\]\s*)+", "[Uno] ", " ".join(lines(text))).split()


def turns(text: str) -> Iterator[tuple[str, str]]:
    """Each number of a turn with the line below it."""
    kept = [line.strip() for line in text.splitlines() if line.strip().strip("_-=")]
    for index, line in enumerate(kept):
        if re.fullmatch(r"Turn \d+:", line):
            yield line, " ".join(kept[index + 1].split())


def test_sample_run_2_line_by_line() -> None:
    ours, seeds = parts(printed(ANSWERS[2]), 12, 97), sample(2).split(LEFT_OUT)
    assert lines(ours[0]) == lines(seeds[0])
    assert lines(ours[1]) == lines(seeds[1])
    assert [len(lines(part)) for part in ours] == [76, 22]


def test_the_final_tables_have_the_layout_of_the_course() -> None:
    """The words are the seed's, see above; it lost spaces of the points, and two signs of the rulers."""
    assert printed(ANSWERS[2]).endswith(
        "Discarded [R8]\n**********\nGame Over!\n**********\n"
        "Player 1 (Bot) owes   25 point(s): [RD] [R5]\nPlayer 2 (Bot) owes   40 point(s): [RS] [YD]\n"
        "Player 3 (Bot) owes    0 point(s):\nThe winner is Player 3 (Bot)!\n"
    )
    assert "owes   47 point(s): [BD] [BS] [B7]\n" in printed(ANSWERS[1])
    assert "owes  109 point(s): [R1] [B2]" in printed(ANSWERS[1])


def test_a_deck_is_printed_in_columns() -> None:
    text = printed(ANSWERS[2])
    assert "\n[R0]=0  [R1]=1  [R2]=2  [R3]=3  [R4]=4  [R5]=5  [R6]=6  [R7]=7  [R8]=8  [R9]=9\n[RR]=20 [RS]=20 " in text


def test_sample_run_1_word_by_word() -> None:
    ours, seeds = parts(printed(ANSWERS[1]), 11, 75), sample(1).split(LEFT_OUT)
    assert words(ours[0]) == words(seeds[0])
    assert words(ours[1]) == words(seeds[1])


@pytest.mark.parametrize("number", [1, 2])
def test_the_numbers_of_the_turns(number: int) -> None:
    ours = dict(turns(printed(ANSWERS[number])))
    assert list(ours) == [f"Turn {turn}:" for turn in range(1, {1: 77, 2: 101}[number])]
    kept = dict(turns(sample(number)))
    assert kept.items() <= ours.items()
    assert len(kept) >= 8


def test_the_answers_to_sample_run_1_are_the_seeds_where_it_gives_them() -> None:
    typed = re.findall(r"(?:Enter option|Choose a color \[R, Y, G, B\]): (\S*)", sample(1))
    assert ANSWERS[1][4:14] + ANSWERS[1][-2:-1] == typed


def test_sample_run_1_lays_a_mans_cards_out_as_described() -> None:
    text = printed(ANSWERS[1])
    assert "\n [0][GD]  [x][R6]  [x][BD]  [3][GS]  [4][G9]  [x][YD]  [x][Y6]  [D]raw\nEnter option: 0\n" in text


# Single turns


def screen(state: UnoState, settings: GameSettings, answers: list[str]) -> list[str]:
    """The lines from the first turn's player on."""
    given, shown = iter(answers), []
    game = table_dialogue(state, settings)
    for line in game:
        while isinstance(line, Prompt):
            shown.append(str(line))
            line = game.send(next(given))
        shown.append(line)
    return shown[shown.index("-" * 57) + 1 :]


def man_and_bot(state: UnoState, *answers: str, debug: bool = False) -> list[str]:
    """One turn of a man against a bot."""
    state.max_turns = 1
    shown = screen(state, GameSettings(1, debug, 1, 1, 1), list(answers))
    return shown[: shown.index("*" * 10)]


def bots(state: UnoState, *, debug: bool) -> list[str]:
    state.max_turns = 1
    shown = screen(state, GameSettings(1, debug, 1, 0, 2), [])
    return shown[: shown.index("*" * 10)]


@pytest.mark.parametrize(
    ("cards", "ends"),
    [
        (9, ["  [x][B1]  [D]raw"]),
        (10, ["  [x][B1]", " [D]raw"]),
        (11, ["  [x][B1]", " [x][B1]  [D]raw"]),
        (20, ["  [x][B1]", " [D]raw"]),
    ],
)
def test_after_ten_cards_the_option_to_draw_has_a_line_of_its_own(cards: int, ends: list[str]) -> None:
    shown = man_and_bot(table(f"R6 {'B1 ' * (cards - 1)}| Y1", draw="B2"), "D")
    listed = shown[1 : shown.index("Enter option: ")]
    assert [line[-len(end) :] for line, end in zip(listed[-len(ends) :], ends, strict=True)] == ends


@pytest.mark.parametrize("answer", ["D", "d", " d "])
def test_a_man_draws_a_card_that_does_not_match(answer: str) -> None:
    shown = man_and_bot(table("R6 B1 | Y1", draw="B2"), answer)
    assert shown[1:] == [" [0][R6]  [x][B1]  [D]raw", "Enter option: ", "Player 1 (Man) drawn 1 card(s).", "Drawn [B2]"]


def test_a_man_draws_a_card_that_must_be_played() -> None:
    shown = man_and_bot(table("R6 | Y1", draw="WC B2"), "D", "?", "b")
    assert shown[3:] == [
        "Player 1 (Man) drawn 1 card(s).",
        "Drawn [WC]",
        "Discarded [WC]",
        "Choose a color [R, Y, G, B]: ",
        "Invalid option!",
        "Choose a color [R, Y, G, B]: ",
        "Color changed to Blue!",
    ]


@pytest.mark.parametrize("answer", ["1", "2", "-1", "x", "", "DD", "0 0", "²", "+0", "9" * 5000])
def test_an_answer_that_is_no_option_is_asked_again(answer: str) -> None:
    shown = man_and_bot(table("R6 B1 | Y1", draw="B2"), answer, "0")
    assert shown[2:] == ["Enter option: ", "Invalid option!", "Enter option: ", "Discarded [R6]"]


def test_a_man_cannot_draw_from_an_empty_pile() -> None:
    shown = man_and_bot(table("R6 B1 | Y1"), "D", "0")
    assert shown[1:5] == [" [0][R6]  [x][B1]", "Enter option: ", "Invalid option!", "Enter option: "]


def test_a_man_who_can_do_nothing_passes_unasked() -> None:
    assert man_and_bot(table("G6 B1 | Y1"))[1:] == [" [x][G6]  [x][B1]", "Turn passed!"]


def test_ten_cards_a_line_and_two_digits() -> None:
    hand = "R0 R1 R2 R3 R4 R6 R7 R8 R9 G1 G2 RS"
    first, second = man_and_bot(table(f"{hand} | Y1", draw="B2"), "11")[1:3]
    assert (first.count("[R"), first[:9]) == (9, " [0][R0] ")
    assert second == " [x][G2] [11][RS]  [D]raw"


def test_a_bot_hides_its_cards() -> None:
    assert bots(table("B1 G6 | Y1", draw="B2"), debug=False)[1:] == ["[Uno] [Uno]", "Player 1 (Bot) drawn 1 card(s)."]


def test_a_bot_shows_its_cards_in_debug_mode() -> None:
    shown = bots(table("B1 G6 | Y1", draw="R2"), debug=True)
    assert shown[1:] == ["[B1] [G6]", "Player 1 (Bot) drawn 1 card(s).", "Drawn [R2]", "Discarded [R2]"]


def test_a_bots_hand_is_one_line_however_long() -> None:
    hand = "R0 R1 R2 R3 R4 R6 R7 R8 R9 G1 G2 RS"
    assert bots(table(f"{hand} | Y1"), debug=True)[1] == " ".join(f"[{card}]" for card in hand.split())
    assert bots(table(f"{hand} | Y1"), debug=False)[1] == " ".join(["[Uno]"] * 12)


@pytest.mark.parametrize(
    ("left", "said"),
    [
        ("", ["No more cards on draw pile!"]),
        ("B2", ["Player 1 (Bot) drawn 1 card(s)."]),
        ("B2 B3", ["Player 1 (Bot) drawn 2 card(s)."]),
    ],
)
def test_who_must_draw_from_an_empty_pile_is_told(left: str, said: list[str]) -> None:
    state = table("R6 B1 | Y1", draw=left)
    state.skipped, state.to_draw = True, 2
    assert bots(state, debug=True)[1:] == [*said, "Turn skipped!"]


def test_the_header_of_a_turn_has_its_rules_and_padding() -> None:
    shown = printed(ANSWERS[2]).splitlines()
    at = shown.index("Turn 4:")
    assert shown[at - 1 : at + 3] == [
        "=" * 57,
        "Turn 4:",
        "Discard Pile: [RD]  Current Color: Red     Draw Pile: 48",
        "-" * 57,
    ]
    assert "Discard Pile: [WD]  Current Color: Yellow  Draw Pile: 46" in shown


def test_a_bot_plays_the_first_card_that_matches() -> None:
    assert bots(table("B1 WC R6 | Y1", draw="R2"), debug=True)[2:] == ["Discarded [WC]", "Color changed to Red!"]


def test_the_game_stops_at_the_turns_asked_for() -> None:
    text = printed(["1", "N", "3", "0 5"])
    assert text.count("Turn ") - text.count("Turn skipped!") == 3
    assert "Max. turns: 3\n" in text


# What is asked


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (["", "n", "1", "0 2"], "Seed: 123"),
        *(
            ([wrong, "7", "n", "1", "0 2"], "Invalid option!\nEnter seed (or hit Enter): 7\nSeed: 7")
            for wrong in ("x", "-1", "4294967296", "1 2")
        ),
        (["4294967295", "n", "1", "0 2"], "Seed: 4294967295"),
        (["1", "maybe", "Y", "1", "0 2"], "Invalid option!\nPlay in debug mode (Y/N)? Y\nDebug mode: true"),
        (["1", "", "n", "1", "0 2"], "Invalid option!\nPlay in debug mode (Y/N)? n\nDebug mode: false"),
        (["1", "n", "0", "1", "0 2"], "Invalid option!\nMax. turns to play: 1\nMax. turns: 1"),
        *(
            (["1", "n", "1", wrong, "0 2"], "Invalid option!\nEnter # man and bot players: 0 2\n#Men: 0; #Bots: 2")
            for wrong in ("1 0", "3 3", "-1 3", "2", "1 1 1", "two", "")
        ),
    ],
)
def test_settings_are_asked_until_they_make_sense(answers: list[str], said: str) -> None:
    assert said in printed(answers)


def test_the_seeds_of_the_samples_deal_the_same_and_others_their_own() -> None:
    sample_deal = read_pack((HERE / "sample_deal.txt").read_text("utf-8"))
    assert shuffled_pack(123) == shuffled_pack(987654321) == sample_deal
    others = [shuffled_pack(seed) for seed in (0, 1, 122, 2**32 - 1)]
    assert all(sorted(other) == sorted(PACK) for other in others)
    assert len({tuple(other) for other in [*others, sample_deal, PACK]}) == 6


def test_the_same_seed_deals_the_same_game() -> None:
    texts = []
    for seed in ("5", "5", "6"):
        given = iter([seed, "y", "", "0 4"])
        shown: list[str] = []
        run_console(lambda prompt, given=given: next(given), shown.append)
        texts.append(shown[1:])
    assert texts[0] == texts[1] != texts[2]


# A deal of one's own


def test_a_deal_may_be_copied_from_the_printout() -> None:
    text = " ".join(f"[{card}]" for card in PACK[:40]) + "\n" + " ".join(f"[{card}]=7" for card in PACK[40:])
    assert read_pack(text) == list(PACK)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "A pack has 1 of R0, and this deal 0."),
        ("R0 " + " ".join(PACK), "A pack has 1 of R0, and this deal 2."),
        ("XX", "'XX' is not a card"),
        ("W5", "'W5' is not a card"),
        ("[R0", "A pack has"),
        ("R10", "'R10' is not a card"),
    ],
)
def test_a_deal_that_is_no_pack(text: str, message: str) -> None:
    with pytest.raises(BadDeal, match=re.escape(message)):
        read_pack(text)
