"""The settings of single sign-on: what is wrong is named precisely, and no secret is repeated, logged or backed up."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from click.testing import CliRunner
from sqlalchemy import select
from sqlalchemy.orm import sessionmaker

from deploy.cli import main
from deploy.processes.site import make_site
from deploy.settings import BadSettings, Settings, load
from deploy.storage.backup import backup
from tests.deploy.place import migrated, place
from tournament.store.database import writing
from web.sign_on.provider import Provider, listed
from web.sign_on.tables import SignOnIdentity
from web.site.models import User

SECRET = "very-hidden"
GOOD = {
    "name": "uni",
    "title": "Example University",
    "issuer": "https://login.uni.example/realms/uni",
    "client_id": "quadrille",
    "client_secret": SECRET,
}


def told(folder: Path, monkeypatch: pytest.MonkeyPatch, *providers: Any, **more: str) -> str:
    """What is wrong with these settings."""
    text = providers[0] if isinstance(providers[0], str) else json.dumps(providers)
    for name, value in {"QUADRILLE_SIGN_ON": text, **more}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(BadSettings) as error:
        load(folder)
    assert SECRET not in str(error.value)
    return str(error.value)


WRONG = [
    ({"name": "Uni"}, "provider 1, name: must be lowercase letters, digits and hyphens"),
    ({"title": ""}, "provider 1, title: "),
    ({"issuer": "http://login.uni.example"}, "provider 1, issuer: must be an https address"),
    ({"issuer": "login.uni.example"}, "provider 1, issuer: must be an https address"),
    ({"issuer": "https://login.uni.example?a=b"}, "provider 1, issuer: must be an https address"),
    ({"issuer": 7}, "provider 1, issuer: must be text"),
    ({"client_secrt": SECRET}, "provider 1, client_secrt: is not known here"),
    ({"client_id": None}, "provider 1, client_id: must be text"),
    ({"scopes": "profile"}, "provider 1, scopes: must have openid among them"),
    ({"link_by": "mail"}, "provider 1, link_by: "),
    ({"link_by": "student_number"}, "provider 1: link_by is student_number, so it needs student_number_claim"),
    ({"create": "everybody"}, "provider 1, create: "),
    ({"create": "mail_domains"}, "provider 1: create is mail_domains, so it needs mail_domains"),
    ({"mail_domains": ["@uni.example"]}, "provider 1, mail_domains: must be names such as uni.example, without @"),
    ({"mail_domains": "uni.example"}, "provider 1, mail_domains: must be a list"),
]


@pytest.mark.parametrize(("wrong", "sentence"), WRONG)
def test_a_bad_provider_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: dict[str, Any], sentence: str
) -> None:
    assert f"QUADRILLE_SIGN_ON, {sentence}" in told(tmp_path, monkeypatch, {**GOOD, **wrong})


def test_so_is_what_is_wrong_with_all_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two = {**GOOD, "issuer": "https://b.example"}
    assert "two providers have the same name" in told(tmp_path, monkeypatch, GOOD, two)
    assert "two providers have the same issuer" in told(tmp_path, monkeypatch, GOOD, {**GOOD, "name": "b"})
    assert "provider 2, issuer: is required" in told(tmp_path, monkeypatch, GOOD, {"name": "b"})
    for text in (f"[{SECRET}", json.dumps(GOOD), '["uni"]'):
        assert "QUADRILLE_SIGN_ON" in told(tmp_path, monkeypatch, text)
    emergency = {"QUADRILLE_PASSWORDS": "emergency"}
    assert "needs QUADRILLE_SIGN_ON and QUADRILLE_EMERGENCY_LOGIN" in told(tmp_path, monkeypatch, GOOD, **emergency)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("QUADRILLE_SIGN_ON", json.dumps([GOOD]))
    monkeypatch.setenv("QUADRILLE_PASSWORDS", "emergency")
    monkeypatch.setenv("QUADRILLE_EMERGENCY_LOGIN", "root")
    return load(tmp_path)


def test_secrets_are_shown_nowhere_and_are_in_no_backup(settings: Settings, tmp_path: Path) -> None:
    assert SECRET not in repr(settings)
    assert SECRET not in repr(settings.sign_on)
    backup(settings, migrated(settings.database), tmp_path / "backup.zip")
    with ZipFile(tmp_path / "backup.zip") as archive:
        assert not [name for name in archive.namelist() if SECRET.encode() in archive.read(name)]
        assert b"QUADRILLE_SIGN_ON" in archive.read("manifest.json"), "it is told what a restored site lacks"


def test_only_a_site_with_a_provider_has_its_pages(settings: Settings, tmp_path: Path) -> None:
    migrated(settings.database)
    page = make_site(settings).test_client().get("/sign-in").text
    assert "Sign in with Example University" in page
    assert "Emergency sign-in" in page
    plain = make_site(place(tmp_path / "plain").settings.model_copy(update={"sign_on": (), "passwords": "everybody"}))
    assert "sign_on" not in plain.blueprints


@pytest.mark.full
def test_others_load_none_of_it() -> None:
    program = (
        "import sys, deploy.cli.course, deploy.health.doctor, deploy.processes.site; print('authlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_an_operator_ends_connections(settings: Settings, tmp_path: Path) -> None:
    sessions = sessionmaker(migrated(settings.database))
    with writing(sessions) as session:
        session.add(User(login="ada", name="Ada", password_hash=""))
        session.flush()
        session.add(SignOnIdentity(user_id=1, issuer=GOOD["issuer"], subject="s-1", known_as="ada@uni.example"))
    told = [run(tmp_path, "ada"), run(tmp_path, "ada"), run(tmp_path, "nobody")]
    assert [each.partition(":")[0] for each in told] == ["Ended", "ada was not connected with any provider.\n", ""]
    with writing(sessions) as session:
        assert not session.scalars(select(SignOnIdentity)).all()
        assert session.get_one(User, 1).generation == 2


def run(data: Path, login: str) -> str:
    return CliRunner().invoke(main, ["course", "disconnect", login, "--data", str(data)]).stdout


def test_the_example_of_the_documentation_can_be_used() -> None:
    page = (Path(__file__).parents[2] / "docs" / "single-sign-on.md").read_text()
    (found,) = listed(page.partition("```json\n")[2].partition("```")[0])
    assert Provider.model_validate(found).link_by == "login"
    rows = {name for line in page.splitlines() if line.startswith("| `") for name in codes(line.split("|")[1])}
    assert {*Provider.model_fields} <= rows, "each field has its row"


def codes(cell: str) -> list[str]:
    return cell.split("`")[1::2]
