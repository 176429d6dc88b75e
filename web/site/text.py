"""Put numbers, times and verdicts into words, and define the other helpers of the templates."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, cast
from zoneinfo import ZoneInfo

from flask import Flask, request, url_for
from flask_login import current_user
from flask_wtf.csrf import generate_csrf
from jinja2 import FileSystemLoader, FunctionLoader, PrefixLoader, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from grader.definition.local_times import IN_WORDS, UTC_ZONE, LocalTime, instant_of
from grader.definition.question import label
from grader.grading.messages import meaning
from grader.programs.grading import titles
from grader.store.models import Assignment
from sandbox import patterns
from sandbox.api import Verdict
from tournament.store.database import now
from web.site import assets, escaping
from web.site.auth import user
from web.site.escaping import shown
from web.site.languages import ENGLISH, day_and_time, figures, language, said
from web.site.models import Course
from web.site.pages import unread_notices
from web.site.roles import Viewer
from web.site.store import settings
from web.site.translated import Templates

WEB = Path(__file__).parents[1]
_TABS: Final = (
    ("Edit", "edit.show"),
    ("Manage", "manage.show"),
    ("Queue", "queue.show"),
    ("Insight", "insight.show"),
    ("People", "people.show"),
    ("Requests", "requests.show"),
    ("Settings", "manage_settings.show"),
    ("Final", "final.show"),
    ("Marks", "marks.show"),
)
_FOR_ALL_STAFF: Final = {"Manage", "Insight", "People", "Requests", "Marks"}
UNITS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def install(app: Flask) -> None:
    """Add these helpers to the templates."""
    for helper in (clock, zoned, number):
        app.add_template_filter(helper)
    app.add_template_filter(lambda number: figures(signed(number)), "signed")
    worded = (duration, milliseconds, percent, count, size, verdict, verdict_within, advice)
    named: dict[str, Callable[..., str]] = {each.__name__: each for each in worded}
    named |= {"question": label, "languages": titles}
    for name, words in named.items():
        app.add_template_filter(_said(words), name)
    templates = cast(Templates, app.jinja_env)
    templates.english |= {**named, "signed": signed}
    app.context_processor(_globals)
    # Keep all templates in a plain dict. Jinja's bounded cache takes a lock for each template, twenty times in a page;
    # a thread that loses the interpreter while it holds the lock blocks all others.
    app.jinja_options = {**app.jinja_options, "cache_size": -1}
    escaping.install(app.jinja_env)
    features = {each.parent.name: FileSystemLoader(each.parent) for each in WEB.glob("*/*.html")}
    app.jinja_loader = PrefixLoader({**features, "games": FunctionLoader(assets.replay_template)})
    app.add_template_global(form_token)
    app.add_template_global(tabs)
    app.add_template_global(address, "url_for")


def _said(words: Callable[..., str]) -> Callable[..., str]:
    """Turn a function into a filter that returns its words in the reader's language. Python code gets the English
    words, for sentences that are translated as a whole."""
    return lambda *given, **more: said(words(*given, **more))


def _globals() -> dict[str, Any]:
    signed_in = user() if current_user and current_user.is_authenticated else None
    here = settings()
    helpers = {
        "asset": assets.asset,
        "game_url": assets.game_url,
        "emblem": assets.emblem,
        "now": now,
        "unread_notices": unread_notices,
    }
    of_site = {"demo": here.demo, "mail": here.mail, "mail_links": here.mail_links, "privacy": here.privacy}
    return {**helpers, **of_site, "me": signed_in}


def address(endpoint: str, **values: Any) -> str:
    """`flask.url_for` for templates, with a cache, since templates need the same few addresses again and again."""
    if "_external" in values or endpoint.startswith(".") or any(isinstance(each, list) for each in values.values()):
        return url_for(endpoint, **values)
    return _address(request.script_root, endpoint, tuple(values), *values.values())


@lru_cache(maxsize=4096, typed=True)  # a page has ten or twenty, and building one takes as long as writing a row
def _address(_root: str, endpoint: str, names: Sequence[str], *values: Any) -> str:
    """The address of a view. `_root`, the path where the site is mounted, is the only part of the request on which
    `url_for` depends."""
    return url_for(endpoint, **dict(zip(names, values, strict=True)))


def tabs(viewer: Viewer, assignment: Assignment, here: str) -> list[tuple[str, str]]:
    """The pages about an assignment that the viewer, a staff member, may open, as pairs of name and endpoint. `here` is
    the name of the current page."""
    shown = [each for each in _TABS if viewer.instructs or each[0] in _FOR_ALL_STAFF]
    if not assignment.version:
        shown = [each for each in shown if each[0] in ("Edit", "People") or here in (each[0], said(each[0]))]
    return [each for each in shown if assignment.game or each[0] != "Final" or here in ("Final", said("Final"))]


def form_token() -> Markup:
    """The hidden field that protects a form against forgery."""
    return Markup('<input type="hidden" name="csrf_token" value="{}">').format(generate_csrf())


@pass_context
def clock(context: Context, at: datetime | None, course: Course | None = None) -> Markup:
    """Show a time in the zone of `course` or, without it, of the viewer's course. On a page that is not about a course,
    show it in UTC."""
    viewer = context.get("viewer")
    course = course or (viewer.course if viewer else None)
    return clock_html(at, course.zone if course else None)


def clock_html(at: datetime | None, zone: ZoneInfo | None) -> Markup:
    """Show a time in the given zone. `time.js` adds the time in the reader's own zone, and how long ago it was. Without
    a zone, the time is in UTC and marked with Z, which `time.js` replaces."""
    return _clock_html(at, zone, language())


@lru_cache(maxsize=8192)  # the leaderboard of a class shows the same thousand times on every load
def _clock_html(at: datetime | None, zone: ZoneInfo | None, code: str) -> Markup:
    if at is None:
        return Markup("–")
    time = LocalTime(at, zone or UTC_ZONE)
    moment = time.iso if zone else f"{time.clock:%Y-%m-%dT%H:%M:%S}Z"
    words = time.short if code == ENGLISH else f"{day_and_time(time.clock)} {time.zone_in_words}"
    return Markup(f'<time datetime="{moment}">{words}</time>')  # noqa: S704  # digits and names of ours


def zoned(text: str) -> Markup:
    """Mark the times in a text, written as by `LocalTime.in_words`, so that `time.js` can add each time in the reader's
    zone."""
    return Markup(IN_WORDS.sub(_zoned, str(escape(shown(text)))))  # noqa: S704  # it is escaped


def _zoned(words: patterns.Match[str]) -> str:
    try:
        return f'<time datetime="{instant_of(words)}">{_dated(words)}</time>'
    except ValueError:  # such as 99 Foo
        return words[0]


def plainly(text: str) -> str:
    """Translate one of Quadrille's texts, with its times, into the reader's language, for use outside a page."""
    return IN_WORDS.sub(_dated, said(text))


def _dated(words: patterns.Match[str]) -> str:
    """Translate a time found by IN_WORDS into the reader's language. An impossible date, such as 31 February, stays
    unchanged."""
    if language() == ENGLISH:
        return words[0]
    try:
        at = datetime.fromisoformat(instant_of(words))
    except ValueError:
        return words[0]
    return f"{day_and_time(at)}{words[0].partition(words[1])[2]}"


def duration(seconds: float) -> str:
    """Write a duration in its two largest units: `9 min 40 s`."""
    left, parts = max(0, round(seconds)), []
    for length, unit in UNITS:
        number, left = divmod(left, length)
        parts.append((number, unit))
    first = next((index for index, (number, _) in enumerate(parts) if number), len(parts) - 1)
    return " ".join(f"{number} {unit}" for number, unit in parts[first : first + 2] if number) or "0 s"


def milliseconds(value: float) -> str:
    """Write a number of milliseconds in words: `under 0.01 ms`, `0.04 ms`, `1.5 ms`, `12 ms`, `2.1 s`."""
    if value >= 999.5:
        return f"{value / 1000:.1f} s"
    if value >= 10:
        return f"{value:.0f} ms"
    if value >= 1:
        return f"{value:.1f} ms"
    return f"{value:.2f} ms" if value >= 0.005 else "under 0.01 ms"


def percent(share: float | None) -> str:
    """Write a share between 0 and 1 as a percentage: `41.7%`."""
    return "–" if share is None else f"{share * 100:.1f}%"


def count(number: float, one: str, many: str = "") -> str:
    """Write a number with its noun: `1 game`, `2 games`, `1,200 games`."""
    whole = int(number) if number == int(number) else number  # 10.0 points are 10
    return f"{whole:,} {one if number == 1 else many or one + 's'}"


def size(length: int) -> str:
    """Write a number of bytes in words: `312 bytes`, `12.4 KiB`, `256 KiB`, `1 MiB`."""
    if length >= 1 << 20:
        return f"{round(length / (1 << 20), 1):g} MiB"
    return f"{length} bytes" if length < 1024 else f"{round(length / 1024, 1):g} KiB"


def verdict(word: str, program: bool = False) -> str:
    """Put a verdict into one to three plain words."""
    return meaning(Verdict(word), program).title


def verdict_within(word: str, program: bool = False) -> str:
    """Put a verdict into words that fit within a sentence."""
    return meaning(Verdict(word), program).within


def advice(word: str, program: bool = False) -> str:
    """Say what to do about a verdict."""
    return meaning(Verdict(word), program).advice


def signed(number: float) -> str:
    """Write a number without needless decimals: `3`, `2.5`."""
    return f"{number:g}"


def number(value: float, decimals: int | None = None) -> str:
    """Write a number with separators, such as `1,200`; with two decimals, `1,200.50`."""
    return figures(f"{value:,}" if decimals is None else f"{value:,.{decimals}f}")
