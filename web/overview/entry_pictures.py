"""The pictures on an entry's page: how the entry did over time, compared with its author's former versions, and why it
loses. Each part links to the games behind it."""

from collections.abc import Sequence
from typing import Any

from tournament.ladder import past_games as past
from tournament.ladder.past_games import Against, SeatRate
from tournament.ranking.ranks import share_intervals
from web.overview.entry_history import ENTRY, EntryHistory, cause_in_words, class_in_words
from web.pictures.lines import Curve, Marker, Stretch, line_picture
from web.pictures.picture import Axis, Picture, number_axis, share_axis, thinned, time_axis
from web.pictures.rows import PictureRow, row_picture
from web.site.models import Course
from web.site.text import count, milliseconds, percent

WORST, BEST = 8, 4
"""How many opponents are drawn: those against whom the entry did worst, and those against whom it did best, compared
with expectation."""

FEWEST_MET = 4  # games
MOST_CAUSES = 12


def pictures_of(history: EntryHistory, course: Course) -> list[Picture]:
    """Return the pictures for which there is something to draw. Caching them saves a fifth of the time for an entry's
    page."""

    def make() -> list[Picture]:
        made = (win_rate(history), ranks(history, course), _seats(history), _opponents(history))
        return [each for each in (*made, _causes(history), _times(history)) if each]

    return ENTRY.kept(make, "pictures", course.zone, *history.made_of)


def _seats(history: EntryHistory) -> Picture | None:
    rates = past.seat_rates(history.games)
    if len(rates) < 2:
        return None
    overall = sum(each.wins for each in rates) / sum(each.games for each in rates)
    title, axis = "Win rate by seat", share_axis(min(1.0, max(each.high for each in rates) + 0.02))
    rows = [_seat(history, each) for each in rates]
    return Picture(
        "seats",
        title,
        "Thin lines are 95% confidence intervals; the dashed line is the share for all seats together, "
        f"{percent(overall)}.",
        row_picture(title, rows, axis, lines=[(overall, f"all seats: {percent(overall)}")]),
        ("Seat", "Games", "Wins", "From", "To"),
        [[each.seat, each.games, each.wins, percent(each.low), percent(each.high)] for each in rates],
    )


def _seat(history: EntryHistory, each: SeatRate) -> PictureRow:
    share, ends = each.wins / each.games, (each.low, each.high)
    said = f"Seat {each.seat}: won {each.wins} of {count(each.games, 'game')}"
    href, chosen = history.filtered(seat=each.seat), history.chosen.seat == each.seat
    return PictureRow(f"seat {each.seat}", share, percent(share), said, href, ends, chosen=chosen)


def _opponents(history: EntryHistory) -> Picture | None:
    ratings = {id_: rating for id_, (_, rating) in history.met.items() if rating is not None}
    found = [each for each in past.against(history.games, history.entry.id, ratings) if each.games >= FEWEST_MET]
    if not found:
        return None
    best = found[max(WORST, len(found) - BEST) :]
    drawn = [*found[:WORST], *best]
    left = (
        f" Shown are the {WORST} worst and the {len(best)} best of {len(found)} opponents."
        if len(drawn) < len(found)
        else ""
    )
    title = "Results against each opponent"
    return Picture(
        "opponents",
        title,
        "The dot shows how often this entry finished ahead of an opponent; the vertical line shows how often it "
        "should have, according to their ratings. The opponent against whom it is farthest below expectation is at "
        f"the top.{left}",
        row_picture(title, [_opponent(history, each) for each in drawn], share_axis(most=4), dots=True),
        ("Opponent", "Decided games", "Ahead", "Expected"),
        [[history.names[each.entry_id], each.games, each.ahead, f"{each.expected:.1f}"] for each in drawn],
    )


def _opponent(history: EntryHistory, each: Against) -> PictureRow:
    name, share, expected = history.names[each.entry_id], each.ahead / each.games, each.expected / each.games
    said = f"{name}: ahead in {each.ahead} of {count(each.games, 'decided game')}, {each.expected:.1f} expected"
    href, chosen = history.filtered(opponent=each.entry_id), history.chosen.opponent == each.entry_id
    kind = "bad" if share < expected else "good"
    return PictureRow(name, share, f"{share:.0%}", said, href, None, expected, chosen, kind, named=True)


def _causes(history: EntryHistory) -> Picture | None:
    found = past.causes(history.games)
    if not found:
        return None
    faults = {each.cause for each in history.games if each.verdict is not None}
    rows = []
    for cause, games in found[:MOST_CAUSES]:
        words, kind = cause_in_words(cause), "bad" if cause in faults else ""
        href, chosen = history.filtered(cause=cause), history.chosen.cause == cause
        said = f"{words}: {count(games, 'lost game')}"
        rows.append(PictureRow(words, games, f"{games:,}", said, href, chosen=chosen, kind=kind))
    title, lost = "Why games were lost", sum(games for _, games in found)
    reading = f"{count(lost, 'lost game').capitalize()}, by finishing place or, in red, by type of fault."
    drawing = row_picture(title, rows, number_axis(0, found[0][1], 5))
    table = [[cause_in_words(cause), games] for cause, games in found]
    return Picture("causes", title, reading, drawing, ("Cause", "Games"), table)


def _times(history: EntryHistory) -> Picture | None:
    found = past.slowest_calls(history.games)
    if not any(found):
        return None
    rows = []
    for number, games in enumerate(found):
        words, chosen = class_in_words(number), history.chosen.slowest == number
        href = history.filtered(slowest=number) if games else ""
        rows.append(PictureRow(words, games, f"{games:,}", f"{words}: {count(games, 'game')}", href, chosen=chosen))
    known = [each.call_ms for each in history.games if each.call_ms is not None]
    title, mean = "Slowest call in each game", milliseconds(sum(known) / len(known))
    reading = f"Games by the CPU time of the slowest call. An average call takes {mean}."
    drawing = row_picture(title, rows, number_axis(0, max(found), 5))
    table = [[row.label, games] for row, games in zip(rows, found, strict=True)]
    return Picture("times", title, reading, drawing, ("Slowest call", "Games"), table)


STRETCHES = 12
"""The largest number of parts of a line that link to their games."""


def win_rate(history: EntryHistory) -> Picture | None:
    """Return the final win rates of former versions, side by side, followed by the course of this version's win
    rate."""
    points, former = history.rates, history.versions[:-1]
    if not points:
        return None
    lines, marks, rows = _former_versions(history)
    start = sum(each.games for each in former)
    line = [(start + each.games, each.rate) for each in points]
    lines.append(Curve(line, [(start + each.games, each.low, each.high) for each in points]))
    now = f"version {history.entry.version}"
    rows += [[now, each.games, percent(each.rate), percent(each.low), percent(each.high)] for each in points]
    top = min(1.0, max(above for line in lines for _, _, above in line.band) + 0.05)
    x = number_axis(0 if former else line[0][0], line[-1][0])
    reading = "The share of games won so far, with its 95% confidence interval."
    versions = (
        " A vertical line marks the start of a version; earlier versions are drawn with their final values."
        if former
        else ""
    )
    title = "Win rate by number of games"
    drawing = line_picture(title, lines, x, share_axis(top), marks, _rate_stretches(history, start))
    return Picture("win-rate", title, reading + versions, drawing, ("Version", "Games", "Win rate", "From", "To"), rows)


def _former_versions(history: EntryHistory) -> tuple[list[Curve], list[Marker], list[Sequence[Any]]]:
    """Return the lines of former versions, a mark for each version, and the rows of the table."""
    lines, marks, rows, start = list[Curve](), list[Marker](), list[Sequence[Any]](), 0
    if not (former := history.versions[:-1]):
        return lines, marks, rows
    low, high = share_intervals(past.win_sums(former))
    for each, below, above in zip(former, low.tolist(), high.tolist(), strict=True):
        end, rate = start + each.games, each.wins / each.games
        lines.append(Curve([(start, rate), (end, rate)], [(start, below, above), (end, below, above)], kind="former"))
        said = f"Version {each.version}: won {percent(rate)} of {count(each.games, 'game')}"
        marks.append(Marker(start, f"v{each.version}", said, history.sibling(each)))
        rows.append([f"version {each.version}", each.games, percent(rate), percent(below), percent(above)])
        start = end
    marks.append(Marker(start, f"v{history.entry.version}", f"Version {history.entry.version} (this version)"))
    return lines, marks, rows


def _rate_stretches(history: EntryHistory, start: int) -> list[Stretch]:
    """Return at most STRETCHES parts of the line; each says the win rate at its end, and links to the games up to
    there."""
    points = history.rates
    ends = thinned(points, STRETCHES)
    begins = [start + points[0].games - 1, *(start + each.games for each in ends)]
    stretches = []
    for begin, end in zip(begins, ends, strict=False):
        said = f"After {count(end.games, 'game')}: {percent(end.rate)} ({percent(end.low)} to {percent(end.high)})"
        stretches.append(Stretch(begin, start + end.games, said, history.until(end.game_id)))
    return stretches


def ranks(history: EntryHistory, course: Course) -> Picture | None:
    """Return the ranks that were sampled over time, see `tournament.ladder.standings`."""
    if len(history.ranks) < 2:
        return None
    lines, marks = [], []
    for version in history.versions:
        own = [(each.at.timestamp(), float(each.rank)) for each in history.ranks if each.entry_id == version.id]
        if own:
            lines.append(Curve(own, step=True, kind="" if version is history.entry else "former"))
            marks.append(
                Marker(own[0][0], f"v{version.version}", f"Version {version.version} is ranked for the first time")
            )
    first, last = history.ranks[0], history.ranks[-1]
    top, foot = min(each.rank for each in history.ranks), max(each.rank for each in history.ranks)
    down, across = number_axis(max(1, top - 1), max(foot, top + 1), 5), time_axis(first.at, last.at, course.zone)
    title, shown = "Rank over time", marks if len(marks) > 1 else ()
    drawing = line_picture(title, lines, across, Axis(down.high, down.low, down.ticks), shown, _rank_stretches(history))
    reading = (
        f"1 is the best. Ranks are recorded from time to time while games are played; the latest is {last.rank} of "
    )
    number = {each.id: each.version for each in history.versions}
    rows = [
        [f"{each.at.astimezone(course.zone):%Y-%m-%d %H:%M}", number[each.entry_id], each.rank, each.ranked, each.games]
        for each in history.ranks
    ]
    table = ("Recorded", "Version", "Rank", "Of", "Games"), rows
    return Picture("rank", title, f"{reading}{last.ranked}.", drawing, *table)


def _rank_stretches(history: EntryHistory) -> list[Stretch]:
    """Return at most STRETCHES parts of the line; each says the rank at its end, and links to the games up to there."""
    own = [each for each in history.ranks if each.entry_id == history.entry.id]
    ends = thinned(own, STRETCHES)
    stretches = []
    for begin, end in zip([own[0], *ends] if own else [], ends, strict=False):
        if begin.at < end.at and (game := history.game_after(end.games)):
            said = f"Rank {end.rank} of {end.ranked} after {count(end.games, 'game')}"
            stretches.append(Stretch(begin.at.timestamp(), end.at.timestamp(), said, history.until(game)))
    return stretches
