"""The final of an assignment: instructors set the deadline, freeze, watch and publish; students see their own mark."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from flask import Blueprint, Response, flash, make_response, render_template, request
from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.exceptions import BadRequest, NotFound

from grader.assignment.deadline import StillWaiting, freeze_final
from grader.store.models import Assignment, Submission, note_change
from grader.store.queue import crew_of, expected_wait
from tournament.final import finals
from tournament.final.record import Header, packed, read_header, signed
from tournament.final.rounds import FinalStanding
from tournament.final.settings import parse_settings, show_table
from tournament.final.status import amendments_of, present_settings, status_of
from tournament.store.database import after_commit, now, reading
from tournament.store.jobs import PENDING
from tournament.store.tables import Entry, Final, FinalPhase, Ranking, Trial
from tournament.store.validation import Refusal, Unconfirmed
from tournament.work.backlog import usual_wait_s
from web.insight.insight import insight_into
from web.insight.pictures import final_picture
from web.overview import dates
from web.overview.dates import deadline_of
from web.site import access
from web.site.access import Seen, real_names
from web.site.auth import user
from web.site.inputs import number
from web.site.pages import named, page_about, see_other, shown_again, spreadsheet
from web.site.store import WebSettings, read, settings, write

page = Blueprint("final", __name__, url_prefix="/assignments/<int:assignment_id>/final")
PAIR = "tournament.pair"
EVERY_MS = 3000
RUNNING = (FinalPhase.FROZEN, FinalPhase.RUNNING)
DONE = {
    "start": "The final has started.",
    "pause": "The final is paused. Games that have started will finish, and count.",
    "resume": "The final has been resumed.",
    "more": "The final continues. Its record will say so.",
    "abort": "The final has been aborted. You can freeze another one.",
    "publish": "The marks have been published: every student can see their own.",
}
ACTIONS: Mapping[str, Callable[[Session, int], Any]] = {
    name: finals.play_more if name == "more" else getattr(finals, name) for name in DONE
}


@page.get("/")
def show(assignment_id: int) -> str:
    """Show the instructors' page, or the student's own mark."""
    seen = access.assignment(read(), user().id, assignment_id)
    if not seen.assignment.game and finals.final_of(read(), assignment_id) is None:
        raise NotFound("This assignment has no game, so it has no final. Marks come from the points in its reports.")
    return _final_page(seen) if seen.viewer.instructs else _own_final_page(seen)


@page.get("/progress")
def progress(assignment_id: int) -> Response:
    """Return the part of the page that shows the progress of the final, reloaded by `refresh.js`."""
    seen = access.taught(read(), user().id, assignment_id)
    response = make_response(render_template("marks/_final_progress.html", **_progress(seen)))
    response.add_etag()
    response.make_conditional(request)
    return response


def _final_page(seen: Seen, **more: Any) -> str:
    session, assignment = read(), seen.assignment
    final = finals.final_of(session, assignment.id)
    shown = final if final and final.phase is not FinalPhase.ABORTED else None
    people = real_names(session, assignment.course_id)
    students, entrants = access.students(session, assignment.course_id), _entrants(session, shown)
    playing = {each.author_id for each in entrants}
    return render_template(
        "marks/final.html",
        **_progress(seen),
        aborted=final is not None and shown is None,
        people=people,
        students=students,
        entrants=entrants,
        absent=[each for each in students if shown and each.user_id not in playing],
        extensions=dates.extensions_of(session, assignment, people),
        lines=_lines(session, shown),
        header=read_header(shown.header) if shown else None,
        most_games=present_settings(shown).most_games if shown else 0,
        amendments=[datetime.fromisoformat(each.amended_at) for each in amendments_of(shown)] if shown else [],
        picture=final_picture(insight_into(seen)) if shown else None,
        show_table=show_table,
        rankings=[(each.value, each.value) for each in Ranking],
        **{"form": "", "problems": {}, "given": {}, "waiting": [], **more},
    )


def _progress(seen: Seen) -> dict[str, Any]:
    final = finals.final_of(read(), seen.assignment.id)
    alive = final if final and final.phase is not FinalPhase.ABORTED else None
    return {
        "assignment": seen.assignment,
        "viewer": seen.viewer,
        "final": alive,
        "status": status_of(read(), alive) if alive else None,
        "every_ms": EVERY_MS if alive and alive.phase in RUNNING else 0,
        "more_games": finals.MORE_GAMES,
    }


def _entrants(session: Session, final: Final | None) -> Sequence[Entry]:
    """Return the students' entries in a final."""
    if final is None:
        return []
    wanted = select(Entry).where(Entry.tournament_id == final.tournament_id, Entry.author_id.is_not(None))
    return session.scalars(wanted.order_by(Entry.name)).all()


def _lines(session: Session, final: Final | None) -> list[tuple[FinalStanding, int]]:
    """Return the standings, each line with its author's id; empty until everything has been played."""
    if final is None or final.phase in RUNNING:
        return []
    published = final.phase is FinalPhase.PUBLISHED
    lines = finals.published_lines(final) if published else finals.work_out(session, final)
    wanted = select(Entry.id, Entry.author_id).where(Entry.tournament_id == final.tournament_id)
    authors = {row.id: row.author_id for row in session.execute(wanted)}
    return [(line, authors[final.entries[line.entry]] or 0) for line in lines]


def _own_final_page(seen: Seen) -> str:
    """Return the page with a student's own mark and the reasons for it."""
    session = read()
    final = finals.final_of(session, seen.assignment.id)
    published = final if final and final.phase is FinalPhase.PUBLISHED else None
    lines = _lines(session, published)
    own = next((line for line, author in lines if author == user().id), None)
    header: Header | None = read_header(published.header) if published else None
    return page_about(
        "marks/final_mark.html",
        seen,
        final=published,
        line=own,
        header=header,
        show_table=show_table,
        entry_id=published.entries[own.entry] if published and own else None,
        survivors=sum(line.survived for line, _ in lines),
        deadline=deadline_of(session, seen.assignment, user().id),
    )


@page.get("/marks.csv")
def marks_file(assignment_id: int) -> Response:
    """Download the published marks with real names, and the students without an entry, for a spreadsheet."""
    seen, final = access.taught(read(), user().id, assignment_id), _published(assignment_id)
    people = real_names(read(), seen.assignment.course_id)
    rows: list[list[Any]] = [["name", "login", "pseudonym", "mark", "rank", "survived", "games", "wins", "errors"]]
    lines = _lines(read(), final)
    for line, author in lines:
        who = [people[author].name, people[author].login] if author in people else ["(no longer in the course)", ""]
        mark = "" if line.mark is None else f"{line.mark:g}"
        survived = "yes" if line.survived else "no"
        rows.append([*who, line.name, mark, line.rank or "", survived, line.games, line.wins, line.faults])
    played = {author for _, author in lines}
    absent = [each for each in access.students(read(), seen.assignment.course_id) if each.user_id not in played]
    rows += [[each.user.name, each.user.login, each.pseudonym, "", "", "no entry", "", "", ""] for each in absent]
    return spreadsheet(rows, seen, "marks.csv")


@page.get("/record.jsonl.gz")
def record_file(assignment_id: int) -> Response:
    """Download the signed record of the published final, for `quadrille verify`, generated while it is being sent."""
    seen, final = access.taught(read(), user().id, assignment_id), _published(assignment_id)
    parts = _signed_record(settings(), final.tournament_id)
    return named(Response(parts, mimetype="application/gzip"), seen, "final.jsonl.gz")


def _signed_record(site: WebSettings, tournament_id: int) -> Iterator[bytes]:
    """Generate the signed record from its own database snapshot, which stays open until the record is sent."""
    with reading(site.sessions) as session:
        yield from packed(signed(finals.export(session, session.get_one(Final, tournament_id)), site.record_key))


def _published(assignment_id: int) -> Final:
    final = finals.final_of(read(), assignment_id)
    if final is None or final.phase is not FinalPhase.PUBLISHED:
        raise NotFound("The marks of this final have not been published.")
    return final


@page.post("/freeze")
def freeze(assignment_id: int) -> Any:
    """Freeze the final with every student's last entry before the deadline."""
    seen = access.taught(read(), user().id, assignment_id)
    without = request.form.getlist("without", type=number) if "leave" in request.form else []

    def refused(why: Refusal) -> str:
        waiting = _waiting(read(), why.uploads) if isinstance(why, StillWaiting) else []
        return _final_page(seen, form="freeze", problems=why.problems, given=request.form, waiting=waiting)

    with shown_again(refused):
        rules = parse_settings(request.form)
        with write() as session:
            assignment = session.get_one(Assignment, assignment_id, with_for_update=True)
            members = {member.user_id for member in access.students(session, assignment.course_id)}
            freeze_final(session, assignment, members, rules, now(), seen.viewer.course.zone, without)
    flash("The final is frozen. Check who takes part, then start it.")
    return see_other("final.show", assignment_id=assignment_id)


def _waiting(session: Session, uploads: Sequence[int]) -> list[tuple[Submission, float | None]]:
    """Return these uploads, each with its estimated wait in seconds, or None if unknown."""
    crew, trial_s = crew_of(session), usual_wait_s(session, Trial)
    wanted = select(Submission).where(Submission.id.in_(uploads)).order_by(Submission.id)

    def wait_s(upload: Submission) -> float | None:
        return expected_wait(session, crew, upload)[1] if upload.state in PENDING else trial_s

    return [(each, wait_s(each)) for each in session.scalars(wanted)]


@page.post("/do")
def act(assignment_id: int) -> Any:
    """Start, pause, resume, continue, abort or publish the final, or skip a block of it."""
    seen, do = access.taught(read(), user().id, assignment_id), request.form.get("do", "")
    if do not in ACTIONS and do != "skip":
        raise BadRequest("A final can be started, paused, resumed, continued, aborted or published.")
    with shown_again(lambda why: _final_page(seen, problems={"do": str(why)})), write() as session:
        if do == "publish" and "confirm" not in request.form:
            raise Unconfirmed("Nothing was published. Check the marks below, then confirm that you have checked them.")
        final = finals.final_of(session, assignment_id)
        if final is None:
            raise NotFound("This assignment has no final.")
        if do == "skip":
            finals.skip(session, final.tournament_id, request.form.get("block", 0, number))
        else:
            changed = ACTIONS[do](session, final.tournament_id)
            if do == "more":
                former, most = map(str, changed)
                note_change(session, assignment_id, user().id, "Maximum games near a grade boundary", former, most)
        after_commit(session, lambda: settings().send(PAIR))
    flash(DONE.get(do, "The block has been skipped. This is noted in the record."))
    return see_other("final.show", assignment_id=assignment_id)
