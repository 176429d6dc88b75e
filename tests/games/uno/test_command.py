"""`quadrille uno`, run as a user runs it."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
DEAL = str(HERE / "sample_deal.txt")


def uno(*arguments: str, stdin: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "deploy.cli", "uno", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=300)


def test_the_command_plays_the_sample() -> None:
    done = uno("--deal", DEAL, stdin="987654321\ny\n\n0 3\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        "Enter seed (or hit Enter): Seed: 987654321\nPlay in debug mode (Y/N)? Debug mode: true\n"
    )
    assert done.stdout.endswith("Player 3 (Bot) owes    0 point(s):\nThe winner is Player 3 (Bot)!\n")


def test_an_input_that_ends_early_is_told() -> None:
    done = uno(stdin="1\nn\n\n2 0\n")
    assert (done.returncode, done.stderr) == (2, "quadrille: the input ended before the game did\n")


def test_a_file_that_is_no_deal_is_told(tmp_path: Path) -> None:
    path = tmp_path / "deal.txt"
    path.write_text("R0 R1")
    done = uno("--deal", str(path), stdin="")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"quadrille: {path}: A pack has 1 of R2, and this deal 0.\n"
    assert uno("--deal", str(tmp_path / "none.txt"), stdin="").returncode == 2
