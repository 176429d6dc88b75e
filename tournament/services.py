"""What a worker process is given to work with, by the composition root."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from sandbox.api import Limits, Sandbox
from tournament.db import Sessions


@dataclass
class Services:
    """`send` puts a task's name on the transport: it says that there may be something to claim, and carries no data.

    The sandboxes are opened when first needed and belong to this process.
    """

    sessions: Sessions
    send: Callable[[str], None]
    open_sandbox: Callable[[], Sandbox]
    open_trusted: Callable[[], Sandbox]
    worker: str  # names this process in claims
    limits: Limits = field(default_factory=Limits)

    @cached_property
    def sandbox(self) -> Sandbox:
        """Where students' players run."""
        return self.open_sandbox()

    @cached_property
    def trusted(self) -> Sandbox:
        """Where house bots run."""
        return self.open_trusted()
