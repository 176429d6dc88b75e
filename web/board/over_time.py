"""The pictures of an entry over time: its win rate and its rank, after those of its author's former versions."""

from collections.abc import Sequence
from typing import Any

from tournament.ladder import past_games as past
from tournament.ladder.past_games import RatePoint
from tournament.ladder.rank_history import Ranked
from tournament.ranking.intervals import share_intervals
from web.board.entry_story import EntryStory
from web.models import Course
from web.pictures.lines import Curve, Marker, Stretch, line_picture
from web.pictures.picture import Picture
from web.pictures.scales import Axis, numbers, shares, thinned, times
from web.site.text import count, percent

STRETCHES = 12
"""The number of parts of a line that lead to their games."""


def win_rate(story: EntryStory) -> Picture | None:
    """The win rates of former versions as they ended, one beside the other, then that of this one as it developed."""
    points, former = story.rates, story.versions[:-1]
    if not points:
        return None
    lines, marks, rows = _former(story)
    start = sum(each.games for each in former)
    line = [(start + each.games, each.rate) for each in points]
    lines.append(Curve(line, [(start + each.games, each.low, each.high) for each in points]))
    now = f"version {story.entry.version}"
    rows += [[now, each.games, percent(each.rate), percent(each.low), percent(each.high)] for each in points]
    top = min(1.0, max(above for line in lines for _, _, above in line.band) + 0.05)
    x = numbers(0 if former else line[0][0], line[-1][0])
    reading = "The share of games won so far, with its 95% interval."
    versions = " A vertical line begins a version; former ones are drawn as they ended." if former else ""
    title = "Win rate over games"
    drawing = line_picture(title, lines, x, shares(top), marks, _stretches(story, start))
    return Picture("win-rate", title, reading + versions, drawing, ("Version", "Games", "Win rate", "From", "To"), rows)


def _former(story: EntryStory) -> tuple[list[Curve], list[Marker], list[Sequence[Any]]]:
    """The lines of former versions, a mark for each version, and the rows of the table."""
    lines, marks, rows, start = list[Curve](), list[Marker](), list[Sequence[Any]](), 0
    if not (former := story.versions[:-1]):
        return lines, marks, rows
    low, high = share_intervals(past.win_sums(former))
    for each, below, above in zip(former, low.tolist(), high.tolist(), strict=True):
        end, rate = start + each.games, each.wins / each.games
        lines.append(Curve([(start, rate), (end, rate)], [(start, below, above), (end, below, above)], kind="former"))
        said = f"Version {each.version}: won {percent(rate)} of {count(each.games, 'game')}"
        marks.append(Marker(start, f"v{each.version}", said, story.sibling(each)))
        rows.append([f"version {each.version}", each.games, percent(rate), percent(below), percent(above)])
        start = end
    marks.append(Marker(start, f"v{story.entry.version}", f"Version {story.entry.version}, this one"))
    return lines, marks, rows


def _stretches(story: EntryStory, start: int) -> list[Stretch]:
    """At most STRETCHES parts of the line; each tells the win rate at its end, and leads to the games until then."""
    points = story.rates
    ends = thinned(points, STRETCHES)
    begins = [start + points[0].games - 1, *(start + each.games for each in ends)]
    return [
        Stretch(begin, start + end.games, _rate_at(end), story.until(end.game_id))
        for begin, end in zip(begins, ends, strict=False)
    ]


def _rate_at(each: RatePoint) -> str:
    return f"After {count(each.games, 'game')}: {percent(each.rate)} ({percent(each.low)} to {percent(each.high)})"


def ranks(story: EntryStory, course: Course) -> Picture | None:
    """The ranks that were sampled, see `tournament.ladder.rank_history`."""
    if len(story.ranks) < 2:
        return None
    lines, marks = [], []
    for version in story.versions:
        own = [(each.at.timestamp(), float(each.rank)) for each in story.ranks if each.entry_id == version.id]
        if own:
            lines.append(Curve(own, step=True, kind="" if version is story.entry else "former"))
            marks.append(Marker(own[0][0], f"v{version.version}", f"Version {version.version} is first ranked"))
    first, last = story.ranks[0], story.ranks[-1]
    top, foot = min(each.rank for each in story.ranks), max(each.rank for each in story.ranks)
    down, across = numbers(max(1, top - 1), max(foot, top + 1), 5), times(first.at, last.at, course.zone)
    title, shown = "Rank over time", marks if len(marks) > 1 else ()
    drawing = line_picture(title, lines, across, Axis(down.high, down.low, down.ticks), shown, _moments(story))
    reading = f"1 is the best. Ranks are noted now and then while games are played; the last is {last.rank} of "
    number = {each.id: each.version for each in story.versions}
    rows = [
        [f"{each.at.astimezone(course.zone):%Y-%m-%d %H:%M}", number[each.entry_id], each.rank, each.ranked, each.games]
        for each in story.ranks
    ]
    table = ("Noted", "Version", "Rank", "Of", "Games"), rows
    return Picture("rank", title, f"{reading}{last.ranked}.", drawing, *table)


def _moments(story: EntryStory) -> list[Stretch]:
    """At most STRETCHES parts of the line; each tells the rank at its end, and leads to the games until then."""
    own = [each for each in story.ranks if each.entry_id == story.entry.id]
    ends = thinned(own, STRETCHES)
    return [
        Stretch(begin.at.timestamp(), end.at.timestamp(), _rank_at(end), story.until(game))
        for begin, end in zip([own[0], *ends] if own else [], ends, strict=False)
        if begin.at < end.at and (game := story.game_after(end.games))
    ]


def _rank_at(each: Ranked) -> str:
    return f"Rank {each.rank} of {each.ranked} after {count(each.games, 'game')}"
