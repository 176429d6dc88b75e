"""Edit the parts of a draft other than its questions: the title, dates and game; the text, with a preview, and the
starter file; the tournaments; and the author's own players, which test the hidden cases."""

from typing import Any

from flask import flash, render_template, request

from grader.authoring.drafts import Content, definition_in, problems_in
from grader.definition.model import Ladder
from sandbox import patterns
from tournament.ladder.settings import LABELS
from tournament.store.tables import Ranking
from tournament.store.validation import BadForm
from web.assignment.assignment import page_of
from web.editor import drafts, forms
from web.editor.drafts import check_slug, editor_page, open_draft, page, save_part
from web.editor.forms import games_to_choose
from web.site import assets, inputs
from web.site.access import Seen
from web.site.forms import line
from web.site.forms import text as typed
from web.site.pages import see_other, shown_again
from web.site.store import read
from web.submission.uploads import sent_file

# General


def _general(content: Content) -> Content:
    return {name: content.get(name) for name in forms.SETTINGS}


@page.get("/")
def show(assignment_id: int) -> str:
    """Show the page with the title, the dates and the game."""
    return _general_page(*open_draft(assignment_id))


def _general_page(seen: Seen, content: Content, **more: Any) -> str:
    known = games_to_choose(read())
    if content["game"] and content["game"] not in known:
        known[content["game"]] = f"{content['game']} (no longer offered)"
    options = [(each, forms.shown_option(each, content["options"])) for each in forms.options_of_game(content["game"])]
    return editor_page("general", seen, content, _general, games=known, options=options, **more)


@page.post("/")
def save(assignment_id: int) -> Any:
    """Save the title, the dates and the game."""
    seen, _ = open_draft(assignment_id)

    def change(content: Content) -> None:
        forms.put_general(content, request.form, seen.viewer.course.zone)

    return save_part(seen, _general, change, _general_page)


@page.post("/discard")
def discard(assignment_id: int) -> Any:
    """Discard the draft."""
    seen, _ = open_draft(assignment_id)
    if "confirm" not in request.form:
        flash("Nothing was discarded: tick the box to confirm.")
    else:
        drafts.discard(seen)
        flash("The draft has been discarded. The editor shows the published version.")
    return see_other("edit.show", assignment_id=assignment_id)


# The text and the starter file


@page.get("/text/")
def text(assignment_id: int) -> str:
    """Show the page with the text of the assignment."""
    return _text_page(*open_draft(assignment_id))


def _text_page(seen: Seen, content: Content, **more: Any) -> str:
    return editor_page(
        "text", seen, content, lambda content: content["text"], rendered=assets.markdown(content["text"]), **more
    )


@page.get("/starter/")
def starter(assignment_id: int) -> str:
    """Show the page with the starter file."""
    return _starter_page(*open_draft(assignment_id))


def _starter_page(seen: Seen, content: Content, **more: Any) -> str:
    return editor_page("starter", seen, content, lambda content: content["starter"], **more)


@page.post("/text/")
@inputs.longer(forms.LONGEST_TEXT, "text")
def save_text(assignment_id: int) -> Any:
    """Save the text."""
    return _save_text(assignment_id, "text", _text_page)


@page.post("/starter/")
@inputs.longer(forms.LONGEST_TEXT, "starter")
def save_starter(assignment_id: int) -> Any:
    """Save the starter file."""
    return _save_text(assignment_id, "starter", _starter_page)


def _save_text(assignment_id: int, name: str, again: Any) -> Any:
    seen, _ = open_draft(assignment_id)

    def change(content: Content) -> None:
        content[name] = typed(request.form, name)

    return save_part(seen, lambda content: content[name], change, again)


@page.post("/rendered")
@inputs.longer(forms.LONGEST_TEXT, "text")
def rendered(assignment_id: int) -> str:
    """Render Markdown as students will see it, for `draft.js`."""
    open_draft(assignment_id)
    return render_template("editor/_rendered.html", rendered=assets.markdown(typed(request.form, "text")))


@page.get("/preview/")
def preview(assignment_id: int) -> Any:
    """Show the assignment's page as a student would see the draft."""
    seen, content = open_draft(assignment_id)
    if problems_in(content):
        return see_other("edit.show", assignment_id=assignment_id)
    return page_of(seen, definition_in(content), preview=True)


# The tournaments


def _tournaments(content: Content) -> Any:
    return content["tournaments"]


@page.get("/tournaments/")
def tournaments(assignment_id: int) -> str:
    """Show the page with the tournaments' settings."""
    return _tournaments_page(*open_draft(assignment_id))


def _tournaments_page(seen: Seen, content: Content, **more: Any) -> str:
    shown = {"labels": LABELS, "numbers": forms.LADDER_NUMBERS, "rankings": list(Ranking)}
    return editor_page("tournaments", seen, content, _tournaments, **shown, **more)


@page.post("/tournaments/")
def save_tournaments(assignment_id: int) -> Any:
    """Save the tournaments' settings."""
    seen, _ = open_draft(assignment_id)
    return save_part(seen, _tournaments, lambda content: forms.put_ladders(content, request.form), _tournaments_page)


@page.post("/tournaments/add")
def add_tournament(assignment_id: int) -> Any:
    """Add a tournament to the draft."""
    seen, content = open_draft(assignment_id)
    slug, title = line(request.form, "slug"), line(request.form, "title")
    with shown_again(lambda why: _tournaments_page(seen, content, problems=why.problems, given=request.form)):
        check_slug(content["tournaments"], slug, "tournament", "bonus")

    def change(content: Content) -> None:
        if all(each["slug"] != slug for each in content["tournaments"]):
            content["tournaments"].append(Ladder(slug=slug, title=title or slug.capitalize()).model_dump(mode="json"))

    drafts.edit_draft(seen, change)
    return see_other("edit.tournaments", assignment_id=assignment_id)


@page.post("/tournaments/remove")
def remove_tournament(assignment_id: int) -> Any:
    """Remove a tournament from the draft."""
    seen, _ = open_draft(assignment_id)
    slug = request.form.get("slug", "")

    def change(content: Content) -> None:
        content["tournaments"] = [each for each in content["tournaments"] if each["slug"] != slug]

    drafts.edit_draft(seen, change)
    flash("The tournament is removed from the draft.")
    return see_other("edit.tournaments", assignment_id=assignment_id)


# The author's own players

NAME = patterns.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,60}\.py")
FOLDERS = {"accepted": "must pass", "wrong": "must fail at least one case"}


def _players(content: Content) -> Any:
    return content["submissions"]


@page.get("/players/")
def players(assignment_id: int) -> str:
    """Show the page with the author's own players, both correct and incorrect ones."""
    return _players_page(*open_draft(assignment_id))


def _players_page(seen: Seen, content: Content, **more: Any) -> str:
    return editor_page("players", seen, content, _players, folders=FOLDERS, **more)


@page.post("/players/")
@inputs.longer(forms.LONGEST_TEXT, "player")
def save_players(assignment_id: int) -> Any:
    """Save the source of the author's players."""
    seen, _ = open_draft(assignment_id)

    def change(content: Content) -> None:
        for path in content["submissions"]:
            if f"player-{path}" in request.form:
                content["submissions"][path] = typed(request.form, f"player-{path}")

    return save_part(seen, _players, change, _players_page)


@page.post("/players/add")
@inputs.longer(forms.LONGEST_TEXT, "text")
def add_player(assignment_id: int) -> Any:
    """Add a player from a file or from pasted text."""
    seen, content = open_draft(assignment_id)
    given = sent_file()
    name, folder = line(request.form, "name") or given.filename, request.form.get("folder", "")
    path = f"{folder}/{name}"
    with shown_again(lambda why: _players_page(seen, content, problems=why.problems, given=request.form)):
        if not NAME.fullmatch(name) or folder not in FOLDERS:
            raise BadForm({"name": "Give it a name such as no_return.py."})
        if path in content["submissions"]:
            raise BadForm({"name": f"There is already a player {path}. Choose another name."})
        if given.is_nothing or not given.text:
            raise BadForm({"text": "Choose a Python file, or paste its text."})
    drafts.edit_draft(seen, lambda content: content["submissions"].setdefault(path, given.text.replace("\r\n", "\n")))
    flash(f"{path} is added.")
    return see_other("edit.players", assignment_id=assignment_id)


@page.post("/players/remove")
def remove_player(assignment_id: int) -> Any:
    """Remove a player from the draft."""
    seen, _ = open_draft(assignment_id)
    drafts.edit_draft(seen, lambda content: content["submissions"].pop(request.form.get("path", ""), None))
    flash("The player is removed from the draft.")
    return see_other("edit.players", assignment_id=assignment_id)
