"""Texts about data protection: read from files that settings name, and never missing without a word."""

from pathlib import Path

import pytest

from deploy.processes.site import LONGEST_TEXT, make_site
from deploy.settings import BadSettings, Settings, load
from tests.deploy.place import migrated


def settings(folder: Path, *lines: str) -> Settings:
    (folder / "settings.env").write_text("".join(f"QUADRILLE_{line}\n" for line in lines))
    return load(folder)


def test_files_are_read_from_the_data_folder_or_by_their_whole_path(tmp_path: Path) -> None:
    (tmp_path / "privacy.md").write_text("# Privacy\n\nÄpfel")
    elsewhere = tmp_path / "texts"
    elsewhere.mkdir()
    (elsewhere / "imprint.md").write_text("# Imprint")
    chosen = settings(tmp_path, "PRIVACY_TEXT=privacy.md", f"IMPRINT={elsewhere}/imprint.md", "CONSENT=true")
    migrated(chosen.database).dispose()
    site = make_site(chosen)
    found = site.extensions["quadrille"].privacy
    assert (found.text, found.imprint, found.consent) == ("# Privacy\n\nÄpfel", "# Imprint", True)
    assert (found.keep_days, found.forget_days, found.log_days, found.log_shown) == (365, 0, 365, True)
    assert "Äpfel" in site.test_client().get("/privacy/", base_url="http://127.0.0.1").text


def test_a_file_that_cannot_be_read_is_named_before_the_site_starts(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=r"QUADRILLE_IMPRINT is 'none.md': this file cannot be read"):
        make_site(settings(tmp_path, "IMPRINT=none.md"))
    (tmp_path / "bad.md").write_bytes(b"\xff")
    with pytest.raises(BadSettings, match="QUADRILLE_PRIVACY_TEXT"):
        make_site(settings(tmp_path, "PRIVACY_TEXT=bad.md"))


def test_a_text_that_is_too_long_is_refused_before_the_site_starts_and_not_cut(tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text("ä" * (LONGEST_TEXT // 2))
    chosen = settings(tmp_path, "PRIVACY_TEXT=long.md")
    migrated(chosen.database).dispose()
    assert len(make_site(chosen).extensions["quadrille"].privacy.text) == LONGEST_TEXT // 2
    (tmp_path / "long.md").write_text("ä" * (LONGEST_TEXT // 2) + "\n")
    with pytest.raises(BadSettings, match=r"QUADRILLE_PRIVACY_TEXT is 'long.md': this file has more than 200000 bytes"):
        make_site(chosen)


def test_consent_needs_a_text(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="needs QUADRILLE_PRIVACY_TEXT"):
        settings(tmp_path, "CONSENT=true")


def test_days_are_not_negative(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="QUADRILLE_KEEP_WORK_DAYS"):
        settings(tmp_path, "KEEP_WORK_DAYS=-1")
