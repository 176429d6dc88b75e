"""The secret of an installation, on both databases."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from tournament.store.database import Sessions, storing
from tournament.store.tables import installation_secret

pytestmark = pytest.mark.both_databases


def test_all_who_need_it_first_at_the_same_moment_get_the_same(sessions: Sessions) -> None:
    workers = 6
    start = Barrier(workers)

    def ask(_: int) -> str:
        start.wait()
        return storing(sessions, installation_secret)

    with ThreadPoolExecutor(workers) as pool:
        (drawn,) = set(pool.map(ask, range(workers)))
    assert len(bytes.fromhex(drawn)) == 32
    assert storing(sessions, installation_secret) == drawn
