"""The application factory."""

from flask import Flask

from grader.programs.upload import MOST_SENT
from web.api import (  # noqa: F401 - each adds its operations
    assignments,
    brackets,
    comparisons,
    custom_games,
    ladders,
    notices,
    reviewing,
    submissions,
    tournaments,
)
from web.api import marks as marks_api  # noqa: F401
from web.api import people as people_api  # noqa: F401
from web.api.operations import api
from web.pages import edit
from web.pages.assignment import assignment, code, code_compared, comments, kit, replays, submission
from web.pages.course import course, course_files, enrol, gradebook, people, person, requests
from web.pages.marks import extensions, final, insight, mark, mark_files, marks, rubric_file
from web.pages.own import account, home, sign_in
from web.pages.staff import dry_run, manage, manage_settings, queue, regrade, watch
from web.pages.tournament import bracket, compare, custom, entry, game, hand, leaderboard
from web.replay import film
from web.site import assets, auth, errors, inputs, metrics, output, serving, store, text
from web.site.store import FORM_OVERHEAD, WebSettings

__all__ = ["WebSettings", "create_app"]

BLUEPRINTS = (
    metrics.page,
    sign_in.page,
    home.page,
    course.page,
    edit.page,
    account.page,
    assignment.page,
    submission.page,
    code.page,
    code_compared.page,
    comments.page,
    replays.page,
    leaderboard.page,
    bracket.page,
    entry.page,
    game.page,
    game.public_page,
    compare.page,
    custom.page,
    hand.page,
    insight.page,
    manage.page,
    manage_settings.page,
    people.page,
    enrol.page,
    person.page,
    requests.page,
    queue.page,
    regrade.page,
    dry_run.page,
    watch.page,
    kit.page,
    final.page,
    gradebook.page,
    marks.page,
    mark.page,
    mark_files.page,
    course_files.page,
    rubric_file.page,
    extensions.page,
    assets.page,
    api,
)


def create_app(settings: WebSettings) -> Flask:
    """The site and its API, ready to be served."""
    app = Flask(__name__)
    app.extensions["quadrille"] = settings
    app.config.update(
        SECRET_KEY=settings.secret_key,
        MAX_CONTENT_LENGTH=max(settings.limits.source * 4, MOST_SENT) + FORM_OVERHEAD,
        MAX_FORM_MEMORY_SIZE=max(settings.limits.source * 4, MOST_SENT) + FORM_OVERHEAD,
        PERMANENT_SESSION_LIFETIME=auth.LIFETIME,
        RATELIMIT_STORAGE_OPTIONS={"socket_connect_timeout": 1, "socket_timeout": 1},  # of a Redis that hangs
        RATELIMIT_STORAGE_URI=settings.limits_storage,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_NAME="quadrille",
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=settings.secure_cookies,
        SESSION_REFRESH_EACH_REQUEST=False,  # see `web.site.auth`
        WTF_CSRF_TIME_LIMIT=None,
    )
    for part in (metrics, serving, auth, store, inputs, errors, text, output):
        part.install(app)
    film.install(app.jinja_env)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    return app
