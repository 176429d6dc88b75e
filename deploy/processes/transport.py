"""The embedded transport: a queue of files, so that a small installation needs no server. A message appears under its
final name only when it is complete, and if several workers want it, only one gets it. Every file can be lost without
harm: the processes know the queues without files, and half-written messages can be removed, since a sweeper sends new
ones."""

import logging
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, virtual
from kombu.utils.encoding import bytes_to_str, str_to_bytes
from kombu.utils.json import dumps, loads

log = logging.getLogger(__name__)

POLLING_S = 0.05  # with this, the median delivery takes 3 ms while there is work
PARTS = {"body", "headers", "properties"}
"""The keys that every message must have."""

WRITTEN_S = 60.0
"""A message that is still incomplete after this time remains incomplete: its writer has died."""


class Channel(virtual.Channel):  # type: ignore[misc]  # kombu is not typed
    """A channel whose messages are files `<time>_<uuid>.<queue>.msg` in one folder."""

    @property
    def folder(self) -> Path:
        """The folder of the messages."""
        return Path(self.connection.client.transport_options["folder"])

    def _put(self, queue: str, payload: Any, **_: Any) -> None:
        name = f"{time.time_ns():020}_{uuid.uuid4()}.{queue}.msg"
        hidden = self.folder / f".{name}"
        try:
            hidden.write_bytes(str_to_bytes(dumps(payload)))
            hidden.rename(hidden.with_name(name))
        except OSError:
            hidden.unlink(missing_ok=True)
            raise

    def _get(self, queue: str) -> Any:
        for path in self._waiting(queue):
            if (content := _take_file(path)) is not None and (message := _parsed_message(content)) is not None:
                return message
        raise Empty

    def _size(self, queue: str) -> int:
        return sum(1 for _ in self._waiting(queue))

    def _purge(self, queue: str) -> int:
        return sum(_take_file(path) is not None for path in self._waiting(queue))

    def _waiting(self, queue: str) -> Iterator[Path]:
        """Yield the queue's messages, oldest first."""
        return (path for path in sorted(self.folder.iterdir()) if path.name.partition(".")[2] == f"{queue}.msg")


def _take_file(path: Path) -> bytes | None:
    """Take a file away and return its content; None if another process has taken it."""
    try:
        content = path.read_bytes()
        path.unlink()  # only one of several processes succeeds
    except FileNotFoundError:
        return None
    return content


def _parsed_message(content: bytes) -> Any:
    """Return the message in a file's content, or None if it is not complete."""
    try:
        message = loads(bytes_to_str(content))
    except ValueError:
        message = None
    if isinstance(message, dict) and message.keys() >= PARTS:
        return message
    log.warning(
        "a message of %d bytes in the queue cannot be read and is dropped; a sweeper sends another", len(content)
    )
    return None


class Transport(virtual.Transport):  # type: ignore[misc]
    """The transport of `folder://` URLs."""

    Channel = Channel
    queues = virtual.BrokerState()  # shared by all connections of a process
    driver_type = driver_name = "folder"
    default_port = 0

    def __init__(self, client: Any, **options: Any) -> None:
        """`client`: the connection for which this transport is created."""
        super().__init__(client, **options)
        self.state = self.queues

    def driver_version(self) -> str:
        """Return no version, since there is no driver."""
        return ""


TRANSPORT_ALIASES["folder"] = "deploy.processes.transport:Transport"


def folder_options(folder: Path) -> dict[str, Any]:
    """Return the transport options of a queue in `folder`, which is created if needed. Also removes old incomplete
    messages."""
    messages = folder / "messages"
    messages.mkdir(parents=True, exist_ok=True)
    for path in messages.iterdir():
        is_complete = path.suffix == ".msg" and not path.name.startswith(".")
        with suppress(FileNotFoundError):  # another process was first
            if not is_complete and time.time() - path.stat().st_mtime > WRITTEN_S:
                path.unlink()
    return {"folder": str(messages), "polling_interval": POLLING_S}
