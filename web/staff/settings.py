"""For instructors: the settings of an assignment and its ladders, decisions for individual students, and the log."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flask import Blueprint, abort, flash, request
from pydantic import BaseModel, Field
from sqlalchemy.orm import Session

from grader.assignment.deadline import frozen
from grader.assignment.ladders import ladders as ladders_of
from grader.authoring.versions import definition_of
from grader.definition.local_times import LocalTime, lost_zone
from grader.definition.question import Gate, label
from grader.grading.report import gates_of
from grader.store.models import Assignment, FullKit, latest_changes, note_change
from tournament.ladder.ladder import OverrideError, cooldown_overrides
from tournament.ladder.settings import LadderSettings, settings_of
from tournament.ladder.settings import shown as shown_settings
from tournament.play.games import find_game
from tournament.practice.quota import parse_quota
from tournament.store.tables import Tournament
from tournament.store.validation import BadForm, ChangedMeanwhile, Refusal, Unconfirmed, at_field
from web.board import ladders
from web.kit import kits
from web.overview import dates
from web.site import access
from web.site.access import Seen, real_names
from web.site.auth import user
from web.site.forms import FormField, form_fields, tag
from web.site.inputs import number
from web.site.pages import page_about, see_other, shown_again
from web.site.store import read, write

page = Blueprint("manage_settings", __name__, url_prefix="/assignments/<int:assignment_id>/settings")
MOST_TRIAL_GAMES = 100
GATE_WORDS = {Gate.NONE: "nothing", Gate.EXAMPLES: "the visible examples", Gate.ALL: "all cases"}

Groups = dict[str, list[FormField]]
"""The fields of the page with their stored values, by the section of the page."""


class SettingsAtOnce(BaseModel):
    """The settings that an instructor can change at any time, as form values. The settings of ladders, and the
    conditions for passing each question, are separate."""

    due: str = Field(title="Deadline", description="Leave it empty for no deadline.")
    trial_games: int = Field(
        title="Trial games against house bots before an entry",
        description="0 means no trial games. A player that breaks a rule, crashes or runs out of time in a trial game "
        "is not entered, and its author can try again at once. The player takes each seat in turn.",
    )
    quota: int = Field(
        title="Games that each member may request per hour",
        description="0 switches custom games off. While custom games are waiting, they get as much playing time as "
        "the ladders, so a large number slows the ladders down.",
    )
    full_kit: FullKit = Field(title="Students can download it")


@page.get("/")
def show(assignment_id: int) -> str:
    """Show the page."""
    return _settings_page(access.taught(read(), user().id, assignment_id))


def _settings_page(seen: Seen, form: str = "", **more: Any) -> str:
    """Return the page; `form` is the form that was refused, with its `problems` and what was `given` or, for the
    settings, `typed`."""
    session, assignment = read(), seen.assignment
    if not assignment.version:
        abort(see_other("edit.show", assignment_id=assignment.id))
    people = real_names(session, assignment.course_id)
    played = ladders_of(session, assignment.id)
    groups = _groups(session, seen)
    return page_about(
        "staff/settings.html",
        seen,
        groups=groups,
        titles={
            **{f"ladder-{each.id}": each.title for each in played},
            "deadline": "Deadline",
            "gates": "What a player must pass to enter",
            "custom-games": "Custom games",
            "full-kit": "Full kit",
        },
        tag=tag,
        ladders=played,
        ladder_choices=[(str(each.id), each.title) for each in played],
        overrides=[(each, people.get(each.author_id), ladder) for ladder in played
                   for each in cooldown_overrides(session, ladder.id)],
        students=access.students(session, assignment.course_id),
        people=people,
        extensions=dates.extensions_of(session, assignment, people),
        lost_zone=lost_zone(seen.viewer.course.time_zone),
        frozen=frozen(session, assignment),
        log=latest_changes(session, assignment.course_id, assignment.id),
        form=form,
        **{"problems": {}, "given": {}, "typed": {}, **more},
    )  # fmt: skip


def _groups(session: Session, seen: Seen) -> Groups:
    assignment, course = seen.assignment, seen.viewer.course
    stored = {
        "due": LocalTime(assignment.due_at, course.zone).field if assignment.due_at else "",
        "trial_games": str(assignment.trial_games),
        "quota": str(assignment.custom_games_hour),
        "full_kit": assignment.full_kit.value,
    }
    fields = {each.name: each for each in form_fields(SettingsAtOnce, stored)}
    found = {"deadline": [replace(fields["due"], kind="time", zone=course.zone.key)]}
    tournaments, definition = ladders_of(session, assignment.id), definition_of(session, assignment)
    for each in tournaments:
        id_ = f"ladder-{each.id}"
        found[id_] = form_fields(LadderSettings, shown_settings(settings_of(each)), f"{id_}-")
    if tournaments:
        required = gates_of(definition, assignment.gates)
        options = [(gate.value, words) for gate, words in GATE_WORDS.items()]
        gates = [
            FormField(f"gate-{one.slug}", f"{label(one.slug)}: {one.title}", required[one.slug].value, options=options)
            for one in definition.asked
        ]
        found |= {"gates": [*gates, fields["trial_games"]], "custom-games": [fields["quota"]]}
    if kits.has_full_kit(definition):
        late = "" if assignment.due_at else " (there is no deadline yet)"
        when = [(each.value, f"{words}{late * each.value.startswith('after')}") for each, words in kits.WORDS.items()]
        found["full-kit"] = [replace(fields["full_kit"], options=when)]
    return found


def _stored_groups(groups: Groups) -> dict[str, str]:
    return {field.name: field.value for fields in groups.values() for field in fields}


@page.post("/")
@page.post("/deadline")  # the former address of the deadline, which programs may still use
def save(assignment_id: int) -> Any:
    """Save every setting that was changed, or none. Changes with immediate consequences must be confirmed first."""
    seen = access.taught(read(), user().id, assignment_id)
    groups = _groups(read(), seen)
    stored, form = _stored_groups(groups), request.form
    typed = {  # unchanged fields must not overwrite what somebody else has saved meanwhile
        name: form[name]
        for name in stored
        if name in form and form[name] != stored[name] and form.get(f"was-{name}") != tag(form[name])
    }
    if not typed:
        flash("Nothing was changed.")
        return see_other("manage_settings.show", assignment_id=assignment_id)

    overtaken = [name for name in typed if form.get(f"was-{name}") not in (None, tag(stored[name]))]

    def again(why: Refusal) -> str:
        now = {name: f"Now: {stored[name] or 'nothing'}" for name in overtaken}
        return _settings_page(seen, "settings", problems={**why.problems, **now}, typed=typed)

    with shown_again(again):
        if overtaken:
            raise ChangedMeanwhile
        for said in _save(seen, groups, typed):
            flash(said)
    return see_other("manage_settings.show", assignment_id=assignment_id)


def _save(seen: Seen, groups: Groups, typed: Mapping[str, str]) -> list[str]:
    """Save the fields that were changed, each with a line in the log, and return the sentences for the reader. Raises
    BadForm and Unconfirmed; in both cases nothing is saved."""
    values = {**_stored_groups(groups), **typed}
    labels = (field.label for fields in groups.values() for field in fields if field.name in typed)
    said = [f"Saved: {'; '.join(labels)}."]
    problems: dict[str, str] = {}
    consequences: list[str] = []
    with write() as session:
        assignment = session.get_one(Assignment, seen.assignment.id, with_for_update=True)
        for id_, fields in groups.items():
            if not any(field.name in typed for field in fields):
                continue
            try:
                said += _save_group(
                    session, assignment, seen, id_, {field.name: values[field.name] for field in fields}
                )
            except Unconfirmed as consequence:
                consequences.append(str(consequence))
            except Refusal as refusal:
                problems |= refusal.problems
        if problems:
            raise BadForm(problems)
        if consequences:
            raise Unconfirmed(" ".join(consequences))
    return said


def _save_group(
    session: Session, assignment: Assignment, seen: Seen, group: str, values: Mapping[str, str]
) -> list[str]:
    """Save one section of the page, and return any additional messages for the reader. Raises a Refusal with the
    problems by field."""
    by, confirmed = seen.viewer.user_id, "confirm" in request.form
    if group == "deadline":
        with at_field("due"):
            due = dates.change_deadline(session, assignment, seen, values["due"], confirmed)
        return [dates.said_of_deadline("deadline", due)]
    if group == "gates":
        _change_gates(session, assignment, by, values)
    elif group == "full-kit":
        kits.change_full_kit(session, assignment, by, values["full_kit"])
    elif group == "custom-games":
        former, assignment.custom_games_hour = assignment.custom_games_hour, parse_quota(values["quota"])
        note_change(session, assignment.id, by, "Custom games an hour", str(former), str(assignment.custom_games_hour))
    else:
        given = {name.removeprefix(f"{group}-"): value for name, value in values.items()}
        with at_field(f"{group}-*"):
            ladders.change_ladder(session, seen, int(group.removeprefix("ladder-")), given, confirmed)
    return []


def _change_gates(session: Session, assignment: Assignment, by: int, given: Mapping[str, str]) -> None:
    """Change the conditions for passing each question, and the number of trial games. Graded submissions keep their
    outcome. Raises BadForm."""
    definition, problems = definition_of(session, assignment), dict[str, str]()
    gates = dict[str, Gate]()
    for question in definition.asked:
        word = given.get(f"gate-{question.slug}", "")
        if word in set(Gate):
            gates[question.slug] = Gate(word)
        else:
            problems[f"gate-{question.slug}"] = "Choose one of the three."
    text = given.get("trial_games", "").strip()
    games = int(text) if text.isdecimal() and len(text) < 5 else -1
    fewest = find_game(assignment.game).seats[0] if assignment.game else 0
    if games != 0 and not fewest <= games <= MOST_TRIAL_GAMES:
        allowed = f"from {fewest} to {MOST_TRIAL_GAMES} so that every seat is played"
        problems["trial_games"] = f"This must be 0, or {allowed}."
    if problems:
        raise BadForm(problems)
    defaults, former, had = gates_of(definition), gates_of(definition, assignment.gates), assignment.trial_games
    assignment.gates = {slug: gate.value for slug, gate in gates.items() if gate is not defaults[slug]}
    assignment.trial_games = games
    for slug, gate in gates.items():
        setting = f"{label(slug)}: what must pass to enter"
        note_change(session, assignment.id, by, setting, GATE_WORDS[former[slug]], GATE_WORDS[gate])
    note_change(session, assignment.id, by, "Trial games before an entry", str(had), str(games))


@page.post("/exclusions")
def give_override(assignment_id: int) -> Any:
    """Give one student an individual cooldown, or let them enter now."""
    seen, form = access.taught(read(), user().id, assignment_id), request.form
    ladder = ladders.check_ladder(read().get(Tournament, form.get("tournament", 0, number)), assignment_id)
    with shown_again(lambda why: _settings_page(seen, "exclusion", problems=why.problems, given=form)):
        seconds = None if form.get("what") == "now" else _typed_seconds(form.get("minutes", ""))
        ladders.give_cooldown(seen, ladder.id, form.get("login", ""), seconds, form.get("reason", ""))
    flash("The decision is saved, and the student has been notified.")
    return see_other("manage_settings.show", assignment_id=assignment_id)


def _typed_seconds(text: str) -> int:
    try:
        return round(float(text) * 60)
    except (ValueError, OverflowError):
        raise OverrideError("minutes", f"“{text}” is not a number of minutes.") from None


@page.post("/exclusions/<int:override_id>/revoke")
def revoke_override(assignment_id: int, override_id: int) -> Any:
    """Revoke a decision about one student's cooldown."""
    ladders.take_cooldown_back(access.taught(read(), user().id, assignment_id), override_id)
    flash("The decision has been revoked, and the student has been notified.")
    return see_other("manage_settings.show", assignment_id=assignment_id)
