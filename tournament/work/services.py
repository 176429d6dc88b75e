"""The resources of a worker process: sandboxes and connections."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from sandbox.api import Limits, Sandbox, SandboxError
from sandbox.choose import open_program_sandbox, open_tested_programs
from sandbox.programs import ProgramSandbox
from tournament.store.database import Sessions
from tournament.work.turns import PlayingPace, Turns, WorkKind

log = logging.getLogger(__name__)


@dataclass
class Services:
    """The resources of a worker process. `send` sends a task's name as a message, without data: it says that there may
    be something to claim. `unread` counts the messages for playing workers that none of them has received yet.
    `offers` are the languages in which this process grades programs. The sandboxes are opened when first needed and
    belong to this process."""

    sessions: Sessions
    send: Callable[[str], None]
    open_sandbox: Callable[[], Sandbox]
    open_trusted: Callable[[], Sandbox]
    worker: str  # the name of this process in claims
    limits: Limits = field(default_factory=Limits)
    pace: PlayingPace = field(default_factory=PlayingPace)
    turns: Turns[WorkKind] = field(default_factory=Turns)
    tournaments: Turns[int] = field(default_factory=Turns)  # by id
    unread: Callable[[], int] = lambda: 0
    offers: frozenset[str] = frozenset()
    open_programs: Callable[[], ProgramSandbox] = lambda: open_tested_programs(open_program_sandbox)

    @cached_property
    def sandbox(self) -> Sandbox:
        """The sandbox in which students' players run."""
        return self.open_sandbox()

    @cached_property
    def authors(self) -> Sandbox:
        """The sandbox in which instructors' code runs: a jail that never runs a student's file."""
        return self.open_sandbox()

    @cached_property
    def programs(self) -> ProgramSandbox:
        """The sandbox in which students' and instructors' programs are compiled and run, each in its own jail."""
        return self.open_programs()

    @cached_property
    def trusted(self) -> Sandbox:
        """The sandbox in which house bots run."""
        return self.open_trusted()

    def close_sandboxes(self) -> None:
        """Close the sandboxes that were opened; the next use opens new ones."""
        for name in ("sandbox", "authors", "programs", "trusted"):
            opened: Sandbox | ProgramSandbox | None = vars(self).pop(name, None)
            try:
                if opened:
                    opened.close()
            except SandboxError as error:
                log.warning("a sandbox did not close: %s", error)


def current() -> Services:
    """Return the services of this worker process. `deploy` puts them on the Celery application, where the tasks find
    them."""
    # Imported here, since this takes most of a second, and commands that only play need no worker
    from celery import current_app

    services = current_app.services
    assert isinstance(services, Services)  # noqa: S101 - for the type checker: the application is not typed
    return services
