"""The application factory."""

from flask import Flask

from grader.programs.upload import MOST_SENT
from web import editor
from web.api.operations import api
from web.assignment import api as assignment_api
from web.assignment import assignment
from web.board import api as board_api
from web.board import bracket, entry, ladders, leaderboard
from web.course import course, course_settings, new_assignment, webhooks
from web.home import account, calendar, home, register, sign_in
from web.home import api as home_api
from web.insight import insight
from web.kit import kits
from web.marks import api as marks_api
from web.marks import extensions, final, gradebook, mark, marking, marks, requests, review_api, rubric, submissions_zip
from web.people import api as people_api
from web.people import enrol, people, person
from web.practice import api as practice_api
from web.practice import batches, comparisons, custom_games, hand
from web.privacy import access_log, legal, privacy
from web.replay import film, game
from web.site import assets, auth, errors, inputs, languages, metrics, output, serving, store, text
from web.site.store import FORM_OVERHEAD, WebSettings
from web.site.translated import Templates
from web.staff import manage, queue, regrade, watch
from web.staff import settings as settings_page
from web.submission import api as submission_api
from web.submission import code, submission

__all__ = ["WebSettings", "create_app"]

API = (
    home_api,
    people_api,
    assignment_api,
    submission_api,
    board_api,
    ladders,
    practice_api,
    marks_api,
    review_api,
)
"""Modules that add their operations to the API when they are imported."""

BLUEPRINTS = (
    metrics.page,
    sign_in.page,
    register.page,
    home.page,
    course.page,
    new_assignment.page,
    course_settings.page,
    webhooks.page,
    editor.page,
    account.page,
    privacy.page,
    legal.page,
    calendar.page,
    assignment.page,
    submission.page,
    code.page,
    leaderboard.page,
    bracket.page,
    entry.page,
    game.page,
    game.public_page,
    comparisons.page,
    custom_games.page,
    batches.page,
    hand.page,
    insight.page,
    manage.page,
    settings_page.page,
    people.page,
    enrol.page,
    person.page,
    requests.page,
    queue.page,
    regrade.page,
    watch.page,
    kits.page,
    final.page,
    gradebook.page,
    marks.page,
    mark.page,
    marking.page,
    submissions_zip.page,
    rubric.page,
    extensions.page,
    assets.page,
    api,
)


def create_app(settings: WebSettings) -> Flask:
    """Create the site and its API, ready to be served."""
    app = Flask(__name__, static_folder=None)
    app.jinja_environment = Templates  # type: ignore[assignment]  # typed as Jinja's own
    app.extensions["quadrille"] = settings
    app.config.update(
        SECRET_KEY=settings.secret_key,
        MAX_CONTENT_LENGTH=max(settings.limits.source * 4, MOST_SENT) + FORM_OVERHEAD,
        MAX_FORM_MEMORY_SIZE=max(settings.limits.source * 4, MOST_SENT) + FORM_OVERHEAD,
        PERMANENT_SESSION_LIFETIME=auth.LIFETIME,
        RATELIMIT_STORAGE_OPTIONS={"socket_connect_timeout": 1, "socket_timeout": 1},  # in case Redis hangs
        RATELIMIT_STORAGE_URI=settings.limits_storage,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_NAME="quadrille",
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=settings.secure_cookies,
        SESSION_REFRESH_EACH_REQUEST=False,  # see `web.site.auth`
        WTF_CSRF_TIME_LIMIT=None,
    )
    for part in (serving, metrics, auth, store, inputs, errors, languages, text, output, access_log, legal):
        part.install(app)
    film.install(app.jinja_env, languages.language)
    app.add_url_rule("/static/<path:filename>", "static", assets.static_file)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    if settings.mail:
        from web.mail import forgotten, mail  # sites without e-mail do not need these modules

        app.register_blueprint(mail.page)
        if settings.passwords_for is None:
            app.register_blueprint(forgotten.page)
    for install in settings.extras:
        install(app)
    return app
