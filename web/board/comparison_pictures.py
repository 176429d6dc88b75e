"""The pictures of a comparison: how often each version won, and by how much they differ."""

from tournament.practice.improvement import ComparisonState, Estimate
from tournament.ranking.intervals import interval_of_share
from tournament.store.tables import Ranking
from web.pictures.picture import Picture
from web.pictures.rows import PictureRow, row_picture
from web.pictures.scales import Axis, shares, ticks
from web.site.text import count, percent

MEASURED = {
    Ranking.WIN_RATE: ("wins in a hundred games", 100.0),
    Ranking.PLACE: ("places in a game; a better place counts as more", 1.0),
    Ranking.POINTS: ("points in a game", 1.0),
}


def pictures_of(state: ComparisonState) -> list[Picture]:
    """The pictures that there is something to draw in."""
    rates = [_rates(state)] if state.pairs else []
    return [*rates, _difference(state.estimate, state.ranking)] if state.estimate else rates


def _rates(state: ComparisonState) -> Picture:
    versions = (
        ("New version", state.new_wins, state.new_faults),
        ("Entered version", state.old_wins, state.old_faults),
    )
    rows, table = [], []
    for label, wins, faults in versions:
        low, high = interval_of_share(wins, state.pairs)
        said = f"{label}: won {wins} of {count(state.pairs, 'game')}, {percent(low)} to {percent(high)}"
        kind = "bad" if faults else ""
        rows.append(
            PictureRow(label, wins / state.pairs, percent(wins / state.pairs), said, interval=(low, high), kind=kind)
        )
        table.append((label, state.pairs, wins, percent(wins / state.pairs), percent(low), percent(high), faults))
    title = "Win rates"
    reading = (
        "The share of games won, with its 95% interval. Both had the same deals and opponents, so the difference is "
        "known better than each of the rates."
    )
    headers = ("Version", "Games", "Won", "Win rate", "From", "To", "Faults")
    return Picture("win-rates", title, reading, row_picture(title, rows, shares(most=5), dots=True), headers, table)


def _difference(estimate: Estimate, ranking: Ranking) -> Picture:
    unit, factor = MEASURED[ranking]
    mean, low, high = (factor * each for each in (estimate.mean, estimate.low, estimate.high))
    reach = 1.1 * max(abs(low), abs(high))
    marks = [(each, f"{each:+g}" if each else "0") for each in ticks(-reach, reach, 5)]
    title, kind = "The difference", "bad" if high < 0 else ""
    said = f"The new version: {mean:+.3g} {unit}, 95% interval {low:+.3g} to {high:+.3g}"
    row = PictureRow("New version", mean, f"{mean:+.3g}", said, interval=(low, high), kind=kind)
    drawing = row_picture(title, [row], Axis(-reach, reach, marks), dots=True, lines=[(0.0, "No difference")])
    reading = (
        f"In {unit}, after {count(estimate.pairs, 'pair')} of games. To the right of the dashed line the new version "
        "is better; it is clear once the interval does not reach the line."
    )
    headers = ("", "Pairs", "Difference", "From", "To")
    table = [("New version", estimate.pairs, f"{mean:+.3g}", f"{low:+.3g}", f"{high:+.3g}")]
    return Picture("difference", title, reading, drawing, headers, table)
