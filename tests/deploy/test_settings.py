"""Settings: where they come from, and what is made on first use."""

import re
import shutil
import socket
import stat
import subprocess
from pathlib import Path

import pytest
import yaml
from flask import Flask, request, request_started

from deploy.processes.site import make_site
from deploy.settings import BadSettings, Settings, load
from tests.deploy.place import migrated


def test_everything_has_a_default(tmp_path: Path) -> None:
    settings = load(tmp_path / "new")
    assert settings.database == f"sqlite:///{tmp_path}/new/quadrille.sqlite"
    assert (settings.broker_url, settings.sandbox) == ("", "auto")
    assert settings.rate_limits == f"file://{tmp_path}/new/limits.db"
    assert (settings.host, settings.demo) == ("127.0.0.1", False)


def test_the_environment_wins_over_the_file_in_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "settings.env").write_text("QUADRILLE_PORT=1111\nQUADRILLE_WEB_THREADS=3\nQUADRILLE_LIMITS__CALL_S=2\n")
    monkeypatch.setenv("QUADRILLE_PORT", "2222")
    settings = load(tmp_path)
    assert (settings.port, settings.web_threads, settings.limits.call_s) == (2222, 3, 2.0)


def test_a_secret_may_be_a_file_and_goes_into_its_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "quadrille_database_password").write_text("a/b@c\n")
    (secrets / "QUADRILLE_BROKER_PASSWORD").write_text("d:e")
    monkeypatch.setattr("deploy.settings.SECRETS", secrets)
    monkeypatch.setenv("QUADRILLE_DATABASE_URL", "postgresql+psycopg://quadrille@database:5432/quadrille")
    monkeypatch.setenv("QUADRILLE_BROKER_URL", "redis://broker/0")
    settings = load(tmp_path / "data")
    assert settings.database == "postgresql+psycopg://quadrille:a%2Fb%40c@database:5432/quadrille"
    assert (settings.broker, settings.rate_limits) == ("redis://:d%3Ae@broker/0", "redis://:d%3Ae@broker/0")
    assert "a/b" not in repr(settings)


@pytest.mark.parametrize("url", ["", "postgresql+psycopg://me:mine@host/name", "postgresql+psycopg:///name?host=/run"])
def test_a_url_that_needs_no_password_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("QUADRILLE_DATABASE_PASSWORD", "secret")
    monkeypatch.setenv("QUADRILLE_DATABASE_URL", url)
    assert load(tmp_path).database == (url or f"sqlite:///{tmp_path}/quadrille.sqlite")


@pytest.mark.full
def test_a_proxy_says_who_asks_and_how(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUADRILLE_SITE", "quadrille.example")
    headers = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "quadrille.example", "X-Forwarded-For": "192.0.2.7"}
    seen: list[tuple[str, str, str | None]] = []

    def see(_: Flask) -> None:
        seen.append((request.scheme, request.host, request.remote_addr))

    for proxies in (0, 1):
        monkeypatch.setenv("QUADRILLE_PROXIES", str(proxies))
        with request_started.connected_to(see):
            make_site(load(tmp_path)).test_client().get("/healthz", headers=headers)
    assert seen == [("http", "localhost", "127.0.0.1"), ("https", "quadrille.example", "192.0.2.7")]


@pytest.mark.full
@pytest.mark.parametrize(
    ("lines", "answers", "not_to"),
    [
        ("", ["127.0.0.1:8000", "localhost", "[::1]"], ["evil.example", "192.0.2.7", "0.0.0.0"]),
        ("QUADRILLE_HOST=192.0.2.7", ["192.0.2.7", "localhost"], ["evil.example", "192.0.2.8"]),
        ("QUADRILLE_HOST=0.0.0.0", [socket.gethostname(), "127.0.0.1"], ["evil.example"]),
        ("QUADRILLE_HOST=2001:db8::1", ["[2001:db8::1]:8000"], ["[2001:db8::2]"]),
        ("QUADRILLE_SITE=quadrille.example", ["quadrille.example", "Quadrille.Example:443"], ["a.quadrille.example"]),
        ("QUADRILLE_SITE=https://quadrille.example:8443/", ["quadrille.example:8443"], ["https"]),
        (
            "QUADRILLE_SITE=former.example\nQUADRILLE_HOSTS='a.example, bücher.example'",
            ["a.example", "xn--bcher-kva.example", "127.0.0.1"],
            ["former.example", "evil.example"],
        ),
    ],
)
def test_the_site_answers_under_its_own_names(
    tmp_path: Path, lines: str, answers: list[str], not_to: list[str]
) -> None:
    (tmp_path / "settings.env").write_text(lines)
    client = make_site(load(tmp_path)).test_client()
    for host, known in (*dict.fromkeys(answers, True).items(), *dict.fromkeys(not_to, False).items()):
        answer = client.get("/static/site.css", headers={"Host": host})
        assert (answer.status_code == 200, "QUADRILLE_HOSTS" in answer.text) == (known, not known), host


@pytest.mark.full
@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ("", 200),
        ("QUADRILLE_SITE=localhost", 200),
        ("QUADRILLE_PROXIES=1", 403),
        ("QUADRILLE_SITE=quadrille.example", 403),
        ("QUADRILLE_HOSTS=quadrille.example", 403),
        ("QUADRILLE_HOST=192.0.2.7", 403),
    ],
)
def test_metrics_need_a_token_where_others_can_reach_the_site(tmp_path: Path, lines: str, status: int) -> None:
    (tmp_path / "settings.env").write_text(lines)
    site = make_site(load(tmp_path))
    migrated(f"sqlite:///{tmp_path / 'quadrille.sqlite'}").dispose()
    assert site.test_client().get("/metrics").status_code == status


def test_the_data_folder_is_named_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUADRILLE_DATA", str(tmp_path / "there"))
    assert load().data == tmp_path / "there"


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("QUADRILLE_PORT=many", "QUADRILLE_PORT"),
        ("QUADRILLE_PORT=70000", "QUADRILLE_PORT"),
        ("QUADRILLE_SANDBOX=none", "QUADRILLE_SANDBOX"),
        ("QUADRILLE_SANDBOX=trusted", "QUADRILLE_SANDBOX"),
        ("QUADRILLE_LIMITS__CALL_S=soon", "QUADRILLE_LIMITS__CALL_S"),
        ("QUADRILLE_PROT=80", "QUADRILLE_PROT"),
        ("QUADRILLE_LIMITS__LOAD_S=nan", "LOAD_S is nan: .*at most 86400"),
        ("QUADRILLE_LIMITS__CALL_S=inf", "CALL_S is inf: .*at most 86400"),
        ("QUADRILLE_LIMITS__GAME_S=-1", "above zero"),
        ("QUADRILLE_LIMITS__WALL_FACTOR=1e300", "WALL_FACTOR is 1e\\+300: .*at most"),
        (
            "QUADRILLE_LIMITS__MEMORY=999999999999999",
            "MEMORY is 999999999999999: .*at most the [0-9]+ bytes that this machine has",
        ),
        ("QUADRILLE_LIMITS__OUTPUT=999999999999999", "OUTPUT is 999999999999999: .*at most"),
        ("QUADRILLE_REQUEST_S=nan", "QUADRILLE_REQUEST_S"),
        ("QUADRILLE_REQUEST_S=inf", "QUADRILLE_REQUEST_S"),
        ("QUADRILLE_WEB_THREADS=999999", "QUADRILLE_WEB_THREADS"),
        ("QUADRILLE_WEB_PROCESSES=999999", "QUADRILLE_WEB_PROCESSES"),
        ("QUADRILLE_GRADING_PROCESSES=999999", "QUADRILLE_GRADING_PROCESSES"),
        ("QUADRILLE_PLAYING_PROCESSES=-1", "QUADRILLE_PLAYING_PROCESSES"),
        ("QUADRILLE_PROXIES=-1", "QUADRILLE_PROXIES"),
        ("QUADRILLE_SITE=https://", "QUADRILLE_SITE"),
        ("QUADRILLE_HOSTS=[::1", "QUADRILLE_HOSTS"),
    ],
)
def test_a_bad_setting_is_named(tmp_path: Path, line: str, named: str) -> None:
    (tmp_path / "settings.env").write_text(line)
    with pytest.raises(BadSettings, match=named):
        load(tmp_path)


def test_a_data_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadSettings, match="file"):
        load(tmp_path / "file")


def test_the_secret_key_is_made_once_and_private(tmp_path: Path) -> None:
    key = load(tmp_path).secret_key
    assert len(key) >= 43
    assert load(tmp_path).secret_key == key
    assert stat.S_IMODE((tmp_path / "secret-key").stat().st_mode) == 0o600


def test_installations_have_different_keys(tmp_path: Path) -> None:
    assert load(tmp_path / "a").secret_key != load(tmp_path / "b").secret_key


CONTAINERS = Path(__file__).parents[2] / "deploy" / "containers"
OF_NO_USE = {
    "data": "fixed in the image",
    "database_password": "a secret file",
    "broker_password": "a secret file",
    "port": "fixed in the image",
    "plain_http": "the proxy ends TLS",
    "grading_processes": "services are scaled",
    "playing_processes": "services are scaled",
    "sign_on": "a secret file, since it has secrets",
    "mail_bounces": "a secret file, since it has a password",
    "archive_days": "the scheduler has no data folder there; the command runs where the site does",
    "limits": "by its parts",
}
"""Settings that the compose file sets for no service, and why."""


def test_the_containers_are_given_every_other_setting() -> None:
    composed = (CONTAINERS / "compose.yaml").read_text("utf-8")
    given = {name for name in Settings.model_fields if f" QUADRILLE_{name.upper()}: " in composed}
    assert {*Settings.model_fields} - given == {*OF_NO_USE}


def test_the_operator_finds_every_variable_of_the_containers_in_env() -> None:
    asked = {*re.findall(r"\$\{((?:QUADRILLE|DOCKER)_\w+)", (CONTAINERS / "compose.yaml").read_text("utf-8"))}
    images = {name for name in asked if name.endswith("_IMAGE")}
    told = {*re.findall(r"^(\w+)=", (CONTAINERS / "images" / "env").read_text("utf-8"), re.M)}
    assert asked - images == told - {"COMPOSE_PROJECT_NAME"}


def test_what_prepare_makes_are_the_secrets_and_folders_of_the_containers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("prepare.sh", "images/env"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(CONTAINERS / name, tmp_path / name)
    (tmp_path / "secrets").mkdir(mode=0o700)
    (tmp_path / "secrets" / "broker_password").write_text("kept")
    subprocess.run([tmp_path / "prepare.sh"], check=True)
    composed = yaml.safe_load((CONTAINERS / "compose.yaml").read_text("utf-8"))
    files = {each.name for each in (tmp_path / "secrets").iterdir()}
    assert {f"quadrille_{name}" for name in files} == {*composed["secrets"]}
    assert (tmp_path / "secrets" / "broker_password").read_text() == "kept"
    assert stat.S_IMODE((tmp_path / "secrets").stat().st_mode) == 0o700
    for service, secret in (("web", "sign_on"), ("migrate", "sign_on"), ("scheduler", "mail_bounces")):
        assert f"quadrille_{secret}" in composed["services"][service]["secrets"]
    (mounted,) = (each for each in composed["services"]["web"]["volumes"] if each.endswith(":/texts:ro"))
    assert mounted == "${QUADRILLE_TEXTS:-./texts}:/texts:ro"
    assert (tmp_path / "texts").is_dir()
    for name in files:  # as Docker mounts them
        (tmp_path / "secrets" / name).rename(tmp_path / "secrets" / f"quadrille_{name}")
    monkeypatch.setattr("deploy.settings.SECRETS", tmp_path / "secrets")
    found = load(tmp_path / "data")
    assert (found.sign_on, found.mail_bounces) == ((), "")


def test_the_services_that_call_other_servers_have_a_way_out() -> None:
    composed = yaml.safe_load((CONTAINERS / "compose.yaml").read_text("utf-8"))
    closed = {name for name, network in composed["networks"].items() if network.get("internal")}
    out = {name for name, service in composed["services"].items() if {*service.get("networks", ())} - closed}
    assert out == {"proxy", "web", "scheduler"}
