"""Everything that happened to one student in an assignment, in one timeline: what the student did, and what others did
about it.

Every line links to its page. The number of queries does not depend on the length of the timeline.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from flask import url_for
from sqlalchemy import or_, select
from sqlalchemy.orm import Session, contains_eager

from grader.definition.local_times import IN_WORDS
from grader.marks.comments import comments_on
from grader.marks.requests import ReviewRequest
from grader.marks.tables import MarksPublication, PublishedMark
from grader.store.models import Change, Submission
from tournament.ladder.standings import ranks_of
from tournament.store.jobs import JobState
from tournament.store.notices import Notice
from tournament.store.tables import Entry, EntryState, Final, FinalPhase, PlayedGame, Seat, Tournament, TournamentKind
from web.overview import entry_pictures
from web.overview.entry_history import EntryHistory, GameFilter
from web.pictures.picture import Picture
from web.site.access import Seen
from web.site.models import User
from web.site.pages import href
from web.site.text import count, signed, verdict

KINDS = {
    "upload": "uploads",
    "report": "reports",
    "entry": "entries",
    "fault": "games lost by a fault",
    "extension": "extensions",
    "comment": "comments",
    "request": "requests",
    "mark": "marks",
    "notice": "notices",
}
"""The kinds of lines, each with its plural."""

SHOWN_TO_PLAYERS = or_(Tournament.kind != TournamentKind.FINAL, Final.phase == FinalPhase.PUBLISHED)
"""The condition that players see the pages of a tournament, for a query that outer-joins the tournament's final."""

LEFT = {EntryState.OUT: "was removed", EntryState.REPLACED: "was replaced", EntryState.WITHDRAWN: "was withdrawn"}


@dataclass(frozen=True, slots=True)
class Happening:
    """A line of the timeline: its kind (one of KINDS), its text, and the address that it links to."""

    at: datetime
    kind: str
    text: str
    href: str


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request for a history: whose, in which assignment, and for which viewer. `marks` says whether the viewer sees
    the marks."""

    session: Session
    seen: Seen
    student: User

    @property
    def marks(self) -> bool:
        return self.seen.viewer.instructs or self.student.id == self.seen.viewer.user_id


def time_line(session: Session, seen: Seen, student: User) -> tuple[list[Happening], list[Picture]]:
    """Return everything that happened to the student, the latest first, and pictures of the ranks over time in each
    ladder. A student sees only what other pages show them."""
    asked = _Asked(session, seen, student)
    own = Submission.assignment_id == seen.assignment.id, Submission.author_id == student.id
    uploads = session.scalars(select(Submission).where(*own)).all()
    entries = _entries_of(asked)
    found = [
        *_upload_events(uploads),
        *_entered_and_left(entries),
        *_lost_by_faults(asked, entries),
        *_change_events(asked),
        *_published_event(asked),
        *_commented(asked, uploads),
        *_requests(asked, uploads),
        *_notice_events(asked),
    ]
    return sorted(found, key=lambda each: each.at, reverse=True), _ranks(asked, entries)


def _upload_events(rows: Sequence[Submission]) -> Iterator[Happening]:
    for row in rows:
        address = url_for("submission.show", submission_id=row.id)
        yield Happening(row.queued_at, "upload", f"Uploaded {row.filename}, submission {row.id}", address)
        if row.finished_at and row.state is JobState.PARKED:
            yield Happening(row.finished_at, "report", f"Submission {row.id} could not be graded", address)
        elif row.finished_at and row.points is not None:
            enters = row.assignment.game and row.qualifies is not None
            qualifies = "" if not enters else ", qualifies" if row.qualifies else ", does not qualify"
            points = "point" if row.points == 1 else "points"
            text = f"Report on submission {row.id}: {signed(row.points)} {points}{qualifies}"
            yield Happening(row.regraded_at or row.finished_at, "report", text, address)


def _entries_of(asked: _Asked) -> Sequence[Entry]:
    """Return the student's entries, except those in a final whose page the viewer does not see yet."""
    wanted = select(Entry).join(Entry.tournament).outerjoin(Final, Final.tournament_id == Tournament.id)
    own = Tournament.assignment_id == asked.seen.assignment.id, Entry.author_id == asked.student.id
    if not asked.seen.viewer.instructs:
        wanted = wanted.where(SHOWN_TO_PLAYERS)
    order = Entry.tournament_id, Entry.version
    return asked.session.scalars(wanted.where(*own).order_by(*order).options(contains_eager(Entry.tournament))).all()


def _entered_and_left(rows: Sequence[Entry]) -> Iterator[Happening]:
    for row in rows:
        what, address = f"version {row.version} in {row.tournament.title}", url_for("entry.show", entry_id=row.id)
        yield Happening(row.entered_at, "entry", f"Entered as {what}", address)
        if row.left_at and row.state in LEFT:
            yield Happening(
                row.left_at, "entry", f"V{what[1:]} {LEFT[row.state]} after {count(row.games, 'game')}", address
            )


def _lost_by_faults(asked: _Asked, entries: Sequence[Entry]) -> Iterator[Happening]:
    titles = {each.id: each.tournament.title for each in entries}
    wanted = select(Seat.entry_id, Seat.verdict, PlayedGame.id, PlayedGame.played_at).join(Seat.game)
    for entry_id, word, game_id, at in asked.session.execute(
        wanted.where(Seat.entry_id.in_(titles), Seat.verdict.is_not(None))
    ):
        text = f"Lost game {game_id} in {titles[entry_id]} because of a fault: {verdict(str(word)).lower()}"
        yield Happening(at, "fault", text, url_for("game.offence", game_id=game_id))


def _change_events(asked: _Asked) -> Iterator[Happening]:
    """Yield extensions and, for instructors, decisions about the mark. Only instructors see the reason of an
    extension."""
    login, id_, teaches = asked.student.login, asked.seen.assignment.id, asked.seen.viewer.instructs
    extension, mark = f"Extension of {login}", f"Mark of {login}"
    page = url_for("extensions.show", assignment_id=id_) if teaches else _assignment_address(asked.seen)
    wanted = select(Change).where(Change.assignment_id == id_, Change.setting.in_([extension, mark]))
    for row in asked.session.scalars(wanted):
        if row.setting == extension:
            until = IN_WORDS.search(row.value)
            said = row.value if teaches and until else until[0] if until else "ended"
            yield Happening(row.changed_at, "extension", f"Extension: {said}", page)
        elif teaches:
            text = f"Mark set by staff: {row.former} → {row.value}"
            yield Happening(row.changed_at, "mark", text, _mark_address(asked))


def _published_event(asked: _Asked) -> Iterator[Happening]:
    """Yield the published marks, if the viewer sees marks at all. While they are withdrawn, only instructors see
    them."""
    wanted = select(MarksPublication, PublishedMark).join(
        PublishedMark, PublishedMark.publication_id == MarksPublication.id
    )
    of = MarksPublication.assignment_id == asked.seen.assignment.id, PublishedMark.user_id == asked.student.id
    rows = asked.session.execute(wanted.where(*of)).all() if asked.marks else []
    if not asked.seen.viewer.instructs and all(publication.withdrawn_at for publication, _ in rows):
        return
    for publication, row in rows:
        said = "excused" if row.excused else "none" if row.total is None else signed(row.total)
        yield Happening(publication.published_at, "mark", f"Mark published: {said}", _mark_address(asked))


def _commented(asked: _Asked, uploads: Sequence[Submission]) -> Iterator[Happening]:
    for row in comments_on(asked.session, [each.id for each in uploads]):
        text = f"Comment on submission {row.submission_id}, {row.place[0].lower()}{row.place[1:]}: {_short(row.text)}"
        yield Happening(row.written_at, "comment", text, url_for("code.show_comment", comment_id=row.id))


def _requests(asked: _Asked, uploads: Sequence[Submission]) -> Iterator[Happening]:
    wanted = select(ReviewRequest).where(ReviewRequest.submission_id.in_([each.id for each in uploads]))
    for row in asked.session.scalars(wanted):
        address = url_for("submission.show", submission_id=row.submission_id, _anchor="requests")
        yield Happening(row.asked_at, "request", f"Request ({row.kind}): {_short(row.text)}", address)
        if row.answered_at:
            yield Happening(row.answered_at, "request", f"Request {row.state}: {_short(row.answer)}", address)


def _notice_events(asked: _Asked) -> Iterator[Happening]:
    of = Notice.user_id == asked.student.id, Notice.assignment_id == asked.seen.assignment.id
    for row in asked.session.scalars(select(Notice).where(*of)):
        address = href(row.links[0]) if row.links else _assignment_address(asked.seen)
        yield Happening(row.told_at, "notice", f"Notice: {row.subject}", address)


def _ranks(asked: _Asked, entries: Sequence[Entry]) -> list[Picture]:
    samples, found = ranks_of(asked.session, [each.id for each in entries]), list[Picture]()
    for tournament in {each.tournament.id: each.tournament for each in entries}.values():
        versions = [each for each in entries if each.tournament_id == tournament.id]
        ids, last = {each.id for each in versions}, versions[-1]
        ranks, address = [each for each in samples if each.entry_id in ids], url_for("entry.show", entry_id=last.id)
        history = EntryHistory(last, [], versions, ranks, {}, address, GameFilter())
        if picture := entry_pictures.ranks(history, asked.seen.viewer.course):
            title = f"Rank over time in {tournament.title}"
            found.append(replace(picture, name=f"rank-{tournament.id}", title=title))
    return found


def _assignment_address(seen: Seen) -> str:
    return url_for("assignment.show", course=seen.viewer.course.slug, slug=seen.assignment.slug)


def _mark_address(asked: _Asked) -> str:
    return url_for("mark.show", assignment_id=asked.seen.assignment.id, user_id=asked.student.id)


def _short(text: str, most: int = 100) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
