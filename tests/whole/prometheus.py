"""Prometheus with the product's configuration and alerts, for a test: it reads a running installation, and judges."""

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.services import free_port, missing
from tests.whole.stack import eventually

MONITORING = Path(__file__).parents[2] / "deploy" / "monitoring" / "prometheus"
ALERTS: Mapping[str, str] = {
    rule["alert"]: rule["expr"]
    for group in yaml.safe_load((MONITORING / "alerts.yaml").read_text())["groups"]
    for rule in group["rules"]
}
"""Their expressions, by name."""


@dataclass(frozen=True)
class Prometheus:
    port: int

    def asked(self, expression: str) -> list[Any]:
        """The samples of an expression now, by Prometheus's own tool."""
        command = ["promtool", "query", "instant", "--format=json", f"http://127.0.0.1:{self.port}", expression]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found: list[Any] = json.loads(done.stdout)
        return found

    def says(self, alert: str) -> bool:
        """Whether the expression of an alert is true. How long it has to be so is left out."""
        return bool(self.asked(ALERTS[alert]))


def tool(name: str) -> str:
    """The path of a program; without it the test is skipped, or fails where CI is set."""
    found = shutil.which(name)
    if found is None:
        missing(name)
    return str(found)


@contextmanager
def judging(folder: Path, *, site: str = "", outside: str = "", ca: Path | None = None) -> Iterator[Prometheus]:
    """Prometheus, which reads the site at an address, probes another over HTTPS whose certificate is signed by `ca`,
    and reads this machine's disks. The jobs are the product's, with other targets and a shorter interval."""
    config = yaml.safe_load((MONITORING / "prometheus.yaml").read_text())
    blackbox = yaml.safe_load((MONITORING / "blackbox.yaml").read_text())
    blackbox["modules"]["quadrille"]["http"]["tls_config"] = {"ca_file": str(ca)} if ca else {}
    probe, node, own = free_port(), free_port(), free_port()
    ports = {"quadrille-outside": f"127.0.0.1:{probe}", "quadrille-hosts": f"127.0.0.1:{node}"}
    config["global"] = {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}
    config["rule_files"] = [str(MONITORING / "alerts.yaml")]
    for job in config["scrape_configs"]:
        target = ports.get(job["job_name"], site.rpartition("/")[2])
        job["static_configs"] = [{"targets": [target] if target else []}]
        job.pop("authorization", None)  # only this machine reaches that site
    config["scrape_configs"][1]["params"]["target"] = [outside]
    folder.mkdir()
    (folder / "prometheus.yaml").write_text(yaml.safe_dump(config))
    (folder / "blackbox.yaml").write_text(yaml.safe_dump(blackbox))
    listen = "--web.listen-address=127.0.0.1:"
    commands = [
        [tool("prometheus"), f"--config.file={folder}/prometheus.yaml", f"--storage.tsdb.path={folder}/data"],
        [tool("prometheus-blackbox-exporter"), f"--config.file={folder}/blackbox.yaml"],
        [tool("prometheus-node-exporter"), "--collector.disable-defaults", "--collector.filesystem"],
    ]
    with (folder / "log").open("w") as log:
        started = [
            subprocess.Popen([*command, f"{listen}{port}"], stdout=log, stderr=subprocess.STDOUT)
            for command, port in zip(commands, (own, probe, node), strict=True)
        ]
    prometheus = Prometheus(own)

    def read() -> bool:
        assert all(each.poll() is None for each in started), (folder / "log").read_text()
        try:
            return bool(prometheus.asked('up{job="quadrille-hosts"} == 1'))
        except subprocess.CalledProcessError:
            return False

    try:
        eventually(read)
        yield prometheus
    finally:
        for each in started:
            each.kill()
            each.wait()
