"""The manifests for Kubernetes: they render, fit the published schemas, and name only what exists.

Nothing here runs in a cluster; docs/kubernetes.md says so."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import pytest
import yaml

from deploy.cli import Commands
from deploy.settings import Settings
from tests.deploy.test_lock import ROOT
from tournament.work.backlog import phases

FOLDER = ROOT / "deploy" / "kubernetes"
IMAGES = ROOT / "deploy" / "containers" / "images"
PAGE = ROOT / "docs" / "kubernetes.md"
TOOLS = Path(sys.prefix, "kubernetes")
VERSIONS = ("1.34", "1.37")
SETS = {
    "example": ("example",),
    "bare": ("base",),
    "databases": ("base", "databases"),
    "runner": ("base", "runner"),
    "all": ("base", "databases", "profile", "scaling"),
}
"""What is rendered: a folder, with components."""
WORKERS = {"grading", "playing", "players"}
JAILS = {"hostUsers": False, "procMount": "Unmasked", "seccomp": "Localhost", "appArmor": "Unconfined"}
every_set = pytest.mark.parametrize("chosen", SETS)

Object = dict[str, Any]


@cache
def rendered(chosen: str) -> str:
    if not (TOOLS / "bin" / "kubectl").exists():
        subprocess.run([ROOT / "deploy" / "bootstrap.sh", "kubernetes", TOOLS], check=True)
    with TemporaryDirectory() as folder:
        base, *components = (os.path.relpath(FOLDER / name, folder) for name in SETS[chosen])
        file = {"resources": [base], "components": components}
        Path(folder, "kustomization.yaml").write_text(yaml.safe_dump(file))
        command = [str(TOOLS / "bin" / "kubectl"), "kustomize", folder]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@cache
def objects(chosen: str) -> list[Object]:
    return list(yaml.safe_load_all(rendered(chosen)))


def pod_of(each: Object) -> Object | None:
    """The template of an object's pods, with metadata and spec."""
    spec = each.get("spec", {})
    found: Object | None = spec.get("jobTemplate", {}).get("spec", spec).get("template")
    return found


def pods(chosen: str) -> Iterator[tuple[Object, Object]]:
    for each in objects(chosen):
        if pod := pod_of(each):
            yield each, pod


def containers(pod: Object) -> list[Object]:
    return [*pod["spec"]["containers"], *pod["spec"].get("initContainers", ())]


def wrong(text: str, version: str) -> str:
    script = ROOT / "tests" / "deploy" / "kubernetes" / "validate.py"
    command = [str(TOOLS / "bin" / "python"), str(script), version]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


# Schemas


@pytest.mark.parametrize("version", [pytest.param(VERSIONS[0], marks=pytest.mark.full), VERSIONS[1]])
@pytest.mark.parametrize(
    "chosen", [each if each == "all" else pytest.param(each, marks=pytest.mark.full) for each in SETS]
)
def test_they_fit_the_published_schemas(chosen: str, version: str) -> None:
    assert wrong(rendered(chosen), version) == ""


@pytest.mark.parametrize(
    ("right", "spoilt"),
    [("readOnlyRootFilesystem", "readOnlyRoot"), pytest.param("maxReplicaCount", "most", marks=pytest.mark.full)],
)
def test_a_field_that_does_not_exist_would_be_noticed(right: str, spoilt: str) -> None:
    text = rendered("all")
    assert right in text
    assert spoilt in wrong(text.replace(right, spoilt), VERSIONS[1])


# What they name exists


@every_set
def test_commands_exist_and_take_what_they_are_given(chosen: str) -> None:
    started = [
        box["args"]
        for _, pod in pods(chosen)
        for box in containers(pod)
        if box["image"].startswith(("quad", "reg")) and "args" in box
    ]
    for name, *words in started:
        command = Commands().get_command(click.Context(Commands()), name)
        assert command, name
        command.make_context(name, words)
    assert {name for name, *_ in started} == {"web", "scheduler", "worker", "migrate", "backup"}


@every_set
def test_settings_exist_and_have_values_that_they_take(chosen: str) -> None:
    given: dict[str, str] = {}
    for each in objects(chosen):
        if each["kind"] == "ConfigMap":
            given |= each["data"]
    given |= {
        pair["name"]: pair["value"]
        for _, pod in pods(chosen)
        for box in containers(pod)
        for pair in box.get("env", ())
        if pair["name"].startswith("QUADRILLE_")
    }
    secret = {name.upper() for name in re.findall(r"`(quadrille_\w+)`", PAGE.read_text())}
    named = {name.removeprefix("QUADRILLE_").lower() for name in {*given} | secret}
    assert named <= {*Settings.model_fields}
    Settings.model_validate({name.removeprefix("QUADRILLE_").lower(): value for name, value in given.items()})


@every_set
def test_volumes_and_what_is_in_them_exist(chosen: str) -> None:
    claims = {each["metadata"]["name"] for each in objects(chosen) if each["kind"] == "PersistentVolumeClaim"}
    maps = {each["metadata"]["name"] for each in objects(chosen) if each["kind"] == "ConfigMap"}
    said = PAGE.read_text()
    for each, pod in pods(chosen):
        volumes = {volume["name"]: volume for volume in pod["spec"]["volumes"]}
        own = {claim["metadata"]["name"] for claim in each["spec"].get("volumeClaimTemplates", ())}
        mounted = {mount["name"] for box in containers(pod) for mount in box["volumeMounts"]}
        assert mounted == {*volumes} | own, each["metadata"]["name"]
        for volume in volumes.values():
            sources = [one["secret"]["name"] for one in volume.get("projected", {}).get("sources", ())]
            sources += [volume["secret"]["secretName"]] if "secret" in volume else []
            assert all(f"`{name}`" in said for name in sources), sources
            assert {volume.get("persistentVolumeClaim", {}).get("claimName")} <= claims | {None}
        assert {one["configMapRef"]["name"] for box in containers(pod) for one in box.get("envFrom", ())} <= maps


def chooses(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    by_operator = {"In": lambda value, some: value in some, "NotIn": lambda value, some: value not in some}
    equal = selector.get("matchLabels", {}).items() <= labels.items()
    return equal and all(
        by_operator[one["operator"]](labels.get(one["key"]), one["values"])
        for one in selector.get("matchExpressions", ())
    )


def selectors(each: Object) -> Iterator[Mapping[str, Any]]:
    """Selectors of our own pods in an object."""
    spec = each.get("spec", {})
    if each["kind"] == "Service":
        yield {"matchLabels": spec["selector"]}
    if "selector" in spec and each["kind"] in ("Deployment", "StatefulSet", "DaemonSet", "PodDisruptionBudget"):
        yield spec["selector"]
    if each["kind"] == "NetworkPolicy":
        yield spec["podSelector"]
        rules = [*spec.get("ingress", ()), *spec.get("egress", ())]
        for peer in (peer for rule in rules for peer in (*rule.get("from", ()), *rule.get("to", ()))):
            if "podSelector" in peer and "namespaceSelector" not in peer:
                yield peer["podSelector"]


@every_set
def test_selectors_choose_pods(chosen: str) -> None:
    labels = [pod["metadata"]["labels"] for _, pod in pods(chosen)]
    for each in objects(chosen):
        for selector in selectors(each):
            assert any(chooses(selector, one) for one in labels), (each["kind"], each["metadata"]["name"], selector)
        if each["kind"] in ("Deployment", "StatefulSet", "DaemonSet"):
            (own,) = selectors(each)
            assert [one["app.kubernetes.io/component"] for one in labels if chooses(own, one)] == [
                each["metadata"]["name"]
            ]


@every_set
def test_services_lead_to_ports(chosen: str) -> None:
    for each in (each for each in objects(chosen) if each["kind"] == "Service"):
        targets = {port["targetPort"] for port in each["spec"]["ports"]}
        chosen_pods = [
            pod for _, pod in pods(chosen) if each["spec"]["selector"].items() <= pod["metadata"]["labels"].items()
        ]
        assert targets <= {
            port["name"] for pod in chosen_pods for box in containers(pod) for port in box.get("ports", ())
        }


# What pods may do


@every_set
def test_pods_are_restricted_except_for_what_jails_need(chosen: str) -> None:
    for each, pod in pods(chosen):
        spec, name = pod["spec"], each["metadata"]["name"]
        shared = spec["securityContext"]
        extra = {
            "hostUsers": spec.get("hostUsers"),
            "seccomp": shared["seccompProfile"]["type"],
            "appArmor": shared.get("appArmorProfile", {}).get("type"),
        }
        if name in WORKERS and chosen != "runner":
            assert extra.items() <= JAILS.items()
        else:
            assert extra == {"hostUsers": None, "seccomp": "RuntimeDefault", "appArmor": None}
        runner = name == "runner"
        assert (shared.get("runAsNonRoot"), shared["runAsUser"] == 0) == ((None, True) if runner else (True, False))
        assert (spec["automountServiceAccountToken"], spec["enableServiceLinks"]) == (False, False)
        assert not {"hostNetwork", "hostPID", "hostIPC"} & {*spec}
        paths = {one["hostPath"]["path"] for one in spec["volumes"] if "hostPath" in one}
        assert ("/var/run/docker.sock" in paths) == runner
        assert not paths or runner or (chosen == "runner" and name in WORKERS)
        for box in containers(pod):
            own = dict(box["securityContext"])
            assert own.pop("procMount", None) == (
                JAILS["procMount"] if name in WORKERS and chosen != "runner" else None
            )
            assert own == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }


@every_set
def test_pods_have_probes_and_resources_and_may_be_stopped_one_by_one(chosen: str) -> None:
    budgets = {each["metadata"]["name"] for each in objects(chosen) if each["kind"] == "PodDisruptionBudget"}
    assert budgets == WORKERS | {"site", "scheduler"}
    for each, pod in pods(chosen):
        for box in containers(pod):
            assert {*box["resources"]["requests"]} == {"cpu", "memory"}
            assert "memory" in box["resources"]["limits"]
        if each["kind"] not in ("Job", "CronJob"):
            assert all("readinessProbe" in box for box in pod["spec"]["containers"])


def test_only_the_pods_of_the_installation_reach_its_databases() -> None:
    reached = [each for each in objects("databases") if each["metadata"]["name"] in ("database", "broker")]
    assert {each["kind"] for each in reached} >= {"NetworkPolicy", "Service"}
    (closed,) = (each for each in objects("bare") if each["metadata"]["name"] == "nothing")
    assert closed["spec"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    (out,) = (each for each in objects("databases") if each["metadata"]["name"] == "to-databases")
    assert all("to" in rule for rule in out["spec"]["egress"])


def test_the_operators_profile_is_the_filter_of_workers_in_containers() -> None:
    ours = json.loads((IMAGES / "nested-seccomp.json").read_text())
    for rule in ours["syscalls"]:
        del rule["comment"]
    (profile,) = (each for each in objects("all") if each["kind"] == "SeccompProfile")
    assert profile["spec"] == ours
    used = {pod["spec"]["securityContext"]["seccompProfile"].get("localhostProfile") for _, pod in pods("all")}
    assert used == {None, f"operator/{profile['metadata']['name']}.json"}


# Scaling


def test_workers_are_scaled_by_how_long_work_waits_and_never_to_none() -> None:
    scaled = {each["metadata"]["name"]: each["spec"] for each in objects("all") if each["kind"] == "ScaledObject"}
    assert {*scaled} == {"grading", "playing"}
    known, metric = set(phases()), "quadrille_oldest_job_seconds"
    deployed = {each["metadata"]["name"]: each for each in objects("all") if each["kind"] == "Deployment"}
    chosen: list[str] = []
    for name, spec in scaled.items():
        assert spec["scaleTargetRef"]["name"] == name
        assert "replicas" not in deployed[name]["spec"]
        assert 1 <= spec["minReplicaCount"] < spec["maxReplicaCount"]
        for trigger in spec["triggers"]:
            (matched,) = re.findall(rf"^max\({metric}\{{phase(.*)\}}\)$", trigger["metadata"]["query"])
            operator, named = re.fullmatch(r'(=~|!~|=)"([\w|]+)"', matched).groups()  # type: ignore[union-attr]
            words = set(named.split("|"))
            assert words <= known
            chosen += known - words if operator == "!~" else words
    assert sorted(chosen) == sorted(known), "each phase of work calls for workers, once"


def test_the_page_says_what_was_never_tried() -> None:
    assert "never run in a cluster" in re.sub(r"\s+", " ", PAGE.read_text())
    parts = {path.parent.name for path in FOLDER.glob("*/kustomization.yaml")}
    assert parts <= set(re.findall(r"`(\w+)/`", PAGE.read_text()))
