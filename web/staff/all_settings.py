"""The settings of an assignment on one page: what is stored, and saving all that was changed, or nothing."""

from collections.abc import Mapping

from sqlalchemy.orm import Session

from grader.assignment.ladders import ladders as ladders_of
from grader.authoring.versions import definition_of
from grader.definition.local_times import LocalTime
from grader.definition.question import label
from grader.grading.report import gates_of
from grader.store.models import Assignment, note_change
from tournament.ladder import settings as ladder_settings
from tournament.ladder.settings import LABELS
from tournament.practice.quota import parse_quota
from tournament.store.tables import Ranking
from tournament.store.validation import BadForm, Refusal, Unconfirmed, at_field
from web.board import ladders
from web.kit import kits
from web.models import Course
from web.overview import dates
from web.people import members
from web.site.access import Seen
from web.site.forms import FormField
from web.site.store import write
from web.staff import gates

HINTS = {
    "exclusion_minutes": "0 lets everybody enter at any time.",
    "out_exclusion_minutes": "A student whose player is out can enter a corrected one after this time, or sooner if "
    "the re-entry cooldown ends first.",
    "fault_limit": "The student is told at once, with links to the games.",
    "target_games": "The ladder rests when every active entry has this many games, and resumes when a new entry "
    "arrives.",
    "active_limit": "With more than 1, a new entry replaces the student’s oldest; the final takes only the last one. "
    "A player never meets another entry of its own author.",
}
TRIALS = (
    "0 means none. A player that is at fault in one is not entered, and its author can try again at once. Each seat is "
    "played in turn."
)
CUSTOM = (
    "0 switches them off. While any are waiting, they get as much playing time as the ladders, so a large number slows "
    "the ladders down."
)
ZONE = "Type the name of a large city to find it, e.g. Australia/Melbourne."

Groups = dict[str, list[FormField]]


def groups(session: Session, seen: Seen) -> Groups:
    """The fields of the page with what is stored, by the section in which they stand."""
    assignment, course = seen.assignment, seen.viewer.course
    due = LocalTime(assignment.due_at, course.zone).field if assignment.due_at else ""
    empty = "Leave it empty for no deadline."
    found = {"deadline": [FormField("due", "Deadline", due, empty, "time", zone=course.zone.key)]}
    tournaments = ladders_of(session, assignment.id)
    for each in tournaments:
        found[f"ladder-{each.id}"] = _ladder(f"ladder-{each.id}-", ladder_settings.settings_of(each))
    definition = definition_of(session, assignment)
    if tournaments:
        required = gates_of(definition, assignment.gates)
        options = [(gate.value, words) for gate, words in gates.WORDS.items()]
        found["gates"] = [
            FormField(f"gate-{one.slug}", f"{label(one.slug)}: {one.title}", required[one.slug].value, options=options)
            for one in definition.asked
        ]
        trial_games = "Trial games against house bots before an entry"
        found["gates"].append(FormField("trial_games", trial_games, str(assignment.trial_games), TRIALS, "numeric"))
        quota = str(assignment.custom_games_hour)
        asked = "Games that each member may request per hour"
        found["custom-games"] = [FormField("quota", asked, quota, CUSTOM, "numeric")]
    if kits.has_full_kit(definition):
        late = "" if assignment.due_at else " (there is no deadline yet)"
        when = [(each.value, f"{words}{late * each.value.startswith('after')}") for each, words in kits.WORDS.items()]
        found["full-kit"] = [FormField("full_kit", "Students can download it", assignment.full_kit.value, options=when)]
    found["time-zone"] = [FormField("time_zone", "Time zone", course.time_zone, ZONE)]
    return found


def present(groups: Groups) -> dict[str, str]:
    """What is stored, by field."""
    return {field.name: field.value for fields in groups.values() for field in fields}


def _ladder(prefix: str, settings: ladder_settings.LadderSettings) -> list[FormField]:
    shown = ladder_settings.shown(settings)
    ranked = [(each.value, each.value) for each in Ranking]
    return [
        FormField(
            f"{prefix}{name}", words, shown[name], HINTS.get(name, ""), options=ranked if name == "ranking" else ()
        )
        for name, words in LABELS.items()
    ]


def save(seen: Seen, groups: Groups, changed: Mapping[str, str], confirmed: bool) -> list[str]:
    """Save the fields that were changed, each with a line in the log, and return what to tell the reader. Raises
    BadForm and Unconfirmed; then nothing is saved."""
    values = present(groups) | dict(changed)
    said = [_labels(groups, changed)]
    problems: dict[str, str] = {}
    consequences: list[str] = []
    with write() as session:
        assignment = session.get_one(Assignment, seen.assignment.id, with_for_update=True)
        for id_, fields in groups.items():
            if not any(field.name in changed for field in fields):
                continue
            try:
                said += _save(session, assignment, seen, id_, values, confirmed)
            except Unconfirmed as consequence:
                consequences.append(str(consequence))
            except Refusal as refusal:
                problems |= refusal.problems
        if problems:
            raise BadForm(problems)
        if consequences:
            raise Unconfirmed(" ".join(consequences))
    return said


def _labels(groups: Groups, changed: Mapping[str, str]) -> str:
    named = [field.label for fields in groups.values() for field in fields if field.name in changed]
    return f"Saved: {'; '.join(named)}."


def _save(
    session: Session, assignment: Assignment, seen: Seen, group: str, values: Mapping[str, str], confirmed: bool
) -> list[str]:
    """Save one section, and return what to say besides. Raises a Refusal with the problems by field."""
    by = seen.viewer.user_id
    if group == "deadline":
        with at_field("due"):
            due = dates.change_deadline(session, assignment, seen, values["due"], confirmed)
        return [dates.said_of_deadline("deadline", due)]
    if group == "time-zone":
        course = session.get_one(Course, seen.viewer.course.id, with_for_update=True)
        members.change_time_zone(session, course, by, values["time_zone"])
        same = "The deadlines are the same moments as before: check what the clock shows for them now."
        return [f"The time zone of the course is {course.time_zone}. {same}"]
    if group == "gates":
        gates.change(session, assignment, by, values)
    elif group == "full-kit":
        kits.change(session, assignment, by, values["full_kit"])
    elif group == "custom-games":
        former, assignment.custom_games_hour = assignment.custom_games_hour, parse_quota(values["quota"])
        note_change(session, assignment.id, by, "Custom games an hour", str(former), str(assignment.custom_games_hour))
    else:
        given = {name: values[f"{group}-{name}"] for name in LABELS}
        with at_field(f"{group}-*"):
            ladders.change(session, seen, int(group.removeprefix("ladder-")), given, confirmed)
    return []
