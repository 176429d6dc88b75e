"""The site in a process of its own: its templates are compiled once for all processes, if there is a place for them."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from flask import Flask

from deploy.processes.wsgi import make_site
from tests.deploy.place import Place, migrated, place


@pytest.fixture
def installation(tmp_path: Path) -> Place:
    made = place(tmp_path / "data")
    migrated(made.settings.database).dispose()
    return made


def sign_in_page(site: Flask) -> int:
    return site.test_client().get("/sign-in").status_code


def compiled_in(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("_jinja2-cache-*/*")}


def test_another_process_finds_them_compiled(
    installation: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert sign_in_page(make_site(installation.settings)) == 200
    compiled = compiled_in(tmp_path)
    assert len(compiled) > 1
    assert sign_in_page(make_site(installation.settings)) == 200
    assert compiled_in(tmp_path) == compiled


def test_a_folder_that_goes_missing_takes_no_page_along(
    installation: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    site = make_site(installation.settings)
    shutil.rmtree(tmp_path / f"_jinja2-cache-{os.getuid()}")
    assert sign_in_page(site) == 200


@pytest.mark.parametrize("trap", [False, True])
def test_without_a_safe_folder_each_compiles_its_own(
    installation: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trap: bool
) -> None:
    folder, elsewhere = tmp_path / "temporary", tmp_path / "elsewhere"
    elsewhere.mkdir()
    if trap:
        folder.mkdir()
        (folder / f"_jinja2-cache-{os.getuid()}").symlink_to(elsewhere)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    assert sign_in_page(make_site(installation.settings)) == 200
    assert not list(elsewhere.iterdir())
