"""Insight: pages for staff with pictures of a class and an assignment, and the list behind each part of a picture."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flask import Blueprint, Response, request, url_for
from sqlalchemy import and_, select
from werkzeug.exceptions import NotFound

from grader.store.models import Submission
from grader.submissions.submit import WITH_OUTCOMES
from web.insight.facts import Facts, PicturePlace
from web.insight.parts import PARTS, PicturePart, at_risk, part_of, title_of
from web.insight.pictures import PICTURES, pictures_of
from web.site import access
from web.site.access import Seen
from web.site.auth import user
from web.site.inputs import number
from web.site.models import Membership, User
from web.site.pages import page_about, pages_of, spreadsheet
from web.site.store import read

page = Blueprint("insight", __name__, url_prefix="/assignments/<int:assignment_id>/insight")
PAGE = 100
OF_TOURNAMENT = ("funnel", "leaders", "matchups")
SORTS: dict[str, Any] = {
    "name": User.name,
    "login": User.login,
    "section": Membership.section,
    "points": Submission.points,
    "at": Submission.id,
}
"""The columns by which lists can be sorted; a minus in front puts the largest value first."""


def _facts(assignment_id: int) -> tuple[Seen, Facts]:
    seen = access.overseeing(read(), user().id, assignment_id)
    if not seen.assignment.version:
        raise NotFound("This assignment has not been published, so there is nothing to count.")
    facts = insight_into(seen, request.args.get("tournament", ""))
    if facts.place.tournament and not facts.ladder:
        raise NotFound("This assignment has no such tournament.")
    return seen, facts


def insight_into(seen: Seen, tournament: str = "") -> Facts:
    """The facts for the pictures of an assignment and of one of its tournaments: the one with that short name, or the
    first one."""
    base, entry = url_for("insight.show", assignment_id=seen.assignment.id), url_for("entry.show", entry_id=0)
    return Facts(read(), seen, PicturePlace(base, entry, tournament))


@page.get("/")
def show(assignment_id: int) -> str:
    """Show the pictures, and the students at risk."""
    seen, facts = _facts(assignment_id)
    shown = {"pictures": pictures_of(facts), "risks": at_risk(facts), "choices": _tournaments_to_choose(facts)}
    return page_about("insight/insight.html", seen, **shown, facts=facts)


def _tournaments_to_choose(facts: Facts) -> Mapping[str, Sequence[tuple[str, str, bool]]]:
    """For each picture of a tournament, the tournaments to choose from, each with its title, its address, and whether
    it is chosen now. Empty unless the assignment has several tournaments."""
    places = [replace(facts.place, tournament=each.slug) for each in facts.ladders]
    found = [(each, place.base + place.query) for each, place in zip(facts.ladders, places, strict=True)]
    choices = [(each.title, address, each is facts.ladder) for each, address in found]
    return dict.fromkeys(OF_TOURNAMENT, choices) if len(choices) > 1 else {}


@page.get("/<name>.csv")
def picture_file(assignment_id: int, name: str) -> Response:
    """Download the numbers in a picture as a spreadsheet."""
    seen, facts = _facts(assignment_id)
    found = PICTURES[name](facts) if name in PICTURES else None
    if found is None:
        raise NotFound("There is no such picture, or there is nothing to draw in it yet.")
    return spreadsheet([found.headers, *found.rows], seen, _file_name(facts, name))


def _file_name(facts: Facts, name: str) -> str:
    return f"insight-{'-'.join(filter(None, (name, facts.place.tournament)))}.csv"


@page.get("/<name>/<int:key>/")
def listed(assignment_id: int, name: str, key: int) -> str:
    """Show the list of the submissions or students that a part of a picture counts, in pages, sorted by `?sort=`."""
    seen, facts = _facts(assignment_id)
    part, sort, at = _insight_part(facts, name, key), _sort(), max(1, request.args.get("page", 1, number))
    pages = pages_of(part.number, PAGE)
    wanted = _people(seen, part) if part.of_students else _submissions_in_part(facts, part).options(WITH_OUTCOMES)
    wanted = _sorted(wanted, part, sort).limit(PAGE).offset((min(at, pages) - 1) * PAGE)
    shown: dict[str, Any] = {
        "title": title_of(facts, name),
        "name": name,
        "part": part,
        "rows": read().execute(wanted).all(),
    }
    return page_about(
        "insight/insight_list.html", seen, **shown, sort=sort, at=min(at, pages), pages=pages, facts=facts
    )


@page.get("/<name>/<int:key>/list.csv")
def listed_file(assignment_id: int, name: str, key: int) -> Response:
    """Download, as a spreadsheet, all submissions or students that a part of a picture counts."""
    seen, facts = _facts(assignment_id)
    part = _insight_part(facts, name, key)
    if part.of_students:
        rows = read().execute(_sorted(_people(seen, part), part, _sort()))
        lines: list[Sequence[Any]] = [(person.name, person.login, section) for person, section in rows]
        return spreadsheet([("name", "login", "section"), *lines], seen, _file_name(facts, name))
    headers = ("submission", "name", "login", "file", "uploaded", "points")
    lines = [
        (each.id, author.name, author.login, each.filename, f"{each.queued_at.astimezone(facts.zone)}", each.points)
        for each, author in read().execute(_sorted(_submissions_in_part(facts, part), part, _sort()))
    ]
    return spreadsheet([headers, *lines], seen, _file_name(facts, name))


def _insight_part(facts: Facts, name: str, key: int) -> PicturePart:
    part = part_of(facts, name, key) if name in PARTS else None
    if part is None:
        raise NotFound("This part of the picture does not exist, or its figures have changed.")
    return part


def _sort() -> str:
    sort = request.args.get("sort", "")
    return sort if sort.removeprefix("-") in SORTS else ""


def _people(seen: Seen, part: PicturePart) -> Any:
    here = and_(Membership.user_id == User.id, Membership.course_id == seen.viewer.course.id)
    return select(User, Membership.section).join(Membership, here, isouter=True).where(User.id.in_(part.ids))


def _submissions_in_part(facts: Facts, part: PicturePart) -> Any:
    wanted = select(Submission, User).join(User, Submission.author_id == User.id).where(*facts.uploads)
    if part.at is None:
        return wanted.where(Submission.id.in_(part.ids))
    wanted = wanted.where(Submission.queued_at >= part.at, Submission.queued_at < part.until)
    return wanted.where(Submission.finished_at.is_not(None)) if part.waits else wanted


def _sorted(wanted: Any, part: PicturePart, sort: str) -> Any:
    """Sort by the chosen column, if the list has it; otherwise sort people by name, and submissions from the latest."""
    usable = {"name", "login", *(("section",) if part.of_students else ("points", "at"))}
    key = sort.removeprefix("-")
    column = SORTS[key] if key in usable else User.name if part.of_students else Submission.id
    downward = sort.startswith("-") if key in usable else not part.of_students
    last = User.id if part.of_students else Submission.id.desc()
    return wanted.order_by((column.desc() if downward else column.asc()).nulls_last(), last)
