"""For instructors: a ladder's settings, cooldown exceptions, and the collusion watch."""

from tournament.ladder.exclusion import overrides
from tournament.ladder.settings import settings_of
from tournament.store.tables import Tournament
from tournament.watch.lifecycle import ask, watch_of
from web.api.models import StudentJson
from web.api.operations import json_body, operation
from web.api.tournament import ladder_models as models
from web.assignment.overview import real_names
from web.assignment.settings import deadlines, ladders
from web.models import User
from web.site.forms import Unconfirmed
from web.site.rights import access
from web.site.serving.problems import ApiRefusal
from web.site.store import fresh, read, write

LADDER = "/tournaments/<int:tournament_id>"


@operation("GET", f"{LADDER}/settings", {200: models.LadderSettingsJson}, problems=(403,))
def get_settings(user: User, tournament_id: int) -> models.LadderSettingsJson:
    """The settings of a ladder."""
    _ladder(user, tournament_id)
    return _settings(tournament_id)


@operation(
    "PUT",
    f"{LADDER}/settings",
    {200: models.LadderSettingsJson},
    body=models.NewLadderSettings,
    problems=(403, 409),
)
def change_settings(user: User, tournament_id: int) -> models.LadderSettingsJson:
    """Change the settings of a ladder. A change that takes players out of play at once needs `confirm`."""
    seen = _ladder(user, tournament_id)
    given = json_body(models.NewLadderSettings)
    try:
        with write() as session:
            ladders.change(session, seen, tournament_id, given.model_dump(), given.confirm)
    except Unconfirmed as consequence:
        raise ApiRefusal(409, f"Nothing is changed yet. {consequence}", "unconfirmed") from None
    return _settings(tournament_id)


@operation("GET", f"{LADDER}/exclusions", {200: models.Overrides}, problems=(403,))
def list_exclusions(user: User, tournament_id: int) -> models.Overrides:
    """The cooldown exceptions: decisions about single students."""
    return _overrides(_ladder(user, tournament_id), tournament_id)


@operation(
    "POST",
    f"{LADDER}/exclusions",
    {201: models.Overrides},
    body=models.NewOverride,
    problems=(403, 409),
)
def give_exclusion(user: User, tournament_id: int) -> tuple[models.Overrides, int, dict[str, str]]:
    """Give one student a cooldown of their own, or let them enter now. They get a notice."""
    seen = _ladder(user, tournament_id)
    given = json_body(models.NewOverride)
    seconds = None if given.minutes is None else round(given.minutes * 60)
    try:
        ladders.give(seen, tournament_id, given.login, seconds, given.reason)
    except deadlines.NoSuchStudent as error:
        raise ApiRefusal(404, str(error), "no_such_student") from None
    return _overrides(seen, tournament_id), 201, {}


@operation("DELETE", f"{LADDER}/exclusions/<int:override_id>", {200: models.Overrides}, problems=(403,))
def revoke_exclusion(user: User, tournament_id: int, override_id: int) -> models.Overrides:
    """Take back a decision about one student. They get a notice."""
    seen = _ladder(user, tournament_id)
    ladders.take_back(seen, override_id)
    return _overrides(seen, tournament_id)


@operation("GET", f"{LADDER}/watch", {200: models.WatchJson}, problems=(403,))
def get_watch(user: User, tournament_id: int) -> models.WatchJson:
    """Pairs of players whose results together are unusual, with the games to look at, and files that are alike."""
    return _watch(access.taught_tournament(read(), user.id, tournament_id)[1], tournament_id)


@operation("POST", f"{LADDER}/watch", {202: models.WatchJson}, problems=(403,))
def look_for_collusion(user: User, tournament_id: int) -> tuple[models.WatchJson, int, dict[str, str]]:
    """Ask for a new look. It begins when nothing else needs the time; poll the watch until it is there."""
    _, seen = access.taught_tournament(read(), user.id, tournament_id)
    with write() as session:
        ask(session, tournament_id)
    return _watch(seen, tournament_id), 202, {}


def _ladder(user: User, tournament_id: int) -> access.Seen:
    tournament, seen = access.taught_tournament(read(), user.id, tournament_id)
    ladders.check(tournament, seen.assignment.id)
    return seen


def _settings(tournament_id: int) -> models.LadderSettingsJson:
    with fresh() as session:
        found = settings_of(session.get_one(Tournament, tournament_id))
        return models.LadderSettingsJson.model_validate(found.model_dump())


def _overrides(seen: access.Seen, tournament_id: int) -> models.Overrides:
    with fresh() as session:
        people = real_names(session, seen.viewer.course.id)
        found = [
            models.Override(
                id=each.id,
                student=StudentJson.of(people.get(each.author_id)),
                minutes=None if each.seconds is None else each.seconds / 60,
                reason=each.reason,
                given_at=each.given_at,
            )
            for each in overrides(session, tournament_id)
        ]
    return models.Overrides(overrides=found)


def _watch(seen: access.Seen, tournament_id: int) -> models.WatchJson:
    with fresh() as session:
        row, found = watch_of(session, tournament_id)
        people = real_names(session, seen.viewer.course.id)
        named = {id_ for each in found.suspicions for id_ in (each.one, each.other)} if found else set()
        named |= {id_ for each in found.files for id_ in each.people} if found else set()
        students = {id_: each for id_ in named if (each := StudentJson.of(people.get(id_)))}
        return models.WatchJson(
            waiting=row is not None and row.waiting,
            done_at=row.done_at if row else None,
            trouble=row.trouble if row else "",
            found=found,
            students=students,
        )
