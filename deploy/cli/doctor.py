"""`quadrille doctor`."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from deploy.cli.common import CANNOT, console, data_option, foreign, json_option, say_json
from deploy.health.doctor import examine
from deploy.settings import data_folder
from sandbox.host.probe import Finding


@click.command()
@data_option
@json_option
def command(data: Path | None, as_json: bool) -> None:
    """Say what this machine offers, what is missing or wrong, and what mends it.

    Looks at the sandbox, the settings, the data folder, the database, the broker and the clock, and changes nothing.
    Exit code 0 only if everything is there that is needed, 3 if not.
    """
    folder = (data or data_folder()).absolute()
    with console(stderr=True).status("looking"):
        findings = list(examine(folder))
    if as_json:
        say_json([asdict(finding) for finding in findings], indent=1)
    else:
        print_findings(findings)
    sys.exit(CANNOT if any(is_fatal(finding) for finding in findings) else 0)


def is_fatal(finding: Finding) -> bool:
    """Whether nothing works without it."""
    return finding.needed and not finding.works


def print_findings(findings: Sequence[Finding]) -> None:
    """The findings for a reader, and a last line that sums them up."""
    screen = console()
    for finding in findings:
        mark = "[green]✔[/green]" if finding.works else "[red]✘[/red]" if finding.needed else "[yellow]![/yellow]"
        screen.print(f"{mark} [bold]{finding.name}[/bold]: {foreign(finding.detail)}")
        if not finding.works and finding.mend:
            screen.print(f"    to fix it: {foreign(finding.mend)}")
    fatal, weak = (sum(kind(each) for each in findings) for kind in (is_fatal, is_weak))
    if fatal:
        screen.print(f"[red]{fatal} of {len(findings)} must be mended before Quadrille can work here.[/red]")
    else:
        screen.print("Everything that is needed is there." + (f" {weak} could be better." if weak else ""))


def is_weak(finding: Finding) -> bool:
    """Whether it could be better, and all works without it."""
    return not finding.needed and not finding.works
