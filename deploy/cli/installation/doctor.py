"""`quadrille doctor`."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from deploy.cli.common import console, data_option, foreign, json_option, say_json
from deploy.cli.errors import CANNOT, UNATTENDED
from deploy.health.doctor import examine
from deploy.health.servers import UNDONE
from deploy.settings import data_folder
from sandbox.host.probe import Finding


@click.command()
@data_option
@json_option
def doctor_command(data: Path | None, as_json: bool) -> None:
    """Report what is missing or wrong on this machine, and how to fix it.

    Checks the sandbox, the settings, the data folder, the database, the broker and the clock, and changes nothing. The
    exit code is 0 if all is well; 3 if something that is needed does not work here; 4 if work is not being done: no
    process grades, plays or schedules, or a worker is silent or out of service.
    """
    folder = (data or data_folder()).absolute()
    with console(stderr=True).status("checking"):
        findings = list(examine(folder))
    if as_json:
        say_json([as_data(finding) for finding in findings], indent=1)
    else:
        print_findings(findings)
    undone = any(finding.name in UNDONE and not finding.works for finding in findings)
    sys.exit(CANNOT if any(map(is_fatal, findings)) else UNATTENDED if undone else 0)


def as_data(finding: Finding) -> dict[str, Any]:
    """Return the finding as plain data, with the former name of the key for its `fix`."""
    return {"mend" if name == "fix" else name: value for name, value in asdict(finding).items()}


def is_fatal(finding: Finding) -> bool:
    """Whether the finding prevents Quadrille from working."""
    return finding.needed and not finding.works


def print_findings(findings: Sequence[Finding]) -> None:
    """Print the findings, repeat those that prevent Quadrille from working, and end with a summary."""
    screen = console()
    broken = list(filter(is_fatal, findings))
    again = [] if findings[len(findings) - len(broken) :] == broken else broken
    for finding in (*findings, *again):
        mark = "[green]✔[/green]" if finding.works else "[red]✘[/red]" if finding.needed else "[yellow]![/yellow]"
        screen.print(f"{mark} [bold]{finding.name}[/bold]: {foreign(finding.detail)}")
        if not finding.works and finding.fix:
            screen.print(f"    to fix it: {foreign(finding.fix)}")
    weak = sum(not each.works and not each.needed for each in findings)
    if broken:
        screen.print(f"[red]{len(broken)} of {len(findings)} must be fixed before Quadrille can work here.[/red]")
    else:
        screen.print("Everything that is needed works." + (f" {weak} could be better." if weak else ""))
