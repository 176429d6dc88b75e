"""The log: for people, and as JSON."""

import io
import json
import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from kombu.exceptions import OperationalError

from deploy import log
from tournament.store.database import now
from tournament.work.runner import following

Lines = tuple[logging.Logger, io.StringIO]


@pytest.fixture
def lines(request: pytest.FixtureRequest) -> Iterator[Lines]:
    """A logger in the format of the parameter, and what it has written."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(log.formatter(request.param))
    logger = logging.getLogger("grader.submissions.work")
    logger.addHandler(handler)
    yield logger, stream
    logger.removeHandler(handler)


def said(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


@pytest.mark.parametrize("lines", [log.PLAIN], indirect=True)
def test_a_line_for_people(lines: Lines) -> None:
    logger, stream = lines
    with following("5bd1c0ffee00", submission=17):
        logger.warning("graded", extra={"points": 4})
    logger.warning("submission %d took %s", 3, "long")
    times, said = zip(*(line.split(" ", 1) for line in stream.getvalue().splitlines()), strict=True)
    assert said == (
        "WARNING grader.submissions.work: graded (points=4 submission=17 trace=5bd1c0ffee00)",
        "WARNING grader.submissions.work: submission 3 took long",
    )
    assert all(abs(now() - datetime.strptime(at, "%Y-%m-%dT%H:%M:%S%z")) < timedelta(minutes=1) for at in times)


@pytest.mark.parametrize("lines", [log.JSON], indirect=True)
def test_a_line_as_json(lines: Lines) -> None:
    logger, stream = lines
    with following("5bd1c0ffee00", None, submission=17):
        logger.warning("größer\nthan a line", extra={"points": 4})
    logger.warning("after")
    first, second = said(stream)
    assert list(first)[:4] == ["at", "level", "logger", "message"]
    assert (first["level"], first["message"]) == ("warning", "größer\nthan a line")
    assert first["logger"] == "grader.submissions.work"
    assert (first["trace"], first["submission"], first["points"]) == (["5bd1c0ffee00"], 17, 4)
    assert first["at"].endswith("Z")
    assert "trace" not in second


@pytest.mark.parametrize("lines", [log.PLAIN, log.JSON], indirect=True)
def test_a_traceback_belongs_to_its_line_and_has_an_end(lines: Lines) -> None:
    logger, stream = lines
    try:
        raise ValueError("x" * 3 * log.LONGEST_TRACEBACK)
    except ValueError:
        logger.exception("it failed")
    text = stream.getvalue()
    assert "it failed" in text
    assert log.LONGEST_TRACEBACK <= len(text) < log.LONGEST_TRACEBACK + 500


@pytest.mark.parametrize("lines", [log.PLAIN], indirect=True)
@pytest.mark.parametrize(
    ("error", "rest"), [(OperationalError("it hangs"), [": it hangs"]), (ValueError("ours"), ["", "Traceback"])]
)
def test_celery_s_tracebacks_are_of_our_own_mistakes(lines: Lines, error: Exception, rest: list[str]) -> None:
    logger = logging.getLogger("celery.worker.request")
    logger.addHandler(lines[0].handlers[-1])
    try:
        raise error
    except Exception:
        logger.critical("no ack", exc_info=True)
    finally:
        logger.handlers.pop()
    first, *more = lines[1].getvalue().splitlines()
    assert first.partition(" ")[2] == f"CRITICAL celery.worker.request: no ack{rest[0]}"
    assert [line.split(" ")[0] for line in more[:1]] == rest[1:]


@pytest.mark.parametrize(
    ("level", "form", "busy", "ours"),
    [
        ("info", "plain", False, True),
        ("info", "json", True, True),
        ("debug", "plain", True, True),
        ("warning", "json", False, False),
    ],
)
def test_people_are_spared_a_line_for_every_block_of_games(level: str, form: str, busy: bool, ours: bool) -> None:
    root = logging.getLogger()
    before, handlers = root.level, root.handlers[:]
    try:
        log.configure(level, form)
        assert logging.getLogger("tournament.ladder.results").isEnabledFor(logging.INFO) is busy
        assert logging.getLogger("tournament.ladder.results").isEnabledFor(logging.WARNING)
        assert logging.getLogger("grader.submissions.work").isEnabledFor(logging.INFO) is ours
        assert not logging.getLogger("celery").isEnabledFor(logging.INFO)
    finally:
        root.setLevel(before)
        root.handlers[:] = handlers
        for name in log.BUSY:
            logging.getLogger(name).setLevel(logging.NOTSET)


def test_traces_do_not_mix() -> None:
    from tournament.work.runner import followed, new_trace

    assert len({new_trace() for _ in range(100)}) == 100
    with following("a"):
        with following("b", "c"):
            assert followed() == ["b", "c"]
        assert followed() == ["a"]
    assert followed() == []
