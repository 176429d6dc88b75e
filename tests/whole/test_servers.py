"""The same installation on PostgreSQL and Redis."""

from pathlib import Path

from tests.conftest import empty
from tests.players import GOOD
from tests.whole.stack import eventually, serving


def test_the_whole_way_on_postgresql_and_redis(tmp_path: Path, postgresql_url: str, redis_url: str) -> None:
    empty(postgresql_url)
    servers = {"QUADRILLE_DATABASE_URL": postgresql_url, "QUADRILLE_BROKER_URL": redis_url}
    with serving(tmp_path / "data", **servers) as stack:
        cleo = stack.api("cleo")
        submission = cleo.graded(cleo.submit(GOOD, enter=True))
        assert submission["qualifies"]
        report = cleo.ask("GET", f"/submissions/{submission['id']}/report")
        assert [question["passed"] == question["total"] for question in report["questions"]] == [True] * 4

        row = eventually(lambda: (row := cleo.own_row()) and row["games"] >= 4 and row)
        assert row["errors"] == 0
        game = cleo.ask("GET", f"/entries/{row['entry_id']}/games")["games"][0]
        record = cleo.ask("GET", f"/games/{game['id']}/record")
        assert (record["game"], len(record["plays"])) == ("bo", game["plays"])
        assert not (tmp_path / "data" / "quadrille.sqlite").exists()
        assert not (tmp_path / "data" / "queue").exists()
