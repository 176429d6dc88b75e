"""Requests are counted for all processes together, and by each alone while the common counts cannot be reached."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier, Event, Thread

import pytest
from limits.storage import storage_from_string

from tests.web.school import PASSWORD, Browser, School
from web.site.auth import limiter


@pytest.fixture
def hanging() -> Iterator[str]:
    """The address of a server that takes connections and never answers."""
    over = Event()

    def take(server: socket.socket, taken: ExitStack) -> None:
        while not over.is_set():
            try:
                taken.enter_context(server.accept()[0])
            except TimeoutError:
                continue

    with socket.create_server(("127.0.0.1", 0)) as server, ExitStack() as taken:
        server.settimeout(0.1)
        thread = Thread(target=take, args=(server, taken))
        thread.start()
        yield f"redis://127.0.0.1:{server.getsockname()[1]}"
        over.set()
        thread.join()


def counted_by(school: School, address: str, patch: pytest.MonkeyPatch) -> None:
    """Count requests there, with the site's own options but for the time that it waits."""
    quick = dict.fromkeys(school.app.config["RATELIMIT_STORAGE_OPTIONS"], 0.2)
    patch.setattr(limiter, "_limiter", type(limiter.limiter)(storage_from_string(address, **quick)))


def test_a_redis_that_hangs_fails_nobodys_request(
    school: School, hanging: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    browsers = [school.browser(login) for login in ("ada", "ben", "cleo") for _ in range(2)]
    together = Barrier(len(browsers))
    counted_by(school, hanging, monkeypatch)

    def upload(at: int) -> int:
        together.wait()
        return browsers[at].upload(b"x = %d\n" % at).status_code

    with ThreadPoolExecutor(len(browsers)) as threads:
        assert [*threads.map(upload, range(len(browsers)))] == [303] * len(browsers)
    newcomers = [Browser(school.app) for _ in browsers]

    def sign_in(browser: Browser) -> int:
        together.wait()
        return browser.sign_in("ada", PASSWORD).status_code

    with ThreadPoolExecutor(len(newcomers)) as threads:
        assert [*threads.map(sign_in, newcomers)] == [303] * len(newcomers)


def test_a_process_alone_counts_too(school: School, hanging: str, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = school.browser("ada")
    counted_by(school, hanging, monkeypatch)
    found = [browser.post("/join/", {"code": "nothing"}).status_code for _ in range(11)]
    assert (found[:10], found[10]) == ([409] * 10, 429)
