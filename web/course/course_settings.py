"""Pages for instructors: the settings of a course (title, term, language and time zone), which apply to all its
assignments, and the course's change log."""

from dataclasses import replace
from typing import Any

from flask import Blueprint, flash, render_template, request
from pydantic import BaseModel, Field

from grader.authoring.course_folder.course import CourseSettings
from grader.definition.local_times import listed_zones
from grader.store.models import latest_changes
from tournament.store.validation import ChangedMeanwhile, Refusal, validated
from web.course.course import course_taught
from web.people import members
from web.site import access, languages
from web.site.access import Viewer
from web.site.auth import user
from web.site.forms import check_unchanged, form_fields, line, tag
from web.site.models import Course
from web.site.pages import see_other, shown_again
from web.site.store import fresh, write

page = Blueprint("course_settings", __name__, url_prefix="/courses/<course>/settings")


class SettingsOfCourse(BaseModel):
    """The course settings that an instructor may change, in the format of the form."""

    title: str = Field(title="Title", description="Students see it on every page, e.g. Foundations of Computing.")
    term: str = Field(title="Term", description="Shown beside the title, e.g. Semester 1.")
    language: str = Field(title="Language", description="Members who have chosen their own language keep it.")
    time_zone: str = Field(
        title="Time zone", description="Type the name of a large city to find its time zone, e.g. Australia/Melbourne."
    )


@page.get("/")
def show(course: str) -> str:
    """Show the page with the course settings."""
    return _course_settings_page(course_taught(course))


def _course_settings_page(viewer: Viewer, why: Refusal | None = None) -> str:
    with fresh() as session:
        stored = _stored(session.get_one(Course, viewer.course.id))
        log, people = latest_changes(session, viewer.course.id), access.real_names(session, viewer.course.id)
    shown = {name: request.form.get(name, value) for name, value in stored.items()}
    problems = dict(why.problems) if why else {}
    if isinstance(why, ChangedMeanwhile):
        problems |= {name: f"Now: {value or 'nothing'}" for name, value in stored.items() if value != shown[name]}
    fields = {each.name: each for each in form_fields(SettingsOfCourse, shown)}
    fields["language"] = replace(fields["language"], options=languages.choices("the language of the reader’s browser"))
    more = {"fields": fields.values(), "stored": stored, "was": tag(stored), "zones": listed_zones()}
    more |= {"log": log, "people": people}
    return render_template("course/course_settings.html", viewer=viewer, problems=problems, **more)


def _stored(course: Course) -> dict[str, str]:
    return {name: getattr(course, name) for name in SettingsOfCourse.model_fields}


@page.post("/")
def save(course: str) -> Any:
    """Save the changed settings, which take effect at once, and record the changes in the course's change log."""
    viewer, by = course_taught(course), user().id
    given = {name: line(request.form, name) for name in SettingsOfCourse.model_fields}
    named = {name: given[name] for name in ("title", "term", "time_zone")}
    with shown_again(lambda why: _course_settings_page(viewer, why)):
        wanted = validated(CourseSettings, {"slug": viewer.course.slug, **named})
        with write() as session:
            row = session.get_one(Course, viewer.course.id, with_for_update=True)
            check_unchanged(request.form, _stored(row))
            for name, words in (("title", "Title of the course"), ("term", "Term of the course")):
                members.log(session, row, by, words, getattr(row, name), getattr(wanted, name))
                setattr(row, name, getattr(wanted, name))
            former = members.change_time_zone(session, row, by, wanted.time_zone)
            members.change_language(session, row, by, given["language"])
    flash("The settings of the course are saved.")
    if former != wanted.time_zone:
        same = "The deadlines themselves have not moved. Check how their times are shown now."
        flash(f"The time zone of the course is {wanted.time_zone}. {same}")
    return see_other("course_settings.show", course=course)
