"""The page of an assignment: the instructions, which are rendered once for everybody; the upload box; and the viewer's
submissions and entry."""

from collections.abc import Hashable, Mapping, Sequence
from time import monotonic
from typing import Any

from flask import Blueprint, Response, abort, current_app, flash, render_template, request
from markupsafe import Markup
from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.exceptions import NotFound

from grader.assignment.ladders import first_open, ladders, seasons
from grader.authoring.versions import definition_of
from grader.definition.model import Definition, game_name
from grader.grading.report import Gates, gates_of, in_words
from grader.marks.counted import counted
from grader.marks.tables import told_of
from grader.programs.upload import MOST_BYTES, MOST_FILES, MOST_SENT
from grader.store.models import FullKit, Submission
from grader.submissions.submit import history
from tournament.games.options import choices, options_comment
from tournament.ladder.ladder import can_reinstate, cooldown_overrides, override_words
from tournament.store.tables import Entry, EntryState
from tournament.work.backlog import usual_wait_s
from web.kit.contents import has_kit
from web.kit.kits import has_full_kit, may_have_full
from web.overview.dates import cooldown_left_s, deadline_of, of_sections
from web.overview.standings import stand_summary, stands_of
from web.replay.frames import HOUSE_GAME, WORKED_TURN, example_of, show_play, shown_example
from web.site import access, assets, inputs
from web.site.assets import markdown
from web.site.auth import UPLOADS, limiter, user
from web.site.inputs import new_nonce
from web.site.pages import Shelf, page_about, see_other, shown_again, unless_unchanged
from web.site.store import read, settings
from web.site.text import duration
from web.submission import uploads
from web.submission.uploads import SentFile, python_file, sent_file, sent_files, store_upload_once

INSTRUCTIONS = Shelf("instructions", 128)


NOTHING = "No file was chosen. Choose a file, drop it here, or paste its text; then upload."
page = Blueprint("assignment", __name__, url_prefix="/courses/<course>/<slug>")
WAIT_S = 10.0


def _seen_assignment(session: Session, course: str, slug: str) -> access.Seen:
    seen = access.assignment_named(session, user().id, course, slug)
    if not seen.assignment.version:  # a draft, which only instructors see
        abort(see_other("edit.show", assignment_id=seen.assignment.id))
    return seen


@page.get("/")
def show(course: str, slug: str) -> str:
    """Show the page of an assignment."""
    return _assignment_page(_seen_assignment(read(), course, slug))


def _assignment_page(seen: access.Seen, **upload: Any) -> str:
    return page_of(seen, definition_of(read(), seen.assignment), **upload)


def page_of(seen: access.Seen, definition: Definition, preview: bool = False, **upload: Any) -> str:
    """The page of an assignment with the given definition: the published one or, for a `preview`, a draft."""
    session, assignment = read(), seen.assignment
    game = assets.game_if_any(game_name(definition) if preview else assignment.game)
    entries = _entries(seen, definition)
    gate = first_open(stand.tournament for stand in entries["stands"])
    gates = gates_of(definition, {} if preview else assignment.gates)
    decided = cooldown_overrides(session, gate.id, seen.viewer.user_id) if gate else []
    submissions = history(session, assignment.id, seen.viewer.user_id)
    kit = has_kit(definition)
    full_kit = ""
    if assignment.full_kit is not FullKit.NEVER and has_full_kit(definition):
        full_kit = "now" if may_have_full(session, seen) else "later"
    tries = assignment.trial_games if game and game.bots else 0
    usual = _usual_report_s(session, assignment.id)
    ladder = gate or next((stand.tournament for stand in entries["stands"]), None)
    how: dict[str, Hashable] = {  # what the instructions depend on besides the definition
        "course": seen.viewer.course.slug,
        "slug": assignment.slug,
        "opened": not submissions and not seen.viewer.instructs,
        "game": game is not None,
        "tries": tries,
        "limits": settings().limits.for_games(),
        "kit": kit and not preview,
        "full_kit": full_kit,
        "usual": duration(usual) if usual else "",
        "ladder": ladder is not None,
        "takes_entries": gate is not None,
        **{name: getattr(ladder, name, None) for name in ("fault_limit", "exclusion_s", "out_exclusion_s")},
    }
    return render_template(
        "assignment/assignment.html",
        instructions=_instructions(definition, gates, how),
        game=game,
        preview=preview,
        text=assets.markdown(definition.text),
        submissions=submissions,
        takeable=uploads.takeable(submissions),
        expected=uploads.expected(definition),
        kit=kit,
        full_kit=full_kit,
        most={"bytes": MOST_BYTES, "files": MOST_FILES, "sent": MOST_SENT},
        gate=gate,
        excluded=cooldown_left_s(session, gate, seen.viewer.user_id, decided),
        decided=decided,
        describe=override_words,
        needed=in_words(gates),
        tries=tries,
        nonce=new_nonce(),
        limit=settings().limits.source,
        house_game=None if submissions or preview else shown_example(seen, HOUSE_GAME),
        **entries,
        **upload,
    )


def _usual_report_s(session: Session, assignment_id: int) -> float | None:
    """How many seconds reports have taken recently. All viewers share the value, which is read again at most every
    WAIT_S seconds."""
    known: dict[int, tuple[float, float | None]] = current_app.extensions.setdefault("quadrille-report-waits", {})
    until, wait_s = known.get(assignment_id, (0.0, None))
    if monotonic() >= until:
        wait_s = usual_wait_s(session, Submission, assignment_id=assignment_id)
        known[assignment_id] = monotonic() + WAIT_S, wait_s
    return wait_s


def _instructions(definition: Definition, gates: Gates, how: Mapping[str, Hashable]) -> Markup:
    """Render the instructions and the questions as HTML, once for all viewers who see the same content."""

    def make() -> Markup:
        texts = {each.slug: markdown(each.text) for each in definition.asked if each.text}
        shown = {**how, "definition": definition, "gates": gates, "texts": texts}
        return Markup(render_template("assignment/_instructions.html", **shown))  # noqa: S704  # a template's

    return INSTRUCTIONS.kept(make, request.script_root, definition.digest, *gates.items(), *how.items())


def _entries(seen: access.Seen, definition: Definition) -> dict[str, Any]:
    running, former = seasons(read(), seen.assignment.id)
    found = stands_of(read(), seen.assignment, seen.viewer.user_id, running)
    absent = [each.tournament.id for each in found if not each.entry]
    late, marked = told_of(read(), seen.assignment.id)
    return {
        "assignment": seen.assignment,
        "viewer": seen.viewer,
        "stands": found,
        "withdrawn": _withdrawn(read(), absent, seen) if absent else {},
        "definition": definition,
        "counts": None if found else counted(read(), seen.assignment, seen.viewer.user_id).get(seen.viewer.user_id),
        "deadline": deadline_of(read(), seen.assignment, seen.viewer.user_id),
        "former": former,
        "late": late,
        "marked": marked,
        "section_dates": of_sections(seen.assignment) if seen.viewer.staff else [],
    }


def _withdrawn(session: Session, among: Sequence[int], seen: access.Seen) -> dict[int, tuple[Entry, bool]]:
    """Return the viewer's latest entry in each of these ladders if it was withdrawn, by ladder, and whether the viewer
    can reinstate it."""
    own = select(Entry).where(Entry.tournament_id.in_(among), Entry.author_id == seen.viewer.user_id)
    latest = {each.tournament_id: each for each in session.scalars(own.order_by(Entry.version))}
    gone = [each for each in latest.values() if each.state is EntryState.WITHDRAWN]
    return {each.tournament_id: (each, can_reinstate(session, each, seen.viewer.user_id)) for each in gone}


@page.get("/entry")
def entry_card(course: str, slug: str) -> Response:
    """Return the part of the page that shows the state of the viewer's entries, for `refresh.js`."""
    seen = _seen_assignment(read(), course, slug)
    entries = _entries(seen, definition_of(read(), seen.assignment))
    shown = [seen.assignment.version, entries["counts"], entries["deadline"], *map(stand_summary, entries["stands"])]
    return unless_unchanged(shown, lambda: render_template("assignment/_entry_card.html", **entries))


@page.post("/submissions")
@limiter.limit(UPLOADS, key_func=lambda: f"user:{user().id}")
@inputs.longer(inputs.WHOLE, "text", "carried")
def upload(course: str, slug: str) -> Any:
    """Accept a player. If the upload is refused, show the reason beside the upload box, with the uploaded text in its
    text box."""
    seen = _seen_assignment(read(), course, slug)
    definition = definition_of(read(), seen.assignment)
    if definition.programs:
        return _upload_files(seen, definition)
    given = sent_file()
    with shown_again(lambda why: _assignment_page(seen, error=NOTHING if given.is_nothing else str(why), given=given)):
        submission_id = store_upload_once(seen, given, f"{request.form.get('nonce', '')}:{given.digest}")
    _say_when(seen, given)
    return see_other("submission.show", submission_id=submission_id)


def _say_when(seen: access.Seen, sent: SentFile) -> None:
    gate = first_open(ladders(read(), seen.assignment.id)) if sent.wants_entry else None
    if excluded := cooldown_left_s(read(), gate, seen.viewer.user_id):
        flash(
            f"You entered a player a short time ago. This one will be tested, and you can enter it in "
            f"{duration(excluded)}."
        )


def _upload_files(seen: access.Seen, definition: Definition) -> Any:
    """Accept a program's files. If files are missing, ask the student before storing anything; the form that asks keeps
    the uploaded files."""
    with shown_again(lambda why: _assignment_page(seen, error=str(why))):
        given = sent_files(read(), seen)
        found = uploads.read_upload(definition, given)
        if found.missing and not given.confirmed:
            return _assignment_page(seen, incomplete=found, given=found.sent, carried=found.carried), 422
        sent = found.sent
        submission_id = store_upload_once(seen, sent, f"{request.form.get('nonce', '')}:{sent.digest}")
    for note in found.notes:
        flash(note)
    _say_when(seen, sent)
    return see_other("submission.show", submission_id=submission_id)


@page.get("/files.zip")
def handed_out(course: str, slug: str) -> Response:
    """Download the files that are handed out with the program questions."""
    seen = _seen_assignment(read(), course, slug)
    files = uploads.handed_out(definition_of(read(), seen.assignment))
    if not files:
        raise NotFound("This assignment hands out no files.")
    return uploads.zip_file(files, f"{seen.assignment.slug}.zip")


@page.get("/starter.py")
def starter(course: str, slug: str) -> Response:
    """Download the starter file."""
    seen = _seen_assignment(read(), course, slug)
    assignment = seen.assignment
    source = definition_of(read(), assignment).starter
    if not source:
        raise NotFound("This assignment has no starter file.")
    game = assets.game_if_any(assignment.game)
    heading = options_comment(game) if game else ""
    return python_file((heading + source).encode(), f"{assignment.slug}_player.py")


@page.get("/rules")
def rules(course: str, slug: str) -> str:
    """Show the page with the game's rules."""
    seen = _seen_assignment(read(), course, slug)
    game, text = assets.game_if_any(seen.assignment.game), assets.rules(seen.assignment.game)
    if game is None or text is None:
        raise NotFound("This assignment has no rules to show.")
    return page_about(
        "assignment/rules.html",
        seen,
        rules=text,
        game=game,
        choices=choices(game),
        worked_turn=shown_example(seen, WORKED_TURN),
    )


@page.get(f"/<any('{HOUSE_GAME}', '{WORKED_TURN}'):which>/plays/<int:number>")
def play_example(course: str, slug: str, which: str, number: int) -> Any:
    """Show the table of an example after `number` plays. The example is a game between house bots, or a turn with a
    sentence about each play."""
    seen = access.assignment_named(read(), user().id, course, slug)
    found = example_of(seen.assignment.game, which)
    if found is None:
        raise NotFound("This assignment has no game of house bots to show.")
    around = {"assignment": seen.assignment, "viewer": seen.viewer, "which": which}
    return show_play(found.record, number, {}, "assignment/example.html", lambda: around, found.steps)
