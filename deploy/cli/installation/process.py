"""The start of every process of the installation."""

from pathlib import Path

from deploy import log
from deploy.processes.supervisor import die_with_supervisor
from deploy.settings import Settings, load


def begun(data: Path | None) -> Settings:
    """Load the settings, set up logging, and end with the supervisor if there is one. Raises BadSettings."""
    die_with_supervisor()
    settings = load(data)
    log.configure(settings.log, settings.log_format)
    return settings
