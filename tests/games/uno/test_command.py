"""`quadrille uno`, run as a user runs it."""

from pathlib import Path

from tests.deploy.commands import process, quadrille

HERE = Path(__file__).parent
DEAL = str(HERE / "sample_deal.txt")


def test_the_command_plays_the_sample() -> None:
    done = process("uno", "--deal", DEAL, stdin="987654321\ny\n\n0 3\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        "Enter seed (or hit Enter): Seed: 987654321\nPlay in debug mode (Y/N)? Debug mode: true\n"
    )
    assert done.stdout.endswith("Player 3 (Bot) owes    0 point(s):\nThe winner is Player 3 (Bot)!\n")


def test_an_input_that_ends_early_is_told() -> None:
    done = quadrille("uno", stdin="1\nn\n\n2 0\n")
    assert (done.returncode, done.stderr) == (2, "quadrille: the input ended before the game did\n")


def test_a_file_that_is_no_deal_is_told(tmp_path: Path) -> None:
    path = tmp_path / "deal.txt"
    path.write_text("R0 R1")
    done = quadrille("uno", "--deal", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"quadrille: {path}: A pack has 1 of R2, and this deal 0.\n"
    assert quadrille("uno", "--deal", str(tmp_path / "none.txt")).returncode == 2
