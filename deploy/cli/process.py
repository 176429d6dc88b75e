"""How a process of the installation begins, whether `serve` started it or somebody else."""

from pathlib import Path

from deploy import log
from deploy.processes.supervisor import die_with_supervisor
from deploy.settings import Settings, load


def begun(data: Path | None) -> Settings:
    """The settings; from here on it logs as they say, and ends with its supervisor if it has one.

    Raises BadSettings."""
    die_with_supervisor()
    settings = load(data)
    log.configure(settings.log, settings.log_format)
    return settings
