"""A student's versions side by side, and comparisons of a new version with the entry: how often each won, by how much
they differ, a comparison's progress, and the replays of games that differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import Blueprint, Response, redirect, url_for
from sqlalchemy import select
from sqlalchemy.orm import Session, undefer
from werkzeug.exceptions import NotFound

from grader.grading.report import Report, unpack
from grader.store.models import Submission
from grader.submissions.submit import WITH_OUTCOMES
from tournament.ladder.past_games import win_sums
from tournament.ladder.standings import Ranked, ranks_of
from tournament.play.record import Record
from tournament.practice.comparisons import cancel, comparison_time_left_s, shown_pairs, stand
from tournament.practice.improvement import ComparisonState, Estimate, sentence
from tournament.ranking.ranks import interval_of_share, share_intervals
from tournament.store.jobs import PENDING
from tournament.store.tables import ComparedPair, Entry, EntryState, Ranking, VersionComparison
from tournament.work.backlog import usual_wait_s
from web.overview.dates import deadline_of
from web.pictures.picture import Axis, Picture, share_axis, ticks
from web.pictures.rows import PictureRow, row_picture
from web.replay.frames import frames_of, record_file, show_play
from web.site import access, insides, roles
from web.site.auth import user
from web.site.insides import Seated, with_filenames
from web.site.pages import looked_at, page_about, see_other
from web.site.store import read, write
from web.site.text import count, percent

LATEST = 30


@dataclass(frozen=True, slots=True)
class EnteredVersion:
    """An entry of an upload. `low` and `high`: the ends of the interval of its win rate. `rank`: its present rank or,
    if it was replaced, its last one; None if no rank was recorded."""

    entry: Entry
    low: float
    high: float
    rank: Ranked | None


@dataclass(frozen=True, slots=True)
class Version:
    """An upload; `report` is None until it has been graded. `comparable`: the active entries with which it can be
    compared."""

    submission: Submission
    report: Report | None
    entered: Sequence[EnteredVersion]
    comparable: Sequence[Entry]


def versions_of(session: Session, assignment_id: int, author_id: int) -> list[Version]:
    """Return a student's latest uploads, the latest first. The number of queries does not grow with the number of
    uploads."""
    own = select(Submission).where(Submission.assignment_id == assignment_id, Submission.author_id == author_id)
    shown = own.options(WITH_OUTCOMES, undefer(Submission.report)).order_by(Submission.id.desc()).limit(LATEST)
    submissions = session.scalars(shown).all()
    entries = {each.entry.id: each.entry for row in submissions for each in row.outcomes if each.entry}
    entered = _entered_versions(session, list(entries.values()))
    active = [each for each in entries.values() if each.state is EntryState.ACTIVE]
    versions = []
    for row in submissions:
        made = [entered[each.entry.id] for each in row.outcomes if each.entry]
        comparable = [each for each in active if row.qualifies and each.player_id != row.player_id]
        versions.append(Version(row, unpack(row.report) if row.report else None, made, comparable))
    return versions


def _entered_versions(session: Session, entries: Sequence[Entry]) -> Mapping[int, EnteredVersion]:
    if not entries:
        return {}
    ranks = {each.entry_id: each for each in ranks_of(session, [each.id for each in entries])}
    low, high = share_intervals(win_sums(entries))
    return {
        each.id: EnteredVersion(each, below, above, ranks.get(each.id))
        for each, below, above in zip(entries, low.tolist(), high.tolist(), strict=True)
    }


@dataclass(frozen=True, slots=True)
class ShownComparison:
    """A comparison and its present state."""

    row: VersionComparison
    state: ComparisonState
    sentence: str
    pending: bool


@dataclass(frozen=True, slots=True)
class ShownPair:
    """A pair of games that is worth showing; `opponents` are listed by seat, without the seat of the versions."""

    pair: ComparedPair
    opponents: list[str]


def shown_comparison(session: Session, row: VersionComparison) -> ShownComparison:
    """Return a comparison as the pages show it."""
    state = stand(session, row)
    return ShownComparison(row, state, sentence(state), row.state in PENDING)


def pairs_to_show(session: Session, row: VersionComparison) -> list[ShownPair]:
    """Return the pairs of games that are worth showing."""
    pairs = shown_pairs(session, row)
    names = names_of(session, {id_ for pair in pairs for id_ in pair.opponents})
    return [ShownPair(pair, [names[id_] for id_ in pair.opponents]) for pair in pairs]


def names_of(session: Session, ids: set[int]) -> Mapping[int, str]:
    """Return the public names of these entries."""
    return {row.id: row.name for row in session.execute(select(Entry.id, Entry.name).where(Entry.id.in_(ids)))}


@dataclass(frozen=True, slots=True)
class Replayed:
    """A game of a pair, as far as the viewer may see it; `own` are the seats whose private details the viewer may
    see."""

    seen: access.Seen
    row: VersionComparison
    pair: ComparedPair
    version: str
    record: Record
    own: Mapping[int, Seated]


def replayed_game(session: Session, row: VersionComparison, seen: access.Seen, number: int, version: str) -> Replayed:
    """Return the game in that pair that the `new` or the `old` version played. Raises NotFound."""
    pair = session.get(ComparedPair, {"comparison_id": row.id, "number": number})
    packed = None if pair is None else pair.new_record if version == "new" else pair.old_record
    if pair is None or packed is None:
        raise NotFound("No record of this pair is kept, because it showed no difference.")
    record = Record.unpack(packed)
    entries = {each.id: each for each in session.scalars(select(Entry).where(Entry.id.in_(pair.opponents)))}
    others = [entries[id_] for id_ in pair.opponents]
    names = [each.name for each in others]  # some entries may have been removed since
    names.insert(pair.seat, record.seats[pair.seat])
    seated: list[Seated] = [*others]
    seated.insert(pair.seat, row if version == "new" else row.entry)
    own = {seat: who for seat, who in enumerate(seated) if seen.viewer.pupils is None or seat == pair.seat}
    shown = with_filenames(insides.record_for(own, replace(record, seats=names)), seated.__getitem__)
    return Replayed(seen, row, pair, version, shown, own)


MEASURED = {
    Ranking.WIN_RATE: ("wins per hundred games", 100.0),
    Ranking.PLACE: ("places per game (positive is better)", 1.0),
    Ranking.POINTS: ("points per game", 1.0),
}


def pictures_of(state: ComparisonState) -> list[Picture]:
    """Return the pictures for which there is something to draw."""
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
        "The share of games won, with its 95% confidence interval. Both versions had the same deals and opponents, so "
        "the difference is known more precisely than either share."
    )
    headers = ("Version", "Games", "Won", "Win rate", "From", "To", "Faults")
    return Picture("win-rates", title, reading, row_picture(title, rows, share_axis(most=5), dots=True), headers, table)


def _difference(estimate: Estimate, ranking: Ranking) -> Picture:
    unit, factor = MEASURED[ranking]
    mean, low, high = (factor * each for each in (estimate.mean, estimate.low, estimate.high))
    reach = 1.1 * max(abs(low), abs(high))
    marks = [(each, f"{each:+g}" if each else "0") for each in ticks(-reach, reach, 5)]
    title, kind = "The difference", "bad" if high < 0 else ""
    said = f"The new version: {mean:+.3g} {unit}, 95% confidence interval {low:+.3g} to {high:+.3g}"
    row = PictureRow("New version", mean, f"{mean:+.3g}", said, interval=(low, high), kind=kind)
    drawing = row_picture(title, [row], Axis(-reach, reach, marks), dots=True, lines=[(0.0, "No difference")])
    reading = (
        f"In {unit}, after {count(estimate.pairs, 'pair')} of games. To the right of the dashed line the new version "
        "is better; it is clear once the interval does not reach the line."
    )
    headers = ("", "Pairs", "Difference", "From", "To")
    table = [("New version", estimate.pairs, f"{mean:+.3g}", f"{low:+.3g}", f"{high:+.3g}")]
    return Picture("difference", title, reading, drawing, headers, table)


page = Blueprint("compare", __name__)
ONE = "/comparisons/<int:comparison_id>"
GAME = f"{ONE}/pairs/<int:number>/<any(new, old):version>"


@page.get("/assignments/<int:assignment_id>/versions/")
def versions(assignment_id: int) -> str:
    """Show the page with the user's own versions."""
    seen = access.assignment(read(), user().id, assignment_id)
    versions = versions_of(read(), assignment_id, user().id)
    return page_about("practice/versions.html", seen, versions=versions, latest=LATEST)


@page.get(f"{ONE}/")
def show_one(comparison_id: int) -> str:
    """Show the page of a comparison."""
    return _comparison_page("practice/comparison.html", comparison_id)


@page.get(f"{ONE}/live")
def live(comparison_id: int) -> str:
    """Return the part of the page that changes while games are played, for `refresh.js`."""
    return _comparison_page("practice/_comparison.html", comparison_id)


def _comparison_page(template: str, comparison_id: int) -> str:
    session = read()
    row, seen = access.comparison(session, user().id, comparison_id)
    looked_at(user().id, "comparison", [row.id])
    shown = shown_comparison(session, row)
    return page_about(
        template,
        seen,
        shown=shown,
        left_s=comparison_time_left_s(session, row, shown.state) if shown.pending else None,
        takes_s=usual_wait_s(session, VersionComparison) if shown.pending and not shown.state.pairs else None,
        pictures=pictures_of(shown.state),
        row=row,
        lines=pairs_to_show(session, row),
        submission=session.get_one(Submission, row.submission_id),
        mine=row.author_id == seen.viewer.user_id,
        over=deadline_of(session, seen.assignment, row.author_id).over,
    )


@page.post(f"{ONE}/cancel")
def stop(comparison_id: int) -> Any:
    """Cancel a comparison; the games played so far are kept."""
    row, _ = access.comparison(read(), user().id, comparison_id)
    roles.own(row, user().id)
    with write() as session:
        cancel(session, comparison_id)
    return see_other("compare.show_one", comparison_id=comparison_id)


# Replays


@page.get(f"{GAME}/")
def parting(comparison_id: int, number: int, version: str) -> Any:
    """Redirect to the replay, at the play where the two games of a pair first differ."""
    game = _game(comparison_id, number, version)
    where: dict[str, Any] = {"comparison_id": comparison_id, "number": number, "version": version}
    return redirect(url_for("compare.play", **where, play_number=_parting(game)))


@page.get(f"{GAME}/plays/<int:play_number>")
def play(comparison_id: int, number: int, version: str, play_number: int) -> Any:
    """Show the table after `play_number` plays of one version's game."""
    game = _game(comparison_id, number, version)

    def around() -> dict[str, Any]:
        other = "old" if version == "new" else "new"
        return {
            "game": game,
            "parting": _parting(game),
            "other_url": url_for("compare.parting", comparison_id=comparison_id, number=number, version=other),
            "assignment": game.seen.assignment,
            "viewer": game.seen.viewer,
        }

    return show_play(game.record, play_number, game.own, "practice/compared_game.html", around)


@page.get(f"{GAME}/record.json")
def record_json(comparison_id: int, number: int, version: str) -> Response:
    """Download the record of a game, for replaying it elsewhere, without anything that reveals other students' code."""
    return record_file(_game(comparison_id, number, version).record, f"comparison-{comparison_id}-{number}-{version}")


def _game(comparison_id: int, number: int, version: str) -> Replayed:
    row, seen = access.comparison(read(), user().id, comparison_id)
    return replayed_game(read(), row, seen, number, version)


def _parting(game: Replayed) -> int:
    """Return the number of the frame that shows the first play in which the two games differ, or else of the last
    frame."""
    shown, index = frames_of(game.record), game.pair.parting
    numbers = [number for number, frame in enumerate(shown) if index is not None and frame.index > index]
    return numbers[0] if numbers else len(shown) - 1
