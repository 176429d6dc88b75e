"""The log. Each event is one line, for people or as JSON: what happened, then details as names and values. `trace`
contains the ids of the uploads concerned (see `tournament.work.runner`). Libraries log only warnings."""

import logging
import os
import warnings
from collections.abc import Mapping
from typing import Any

import structlog
from structlog.types import EventDict, Processor

QUIET: Mapping[str, int] = {
    "celery": logging.WARNING,
    "kombu": logging.WARNING,
    "alembic": logging.WARNING,
    "_granian": logging.WARNING,
    "authlib": logging.WARNING,  # else it logs the secrets of a sign-in
    "urllib3": logging.WARNING,
    "werkzeug": logging.WARNING,
    "py.warnings": logging.ERROR,  # warnings from libraries, meant for developers
}
BUSY = ("tournament.blocks", "tournament.practice.turn", "tournament.ladder.results")
"""Loggers that write a line for every block, custom game and turn. This is too much for human readers, unless the level
is `debug`."""

TRANSPORTS = ("kombu", "redis")
"""Libraries whose errors mean that the broker cannot be reached. A traceback of where Celery noticed the error would
not help."""

LONGEST_TRACEBACK = 20_000
"""The number of characters kept at the end of a traceback, since programs that read a log line by line have a limit."""

PLAIN, JSON = FORMATS = ("plain", "json")


def configure(level: str = "", form: str = "") -> None:
    """Log to standard error. By default, QUADRILLE_LOG and QUADRILLE_LOG_FORMAT in the environment determine the level
    and the format. `level` applies to Quadrille's own lines."""
    level = level or os.environ.get("QUADRILLE_LOG") or "info"
    form = form or os.environ.get("QUADRILLE_LOG_FORMAT") or PLAIN
    handler = logging.StreamHandler()
    handler.setFormatter(formatter(form))
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    for name, floor in QUIET.items():
        logging.getLogger(name).setLevel(max(floor, logging.getLogger().level))
    for name in BUSY:
        calm = form == PLAIN and level == "info"
        logging.getLogger(name).setLevel(logging.WARNING if calm else logging.NOTSET)
    warnings.filterwarnings("ignore", message="You're running the worker with superuser privileges")


def formatter(form: str) -> logging.Formatter:
    """Return the formatter for `form`, which is one of FORMATS."""
    known: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        _spare,
        structlog.processors.format_exc_info,
        _cut_traceback,
    ]
    known.append(structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"))
    if form == JSON:
        known += [structlog.processors.EventRenamer("message"), _arrange_json]
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=known,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.JSONRenderer(ensure_ascii=False) if form == JSON else _plain_line,
        ],
    )


def _spare(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Replace the traceback of a lost broker connection with the error's message."""
    error = event["exc_info"][1] if isinstance(event.get("exc_info"), tuple) else None
    if event["logger"].startswith("celery") and type(error).__module__.startswith(TRANSPORTS):
        del event["exc_info"]
        event["event"] = f"{event['event']}: {error}"
    return event


def _cut_traceback(_logger: Any, _method: str, event: EventDict) -> EventDict:
    if "exception" in event:
        event["exception"] = event["exception"][-LONGEST_TRACEBACK:]
    return event


def _arrange_json(_logger: Any, _method: str, event: EventDict) -> EventDict:
    first = {key: event.pop(key) for key in ("at", "level", "logger", "message")}
    return {**first, "process": os.getpid(), **event}


def _plain_line(_logger: Any, _method: str, event: EventDict) -> str:
    """Return an event as a line such as `2027-03-01T09:30:00Z INFO grader.submissions.work: graded (points=4
    submission=17)`, with a traceback below."""
    message, level, name = event.pop("event"), event.pop("level"), event.pop("logger")
    at = event.pop("at")[:19]  # cut to seconds
    trouble = event.pop("exception", "")
    shown = {key: value for key, value in sorted(event.items()) if value not in ([], None)}
    words = {key: ",".join(map(str, each)) if isinstance(each, list) else each for key, each in shown.items()}
    more = " ".join(f"{key}={word}" for key, word in words.items())
    return (
        f"{at}Z {level.upper()} {name}: {message}"
        + (f" ({more})" if more else "")
        + (f"\n{trouble}" if trouble else "")
    )
