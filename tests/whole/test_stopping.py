"""Stopping `quadrille serve`, by Ctrl-C and as a service manager does."""

import signal
from pathlib import Path

import requests

from tests.whole.stack import PATIENCE_S, eventually, serving


def test_stopping_takes_seconds_leaves_no_process_and_keeps_the_data(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data) as first:  # it is about to grade the sample student's player, or does
        assert first.stop(signal.SIGINT) == 0
        assert first.processes() == []
        passwords = first.passwords
    with serving(data) as second:
        assert second.passwords == passwords
        assert requests.get(f"{second.address}/healthz", timeout=PATIENCE_S).status_code == 200
        assert eventually(second.api("sample").own_row)
        assert second.stop(signal.SIGTERM) == 0
        assert second.processes() == []
