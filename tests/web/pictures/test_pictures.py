"""Pictures: scales, ticks and marks, as tables."""

from datetime import UTC, datetime
from itertools import pairwise
from xml.etree import ElementTree
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from web.overview.standings import sparkline
from web.pictures.lines import Curve, Marker, Stretch, apart, line_picture
from web.pictures.picture import Picture, Scale, number_axis, share_axis, thinned, ticks, time_axis
from web.pictures.rows import PictureRow, row_picture
from web.site.languages import speaking

NASTY = '<script>"&\u202e'


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (0, 1, 6, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 1, 3, [0, 0.5, 1]),
        (0, 400, 6, [0, 100, 200, 300, 400]),
        (3, 17, 5, [5, 10, 15]),
        (-1, 1, 5, [-1, -0.5, 0, 0.5, 1]),
        (7, 7, 5, [7]),
    ],
)
def test_ticks_are_round(low: float, high: float, most: int, expected: list[float]) -> None:
    assert ticks(low, high, most) == expected


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 12))
def test_ticks_are_few_and_within(low: float, span: float, most: int) -> None:
    found = ticks(low, low + span, most)
    assert len(found) <= most + 1
    assert all(low - 1e-6 * span <= each <= low + span * (1 + 1e-6) for each in found)


def test_axes_are_written_as_people_read_them() -> None:
    assert [label for _, label in share_axis(0.55).ticks] == ["0%", "20%", "40%"]
    assert number_axis(0, 2).ticks == [(0, "0"), (1, "1"), (2, "2")], "no halves"
    assert [label for _, label in number_axis(0, 5000).ticks][-1] == "5,000"


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (datetime(2026, 10, 3, 9, 5, tzinfo=UTC), datetime(2026, 10, 3, 12, tzinfo=UTC), ["20:00", "21:00", "22:00"]),
        # Daylight saving begins on the 4th of October: its day has 23 hours, and still one midnight
        (
            datetime(2026, 10, 2, 20, tzinfo=UTC),
            datetime(2026, 10, 6, 0, tzinfo=UTC),
            ["4 Oct", "5 Oct", "6 Oct"],
        ),
    ],
)
def test_times_are_those_of_the_zone(first: datetime, last: datetime, expected: list[str]) -> None:
    zone = ZoneInfo("Australia/Melbourne")
    found = time_axis(first, last, zone)
    assert [label for _, label in found.ticks][-len(expected) :] == expected
    assert all(datetime.fromtimestamp(at, zone).minute == 0 for at, _ in found.ticks)


@pytest.mark.parametrize(
    ("count", "most", "expected"), [(0, 3, []), (2, 3, [0, 1]), (7, 3, [0, 3, 6]), (8, 3, [1, 4, 7]), (5, 1, [4])]
)
def test_what_is_thinned_keeps_its_end(count: int, most: int, expected: list[int]) -> None:
    assert list(thinned(range(count), most)) == expected


def test_a_scale_of_one_value_has_a_place() -> None:
    assert Scale(3, 3, 10, 20)(3) == 10


def parsed(picture: Markup) -> ElementTree.Element:
    assert " style=" not in picture, "the content security policy forbids it"
    return ElementTree.fromstring(str(picture))


def test_a_line_has_its_band_and_marks_with_names() -> None:
    line = Curve([(0, 0.5), (10, 0.25)], band=[(0, 0.2, 0.8), (10, 0.2, 0.3)])
    marks = [Marker(0, "v1", NASTY, "/entries/1/"), Marker(5, "v2", "this one")]
    stretches = [Stretch(0, 10, "After 10 games", "/x?before=3")]
    root = parsed(line_picture(NASTY, [line], number_axis(0, 10), share_axis(), marks, stretches))
    assert root.get("role") == "group"
    assert [each.get("href") for each in root.iter("a")] == ["/entries/1/", "/x?before=3"]
    assert all(each.get("aria-label") and each.find("title") is not None for each in root.iter("a"))
    assert [each.get("class") for each in root.iter("path")].count("band") == 1
    assert "\u202e" not in ElementTree.tostring(root, "unicode"), "what turns the direction of writing is spelt out"


def test_a_stepped_line_holds_its_value_until_the_next() -> None:
    root = parsed(line_picture("Ranks", [Curve([(0, 1), (10, 2)], step=True)], number_axis(0, 10), number_axis(0, 2)))
    line = next(each for each in root.iter("path") if each.get("class") == "line")
    first, corner, last = ((line.get("d") or "")[1:]).split("L")
    assert corner.split()[0] == last.split()[0]
    assert corner.split()[1] == first.split()[1]
    assert root.get("role") == "img", "without links it is one image"


def test_rows_say_all_in_their_title() -> None:
    name = "A pseudonym that is longer than any label"
    rows = [
        PictureRow(name, 0.2, "20%", f"{name}: 20%", "/x", expected=0.5, kind="bad"),
        PictureRow("b", 0, "0%", "b: nothing", interval=(0.0, 0.4), chosen=True),
    ]
    root = parsed(row_picture("Opponents", rows, share_axis(), dots=True, lines=[(0.5, "half")]))
    links = list(root.iter("a"))
    assert [(each.get("aria-label"), each.get("class")) for each in links] == [(f"{name}: 20%", "row-mark above bad")]
    assert [each.text for each in links[0].iter("text")] == [name, "20%"]
    marked = [each.get("class") for each in root if "chosen" in (each.get("class") or "")]
    assert marked == ["row-mark above chosen"]


@pytest.mark.parametrize(
    ("label", "shown", "above"),
    [
        ("Q1: 2S on an empty", "Q1: 2S on an empty", False),
        ("Q1: comp10001bo_match_build('2S', [])", "Q1: comp10001bo_match_build('2S', [])", True),
        (f"Q3: comp10001bo_is_valid_play({'0, ' * 12}1)", "Q3: comp10001bo_is_valid…, 0, 0, 0, 0, 0, 0, 0, 1)", True),
    ],
)
def test_a_long_label_stands_above_its_bar_and_keeps_both_of_its_ends(label: str, shown: str, above: bool) -> None:
    rows = [PictureRow(each, 1, "1", each) for each in (label, "b")]
    root = parsed(row_picture("Cases", rows, number_axis(0, 1)))
    drawn = [each for each in root if (each.get("class") or "").startswith("row-mark")]
    texts = [next(each.iter("text")) for each in drawn]
    assert [each.text for each in texts] == [shown, "b"]
    assert [each.get("text-anchor") for each in texts] == [None if above else "end"] * 2, "all of a picture alike"
    bars = [next(each for each in row.iter("rect") if each.get("class") == "bar") for row in drawn]
    under = [float(bar.get("y") or 0) > float(text.get("y") or 0) for bar, text in zip(bars, texts, strict=True)]
    assert under == [above] * 2


@pytest.mark.parametrize("href", ["", f"/x?{NASTY}"])
def test_whatever_a_row_says_stays_text(href: str) -> None:
    root = parsed(row_picture(NASTY, [PictureRow(NASTY, 1, NASTY, NASTY, href)], share_axis(), lines=[(0.5, NASTY)]))
    shown = NASTY.replace("\u202e", r"\u202e")
    assert not list(root.iter("script"))
    assert [each.text for each in root.iter("title")] == [shown, shown]
    assert [each.text for each in root.iter("text")][-2:] == [shown, shown]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_a_sparkline_stays_inside(values: list[float]) -> None:
    line = ElementTree.fromstring(sparkline(values, 1.0, "from 20% to 30%")).find("polyline")
    assert line is not None
    points = [tuple(map(float, each.split(","))) for each in (line.get("points") or "").split()]
    assert len(points) == len(values)
    assert all(0 <= x <= 60 and 0 <= y <= 16 for x, y in points)


@given(st.lists(st.none() | st.floats(20, 170), max_size=12))
def test_labels_of_lines_do_not_cover_each_other(heights: list[float | None]) -> None:
    found = apart(heights, 12, 176)
    placed = sorted((height, at) for height, at in zip(heights, found, strict=True) if height is not None)
    ends = sorted(at for _, at in placed)
    assert all(later - former >= 12 - 1e-9 for former, later in pairwise(ends))
    assert all(at <= 176 for at in ends)
    assert len(placed) != 1 or placed[0][0] == placed[0][1]


def test_numbers_are_written_in_the_language_of_the_reader_and_names_stay() -> None:
    rows = [PictureRow("Pairs", 0.2, "31.0%", "", named=True), PictureRow("Player 1", 0.3, "1,068", "")]
    cells = [["Pairs", "Pairs", "12.5", "31.0%", "disqualified"]]
    with speaking("de"):
        drawing = row_picture("Opponents", rows, share_axis(0.1))
        table = Picture("x", "", "", drawing, ("Player", "Opponent", "Expected", "Share", "Ended"), cells).table
    for words in (">Pairs<", ">31,0 %<", ">Spieler 1<", ">1.068<", ">10 %<"):
        assert words in drawing, words
    shown = [cell.text for cell in ElementTree.fromstring(str(table)).iter() if cell.text]
    assert shown == ["Pairs", "Pairs", "12,5", "31,0 %", "disqualifiziert"]
