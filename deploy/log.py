"""One calm log: a line each, for people or as JSON, warnings of others only.

A line tells what happened and, as names and values, to what; `trace` are the uploads that it has to do with, see
`tournament.work.trace`.
"""

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
    "werkzeug": logging.WARNING,
    "py.warnings": logging.ERROR,  # of libraries, to those who use them
}
BUSY = ("tournament.blocks", "tournament.custom.turn", "tournament.ladder.results")
"""They have a line for every block, custom game and turn: too many for people, unless the level is `debug`."""

TRANSPORTS = ("kombu", "redis")
"""Libraries whose errors say that the broker is gone: to know where in Celery that was noticed helps nobody."""

LONGEST_TRACEBACK = 20_000
"""Characters, of the end: whoever reads a log line by line has a limit."""

PLAIN, JSON = FORMATS = ("plain", "json")


def configure(level: str = "", form: str = "") -> None:
    """Log to standard error, by default as `QUADRILLE_LOG` and `QUADRILLE_LOG_FORMAT` of the environment say. `level`
    is that of our own lines."""
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
    """Of one of FORMATS."""
    known: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        _spare,
        structlog.processors.format_exc_info,
        _cut,
    ]
    if form == JSON:
        known += [
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
            structlog.processors.EventRenamer("message"),
            _arrange,
        ]
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=known,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.JSONRenderer(ensure_ascii=False) if form == JSON else _plain,
        ],
    )


def _spare(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Of a lost broker a line says enough."""
    error = event["exc_info"][1] if isinstance(event.get("exc_info"), tuple) else None
    if event["logger"].startswith("celery") and type(error).__module__.startswith(TRANSPORTS):
        del event["exc_info"]
        event["event"] = f"{event['event']}: {error}"
    return event


def _cut(_logger: Any, _method: str, event: EventDict) -> EventDict:
    if "exception" in event:
        event["exception"] = event["exception"][-LONGEST_TRACEBACK:]
    return event


def _arrange(_logger: Any, _method: str, event: EventDict) -> EventDict:
    first = {key: event.pop(key) for key in ("at", "level", "logger", "message")}
    return {**first, "process": os.getpid(), **event}


def _plain(_logger: Any, _method: str, event: EventDict) -> str:
    """`INFO grader.work: graded (points=4 submission=17 trace=5bd1c0ffee00)`, and a traceback below."""
    message, level, name = event.pop("event"), event.pop("level"), event.pop("logger")
    trouble = event.pop("exception", "")
    more = " ".join(f"{key}={_word(value)}" for key, value in sorted(event.items()) if value not in ([], None))
    return f"{level.upper()} {name}: {message}" + (f" ({more})" if more else "") + (f"\n{trouble}" if trouble else "")


def _word(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
