"""The pictures of an entry's page: how it did over time, and why it loses. Each part leads to the games behind it."""

from tournament.ladder import past_games as past
from tournament.ladder.past_games import Against, SeatRate
from web.board import over_time
from web.board.entry_story import ENTRY, EntryStory
from web.board.game_filter import cause_in_words, class_in_words
from web.models import Course
from web.pictures.picture import Picture
from web.pictures.rows import PictureRow, row_picture
from web.pictures.scales import numbers, shares
from web.site.text import count, milliseconds, percent

WORST, BEST = 8, 4
"""The numbers of opponents that are drawn: those against whom it did worst, and best, by expectation."""

FEWEST_MET = 4  # games
MOST_CAUSES = 12


def pictures_of(story: EntryStory, course: Course) -> list[Picture]:
    """The pictures for which there is something to draw. They are kept: that saves a fifth of an entry's page."""
    return ENTRY.kept(lambda: _pictures(story, course), "pictures", course.zone, *story.made_of)


def _pictures(story: EntryStory, course: Course) -> list[Picture]:
    over = (over_time.win_rate(story), over_time.ranks(story, course))
    made = (*over, _seats(story), _opponents(story), _causes(story), _times(story))
    return [each for each in made if each]


def _seats(story: EntryStory) -> Picture | None:
    rates = past.seat_rates(story.games)
    if len(rates) < 2:
        return None
    overall = sum(each.wins for each in rates) / sum(each.games for each in rates)
    title, axis = "Win rate by seat", shares(min(1.0, max(each.high for each in rates) + 0.02))
    rows = [_seat(story, each) for each in rates]
    return Picture(
        "seats",
        title,
        f"Thin lines are 95% intervals; the dashed line is all seats together, {percent(overall)}.",
        row_picture(title, rows, axis, lines=[(overall, f"all seats: {percent(overall)}")]),
        ("Seat", "Games", "Wins", "From", "To"),
        [[each.seat, each.games, each.wins, percent(each.low), percent(each.high)] for each in rates],
    )


def _seat(story: EntryStory, each: SeatRate) -> PictureRow:
    share, ends = each.wins / each.games, (each.low, each.high)
    said = f"Seat {each.seat}: won {each.wins} of {count(each.games, 'game')}"
    href, chosen = story.filtered(seat=each.seat), story.chosen.seat == each.seat
    return PictureRow(f"seat {each.seat}", share, percent(share), said, href, ends, chosen=chosen)


def _opponents(story: EntryStory) -> Picture | None:
    ratings = {id_: rating for id_, (_, rating) in story.met.items() if rating is not None}
    found = [each for each in past.against(story.games, story.entry.id, ratings) if each.games >= FEWEST_MET]
    if not found:
        return None
    best = found[max(WORST, len(found) - BEST) :]
    drawn = [*found[:WORST], *best]
    left = f" Of {len(found)} opponents, the {WORST} worst and the {len(best)} best." if len(drawn) < len(found) else ""
    title = "Opponents against expectation"
    return Picture(
        "opponents",
        title,
        "The dot is how often it finished ahead of an opponent, the upright line what their ratings let one expect. "
        f"The farthest below expectation is on top.{left}",
        row_picture(title, [_opponent(story, each) for each in drawn], shares(most=4), dots=True),
        ("Opponent", "Decided games", "Ahead", "Expected"),
        [[story.names[each.entry_id], each.games, each.ahead, f"{each.expected:.1f}"] for each in drawn],
    )


def _opponent(story: EntryStory, each: Against) -> PictureRow:
    name, share, expected = story.names[each.entry_id], each.ahead / each.games, each.expected / each.games
    said = f"{name}: ahead in {each.ahead} of {count(each.games, 'decided game')}, {each.expected:.1f} expected"
    href, chosen = story.filtered(opponent=each.entry_id), story.chosen.opponent == each.entry_id
    kind = "bad" if share < expected else "good"
    return PictureRow(name, share, f"{share:.0%}", said, href, expected=expected, chosen=chosen, kind=kind)


def _causes(story: EntryStory) -> Picture | None:
    found = past.causes(story.games)
    if not found:
        return None
    faults = {each.cause for each in story.games if each.verdict is not None}
    rows = []
    for cause, games in found[:MOST_CAUSES]:
        words, kind = cause_in_words(cause), "bad" if cause in faults else ""
        href, chosen = story.filtered(cause=cause), story.chosen.cause == cause
        said = f"{words}: {count(games, 'lost game')}"
        rows.append(PictureRow(words, games, f"{games:,}", said, href, chosen=chosen, kind=kind))
    title, lost = "Why games were lost", sum(games for _, games in found)
    reading = f"{count(lost, 'lost game').capitalize()}, by the place that was taken or the fault that was made (red)."
    drawing = row_picture(title, rows, numbers(0, found[0][1], 5))
    table = [[cause_in_words(cause), games] for cause, games in found]
    return Picture("causes", title, reading, drawing, ("Cause", "Games"), table)


def _times(story: EntryStory) -> Picture | None:
    found = past.slowest_calls(story.games)
    if not any(found):
        return None
    rows = []
    for number, games in enumerate(found):
        words, chosen = class_in_words(number), story.chosen.slowest == number
        href = story.filtered(slowest=number) if games else ""
        rows.append(PictureRow(words, games, f"{games:,}", f"{words}: {count(games, 'game')}", href, chosen=chosen))
    known = [each.call_ms for each in story.games if each.call_ms is not None]
    title, mean = "Slowest call of each game", milliseconds(sum(known) / len(known))
    reading = f"Games by the CPU time of the slowest call. An average call takes {mean}."
    drawing = row_picture(title, rows, numbers(0, max(found), 5))
    table = [[row.label, games] for row, games in zip(rows, found, strict=True)]
    return Picture("times", title, reading, drawing, ("Slowest call", "Games"), table)
