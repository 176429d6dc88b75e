"""The dashboard and the alerts ask for nothing that /metrics does not tell."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy.orm import sessionmaker

from deploy.database import METADATA
from tests.conftest import empty
from tests.services import missing
from tests.tournament.finals import KEY
from tournament.store.database import connect
from tournament.work.tally import DEATHS, GAMES, GRADED, INTERNAL_ERRORS, PLAYS, SANDBOX_STARTS, VERDICTS
from web.app import create_app
from web.site.store import WebSettings

DEPLOY = Path(__file__).parents[2] / "deploy"
RULES = [
    rule
    for group in yaml.safe_load((DEPLOY / "monitoring" / "prometheus" / "alerts.yaml").read_text())["groups"]
    for rule in group["rules"]
]
PANELS = json.loads((DEPLOY / "monitoring" / "grafana" / "quadrille.json").read_text())["panels"]
EXPRESSIONS = {rule["alert"]: rule["expr"] for rule in RULES} | {
    f"{panel['title']} {target['refId']}": target["expr"] for panel in PANELS for target in panel["targets"]
}
EXPORTERS = {
    "up": {"job", "instance"},
    "probe_success": {"job", "instance"},
    "probe_ssl_earliest_cert_expiry": {"job", "instance"},
    "node_filesystem_avail_bytes": {"job", "instance", "fstype", "mountpoint"},
    "node_filesystem_size_bytes": {"job", "instance", "fstype", "mountpoint"},
}
"""What Prometheus itself and its exporters tell; tests/whole/test_alerts.py lets the real ones tell it."""

RUNBOOK = (DEPLOY.parent / "docs" / "runbook.md").read_text()
SECTIONS = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", RUNBOOK, re.MULTILINE | re.DOTALL))


@pytest.fixture(scope="module")
def told(postgresql_url: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The samples of /metrics once everything has been counted, with the names of their labels."""
    empty(postgresql_url)
    engine, folder = connect(postgresql_url), tmp_path_factory.mktemp("operations")
    METADATA.create_all(engine)
    app = create_app(WebSettings("tests", KEY, sessionmaker(engine), lambda task: None, data=folder))
    for counter, labels in (
        (GAMES, ("bo", "ladder")),
        (PLAYS, ("bo", "ladder")),
        (VERDICTS, ("grading", "AC")),
        (SANDBOX_STARTS, ("trusted",)),
        (DEATHS, ("web",)),
        (INTERNAL_ERRORS, ("grading",)),
    ):
        counter.labels(*labels).inc()
    GRADED.observe(1.0)
    app.test_client().get("/healthz")
    families = text_string_to_metric_families(app.test_client().get("/metrics").text)
    engine.dispose()
    return {sample.name: set(sample.labels) for family in families for sample in family.samples}


def selectors(node: Any) -> Iterator[Any]:
    """What an expression selects."""
    if isinstance(node, promql_parser.VectorSelector):
        yield node
    for name in ("expr", "lhs", "rhs", "param", "vector_selector", "args"):
        inner = getattr(node, name, None)
        for each in inner if isinstance(inner, list) else [inner]:
            if each is not None:
                yield from selectors(each)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_it_asks_for_what_is_told(name: str, told: dict[str, set[str]]) -> None:
    found = list(selectors(promql_parser.parse(EXPRESSIONS[name])))
    assert found
    for selector in found:
        labels = {**told, **EXPORTERS}.get(selector.name)
        assert labels is not None, f"nothing tells {selector.name}"
        assert {matcher.name for matcher in selector.matchers.matchers} <= labels


def test_every_metric_is_on_the_dashboard(told: dict[str, set[str]]) -> None:
    shown = {word for panel in PANELS for target in panel["targets"] for word in re.findall(r"\w+", target["expr"])}
    families = {re.sub(r"_(bucket|count|sum)$", "", name) for name in told}
    assert {name for name in families if not any(word.startswith(name) for word in shown)} == set()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_an_alert_says_what_happened_and_what_to_do(rule: dict[str, Any]) -> None:
    assert rule["labels"]["severity"] in ("page", "ticket")
    assert set(rule["annotations"]) == {"summary", "description", "runbook_url"}
    assert all(rule["annotations"][name].endswith((".", ").")) for name in ("summary", "description"))
    assert rule["annotations"]["runbook_url"] == f"docs/runbook.md#{rule['alert'].lower()}"


SILENT = {
    "QuadrilleWorkerIsSilent": 'quadrille_workers{queue="grading",state="silent"} 1',
    "QuadrilleSiteProcessHangs": 'quadrille_site_processes{state="silent"} 1',
    "QuadrilleNobodyGrades": 'quadrille_workers{queue="grading",state="working"} 0',
    "QuadrilleNobodyPlays": 'quadrille_workers{queue="ladder",state="working"} 0',
    "QuadrilleNoScheduler": "quadrille_schedulers 0",
}
"""Alerts of processes that give no sign, and what makes each of them true."""


@pytest.mark.parametrize("stores", [1, 0])
def test_a_database_that_stores_nothing_is_not_told_as_processes_that_give_no_sign(tmp_path: Path, stores: int) -> None:
    if not shutil.which("promtool"):
        missing("promtool")
    given = [*SILENT.values(), 'quadrille_jobs{phase="ladder",state="queued"} 1', f"quadrille_database_stores {stores}"]
    pairs = (each.rsplit(" ", 1) for each in given)
    series = [{"series": name, "values": f"{value} " * 30} for name, value in pairs]
    asked = [
        {
            "expr": f'count(ALERTS{{alertname="{name}",alertstate="firing"}}) or vector(0)',
            "eval_time": "20m",
            "exp_samples": [{"labels": "{}", "value": stores}],
        }
        for name in SILENT
    ]
    rules = [str(DEPLOY / "monitoring" / "prometheus" / "alerts.yaml")]
    test = {"rule_files": rules, "tests": [{"interval": "1m", "input_series": series, "promql_expr_test": asked}]}
    (tmp_path / "test.yaml").write_text(yaml.safe_dump(test))
    done = subprocess.run(
        ["promtool", "test", "rules", tmp_path / "test.yaml"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_runbook_has_a_section_for_each_alert_and_for_nothing_else() -> None:
    assert set(SECTIONS) == {rule["alert"] for rule in RULES}


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_says_what_students_notice_where_to_look_what_to_do_and_how_it_ends(name: str) -> None:
    said = re.findall(r"^- \*\*(\w+)\*\*:? \S", SECTIONS[name], re.MULTILINE)
    assert said == ["Students", "See", "Do", "Over"]


def test_the_runbook_separates_what_wakes_somebody() -> None:
    before, _, after = RUNBOOK.partition("## What can wait until morning")
    for severity, part in (("page", before), ("ticket", after)):
        assert set(re.findall(r"^### (\w+)", part, re.MULTILINE)) == {
            rule["alert"] for rule in RULES if rule["labels"]["severity"] == severity
        }


def test_panels_do_not_overlap_and_explain_themselves() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in PANELS:
        assert panel["description"].endswith(".")
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken
        assert max(x for x, _ in cells) < 24
        taken |= cells
