"""Records of games played by former versions of the rules: `GAME/former/VERSION/*.json`."""

import json
from collections.abc import Iterator
from pathlib import Path

from tournament.play.record import Record


def former_records(slug: str, version: str) -> Iterator[tuple[str, Record]]:
    """The name of each record and the record."""
    for file in sorted((Path(__file__).parent / slug / "former" / version).iterdir()):
        yield file.stem, Record.from_json(json.loads(file.read_text("utf-8")))
