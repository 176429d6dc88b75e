"""Outside a demonstration nothing starts that lets others in; what is wrong and what closes it is said."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from deploy.cli import main
from deploy.security import Insecure, require_secure
from deploy.settings import load


@pytest.mark.parametrize(
    ("lines", "is_open"),
    [
        ("", False),
        ("QUADRILLE_HOST=0.0.0.0", True),
        ("QUADRILLE_HOST=192.0.2.7", True),
        ("QUADRILLE_HOST=::1", False),
        ("QUADRILLE_PROXIES=1", True),
        ("QUADRILLE_HOST=0.0.0.0\nQUADRILLE_SECURE_COOKIES=true", False),
        ("QUADRILLE_PROXIES=1\nQUADRILLE_SECURE_COOKIES=true", False),
        ("QUADRILLE_HOST=0.0.0.0\nQUADRILLE_PLAIN_HTTP=true", False),
        ("QUADRILLE_HOST=0.0.0.0\nQUADRILLE_DEMO=true", False),
    ],
)
def test_others_reach_it_with_secure_cookies_only(tmp_path: Path, lines: str, is_open: bool) -> None:
    (tmp_path / "settings.env").write_text(lines)
    if is_open:
        with pytest.raises(Insecure, match=r"QUADRILLE_SECURE_COOKIES=true; or .* QUADRILLE_PLAIN_HTTP=true"):
            require_secure(load(tmp_path))
    else:
        require_secure(load(tmp_path))


@pytest.mark.parametrize("key", ["", "changeme", "a" * 64, "abc" * 20])
def test_a_key_that_can_be_guessed_is_refused(tmp_path: Path, key: str) -> None:
    (tmp_path / "secret-key").write_text(key)
    with pytest.raises(Insecure, match=f"rm {tmp_path}/secret-key"):
        require_secure(load(tmp_path))


def test_the_key_that_is_made_is_good(tmp_path: Path) -> None:
    assert load(tmp_path).secret_key
    require_secure(load(tmp_path))


@pytest.mark.parametrize("command", ["serve", "web"])
def test_the_commands_refuse_and_say_what_to_do(tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLASK_DEBUG", "1")
    result = CliRunner().invoke(main, [command, "--data", str(tmp_path)])
    assert result.exit_code == 3
    assert "refusing to start, since FLASK_DEBUG is set" in result.stderr
    assert "unset FLASK_DEBUG" in result.stderr
